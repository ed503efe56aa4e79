/** Milliseconds between two looks at the time. */
export const GRACE_TICK_MS = 1_000;
/** Seconds of a grace period as the runtime gives it: a clock that says more is not the runtime's. */
const SECONDS_MAX = 10;

/** Said before it is approved: afterwards there is little time to read (DR-5). */
export const GRACE_MEANS =
  'Cannot be undone once it is applied. For ten seconds after you approve, you can still take that back, and any device can stop it.';

/** Whole seconds that are left, none when it is over. */
export function graceSeconds(untilMs: number, nowMs: number): number {
  return Math.min(SECONDS_MAX, Math.max(0, Math.ceil((untilMs - nowMs) / 1_000)));
}

/** How long it can still be stopped; what waits for others does not begin when the time is over. */
export function graceWords(secondsLeft: number, waitsFor: number): string {
  if (waitsFor > 0) return 'Approved, waits its turn';
  return secondsLeft === 0 ? 'Applies in a moment' : `Applies in ${secondsLeft} s`;
}
