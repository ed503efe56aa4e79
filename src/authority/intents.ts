import { parseCanonical } from '../base/canonical-json.ts';
import type { EpochMs } from '../base/clock.ts';
import type { Action, Intent } from '../model/action.ts';
import type { ActionContent } from '../model/content.ts';
import type { EventKind, JournalEvent, JournalRow } from '../model/event.ts';
import type { Digest } from '../model/ids.ts';
import type { Core } from './core.ts';
import type { Attempt } from './hanging.ts';

/** Rows of one action that are looked through for its attempts: none has that many. */
const ROWS_MAX = 1_000;

/** The intent of its newest attempt, from the journal: a state past the attempt does not hold it any more. */
export function newestIntent(core: Core, action: Action): Intent | undefined {
  return effectsBegun(core, action).at(-1)?.intent;
}

export function intentOf(core: Core, action: Action, attempt: number): Intent | undefined {
  return effectsBegun(core, action).findLast(({ intent }) => intent.attempt === attempt)?.intent;
}

/** When its idempotency key was first used: from then on it is remembered, whatever attempt asks again (EF-3). */
export function keySinceMs(core: Core, action: Action): EpochMs | undefined {
  return effectsBegun(core, action)[0]?.intent.atMs;
}

/** Where the journal says that this attempt began; `undefined` when it does not, as after what only the head log knew. */
export function beginOf(core: Core, action: Action, { of, intent }: Attempt): Begun | undefined {
  const begun = of === 'effect' ? effectsBegun(core, action) : revertsBegun(core, action);
  return begun.findLast((one) => one.intent.attempt === intent.attempt);
}

interface Begun {
  /** The row's own number. */
  readonly seq: number;
  readonly intent: Intent;
}

/** What the surface was given at an attempt, and its digest. */
export interface Version {
  readonly content: ActionContent;
  readonly digest: Digest;
}

/**
 * What the action was at an attempt, where it may be another one now: it was made anew after that attempt (LC-5).
 * `undefined` where it is what it was.
 */
export function earlierVersion(core: Core, action: Action, attempt: number): Version | undefined {
  if (action.newestAttention === undefined) return undefined;
  let content: ActionContent | undefined;
  for (const row of core.options.journal.rowsOf(action.seq, ROWS_MAX)) {
    if (!VERSIONS.has(row.kind)) continue;
    const event = eventOf(row);
    if (event.kind === 'proposed') content = event.record.content;
    if (event.kind === 'reissued') content = event.content;
    if (event.kind !== 'intent-recorded' || event.intent.attempt !== attempt) continue;
    const { digest, intent } = event;
    if (digest === action.digest || content === undefined) return undefined;
    return { content: intent.resolved?.content ?? content, digest };
  }
  return undefined;
}

const VERSIONS: ReadonlySet<EventKind> = new Set<EventKind>(['proposed', 'reissued', 'intent-recorded']);

function effectsBegun(core: Core, action: Action): readonly Begun[] {
  return core.options.journal.rowsOf(action.seq, ROWS_MAX).flatMap((row) => {
    const event = row.kind === 'intent-recorded' ? eventOf(row) : undefined;
    return event?.kind === 'intent-recorded' ? [{ seq: row.seq, intent: event.intent }] : [];
  });
}

function revertsBegun(core: Core, action: Action): readonly Begun[] {
  return core.options.journal.rowsOf(action.seq, ROWS_MAX).flatMap((row) => {
    const event = row.kind === 'revert-begun' ? eventOf(row) : undefined;
    return event?.kind === 'revert-begun' ? [{ seq: row.seq, intent: event.intent }] : [];
  });
}

export function eventOf(row: JournalRow): JournalEvent {
  // reason: the row's bytes are chained and were made by the store from an event
  return parseCanonical(row.event) as unknown as JournalEvent;
}
