import type { Mutant } from '../mutant.ts';
import { ATTEMPTS } from './attempts.ts';
import { COMMIT_POINT } from './commit-point.ts';
import { ORDER } from './order.ts';
import { RELAYED } from './relay.ts';
import { RULED } from './rulings.ts';
import { SHARED } from './shared.ts';
import { STANDING } from './standing.ts';

/** Every planted bug. The simulator finds each, or it is not good enough. */
export const MUTANTS: readonly Mutant[] = [
  ...COMMIT_POINT,
  ...ATTEMPTS,
  ...ORDER,
  ...RELAYED,
  ...RULED,
  ...SHARED,
  ...STANDING,
];
