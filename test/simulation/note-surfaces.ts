import type { JsonObject } from '../../src/base/canonical-json.ts';
import type { ActionContent, Precondition } from '../../src/model/content.ts';
import type {
  Described,
  GroundPort,
  Outcome,
  Probed,
  ReadTool,
  Reissued,
  RevertOutcome,
  Surface,
} from '../../src/authority/ports.ts';
import type { OverlayView, OverlayWriter } from '../../src/overlay/types.ts';
import { applying, card, described, listing, reverting, strings, type Ground } from './surface-parts.ts';

const resource = (name: string): string => `note:${name}`;

/** Characters up to which two versions of a note are merged; longer ones are a conflict. */
const MERGED_MAX = 24;

interface Put {
  readonly name: string;
  readonly text: string;
  /** The note whose text this is a copy of. */
  readonly from?: string;
}

/** Notes, compare-and-set (E1): `set` writes one, `copy` writes one out of another and so needs whoever made it. */
export function noteSurfaces(ground: Ground): readonly Surface[] {
  return [noteSurface(ground, 'set'), noteSurface(ground, 'copy')] as unknown as readonly Surface[];
}

export function noteReads(ground: Ground): readonly ReadTool[] {
  const get: ReadTool<{ readonly name: string }> = {
    tool: {
      ...listing('get', ground.version, true),
      parse: (input) => ({ name: strings(input, ['name'])['name'] ?? '' }),
    },
    read: async ({ name }, view) => {
      await ground.world.ask('read', ground.life);
      return { content: [{ type: 'text', text: textOf(ground, view, name) ?? '' }] };
    },
  };
  return [get] as unknown as readonly ReadTool[];
}

function textOf({ world }: Ground, view: OverlayView, name: string): string | null {
  const layer = view.lookup(resource(name));
  if (layer === undefined) return world.notes.get(name) ?? null;
  return layer.value === null ? null : String(layer.value['text']);
}

function noteSurface(ground: Ground, tool: 'set' | 'copy'): Surface<Put> {
  const { world, life } = ground;
  const groundOf = (effect: JsonObject): string | null => world.notes.get(String(effect['name'])) ?? null;
  const describe = ({ name, text }: Omit<Put, 'from'>, overlay: OverlayWriter): Described => {
    const before = textOf(ground, overlay, name);
    return described(
      { name, text, before },
      {
        writes: [resource(name)],
        effectClass: 'E1',
        reversible: true,
        preconditions: [{ resource: resource(name), expect: before ?? 'absent' }, ...branchOf(ground)],
        unchanged: before === text,
      },
    );
  };
  return {
    kind: { tag: `note.${tool}`, label: `${tool} a note` },
    tool: {
      ...listing(tool, ground.version),
      parse: (input) => {
        const {
          name = '',
          text = '',
          from = '',
        } = strings(input, tool === 'set' ? ['name', 'text'] : ['name', 'from']);
        return tool === 'set' ? { name, text } : { name, text: '', from };
      },
    },
    card: card(tool, 'name'),
    describe: async ({ name, text, from }, overlay) => {
      await world.ask('describe', life);
      return describe({ name, text: from === undefined ? text : `${textOf(ground, overlay, from) ?? ''}’` }, overlay);
    },
    simulate: async (effect, overlay) => {
      overlay.put(resource(String(effect['name'])), { text: String(effect['text']) });
      return { content: [{ type: 'text', text: `${tool} ${String(effect['name'])}` }] };
    },
    look: async ({ content: { effect } }) => {
      await world.ask('look', life);
      return groundOf(effect) === effect['before'] ? { type: 'ready' } : { type: 'moved', why: 'Somebody changed it.' };
    },
    apply: (context, signal) =>
      applying(ground, context, signal, (): Outcome | undefined => {
        const { effect } = context.content;
        if (groundOf(effect) !== effect['before']) return { type: 'failed', why: 'It is not what it was.' };
        world.notes.set(String(effect['name']), String(effect['text']));
        // It compares first: where it finds again what it had replaced, somebody else has put that back.
        const key = context.intent.idempotencyKey;
        world.shows(String(effect['name']), key);
        if (world.effect(key).count === 0) world.happened(key, { keyed: false });
        return undefined;
      }),
    probe: async ({ content: { effect }, intent }): Promise<Probed> => {
      await world.ask('probe', life);
      const now = groundOf(effect);
      if (now === effect['text']) return { answer: 'applied', evidence: {} };
      if (now === effect['before'] && !world.mayLand(intent.idempotencyKey))
        return { answer: 'not-applied', why: 'It is as it was.' };
      return { answer: 'unknown', why: 'Somebody changed it.' };
    },
    ...(ground.tools.coalesces ? { coalesce } : {}),
    reissue: async (content, overlay, mode): Promise<Reissued> => {
      await world.ask('reissue', life);
      const [name, text] = [String(content.effect['name']), String(content.effect['text'])];
      const before = textOf(ground, overlay, name) ?? '';
      if (mode === 'merge' && before.length + text.length > MERGED_MAX)
        return { type: 'conflict', why: `${name} was changed by somebody else.` };
      const merged = mode === 'theirs' || before === '' || before === text ? text : `${before}+${text}`;
      return { type: 'reissued', described: describe({ name, text: merged }, overlay), why: `${name} was merged.` };
    },
    canRevert: async ({ content: { effect } }) => {
      await world.ask('canRevert', life);
      const feasible = groundOf(effect) === effect['text'];
      return { feasible, why: feasible ? 'What was there before is kept.' : 'It is not as this left it.' };
    },
    revert: (context, signal) =>
      reverting(ground, context, signal, (): RevertOutcome | undefined => {
        const { effect } = context.content;
        if (groundOf(effect) !== effect['text'])
          return { type: 'refused', why: 'It is not as this left it.', canRetry: false };
        if (effect['before'] === null) world.notes.delete(String(effect['name']));
        else world.notes.set(String(effect['name']), String(effect['before']));
        world.reverted(context.intent.idempotencyKey);
        return undefined;
      }),
  };
}

/** Writes of one note, each over what the one before it leaves, are one. */
function coalesce(contents: readonly ActionContent[]): ActionContent | null {
  const [first] = contents;
  const last = contents.at(-1);
  if (first === undefined || last === undefined) return null;
  const chained = contents.every(({ effect }, at) => {
    const before = contents[at - 1]?.effect;
    return before === undefined || (before['name'] === effect['name'] && before['text'] === effect['before']);
  });
  return chained ? { ...first, effect: { ...first.effect, text: last.effect['text'] ?? '' } } : null;
}

export const BRANCH = 'branch';

function branchOf({ world, tools }: Ground): readonly Precondition[] {
  return tools.branches ? [{ resource: BRANCH, expect: world.branch }] : [];
}

/** All notes at once: another branch takes their place (GM-4). */
export function noteGround({ world }: Ground): GroundPort {
  return {
    resource: BRANCH,
    now: () => world.branch,
    nameOf: (expect) => expect,
    stamp: (of) => (of.startsWith('note:') ? world.stampOf(of.slice('note:'.length)) : undefined),
  };
}
