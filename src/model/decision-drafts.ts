import { canonicalBytes } from '../base/canonical-json.ts';
import { CountersignError } from '../base/errors.ts';
import { DECISION_LIMITS, type Decision, type DecisionItem } from './decision.ts';

/** A decision before it is numbered. */
export type DecisionDraft = Omit<Decision, 'n' | 'prev' | 'batch'>;

/** Room for what numbering adds: `n`, `prev` and `batch` at their longest. */
const NUMBERED: Pick<Decision, 'n' | 'prev' | 'batch'> = {
  n: Number.MAX_SAFE_INTEGER,
  // reason: only its length counts
  prev: '0'.repeat(64) as NonNullable<Decision['prev']>,
  batch: { id: '0'.repeat(32), index: 99_999, of: 99_999 },
};

/**
 * One gesture as drafts that each fit a signature: at most 512 items and 64 KiB (semantics §3).
 *
 * Throws: `bad-input` when even one item does not fit.
 */
export function splitIntoDrafts(draft: DecisionDraft): readonly DecisionDraft[] {
  const emptyBytes = canonicalBytes({ ...draft, ...NUMBERED, items: [] }).length;
  const parts: DecisionItem[][] = [];
  let room = 0;
  for (const item of draft.items) {
    const bytes = canonicalBytes(item).length + 1;
    let part = parts.at(-1);
    if (part === undefined || part.length === DECISION_LIMITS.itemsMax || bytes > room) {
      part = [];
      parts.push(part);
      room = DECISION_LIMITS.bytesMax - emptyBytes;
    }
    if (bytes > room) throw new CountersignError('bad-input', 'The decision is too large: shorten what it says.');
    part.push(item);
    room -= bytes;
  }
  return parts.length <= 1 ? [draft] : parts.map((items) => ({ ...draft, items }));
}
