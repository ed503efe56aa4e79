import type { QueueRow } from '../../model/owner-port.ts';
import type { ActionState } from '../../model/action.ts';
import type { ItemKind } from '../../model/decision.ts';
import type { ActionId } from '../../model/ids.ts';
import { findAction } from '../args/action-ref.ts';

/** What a person pointed at. */
export type Selection =
  | { readonly type: 'ids'; readonly refs: readonly string[] }
  /** Everything undecided, or everything undecided up to one action in its lane. */
  | { readonly type: 'all'; readonly except: readonly string[] }
  | { readonly type: 'through'; readonly ref: string; readonly except: readonly string[] }
  /** What everything moved under at once (GM-4). */
  | { readonly type: 'moved'; readonly except: readonly string[] };

/** What there is to point at. */
export interface Selectable {
  readonly rows: readonly QueueRow[];
  /** Does this device know a card for actions of this kind? */
  readonly inspectable: (kind: string) => boolean;
  /** Where undecided actions stand; only looked at for `through`. */
  readonly places: ReadonlyMap<ActionId, { readonly lane: string; readonly place: number }>;
  /** Only looked at for `moved`. */
  readonly moved: ReadonlySet<ActionId>;
}

/** The explicit list that is signed, and what is left out of it, each with its reason. */
export interface Selected {
  readonly chosen: readonly QueueRow[];
  /** Asked for by name and not possible. `id` is what was typed when no action answers to it. */
  readonly refused: readonly { readonly id: string; readonly label: string; readonly why: string }[];
  /** Not part of a bulk gesture: needs a decision of its own. */
  readonly excluded: readonly { readonly row: QueueRow; readonly why: string }[];
}

/** States in which each kind still means something. The authority has the last word; this catches what cannot be meant. */
const MEANT_IN: Readonly<Partial<Record<ItemKind, ReadonlySet<ActionState>>>> = {
  revert: new Set<ActionState>(['applied']),
  // One that may happen twice waits again for that yes after it was taken back (EF-6).
  retry: new Set<ActionState>(['failed', 'not-applied', 'pending']),
  settle: new Set<ActionState>(['in-doubt', 'revert-in-doubt']),
};
const SETTLED: ReadonlySet<ActionState> = new Set<ActionState>([
  'applied',
  'rejected',
  'reverting',
  'revert-in-doubt',
  'reverted',
]);

/**
 * Resolves what a person pointed at to actions, before anything is signed: a signature covers an explicit list,
 * never "all" or "up to here".
 */
export function select(
  kind: ItemKind,
  selection: Selection,
  { inspectable, moved, places, rows }: Selectable,
): Selected {
  if (selection.type === 'ids') return selectNamed(kind, selection.refs, rows);
  if (selection.type === 'moved') return { chosen: rows.filter(({ id }) => moved.has(id)), refused: [], excluded: [] };
  const except = resolve(selection.except, rows);
  const scope = selection.type === 'all' ? { found: rows, refused: [] } : upTo(selection.ref, rows, places);
  const left = new Set(except.found.map(({ id }) => id));
  const undecided = scope.found.filter((row) => row.state === 'pending' && !left.has(row.id));
  const excluded = undecided.flatMap((row) => {
    const why = ownTick(row, inspectable);
    return why === undefined ? [] : [{ row, why }];
  });
  const apart = new Set(excluded.map(({ row }) => row.id));
  // A wrong exception may have meant one of the others: then nothing is decided by this gesture.
  const refused = [...scope.refused, ...except.refused];
  const chosen = refused.length > 0 ? [] : undecided.filter((row) => !apart.has(row.id));
  return { chosen, refused, excluded };
}

function selectNamed(kind: ItemKind, refs: readonly string[], rows: readonly QueueRow[]): Selected {
  const { found, refused } = resolve(refs, rows);
  const settled = found.flatMap((row) => {
    const why = cannot(kind, row);
    return why === undefined ? [] : [{ id: row.id, label: `#${row.seq}`, why }];
  });
  const out = new Set<string>(settled.map(({ id }) => id));
  return { chosen: found.filter((row) => !out.has(row.id)), refused: [...refused, ...settled], excluded: [] };
}

function resolve(refs: readonly string[], rows: readonly QueueRow[]) {
  const found = new Map<ActionId, QueueRow>();
  const refused: Selected['refused'][number][] = [];
  for (const ref of refs) {
    const row = findAction(rows, ref);
    if (row.ok) found.set(row.value.id, row.value);
    else refused.push({ id: ref, label: JSON.stringify(ref), why: row.error });
  }
  return { found: [...found.values()], refused };
}

/** The lane up to this action, by the places that the drain goes by. */
function upTo(ref: string, rows: readonly QueueRow[], places: Selectable['places']) {
  const last = findAction(rows, ref);
  if (!last.ok) return { found: [], refused: [{ id: ref, label: JSON.stringify(ref), why: last.error }] };
  const end = places.get(last.value.id);
  if (end === undefined) return { found: [last.value], refused: [] };
  const found = rows.filter(({ id }) => {
    const at = places.get(id);
    return at !== undefined && at.lane === end.lane && at.place <= end.place;
  });
  return { found, refused: [] };
}

function cannot(kind: ItemKind, row: QueueRow): string | undefined {
  // What late evidence denied is settled again, the way it says (EF-6).
  if (kind === 'settle' && row.contradicted && row.state === 'applied') return undefined;
  const meant = MEANT_IN[kind];
  if (meant !== undefined) return meant.has(row.state) ? undefined : `It is ${row.state}: there is nothing to ${kind}.`;
  if (!SETTLED.has(row.state)) return undefined;
  return row.state === 'applied' && row.reversible
    ? 'It is already applied; revert puts it back.'
    : `It is already ${row.state}.`;
}

/** Why an action is never part of a bulk approval (T3): it needs to be looked at by itself. */
function ownTick(row: QueueRow, inspectable: Selectable['inspectable']): string | undefined {
  if (!row.reversible) return 'cannot be undone';
  if (!inspectable(row.kind)) return 'cannot be inspected';
  if (row.mayHappenTwice) return 'may happen twice if it is tried again';
  if (row.attention?.kind === 'conflict') return 'is in conflict with the file as it is now';
  if (row.attention?.kind === 'tool-changed') return 'was made for a tool that has changed';
  return undefined;
}
