import { read } from '../../base/shape.ts';
import { globProblem } from '../../model/path-glob.ts';
import { ruleText, type RuleKind } from '../../model/rule-text.ts';
import { ruleTest, type RuleWish } from '../../model/rules.ts';
import type { OfferedTest } from './offered-tests.ts';

/** A rule while a person makes it. */
export interface RuleDraft {
  readonly tests: readonly OfferedTest[];
  readonly forMs: number | null;
  readonly usesMax: number | null;
}

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;

/** How long it holds; a day to begin with, since most work that is asked about again and again is over by then. */
export const HOLDS: readonly (readonly [forMs: number | null, words: string])[] = [
  [HOUR_MS, 'For an hour'],
  [DAY_MS, 'For a day'],
  [7 * DAY_MS, 'For a week'],
  [30 * DAY_MS, 'For 30 days'],
  [null, 'Until it is removed'],
];

export const OFTEN: readonly (readonly [usesMax: number | null, words: string])[] = [
  [1, 'Once'],
  [10, '10 times at most'],
  [100, '100 times at most'],
  [null, 'Any number of times'],
];

export function firstDraft(tests: readonly OfferedTest[]): RuleDraft {
  return { tests, forMs: DAY_MS, usesMax: null };
}

/** The rule as it will be signed, in the words that every device shows (DR-2). */
export function wishOf(kind: RuleKind, { forMs, tests, usesMax }: RuleDraft): RuleWish {
  const where = tests.filter(({ on }) => on).map(({ test }) => test);
  const said = { where, forMs, usesMax };
  return { kind: kind.tag, toolDigest: kind.toolDigest, ...said, text: ruleText(kind, said) };
}

/** Why a test cannot be signed as it is written; `null` when it can. */
export function testProblem({ on, test }: OfferedTest): string | null {
  if (!on || read(ruleTest, { ...test }).ok) return null;
  if (test.is === 'path') return `A path here ${globProblem(test.glob) ?? 'is too long'}.`;
  return test.is === 'at-most' ? 'The most is a whole number.' : 'This cannot be compared.';
}
