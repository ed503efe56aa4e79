import type { SimResult } from './simulation.ts';

const CHECKS = /^(?:invariant \d+:|liveness$|net$|proposal$|receipt$|forgery$)/;

/** Was it a check that failed? Otherwise something threw: the process, or the simulation itself. */
export function isChecked({ failure }: Pick<SimResult, 'failure'>): boolean {
  if (failure === undefined || !CHECKS.test(failure.what)) return false;
  return failure.what !== 'net' || !failure.why.startsWith('fault:');
}
