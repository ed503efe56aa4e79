import * as fc from 'fast-check';

/** Which inputs are tried: fast-check's own words, so that what it prints can be put in here. */
export interface LawRun {
  readonly seed?: number;
  readonly path?: string;
  readonly endOnFailure?: boolean;
  readonly numRuns: number;
}

/** A law over generated input, for a test that runs it hundreds of times and a night that runs it for a million. */
export interface Law {
  /** Its part of a long run, among all laws. */
  readonly share: number;
  /** Throws with the smallest counterexample, its seed and its path. */
  check(run: LawRun): void;
}

export function law<Inputs>(share: number, property: fc.IProperty<Inputs>): Law {
  return { share, check: (run) => fc.assert(property, run) };
}
