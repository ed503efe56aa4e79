import type { Core } from './core.ts';
import { raiseAttention } from './refresh.ts';

/**
 * A new fence means that the workspace was copied, replaced or put back from a backup: every approval was given for
 * another one, so everything undecided is asked again (EF-3). A restart never raises it.
 */
export function askAgainUnderNewFence(core: Core): void {
  const { fence } = core.options;
  // reason: written below only
  const before = core.store.record('meta', 'fence') as number | undefined;
  if (before === fence) return;
  core.store.put('meta', 'fence', 0, false, fence);
  if (before === undefined) return;
  for (const action of core.state.openActions()) {
    raiseAttention(
      core,
      action,
      'stale',
      'The workspace was taken over or left quarantine since; what was approved before is asked again.',
    );
  }
}
