import { toolDigest } from './content.ts';
import type { Core } from './core.ts';
import { isUndecided, raiseAttention } from './refresh.ts';

/** What a person is told of an action whose tool is not what it was. */
export const TOOL_CHANGED = 'The tool is not the one this was proposed with.';

/** Tools may have changed while nothing ran: all that waits for one of these is looked at again (T4). Staged. */
export function askAfterToolChange(core: Core): boolean {
  const before = core.store.nextSeq;
  for (const action of core.state.openActions()) {
    const surface = core.surfaceOf(action);
    if (surface === undefined || !isUndecided(action)) continue;
    if (toolDigest(surface, (bytes) => core.store.hash(bytes)) === action.content.toolDigest) continue;
    if (action.newestAttention?.kind !== 'tool-changed') raiseAttention(core, action, 'tool-changed', TOOL_CHANGED);
  }
  return core.store.nextSeq !== before;
}
