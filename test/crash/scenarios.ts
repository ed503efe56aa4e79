import type { SceneName } from '../support/crash-order.ts';
import type { Point } from '../support/crash-strace.ts';

/** Where the run before is killed, so that its start over what is left can be enumerated. */
export interface Prelude {
  readonly scene: SceneName;
  /** The call at which it dies, out of all of the scene; absent: it runs to its end. */
  readonly dies?: (points: readonly Point[]) => Point | undefined;
}

export interface Scenario {
  readonly name: string;
  readonly scene: SceneName;
  readonly limits?: 'small';
  /** A device of the home has a window open, which decides what it is shown, or only looks. */
  readonly window?: 'decides' | 'looks';
  readonly prelude?: Prelude;
}

/** The scenes whose name holds `part`. */
export function chosenScenarios(part: string): readonly Scenario[] {
  return SCENARIOS.filter(({ name }) => name.includes(part));
}

const at =
  (syscall: Point['syscall'], on: RegExp, which = 0) =>
  (points: readonly Point[]) =>
    points.filter((point) => point.syscall === syscall && on.test(point.on)).at(which);

/** The first write to the journal after the message has left: the effect has happened, and nothing says so yet. */
const afterSending = (points: readonly Point[]): Point | undefined => {
  const sent = points.findIndex((point) => point.on === 'socket');
  return points.slice(sent).find((point) => point.syscall === 'pwrite64');
};

const RECOVERIES: readonly (readonly [string, Prelude])[] = [
  ['intent without a witness', { scene: 'drain-E1', dies: at('pwrite64', /head\.log$/, 1) }],
  ['file not in place', { scene: 'drain-E1', dies: at('rename', /countersign-/) }],
  ['file in place', { scene: 'drain-E1', dies: at('fsync', /files$/) }],
  ['keyed, not sent', { scene: 'drain-E2', dies: at('write', /^socket$/) }],
  ['keyed, sent', { scene: 'drain-E2', dies: afterSending }],
  ['message, not sent', { scene: 'drain-E3', dies: at('write', /^socket$/) }],
  ['blind, sent', { scene: 'drain-E4', dies: afterSending }],
  ['revert not in place', { scene: 'revert', dies: at('rename', /countersign-/) }],
];

/** Everything that is enumerated. */
const SCENARIOS: readonly Scenario[] = [
  { name: 'accept', scene: 'accept' },
  { name: 'drain E0', scene: 'drain-E0' },
  { name: 'drain E1', scene: 'drain-E1' },
  { name: 'drain E2', scene: 'drain-E2' },
  { name: 'drain E3', scene: 'drain-E3' },
  { name: 'drain E4', scene: 'drain-E4' },
  { name: 'revert', scene: 'revert' },
  { name: 'new head log files', scene: 'rotate', limits: 'small' },
  { name: 'publish', scene: 'publish', window: 'decides' },
  { name: 'publish again', scene: 'publish-start', window: 'looks', prelude: { scene: 'publish' } },
  { name: 'migration', scene: 'migrate', prelude: { scene: 'drain-E1' } },
  // Opening the journal is the same for all: once is enough.
  ...RECOVERIES.map(([what, prelude], index): Scenario => ({
    name: `recovery: ${what}`,
    scene: index === 0 ? 'recover' : 'settle',
    prelude,
  })),
];
