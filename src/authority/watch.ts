import type { EpochMs } from '../base/clock.ts';
import type { Action } from '../model/action.ts';
import type { Transition } from '../model/event.ts';
import type { ActionId, RuleId, SessionId } from '../model/ids.ts';

/**
 * Hears of every change of the present as it is made in memory, which is before it is durable. Whoever listens only
 * takes a note: each of these runs in the middle of somebody's proposal or decision.
 */
export interface Watch {
  /** The action is another one now. */
  action(action: Action): void;
  /** How it became what it is now. */
  transition(action: Action, transition: Transition, atMs: EpochMs): void;
  /** What was decided about an open action is another set now, whatever came of it. */
  stances(id: ActionId): void;
  session(id: SessionId): void;
  /** The world moved under pending work as a whole, or is back (GM-4). */
  moved(): void;
  /** A root session's sighting speaks no more (SM-6). */
  unseen(root: SessionId, sighting: number): void;
  /** What a person has set for the workspace is another thing now, and among it these rules. */
  standing(rules: Iterable<RuleId>): void;
}

const nothing = (): void => undefined;

export const NOBODY_WATCHES: Watch = {
  action: nothing,
  transition: nothing,
  stances: nothing,
  session: nothing,
  moved: nothing,
  unseen: nothing,
  standing: nothing,
};
