import { LEDGER_LIMITS, type SeqRange, type SeqSet } from '../../model/ledger.ts';

/** These numbers as ranges; of too many the newest, which are the ones that can still be open. */
export function seqSetOf(numbers: Iterable<number>): SeqSet {
  const ranges: (readonly [from: number, to: number])[] = [];
  for (const number of [...new Set(numbers)].toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === number - 1) ranges[ranges.length - 1] = [last[0], number];
    else ranges.push([number, number]);
  }
  const kept: readonly SeqRange[] = ranges.slice(-LEDGER_LIMITS.rangesMax);
  return { ranges: kept, more: kept.length < ranges.length };
}
