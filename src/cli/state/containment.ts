import { relative, isAbsolute, sep } from 'node:path';

/** True when `inner` is `outer` or lies below it. Both are real, absolute paths. */
export function contains(outer: string, inner: string): boolean {
  const way = relative(outer, inner);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** Which of two folders holds the other, `undefined` when neither does. */
export function nesting(a: string, b: string): 'same' | 'inside' | 'around' | undefined {
  if (a === b) return 'same';
  if (contains(b, a)) return 'inside';
  return contains(a, b) ? 'around' : undefined;
}
