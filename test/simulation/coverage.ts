import { TRANSITION_TABLE } from '../../src/model/lifecycle.ts';
import type { ActionState } from '../../src/model/action.ts';
import { EXPECTED, NOT_YET } from './expected.ts';
import type { Mode } from './rates.ts';

/** Every line that a big run must have met at least once. */
function expectedIn(mode: Mode): readonly string[] {
  // reason: the table's keys are the states
  const states = Object.keys(TRANSITION_TABLE) as ActionState[];
  const transitions = states.flatMap((state) => TRANSITION_TABLE[state].map((kind) => `transition: ${state}, ${kind}`));
  return [...transitions, ...EXPECTED.always, ...(EXPECTED[mode] ?? [])];
}

/** What should have happened and did not; and what is said never to happen, and did. */
export function missing(occurred: Readonly<Record<string, number>>, mode: Mode): readonly string[] {
  const met = (line: string): boolean =>
    Object.keys(occurred).some((one) => one === line || one.startsWith(`${line} `));
  const never = expectedIn(mode).filter((line) => !NOT_YET.has(line) && !met(line));
  const after = [...NOT_YET]
    .filter((line) => met(line))
    .map((line) => `${line} (it was, so it belongs into the table)`);
  return [...never, ...after];
}

/** The counts, the most frequent of each kind first. */
export function coverageTable(occurred: Readonly<Record<string, number>>): string {
  const lines = Object.entries(occurred).toSorted(([a, x], [b, y]) => kindOf(a).localeCompare(kindOf(b)) || y - x);
  return lines.map(([what, times]) => `${String(times).padStart(9)}  ${what}`).join('\n');
}

function kindOf(what: string): string {
  return what.slice(0, what.indexOf(':'));
}
