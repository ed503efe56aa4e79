import { parseCanonical } from '../../../src/base/canonical-json.ts';
import { err, ok, type Result } from '../../../src/base/result.ts';
import { EVENT_CODES } from '../../../src/journal/sqlite/event-codes.ts';
import type { Action, ActionState } from '../../../src/model/action.ts';
import type { ActionContent } from '../../../src/model/content.ts';
import type { Decision, DecisionKind } from '../../../src/model/decision.ts';
import type { JournalEvent, JournalRow, TransitionKind } from '../../../src/model/event.ts';
import { step } from '../../../src/model/lifecycle.ts';

/** The newest number of an event kind that version 1 had. */
const NEWEST_CODE = 31;

/** What version 1 let happen in each state. It had `contradicted` as a kind, and nothing that ever wrote one. */
const TABLE: Readonly<Record<ActionState, readonly TransitionKind[]>> = {
  pending: ['approved', 'attention-raised', 'reissued', 'held', 'rejected'],
  approved: ['approval-withdrawn', 'attention-raised', 'reissued', 'held', 'rejected', 'intent-recorded'],
  held: ['held', 'released', 'attention-raised', 'reissued', 'rejected'],
  applying: ['applied', 'failed', 'doubted', 'attempt-voided'],
  failed: ['retried', 'rejected'],
  'not-applied': ['retried', 'rejected'],
  'in-doubt': ['applied', 'not-applied'],
  applied: ['revert-begun'],
  reverting: ['reverted', 'revert-refused', 'revert-doubted'],
  'revert-in-doubt': ['reverted', 'revert-refused'],
  reverted: [],
  rejected: [],
};

/** Decisions that it carried out. */
const KINDS: ReadonlySet<DecisionKind> = new Set<DecisionKind>([
  'approve',
  'reject',
  'change',
  'hold',
  'release',
  'retract',
  'reissue',
  'revert',
  'retry',
  'settle',
  'reconsider',
]);

/** Every action as version 1 made it of these rows; an error where one of them is none that it could have written. */
export function foldAsVersionOne(rows: readonly JournalRow[]): Result<ReadonlyMap<string, Action>> {
  const actions = new Map<string, Action>();
  for (const row of rows) {
    // reason: the row's bytes are chained and were made from an event
    const event = parseCanonical(row.event) as unknown as JournalEvent;
    const unknown = unknownIn(event);
    if (unknown !== undefined) return err(unknown);
    if (event.kind === 'proposed') actions.set(event.action, event.record);
    else if ('action' in event) {
      const before = actions.get(event.action);
      const after = before && stepped(before, event, row.atMs);
      if (after === undefined) return err(`${event.kind} of what is ${before?.state ?? 'not there'}`);
      actions.set(event.action, after);
    }
  }
  return ok(actions);
}

type Stepping = Extract<JournalEvent, { kind: TransitionKind }>;

/** The present step where that was in its table, and what it made of it otherwise than now. */
function stepped(before: Action, event: Stepping, atMs: number): Action | undefined {
  if (!TABLE[before.state].includes(event.kind)) return undefined;
  const now = step(before, event, atMs);
  if (!now.ok) return undefined;
  const { givenUp: _, ...kept } = now.action;
  // reason: what is left is that action, without one field that may be absent
  const action = kept as Action;
  if (action.state !== 'rejected') return action;
  return { ...action, afterDidNot: before.state === 'not-applied' && before.known === 'settled' };
}

/** What of an event version 1 had no words for. */
function unknownIn(event: JournalEvent): string | undefined {
  if (EVENT_CODES[event.kind] > NEWEST_CODE) return event.kind;
  switch (event.kind) {
    case 'proposed': {
      const { replaces, content } = event.record;
      return replaces === undefined ? newContent(content) : 'a version of a person’s own';
    }
    case 'reissued':
      return newContent(event.content);
    case 'approved':
    case 'retried':
      return event.by.type === 'rule' ? 'an approval by a rule' : undefined;
    case 'approval-withdrawn':
      return event.why === 'list' || event.remark !== undefined ? 'a list that is given back' : undefined;
    case 'intent-recorded':
      return event.intent.together !== undefined || event.intent.resolved !== undefined ? 'a new intent' : undefined;
    case 'decision-taken':
      return newDecision(event.decision, event.results);
    default:
      return undefined;
  }
}

function newContent({ effectClass, keyWindowMs }: ActionContent): string | undefined {
  return effectClass === 'E0' || keyWindowMs !== undefined ? `an effect of class ${effectClass}` : undefined;
}

function newDecision(text: string, results: readonly { readonly result: string }[]): string | undefined {
  // reason: a signed payload that the authority has opened
  const { body, kind } = JSON.parse(text) as Decision;
  if (kind === 'revert' && body !== undefined) return 'a plan of reverts';
  if (KINDS.has(kind) || (results.length > 0 && results.every(({ result }) => result === 'refused'))) return undefined;
  return `a decision to ${kind}`;
}
