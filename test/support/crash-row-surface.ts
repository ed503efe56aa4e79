import type { Rows, Surface, SurfacePack } from '../../src/authority/ports.ts';
import { nameIn, outgoing } from './crash-sink-surface.ts';

/** The pack's name, which its rows are kept under. */
export const ROW_PACK = 'rows';

/** A transactional effect (E0): a counter in the journal's own transaction, so that a second time would show. */
export function rowPack(onRows: (rows: Rows) => void = () => undefined): SurfacePack {
  const surface: Surface<{ readonly name: string }> = {
    kind: { tag: 'row.count', label: 'Count' },
    tool: {
      name: 'count_row',
      title: 'count_row',
      description: 'count_row',
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: false },
      parse: (input) => ({ name: nameIn(input) }),
    },
    card: {
      title: 'Count {0}',
      target: '/effect/name',
      fields: [{ label: 'Name', pointer: '/effect/name', as: 'text' }],
    },
    describe: async ({ name }) => outgoing(name, 'E0'),
    apply: async () => ({ type: 'failed', why: 'A transactional effect is applied in its transaction.' }),
    applyInTransaction: ({ content }, rows) => {
      const name = String(content.effect['name']);
      rows.put(name, { times: timesOf(rows.get(name)) + 1 });
      return { type: 'applied', evidence: {}, drift: null, result: { content: [] } };
    },
    revertInTransaction: ({ content }, rows) => {
      const name = String(content.effect['name']);
      rows.put(name, { times: timesOf(rows.get(name)) - 1 });
      return { type: 'reverted' };
    },
  };
  // reason: the authority gives a surface only arguments that this surface's own `parse` returned
  return { name: ROW_PACK, surfaces: [surface as unknown as Surface], reads: [], open: onRows };
}

export function timesOf(row: unknown): number {
  if (typeof row !== 'object' || row === null || !('times' in row)) return 0;
  return Number(row.times);
}
