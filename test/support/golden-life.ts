import type { CallAnswer } from '../../src/model/agent-port.ts';
import type { ActionId } from '../../src/model/ids.ts';
import { CountersignError } from '../../src/base/errors.ts';
import type { PublishLab } from './publish-lab.ts';
import { post, type Post } from './post-surface.ts';
import { shelf, type Shelf } from './shelf-surface.ts';
import { put } from './workshop.ts';

/** What a journal that is kept for ever was made over, and what it is opened over again. */
export interface GoldenWorld extends Shelf {
  readonly post: Post;
}

/** What of that world is stored beside the journal. */
export interface GoldenThings {
  readonly notes: Readonly<Record<string, string>>;
  readonly letters: Post['letters'];
}

export function goldenWorld(things: GoldenThings = { notes: {}, letters: [] }): GoldenWorld {
  const notes = shelf();
  const letters = post({ effectClass: 'E3' });
  for (const [name, text] of Object.entries(things.notes)) notes.notes.set(name, text);
  letters.letters.push(...things.letters);
  const pack = {
    name: 'golden',
    surfaces: [...notes.pack.surfaces, ...letters.pack.surfaces],
    reads: notes.pack.reads,
  };
  return { ...notes, pack, post: letters };
}

export function thingsOf({ notes, post: { letters } }: GoldenWorld): GoldenThings {
  return { notes: Object.fromEntries(notes), letters };
}

/** Long enough for every grace period and shorter than any deadline. */
const GRACE_MS = 15_000;

/**
 * A life that ends in the middle of things, with an action in every state there is. It uses nothing that the first
 * version did not have, so that every version can live it.
 */
export async function liveGolden(lab: PublishLab, world: GoldenWorld): Promise<void> {
  await whatWentWell(lab);
  await whatWentWrong(lab, world);
  await whatPeopleSaid(lab);
  await whatWaits(lab, world);
  await whatNeverEnded(lab, world);
}

async function whatWentWell(lab: PublishLab): Promise<void> {
  const port = await lab.agent('well');
  // One on the other, so that taking the first back takes the second back before it.
  const first = await proposed(put(port, 'base', 'one'));
  const second = await proposed(put(port, 'base', 'two'));
  const alone = await proposed(put(port, 'alone', 'one'));
  const letter = await proposed(port.call({ tool: 'send', arguments: { text: 'hello' }, callId: 'c1' }));
  const question = await proposed(port.call({ tool: 'ask', arguments: { question: 'why?' }, callId: null }));
  await lab.phone.approve([first, second, alone, letter, question]);
  await passed(lab);
  await lab.tablet.decide({ kind: 'revert', ids: [alone] });
  await happened(lab);
}

async function whatWentWrong(lab: PublishLab, { hooks, post: { way } }: GoldenWorld): Promise<void> {
  hooks.beforeApply = async (name) => {
    if (name === 'lost') throw new Error('The answer was lost.');
    return name === 'locked' || name === 'locked-once' ? { type: 'failed', why: 'The shelf is locked.' } : undefined;
  };
  way.there = async (text) => ({ type: 'in-doubt', why: `Nobody knows where ${text} is.` });
  way.asked = async () => ({ answer: 'unknown', why: 'The post office is closed.' });
  for (const name of ['locked', 'lost', 'locked-once']) {
    const port = await lab.agent(name);
    const one = await proposed(put(port, name, 'text'));
    const behind = await proposed(put(port, `behind ${name}`, 'text'));
    await lab.phone.approve([one, behind]);
    await happened(lab);
    if (name === 'locked-once') {
      delete hooks.beforeApply;
      await lab.phone.decide({ kind: 'retry', ids: [one] });
      await happened(lab);
    }
  }
  for (const answer of ['did-not', 'happened'] as const) {
    const port = await lab.agent(answer);
    const text = `a letter that ${answer}`;
    const letter = await proposed(port.call({ tool: 'send', arguments: { text }, callId: null }));
    await lab.phone.approve([letter]);
    await happened(lab);
    await lab.tablet.decide({ kind: 'settle', ids: [letter], body: { answer, attempt: 1 } });
  }
  const port = await lab.agent('doubtful revert');
  const one = await proposed(put(port, 'undone?', 'text'));
  await lab.phone.approve([one]);
  await happened(lab);
  hooks.beforeRevert = async () => ({ type: 'in-doubt', why: 'The shelf did not answer.' });
  await lab.phone.decide({ kind: 'revert', ids: [one] });
  await happened(lab);
  delete hooks.beforeRevert;
  delete hooks.beforeApply;
  delete way.there;
  delete way.asked;
}

