import { formatCount } from '../../model/display.ts';

const AGES: readonly (readonly [unitMs: number, unit: string])[] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
];

/** `3 min`; below a minute, and for a time that lies ahead by another clock, `now`. */
export function ageWords(atMs: number, nowMs: number): string {
  const fit = AGES.find(([unitMs]) => nowMs - atMs >= unitMs);
  return fit === undefined ? 'now' : `${formatCount(Math.floor((nowMs - atMs) / fit[0]))} ${fit[1]}`;
}

/** `3 min ago`, `just now`. */
export function agoWords(atMs: number, nowMs: number): string {
  const age = ageWords(atMs, nowMs);
  return age === 'now' ? 'just now' : `${age} ago`;
}

/** `1 action`, `1,234 actions`. */
export function counted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `#3, #4, #5 and 12 more`. */
export function numbered(seqs: readonly number[], max = 8): string {
  const named = seqs.slice(0, max).map((seq) => `#${seq}`);
  const more = seqs.length - named.length;
  return more > 0 ? `${named.join(', ')} and ${formatCount(more)} more` : named.join(', ');
}

/** The time of day; with its date when that is another day. */
export function clockWords(atMs: number, nowMs: number): string {
  const at = new Date(atMs);
  const today = at.toDateString() === new Date(nowMs).toDateString();
  return today ? at.toLocaleTimeString(undefined, { timeStyle: 'short' }) : timeWords(atMs);
}

/** The date and time of the person's own place and habits. */
export function timeWords(atMs: number): string {
  return new Date(atMs).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}
