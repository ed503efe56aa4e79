import type { EventKind } from '../../model/event.ts';

/** The number of every event kind on disk. Frozen: a number is never reused, new kinds get the next one. */
export const EVENT_CODES = {
  opened: 1,
  started: 2,
  stopped: 3,
  'device-added': 4,
  'device-right': 5,
  'session-opened': 6,
  proposed: 7,
  'decision-taken': 8,
  'decision-refused': 9,
  'notices-told': 10,
  checkpointed: 11,
  quarantined: 12,
  approved: 13,
  'approval-withdrawn': 14,
  'attention-raised': 15,
  reissued: 16,
  held: 17,
  released: 18,
  rejected: 19,
  'intent-recorded': 20,
  'attempt-voided': 21,
  applied: 22,
  failed: 23,
  doubted: 24,
  'not-applied': 25,
  retried: 26,
  'revert-begun': 27,
  reverted: 28,
  'revert-refused': 29,
  'revert-doubted': 30,
  contradicted: 31,
  'rule-added': 32,
  'rule-removed': 33,
  'mode-set': 34,
  paused: 35,
  resumed: 36,
} as const satisfies Record<EventKind, number>;

const KINDS: ReadonlyMap<number, EventKind> = new Map(
  // reason: the keys of the table are the kinds, as `satisfies` proves
  (Object.keys(EVENT_CODES) as EventKind[]).map((kind) => [EVENT_CODES[kind], kind]),
);

/** `undefined` for a number no version up to this one has written. */
export function eventKindOf(code: number): EventKind | undefined {
  return KINDS.get(code);
}
