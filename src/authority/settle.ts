import { assert } from '../base/assert.ts';
import type { Action, Actor } from '../model/action.ts';
import type { Core } from './core.ts';
import { askAtStart } from './ask-at-start.ts';
import { isBlind } from './effect-class.ts';
import { fallIfGroundless } from './groundless.ts';
import { closeIfOrphaned } from './orphans.ts';
import { recordRevert } from './revert-steps.ts';

/** A person's word on what became of an attempt (EF-2). */
export function settle(core: Core, action: Action, happened: boolean, by: Actor): void {
  if (action.state === 'revert-in-doubt') {
    // What waits to stand on it falls with it, as after a revert that said so itself (CA-1).
    if (happened) recordRevert(core, action.id, { type: 'reverted' }, by);
    else core.transit(action, { kind: 'revert-refused', why: 'A person says that the revert did not happen.' });
    return;
  }
  if (action.state === 'applied') {
    // A person has seen what late evidence says, and agrees: the lane goes on (EF-6).
    core.transit(action, { kind: 'applied', applied: action.applied, result: null });
    return;
  }
  assert(action.state === 'in-doubt', 'only what is in doubt is settled');
  askAtStart(core, action);
  if (!happened) {
    const mayHappenTwice = isBlind(action.content);
    const settled = core.transit(action, { kind: 'not-applied', known: 'settled', mayHappenTwice });
    if (!closeIfOrphaned(core, settled.action)) fallIfGroundless(core, settled.action);
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
