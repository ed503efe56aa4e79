import { assert } from '../base/assert.ts';
import { canonicalText } from '../base/canonical-json.ts';
import { CountersignError } from '../base/errors.ts';
import type { Action, Applied } from '../model/action.ts';
import type { Core } from './core.ts';
import { contextOf } from './outcome.ts';
import type { RevertOutcome, RowsWriter, Transacted } from './ports.ts';
import { StagedRows } from './surface-rows.ts';

/**
 * A transactional effect (E0): its rows are staged beside its intent and its outcome, so that one commit stores all of
 * it or nothing, and no crash finds it half done. What throws has changed nothing.
 */
export function transact(core: Core, action: Extract<Action, { state: 'applying' }>): Transacted {
  const surface = core.surfaceOf(action);
  const run = (rows: RowsWriter): Transacted => {
    const outcome = surface?.applyInTransaction?.(contextOf(core, action), rows);
    assert(outcome !== undefined, 'a transactional effect has its surface');
    return outcome;
  };
  return staged(core, action, run, 'applied', nothingChanged);
}

type TransactedRevert = Extract<RevertOutcome, { readonly type: 'reverted' | 'refused' }>;

export function transactRevert(
  core: Core,
  action: Extract<Action, { state: 'reverting' }> & { readonly applied: Applied },
): TransactedRevert {
  const surface = core.surfaceOf(action);
  const run = (rows: RowsWriter): TransactedRevert => {
    const outcome = surface?.revertInTransaction?.({ ...contextOf(core, action), applied: action.applied }, rows);
    assert(outcome !== undefined, 'a transactional revert has its surface');
    return outcome;
  };
  return staged(core, action, run, 'reverted', (why) => ({ type: 'refused', why, canRetry: true }));
}

function nothingChanged(why: string): Transacted {
  return { type: 'failed', why };
}

function staged<T extends { readonly type: string }>(
  core: Core,
  action: Action,
  run: (rows: RowsWriter) => T,
  done: T['type'],
  refused: (why: string) => T,
): T {
  const rows = new StagedRows(core.store, core.packOf(action));
  try {
    const outcome = run(rows);
    // Evidence that is no JSON is no answer; it throws before anything is staged.
    canonicalText(outcome);
    if (outcome.type === done) rows.stage(core.store);
    return outcome;
  } catch (error) {
    if (CountersignError.is(error)) return refused(error.message);
    throw error;
  }
}
