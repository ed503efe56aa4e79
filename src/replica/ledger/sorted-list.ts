/** Changes of a list that are put in one by one; more are cheaper sorted anew. */
const SPLICES_MAX = 32;

type Compare<T> = (a: T, b: T) => number;

/** Where an item stands, or would stand, in a sorted list. */
export function placeIn<T>(list: readonly T[], item: T, compare: Compare<T>): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const at = list[middle];
    if (at !== undefined && compare(at, item) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The sorted list without what left it and with what came: a new array, and no more work than a copy of it while few
 * things change. `compare` must tell any two members apart.
 */
export function changedList<T>(
  list: readonly T[],
  gone: ReadonlySet<T>,
  come: readonly T[],
  compare: Compare<T>,
): readonly T[] {
  if (gone.size === 0 && come.length === 0) return list;
  if (gone.size + come.length > SPLICES_MAX)
    return [...list.filter((item) => !gone.has(item)), ...come].toSorted(compare);
  const copy = [...list];
  for (const item of gone) {
    const at = placeIn(copy, item, compare);
    if (copy[at] === item) copy.splice(at, 1);
  }
  for (const item of come) copy.splice(placeIn(copy, item, compare), 0, item);
  return copy;
}
