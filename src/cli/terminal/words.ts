import type { ActionState } from '../../model/action.ts';
import { formatCount } from '../../model/display.ts';
import type { Paint, Style } from './style.ts';

/** A state as a person reads it. The symbol differs for each, so that nothing hangs on colour. */
export interface StateMark {
  readonly symbol: string;
  readonly word: string;
  readonly paint: Paint;
}

type Colour = 'yellow' | 'green' | 'cyan' | 'red' | 'magenta' | 'dim' | 'blue';

const MARKS: Readonly<Record<ActionState, readonly [symbol: string, word: string, colour: Colour]>> = {
  pending: ['○', 'pending', 'yellow'],
  approved: ['●', 'approved', 'green'],
  held: ['‖', 'held', 'blue'],
  applying: ['▸', 'applying', 'cyan'],
  applied: ['✓', 'applied', 'green'],
  failed: ['✗', 'failed', 'red'],
  'in-doubt': ['?', 'in doubt', 'magenta'],
  'not-applied': ['∅', 'not applied', 'red'],
  reverting: ['◂', 'reverting', 'cyan'],
  'revert-in-doubt': ['¿', 'revert in doubt', 'magenta'],
  reverted: ['↩', 'reverted', 'dim'],
  rejected: ['×', 'rejected', 'dim'],
};

export function stateMark(state: ActionState, style: Style): StateMark {
  const [symbol, word, colour] = MARKS[state];
  return { symbol, word, paint: style[colour] };
}

const AGES: readonly (readonly [unitMs: number, unit: string])[] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
];

/** `3 min ago`; a time that lies ahead, by a clock that was set, is `just now`. */
export function ageText(atMs: number, nowMs: number): string {
  const ageMs = nowMs - atMs;
  const fit = AGES.find(([unitMs]) => ageMs >= unitMs);
  return fit === undefined ? 'just now' : `${formatCount(Math.floor(ageMs / fit[0]))} ${fit[1]} ago`;
}

/** `1 action`, `1,234 actions`. */
export function counted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}
