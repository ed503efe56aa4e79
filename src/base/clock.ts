/** Milliseconds since 1970, UTC. */
export type EpochMs = number;

/** Time as a port. `nowMs` never falls, `after` runs once and can be cancelled. */
export interface Clock {
  nowMs(): EpochMs;
  /** Milliseconds since some moment: grows at the pace of time, whatever is done to the wall clock. */
  monotonicMs(): number;
  after(delayMs: number, run: () => void): Cancel;
  /** Runs at the end of the present turn of the event loop, after the I/O callbacks that are already waiting. */
  soon(run: () => void): void;
}

export type Cancel = () => void;

/** A reading of the wall clock made safe for ordering: it stands still while the wall clock goes back. */
export function neverFalling(readMs: () => EpochMs): () => EpochMs {
  let highestMs = 0;
  return () => {
    highestMs = Math.max(highestMs, readMs());
    return highestMs;
  };
}

/** A wall clock that was made safe for ages. `aheadMs`: how far it is ahead of the wall clock by now. */
export interface SteadyClock {
  nowMs(): EpochMs;
  aheadMs(): number;
}

/**
 * A reading that never falls and never stands still: when the wall clock goes back, it goes on at the pace of time, so
 * that no age that is read from it is too small. `fromMs` is where it begins if the wall clock is behind that.
 */
export function steadyClock(clock: Pick<Clock, 'nowMs' | 'monotonicMs'>, fromMs: EpochMs): SteadyClock {
  let at = { nowMs: fromMs, monotonicMs: clock.monotonicMs() };
  const read = (wallMs: EpochMs): EpochMs => {
    const monotonicMs = clock.monotonicMs();
    const nowMs = at.nowMs + Math.max(0, Math.floor(monotonicMs - at.monotonicMs));
    if (wallMs <= nowMs) return nowMs;
    at = { nowMs: wallMs, monotonicMs };
    return wallMs;
  };
  return {
    nowMs: () => read(clock.nowMs()),
    aheadMs: () => {
      const wallMs = clock.nowMs();
      return read(wallMs) - wallMs;
    },
  };
}