async function whatPeopleSaid(lab: PublishLab): Promise<void> {
  const port = await lab.agent('said');
  const no = await proposed(put(port, 'no', 'text'));
  const other = await proposed(put(port, 'other', 'text'));
  const own = await proposed(put(port, 'own', 'text'));
  const kept = await proposed(put(port, 'kept', 'text'));
  const back = await proposed(put(port, 'back', 'text'));
  await port.call({ tool: 'get', arguments: { name: 'no' }, callId: null });
  const fallen = await proposed(put(port, 'no', 'more'));
  const seen = await proposed(put(port, 'after it was seen', 'text'));
  const parked = await proposed(put(port, 'kept', 'more'));
  await lab.phone.approve([fallen, seen]);
  await lab.phone.reject([no], 'Not this one.');
  const remarks = [{ path: 'other', line: 1, text: 'Say more.' }];
  await lab.phone.decide({ kind: 'change', ids: [other], body: { say: 'Otherwise, please.', remarks } });
  await lab.phone.decide({ kind: 'reject', ids: [own], body: { because: 'user-edited' } });
  await lab.tablet.decide({ kind: 'hold', ids: [kept] });
  await port.withdraw([back], 'A mistake.');
  await happened(lab);
  await refusals(lab, parked);
}

/** What is no right of anybody's or comes too late is a part of a log, too. */
async function refusals(lab: PublishLab, id: ActionId): Promise<void> {
  for (const wish of [
    { kind: 'settle', ids: [id], body: { answer: 'happened', attempt: 1 } },
    { kind: 'retry', ids: [id] },
  ] as const)
    await lab.phone.decide(wish).catch((error: unknown) => {
      if (!CountersignError.is(error)) throw error;
    });
}

async function whatWaits(lab: PublishLab, { notes }: GoldenWorld): Promise<void> {
  const port = await lab.agent('waits');
  notes.set('moved', 'old');
  notes.set('merged', 'old');
  const moved = await proposed(put(port, 'moved', 'new'));
  notes.set('moved', 'somebody was here');
  await lab.phone.approve([moved]);
  await happened(lab);
  const other = await lab.agent('merges');
  const merged = await proposed(put(other, 'merged', 'new'));
  notes.set('merged', '+somebody added ');
  await lab.phone.approve([merged]);
  await happened(lab);
  await proposed(put(port, 'nobody has looked', 'x'.repeat(600)));
  const last = await lab.agent('last');
  await proposed(put(last, 'nobody has looked', 'y'));
  await proposed(last.call({ tool: 'ask', arguments: { question: 'and now?' }, callId: null }));
}

/** The last that happened: the process ended while these went on. */
async function whatNeverEnded(lab: PublishLab, { hooks }: GoldenWorld): Promise<void> {
  const port = await lab.agent('reverting');
  const undone = await proposed(put(port, 'going back', 'text'));
  await lab.phone.approve([undone]);
  await happened(lab);
  hooks.beforeRevert = () => new Promise(() => undefined);
  await lab.phone.decide({ kind: 'revert', ids: [undone] });
  await happened(lab);
  hooks.beforeApply = () => new Promise(() => undefined);
  const applying = await lab.agent('applying');
  const begun = await proposed(put(applying, 'begun', 'text'));
  const next = await proposed(put(applying, 'next', 'text'));
  await lab.phone.approve([begun, next]);
  await happened(lab);
}

export async function proposed(call: Promise<CallAnswer>): Promise<ActionId> {
  const answer = await call;
  if (answer.type !== 'simulated' && answer.type !== 'awaiting')
    throw new Error(`It was not queued: ${JSON.stringify(answer)}`);
  return answer.actionId;
}

/** What is irreversible happens too, and all of it is published: each time makes the journal larger. */
export async function passed(lab: PublishLab): Promise<void> {
  await happened(lab);
  lab.world.clock.advance(GRACE_MS);
  await happened(lab);
}

/** No time passes, although it gets later. */
export async function happened({ world: { clock } }: PublishLab): Promise<void> {
  clock.jump(1_000);
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => void setImmediate(resolve));
}
