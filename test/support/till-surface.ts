import type { JsonObject } from '../../src/base/canonical-json.ts';
import { CountersignError } from '../../src/base/errors.ts';
import type { Rows, Surface, SurfacePack } from '../../src/authority/ports.ts';
import { shelf, type Shelf } from './shelf-surface.ts';

/** A till whose sum lives in the journal itself: each `pay` is a transactional effect (E0). */
export interface Till extends Shelf {
  sum(): number;
  readonly hooks: Shelf['hooks'] & { refuse?: string };
}

export function till(): Till {
  let rows: Rows | undefined;
  const hooks: Till['hooks'] = {};
  const sum = (): number => Number(rows?.get('sum')?.['cents'] ?? 0);
  const surface: Surface<{ cents: number }> = {
    kind: { tag: 'till.pay', label: 'Pay into the till' },
    tool: {
      name: 'pay',
      title: 'pay',
      description: 'pay',
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: false },
      parse: (input) => ({ cents: Number((input as JsonObject)['cents']) }),
    },
    card: {
      title: 'Pay {0}',
      target: '/arguments/cents',
      fields: [{ label: 'Cents', pointer: '/arguments/cents', as: 'amount' }],
    },
    async describe({ cents }) {
      return {
        effect: { cents },
        preconditions: [],
        writes: ['till'],
        effectClass: 'E0',
        reversible: true,
        reversibleWhy: 'It is only a sum.',
        awaitDecision: false,
        verdict: { autoApprovable: true, reason: 'It is only a sum.' },
        lane: null,
        unchanged: false,
      };
    },
    async simulate(_effect, overlay) {
      overlay.put('till', { cents: 0 });
      return { content: [] };
    },
    apply: () => Promise.reject(new Error('a transactional effect is not asked to act')),
    applyInTransaction({ content }, writer) {
      const before = Number(writer.get('sum')?.['cents'] ?? 0);
      writer.put('sum', { cents: before + Number(content.effect['cents']) });
      if (hooks.refuse !== undefined) throw new CountersignError('bad-input', hooks.refuse);
      return { type: 'applied', evidence: { before }, drift: null };
    },
    revertInTransaction({ applied, content }, writer) {
      const cents = Number(writer.get('sum')?.['cents'] ?? 0) - Number(content.effect['cents']);
      if (cents < 0) return { type: 'refused', why: 'That much is not in the till.', canRetry: false };
      writer.put('sum', { cents });
      if (cents === 0 && applied.evidence['before'] === 0) writer.drop('sum');
      return { type: 'reverted' };
    },
  };
  const pack: SurfacePack = {
    name: 'till',
    surfaces: [surface as unknown as Surface],
    reads: [],
    open: (opened) => {
      rows = opened;
    },
  };
  return { ...shelf(), pack, hooks, sum };
}
