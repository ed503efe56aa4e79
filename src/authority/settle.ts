import { assert } from '../base/assert.ts';
import type { Action } from '../model/action.ts';
import type { Core } from './core.ts';
import { fallIfGroundless } from './groundless.ts';

/** A person's word on what became of an attempt (EF-2). */
export function settle(core: Core, action: Action, happened: boolean): void {
  if (action.state === 'revert-in-doubt') {
    core.transit(
      action,
      happened
        ? { kind: 'reverted' }
        : { kind: 'revert-refused', why: 'A person says that the revert did not happen.' },
    );
    return;
  }
  assert(action.state === 'in-doubt', 'only what is in doubt is settled');
  if (!happened) {
    const blind = action.content.effectClass === 'E3' || action.content.effectClass === 'E4';
    const settled = core.transit(action, { kind: 'not-applied', known: 'settled', mayHappenTwice: blind });
    fallIfGroundless(core, settled.action);
    return;
  }
  const applied = {
    attempt: action.intent.attempt,
    atMs: core.nowMs(),
    evidence: {},
    drift: null,
    known: 'settled',
  } as const;
  core.transit(action, { kind: 'applied', applied, result: null });
}
