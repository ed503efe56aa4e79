import type { JsonObject } from '../../src/base/canonical-json.ts';
import { CountersignError } from '../../src/base/errors.ts';
import type { Outcome, Probed, ReadTool, RevertOutcome, Surface, SurfacePack } from '../../src/authority/ports.ts';

/**
 * A world for tests that is real, though small: a shelf of named notes in memory. `put` is a compare-and-set (E1),
 * `ask` cannot be simulated and waits. Tests reach into `notes` to play the world, and into `hooks` to break it.
 */
export interface Shelf {
  readonly notes: Map<string, string>;
  readonly effects: string[];
  readonly pack: SurfacePack;
  readonly hooks: {
    beforeApply?: (name: string) => Promise<Outcome | undefined>;
    beforeRevert?: (name: string) => Promise<RevertOutcome | undefined>;
    /** Before it describes, simulates, looks, makes anew or says whether it can be reverted. */
    before?: (what: 'describe' | 'simulate' | 'look' | 'reissue' | 'canRevert', name: string) => Promise<void>;
  };
}

interface PutArgs {
  readonly name: string;
  readonly text: string;
}

const resource = (name: string): string => `note:${name}`;

export function shelf(): Shelf {
  const notes = new Map<string, string>();
  const effects: string[] = [];
  const hooks: Shelf['hooks'] = {};
  const surfaces = [putSurface(notes, effects, hooks), askSurface(effects)] as unknown as readonly Surface[];
  const reads = [getTool(notes)] as unknown as readonly ReadTool[];
  return { notes, effects, hooks, pack: { name: 'shelf', surfaces, reads } };
}

function args(input: unknown, names: readonly string[]): Record<string, string> {
  const given = (input ?? {}) as Record<string, unknown>;
  for (const name of names) {
    if (typeof given[name] !== 'string') throw new CountersignError('bad-input', `${name}: expected a string.`);
  }
  return given as Record<string, string>;
}

function listing(name: string, readOnlyHint: boolean) {
  return { name, title: name, description: name, inputSchema: { type: 'object' }, annotations: { readOnlyHint } };
}

