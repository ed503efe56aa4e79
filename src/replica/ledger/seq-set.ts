import type { SeqSet } from '../../model/ledger.ts';

/** The numbers of a set, ascending within each range. A set of the ledger covers as many as are open, at most. */
export function* numbersOf(set: SeqSet, countMax: number): Generator<number> {
  let left = countMax;
  for (const [from, to] of set.ranges) {
    for (let seq = from; seq <= to && left > 0; seq++, left--) yield seq;
  }
}

export function hasNumber({ ranges }: SeqSet, seq: number): boolean {
  return ranges.some(([from, to]) => from <= seq && seq <= to);
}
