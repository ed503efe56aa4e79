import { AUTHORITY_LIMITS } from '../../src/authority/options.ts';
import type { Surface } from '../../src/authority/ports.ts';
import type { ActionId } from '../../src/model/ids.ts';
import { goldenWorld, happened, proposed, type GoldenThings, type GoldenWorld } from './golden-life.ts';
import type { PublishLab } from './publish-lab.ts';
import { named, ruleBody } from './rule-wish.ts';
import { till } from './till-surface.ts';
import { tracker } from './tracker-surface.ts';
import { put } from './workshop.ts';

/** The world of the first version with what surfaces could do from the second version on. */
export function secondWorld(things?: GoldenThings): GoldenWorld {
  const world = goldenWorld(things);
  const [tickets, cash] = [tracker().pack, till().pack];
  const [note] = world.pack.surfaces;
  if (note === undefined) throw new Error('the shelf has its first surface');
  const surfaces = [...world.pack.surfaces, writeSurface(note), ...tickets.surfaces, ...cash.surfaces];
  const reads = [...world.pack.reads, ...tickets.reads];
  const open: NonNullable<typeof cash.open> = (rows) => cash.open?.(rows);
  return { ...world, pack: { ...world.pack, surfaces, reads, open } };
}

/** A note that is written several times in a row is written once (DR-11). */
function writeSurface(note: Surface): Surface {
  return {
    ...note,
    kind: { tag: 'note.write', label: 'Write a note' },
    tool: { ...note.tool, name: 'write' },
    coalesce: (contents) => {
      const [first, last] = [contents[0], contents.at(-1)];
      if (first === undefined || last === undefined) return null;
      return { ...first, effect: { ...first.effect, text: last.effect['text'] ?? '' } };
    },
  };
}

/** What a journal of the second version can hold and one of the first cannot. */
export async function liveSecond(lab: PublishLab, { post: { way } }: GoldenWorld): Promise<void> {
  await underRules(lab);
  await withSurfacesThatCanMore(lab);
  await correctedAndLate(lab);
  await contradicted(lab, way);
  await stopped(lab);
}

async function underRules(lab: PublishLab): Promise<void> {
  const port = await lab.agent('ruled');
  for (const glob of ['ruled*', 'gone*'])
    await lab.phone.decide({ kind: 'rule.add', ids: [], body: bodyOf(lab, glob) });
  const rule = lab.authority.standing().rules.find(({ text }) => text.includes('gone'));
  await lab.tablet.decide({ kind: 'rule.remove', ids: [], body: { rule: rule?.id ?? '' } });
  await proposed(put(port, 'ruled', 'text'));
  await happened(lab);
}

function bodyOf(lab: PublishLab, glob: string): ReturnType<typeof ruleBody> {
  return ruleBody(lab.authority.standing(), { where: [named(glob)], usesMax: 5 });
}

async function withSurfacesThatCanMore(lab: PublishLab): Promise<void> {
  const port = await lab.agent('more');
  const call = (tool: string, args: unknown) => port.call({ tool, arguments: args, callId: null });
  const answer = await call('open_ticket', { title: 'It is broken.' });
  const block = answer.type === 'simulated' ? answer.result.content[0] : undefined;
  if (answer.type !== 'simulated' || block?.type !== 'text') throw new Error('a ticket is simulated');
  const comment = await proposed(call('comment', { ticket: block.text, text: 'Still.' }));
  const paid = await proposed(call('pay', { cents: 250 }));
  const written: ActionId[] = [];
  for (const text of ['a', 'ab', 'abc']) written.push(await proposed(call('write', { name: 'long', text })));
  await lab.phone.approve([answer.actionId, comment, paid, ...written]);
  await happened(lab);
}

async function correctedAndLate(lab: PublishLab): Promise<void> {
  const port = await lab.agent('corrected');
  const wrong = await proposed(put(port, 'letter', 'Deer'));
  await lab.phone.decide({ kind: 'edit', ids: [wrong], body: { arguments: { name: 'letter', text: 'Dear' } } });
  await happened(lab);
  const own = lab.authority.queue({ all: false }).find(({ title }) => title === 'Put letter');
  if (own === undefined) throw new Error('the corrected call stands in its place');
  await lab.phone.approve([own.id]);
  await happened(lab);
  await lab.tablet.reject([own.id], 'Too late.');
}

async function contradicted(lab: PublishLab, way: GoldenWorld['post']['way']): Promise<void> {
  const port = await lab.agent('contradicted');
  let arrive = (): void => undefined;
  way.there = () => new Promise((resolve) => (arrive = () => resolve(undefined)));
  way.asked = async () => ({ answer: 'unknown', why: 'The post office is closed.' });
  const args = { text: 'a letter on its way' };
  const letter = await proposed(port.call({ tool: 'send', arguments: args, callId: null }));
  await lab.phone.approve([letter]);
  await happened(lab);
  lab.world.clock.advance(AUTHORITY_LIMITS.effectMsMax);
  await happened(lab);
  await lab.phone.decide({ kind: 'settle', ids: [letter], body: { answer: 'did-not', attempt: 1 } });
  arrive();
  await happened(lab);
  delete way.there;
  delete way.asked;
}

async function stopped(lab: PublishLab): Promise<void> {
  await lab.phone.decide({ kind: 'mode', ids: [], body: { mode: 'plan' } });
  const port = await lab.agent('paused');
  const refused = await put(port, 'planned', 'text');
  if (refused.type !== 'refused') throw new Error('in plan mode nothing is queued');
  await lab.phone.decide({ kind: 'mode', ids: [], body: { mode: 'act' } });
  const waits = await proposed(put(port, 'paused', 'text'));
  const session = lab.authority.queue({ all: false }).find(({ id }) => id === waits)?.session ?? '';
  await lab.tablet.decide({ kind: 'pause', ids: [], body: { session } });
  await lab.phone.approve([waits]);
  await happened(lab);
}
