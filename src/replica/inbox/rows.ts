import type { ActionId } from '../../model/ids.ts';
import type { ActionView } from '../types.ts';
import { isDenied } from '../ledger/settled.ts';
import { needsYou } from './needs-you.ts';

/** What a row says beside its title; each is a badge. */
export type RowFlag =
  | 'irreversible'
  | 'not-inspectable'
  | 'may-happen-twice'
  | 'awaited'
  | 'conflict'
  | 'look-again'
  | 'merged'
  | 'saw'
  | 'waits'
  | 'held'
  | 'approved'
  | 'in-doubt'
  | 'failed'
  | 'claimed'
  | 'card-coming'
  | 'card-lost';

/**
 * All that one change set does to one file, or one action that does anything else: its net effect is from before its
 * first step to after its last. Steps stand in the order of their places.
 */
export interface InboxRow {
  /** Stable while the row lives: the id of its first step. */
  readonly key: ActionId;
  readonly target: string;
  readonly steps: readonly ActionView[];
  readonly needsYou: number;
  /** Undecided actions of its lane that stand between its steps: it cannot happen as one before they are decided. */
  readonly straddles: readonly ActionId[];
  readonly flags: readonly RowFlag[];
}

/** Names of what stands between the steps of one row; a person reads some, and then the change set. */
const STRADDLES_MAX = 20;

/**
 * The rows of one change set, in the order of their first steps: grouping folds, it never reorders. `session`: all
 * open actions of its session in the order of places, among which may be what stands between two steps.
 */
export function rowsOf(views: readonly ActionView[], session: readonly ActionView[]): readonly InboxRow[] {
  const byTarget = new Map<string, ActionView[]>();
  for (const view of views) {
    const key = rowKey(view);
    const steps = byTarget.get(key);
    if (steps === undefined) byTarget.set(key, [view]);
    else steps.push(view);
  }
  return [...byTarget.values()].flatMap((steps) => rowOf(steps, session));
}

function rowOf(steps: readonly ActionView[], session: readonly ActionView[]): readonly InboxRow[] {
  const [first] = steps;
  const last = steps.at(-1);
  if (first === undefined || last === undefined) return [];
  return [
    {
      key: first.record.id,
      target: last.record.target,
      steps,
      needsYou: steps.filter(needsYou).length,
      straddles: steps.length === 1 ? [] : straddled(steps, first, last, session),
      flags: steps.length === 1 ? flagsOf(first) : [...new Set(steps.flatMap(flagsOf))],
    },
  ];
}

/** Files have a state before and after, so that steps fold. Three messages to one person are three messages. */
function rowKey({ record }: ActionView): string {
  // What is applied, and an alarm, is no step towards what the file will be.
  if (isDenied(record)) return record.id;
  return record.kind.startsWith('file.') ? `${record.lane} ${record.target}` : record.id;
}

function straddled(
  steps: readonly ActionView[],
  first: ActionView,
  last: ActionView,
  session: readonly ActionView[],
): readonly ActionId[] {
  const own = new Set(steps);
  const between: ActionId[] = [];
  for (let at = session.indexOf(first) + 1; at < session.length && between.length < STRADDLES_MAX; at++) {
    const view = session[at];
    if (view === undefined || view === last) break;
    const { lane, state } = view.record;
    if (!own.has(view) && lane === first.record.lane && state === 'pending') between.push(view.record.id);
  }
  return between;
}

function flagsOf(view: ActionView): readonly RowFlag[] {
  const known = flagsKnown.get(view) ?? madeFlags(view);
  flagsKnown.set(view, known);
  return known;
}

/** A view never changes, so neither do its flags. */
const flagsKnown = new WeakMap<ActionView, readonly RowFlag[]>();

function madeFlags({ card, claims, record, waitsFor }: ActionView): readonly RowFlag[] {
  const flags: readonly (readonly [RowFlag, boolean])[] = [
    ['irreversible', !record.reversible],
    ['not-inspectable', !record.inspectable],
    ['may-happen-twice', record.mayHappenTwice],
    ['awaited', record.awaitDecision],
    ['conflict', record.attention?.kind === 'conflict' || record.attention?.kind === 'tool-changed'],
    ['merged', record.attention?.kind === 'reissued'],
    ['look-again', record.attention !== null],
    ['saw', record.saw.ranges.length > 0],
    ['waits', waitsFor.length > 0],
    ['held', record.state === 'held'],
    ['approved', record.state === 'approved'],
    ['in-doubt', record.state === 'in-doubt' || record.state === 'revert-in-doubt'],
    ['failed', record.state === 'failed' || record.state === 'not-applied'],
    ['claimed', claims.some((claim) => claim.state !== 'refused')],
    ['card-coming', card === 'coming'],
    ['card-lost', card === 'lost'],
  ];
  return flags.filter(([, holds]) => holds).map(([flag]) => flag);
}
