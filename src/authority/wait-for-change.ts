import type { Action, ActionState } from '../model/action.ts';
import type { ActionId } from '../model/ids.ts';
import type { Core } from './core.ts';
import { AUTHORITY_LIMITS } from './options.ts';

/** Actions and the states in which somebody last saw them. */
export interface Watched {
  readonly known: Readonly<Record<string, ActionState>>;
  readonly timeoutMs: number;
}

/** Those that left the state given for them, or none at the time-out. */
export async function waitForChange(core: Core, watched: Watched, signal: AbortSignal): Promise<readonly Action[]> {
  const changed = await core.changes.until(
    () => {
      // reason: an unknown id answers undefined and is left out
      const actions = Object.entries(watched.known).map(([id, state]) => ({
        action: core.action(id as ActionId),
        state,
      }));
      const moved = actions.flatMap(({ action, state }) =>
        action !== undefined && action.state !== state ? [action] : [],
      );
      return moved.length > 0 ? moved : undefined;
    },
    { clock: core.options.clock, timeoutMs: Math.min(watched.timeoutMs, AUTHORITY_LIMITS.waitMsMax), signal },
  );
  return changed ?? [];
}
