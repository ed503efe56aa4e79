import { assert } from '../../base/assert.ts';
import type { Json } from '../../base/canonical-json.ts';
import { CountersignError } from '../../base/errors.ts';
import { read } from '../../base/shape.ts';
import type { LedgerChange, LedgerDraft } from '../../doc/ledger-author.ts';
import { ledgerRecord } from '../../doc/record-shape.ts';

/**
 * Writes a change; without those records that no reader would accept, where there are any. `undefined` when nothing of
 * it is left. One bad record keeps no other from being told.
 */
export function writeFitting<T>(
  change: LedgerChange,
  write: (change: LedgerChange) => T,
  onUnfit: (draft: LedgerDraft, why: string) => void,
): T | undefined {
  try {
    return write(change);
  } catch (error) {
    if (!CountersignError.is(error) || error.code !== 'bad-input') throw error;
  }
  const puts = change.puts.filter((draft) => {
    // reason: a draft is a record without its revision, and records are JSON
    const checked = read(ledgerRecord, { ...draft, rev: 1 } as unknown as Json);
    if (!checked.ok) onUnfit(draft, checked.error);
    return checked.ok;
  });
  assert(puts.length < change.puts.length, 'a record that is well formed can be published');
  return puts.length + change.drops.length === 0 ? undefined : write({ ...change, puts });
}
