import type { Action } from '../../model/action.ts';
import type { Core } from '../core.ts';
import type { Watch } from '../watch.ts';
import type { Dirty } from './dirty.ts';
import type { Feasibility } from './feasibility.ts';
import { STANDING_ID } from './standing-records.ts';
import type { Trail } from './trail.ts';

/**
 * What a change makes look different: the action itself, and those whose cards speak of it. Nothing is told yet: whoever
 * proposes or decides is answered first, and the rows that are durable then ask for the publication.
 */
export function watchOf(parts: {
  readonly core: Core;
  readonly dirty: Dirty;
  readonly trail: Trail;
  readonly feasibility: Feasibility;
  /** For what changes without a row: who is connected. */
  readonly wake: () => void;
}): Watch {
  const { core, dirty, feasibility, trail, wake } = parts;
  return {
    action(action) {
      dirty.actions.add(action.id);
      dirty.workspace = true;
      // How much of what may wait is used is another number now.
      dirty.sessions.add(action.lineage.root);
      if (action.state === 'applied' || action.state === 'reverted') feasibility.happened(action);
      for (const id of beside(core, action)) dirty.actions.add(id);
    },
    transition(action, transition, atMs) {
      trail.note(action, transition, atMs);
    },
    stances(id) {
      dirty.actions.add(id);
    },
    session(id) {
      dirty.sessions.add(id);
      wake();
    },
    moved() {
      dirty.workspace = true;
      wake();
    },
    standing(rules) {
      dirty.standing.add(STANDING_ID);
      for (const id of rules) dirty.standing.add(id);
    },
    unseen(root, sighting) {
      for (const { id, lineage } of core.state.openActions())
        if (lineage.root === root && lineage.sawThrough >= sighting) dirty.actions.add(id);
    },
  };
}

/** Pending work of other sessions on the same thing: their cards say so (SM-10). */
function* beside(core: Core, action: Action): Generator<Action['id']> {
  for (const session of core.state.sessions()) {
    if (session.record.root === action.lineage.root || session.overlay.size === 0) continue;
    for (const resource of action.content.writes) yield* session.overlay.makersOf(resource);
  }
}
