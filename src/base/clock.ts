/** Milliseconds since 1970, UTC. */
export type EpochMs = number;

/** Time as a port. `nowMs` never falls, `after` runs once and can be cancelled. */
export interface Clock {
  nowMs(): EpochMs;
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
