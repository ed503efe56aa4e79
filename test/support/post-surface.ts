import type { JsonObject } from '../../src/base/canonical-json.ts';
import type { Described, Outcome, Probed, Surface, SurfacePack } from '../../src/authority/ports.ts';
import { shelf, type Shelf } from './shelf-surface.ts';

/**
 * A post office for tests of effect classes: `send` puts a letter into the world under its idempotency key. A test says
 * which class it has, breaks the way there and back, and answers for the post office.
 */
export interface Post extends Shelf {
  /** Every letter that arrived, by key; the post office of a keyed effect knows a key again. */
  readonly letters: { readonly key: string; readonly text: string }[];
  readonly way: {
    /** Before the letter arrives: what this answers is the outcome, and it does not arrive. */
    there?: (text: string) => Promise<Outcome | undefined>;
    /** After it has arrived. */
    back?: (text: string) => Promise<Outcome | undefined>;
    /** Waited for right before it is sent. */
    look?: () => Promise<void>;
    /** In place of looking for it. */
    asked?: () => Promise<Probed>;
    /** Does the post office say that an old request can no longer land? */
    final: boolean;
    asks: number;
  };
}

type Rules = Pick<Described, 'effectClass' | 'keyWindowMs'> & { readonly probe?: false };

export function post(rules: Rules): Post {
  const letters: Post['letters'] = [];
  const way: Post['way'] = { final: false, asks: 0 };
  const made = send(rules, letters, way);
  const { probe: _, ...silent } = made;
  const surfaces = [rules.probe === false ? silent : made] as unknown as readonly Surface[];
  const pack: SurfacePack = { name: 'post', surfaces, reads: [] };
  return { ...shelf(), pack, letters, way };
}

function send(rules: Rules, letters: Post['letters'], way: Post['way']): Surface<{ text: string }> {
  return {
    kind: { tag: 'post.send', label: 'Send a letter' },
    tool: {
      name: 'send',
      title: 'send',
      description: 'send',
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: false },
      parse: (input) => ({ text: String((input as JsonObject)['text']) }),
    },
    card: {
      title: 'Send {0}',
      target: '/arguments/text',
      fields: [{ label: 'Text', pointer: '/arguments/text', as: 'text' }],
    },
    async describe({ text }) {
      return {
        effect: { text },
        preconditions: [],
        writes: [`letter:${text}`],
        effectClass: rules.effectClass,
        ...(rules.keyWindowMs === undefined ? {} : { keyWindowMs: rules.keyWindowMs }),
        reversible: true,
        reversibleWhy: 'It can be called back.',
        awaitDecision: false,
        verdict: { autoApprovable: false, reason: 'It leaves the machine.' },
        lane: null,
        unchanged: false,
      };
    },
    async simulate(effect, overlay) {
      overlay.put(`letter:${String(effect['text'])}`, { text: String(effect['text']) });
      return { content: [{ type: 'text', text: 'sent' }] };
    },
    async look() {
      await way.look?.();
      return { type: 'ready' };
    },
    async apply({ content, intent }) {
      const text = String(content.effect['text']);
      const lost = await way.there?.(text);
      if (lost !== undefined) return lost;
      const known = rules.effectClass === 'E2' && letters.some(({ key }) => key === intent.idempotencyKey);
      if (!known) letters.push({ key: intent.idempotencyKey, text });
      return (await way.back?.(text)) ?? { type: 'applied', evidence: { text }, drift: null };
    },
    async probe({ intent }) {
      way.asks += 1;
      if (way.asked !== undefined) return way.asked();
      const there = letters.find(({ key }) => key === intent.idempotencyKey);
      if (there !== undefined) return { answer: 'applied', evidence: { text: there.text } };
      return { answer: 'not-applied', why: 'There is no such letter.', final: way.final };
    },
    async revert({ intent, content }) {
      const at = letters.findIndex(({ text }) => text === String(content.effect['text']));
      if (at === -1) return { type: 'refused', why: `No letter for ${intent.idempotencyKey}.`, canRetry: false };
      letters.splice(at, 1);
      return { type: 'reverted' };
    },
  };
}