function putSurface(notes: Map<string, string>, effects: string[], hooks: Shelf['hooks']): Surface<PutArgs> {
  const expected = (effect: JsonObject): string | undefined =>
    effect['before'] === null ? undefined : String(effect['before']);
  return {
    kind: { tag: 'note.put', label: 'Put a note' },
    tool: {
      ...listing('put', false),
      parse: (input) => {
        const { name, text } = args(input, ['name', 'text']);
        return { name: name ?? '', text: text ?? '' };
      },
    },
    card: {
      title: 'Put {0}',
      target: '/arguments/name',
      fields: [{ label: 'Name', pointer: '/arguments/name', as: 'path' }],
    },
    async describe({ name, text }, overlay) {
      await hooks.before?.('describe', name);
      const layer = overlay.lookup(resource(name));
      const before = layer === undefined ? (notes.get(name) ?? null) : String(layer.value?.['text'] ?? '');
      return {
        effect: { name, text, before },
        preconditions: [{ resource: resource(name), expect: before ?? 'absent' }],
        writes: [resource(name)],
        effectClass: 'E1',
        reversible: true,
        reversibleWhy: 'The former text is kept.',
        awaitDecision: false,
        verdict: { autoApprovable: true, reason: 'It is only a note.' },
        lane: null,
        unchanged: before === text,
      };
    },
    async simulate(effect, overlay) {
      await hooks.before?.('simulate', String(effect['name']));
      overlay.put(resource(String(effect['name'])), { text: String(effect['text']) });
      return { content: [{ type: 'text', text: `Put ${String(effect['name'])}` }] };
    },
    async look({ content }) {
      const name = String(content.effect['name']);
      await hooks.before?.('look', name);
      const moved = notes.get(name) !== expected(content.effect);
      return moved ? { type: 'moved', why: `${name} was changed by somebody else.` } : { type: 'ready' };
    },
    async apply({ content }) {
      const name = String(content.effect['name']);
      const outcome = await hooks.beforeApply?.(name);
      if (outcome !== undefined) return outcome;
      if (notes.get(name) !== expected(content.effect)) return { type: 'failed', why: `${name} moved` };
      notes.set(name, String(content.effect['text']));
      effects.push(`${name}=${String(content.effect['text'])}`);
      return { type: 'applied', evidence: {}, drift: null };
    },
    async probe({ content }): Promise<Probed> {
      const now = notes.get(String(content.effect['name']));
      if (now === content.effect['text']) return { answer: 'applied', evidence: {} };
      if (now === expected(content.effect)) return { answer: 'not-applied', why: 'It is as it was.' };
      return { answer: 'unknown', why: 'Somebody changed it.' };
    },
    async reissue(content, overlay, mode) {
      const { name, text } = content.effect as { name: string; text: string };
      await hooks.before?.('reissue', name);
      const layer = overlay.lookup(resource(name));
      const before = layer === undefined ? (notes.get(name) ?? null) : String(layer.value?.['text'] ?? '');
      if (mode === 'merge' && before !== null && !before.startsWith('+'))
        return { type: 'conflict', why: `${name} was changed by somebody else.` };
      const merged = mode === 'merge' ? `${before ?? ''}${text}` : text;
      const described = await this.describe({ name, text: merged }, overlay);
      return { type: 'reissued', described, why: `${name} was merged.` };
    },
    async canRevert({ content }) {
      const { name, text } = content.effect as { name: string; text: string };
      await hooks.before?.('canRevert', name);
      if (notes.get(name) === text) return { feasible: true, why: 'The former text is kept.' };
      return { feasible: false, why: `${name} is not as this left it.` };
    },
    async revert({ content }) {
      const { name, text } = content.effect as { name: string; text: string };
      const outcome = await hooks.beforeRevert?.(name);
      if (outcome !== undefined) return outcome;
      if (notes.get(name) !== text) return { type: 'refused', why: `${name} is not as this left it.`, canRetry: false };
      const before = expected(content.effect);
      if (before === undefined) notes.delete(name);
      else notes.set(name, before);
      effects.push(`revert ${name}`);
      return { type: 'reverted' };
    },
  };
}

function askSurface(effects: string[]): Surface<{ question: string }> {
  return {
    kind: { tag: 'peer.ask', label: 'Ask a peer' },
    tool: { ...listing('ask', false), parse: (input) => ({ question: args(input, ['question'])['question'] ?? '' }) },
    card: {
      title: 'Ask {0}',
      target: '/arguments/question',
      fields: [{ label: 'Question', pointer: '/arguments/question', as: 'text' }],
    },
    async describe({ question }) {
      return {
        effect: { question },
        preconditions: [],
        writes: ['peer:one'],
        effectClass: 'E4',
        reversible: false,
        reversibleWhy: 'A question cannot be unasked.',
        awaitDecision: true,
        verdict: { autoApprovable: false, reason: 'It leaves the machine.' },
        lane: 'ask:one',
        unchanged: false,
      };
    },
    async apply({ content }) {
      effects.push(`ask ${String(content.effect['question'])}`);
      return { type: 'applied', evidence: {}, drift: null, result: { content: [{ type: 'text', text: '42' }] } };
    },
  };
}

function getTool(notes: Map<string, string>): ReadTool<{ name: string }> {
  return {
    tool: { ...listing('get', true), parse: (input) => ({ name: args(input, ['name'])['name'] ?? '' }) },
    async read({ name }, view) {
      const layer = view.lookup(resource(name));
      const text = layer === undefined ? (notes.get(name) ?? '') : String(layer.value?.['text'] ?? '');
      return { content: [{ type: 'text', text }] };
    },
  };
}
