import type { JsonObject } from '../../base/canonical-json.ts';
import type { ItemKind } from '../../model/decision.ts';
import type { ActionId } from '../../model/ids.ts';
import type { Exit } from '../words/exits.ts';
import type { Panel } from './panel-context.ts';
import type { Gesture } from './ui-state.ts';

type Desk = Pick<Panel, 'dispatch' | 'gestures' | 'index'>;

interface Pointed {
  readonly kind: ItemKind;
  readonly ids: readonly ActionId[];
  readonly body?: JsonObject;
  readonly label?: string;
  readonly means?: string;
}

/** What a person points at, bound to what stands before them now. */
export function gestureOf({ index }: Pick<Panel, 'index'>, pointed: Pointed): Gesture {
  const shown = new Map(
    pointed.ids.flatMap((id) => {
      const digest = index.get(id)?.view.record.digest;
      return digest === undefined ? [] : [[id, digest] as const];
    }),
  );
  return { ...pointed, shown, bulk: pointed.ids.length > 1 };
}

/** Opens the look before a gesture. Its list is fixed from here on (PN-5). */
export function lookOver(desk: Desk, pointed: Pointed): void {
  desk.dispatch({ type: 'sheet', gesture: gestureOf(desk, pointed) });
}

/**
 * Carries out an exit at once where one press is enough: one action, nothing left out, nothing that follows, and no
 * words asked for. All else is looked over first.
 */
export function askFor(
  desk: Desk,
  exit: Pick<Exit, 'kind' | 'label' | 'barred' | 'means'> & { readonly body?: JsonObject },
  ids: readonly ActionId[],
): void {
  const { gestures, index } = desk;
  if (exit.barred !== null) return gestures.say(exit.barred, 'bad');
  const { body, kind, label, means } = exit;
  const gesture = gestureOf(desk, {
    kind,
    ids,
    label,
    ...(body === undefined ? {} : { body }),
    ...(means === undefined ? {} : { means }),
  });
  // What may happen twice needs a tick of its own (EF-6).
  if (ids.length === 1 && AT_ONCE.has(kind) && body?.['mayHappenTwice'] !== true) {
    const look = gestures.look(gesture);
    const reversible = ids.every((id) => index.get(id)?.view.record.reversible === true);
    const plain = look.included.length === 1 && look.falls.length + look.lookAgain.length === 0;
    if (plain && (kind !== 'approve' || reversible)) return gestures.ask(gesture);
  }
  desk.dispatch({ type: 'sheet', gesture });
}

const AT_ONCE: ReadonlySet<ItemKind> = new Set<ItemKind>(['approve', 'hold', 'release', 'retract', 'retry']);
