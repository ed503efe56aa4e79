import type { Cancel, Clock } from '../../base/clock.ts';
import { CountersignError } from '../../base/errors.ts';
import type { ItemKind } from '../../model/decision.ts';
import type { ActionId } from '../../model/ids.ts';
import type { Look, Replica, WorkspaceView, Wish } from '../../replica/types.ts';
import { locate, ownTick, type Located } from '../inbox/located.ts';
import { doneOf, verbOf } from '../words/claim-words.ts';
import { counted } from '../words/counts.ts';
import type { Gesture } from './ui-state.ts';

export const GESTURE_LIMITS = {
  /** Milliseconds a reject is kept back: a reject that was taken is final, so this is the time to undo it (DC-11). */
  keptBackMs: 5_000,
  /** Milliseconds an outcome stays on the screen, and how many stay at most; what went wrong stays until dismissed. */
  outcomeMs: 8_000,
  outcomesMax: 4,
} as const;

/** What came of a gesture, for the person. */
export interface Outcome {
  readonly id: number;
  readonly text: string;
  readonly tone: 'good' | 'bad';
  readonly undo: (() => void) | null;
  /** What `undo` would take back; `null` for what was not signed yet, which can always be. */
  readonly undoes: readonly ActionId[] | null;
}

export interface GesturesState {
  readonly outcomes: readonly Outcome[];
  /** Rejected here, not signed yet, still to be undone. */
  readonly keptBack: ReadonlyMap<ActionId, ItemKind>;
}

const FINAL: ReadonlySet<ItemKind> = new Set<ItemKind>(['reject', 'change']);
const UNDOABLE: ReadonlySet<ItemKind> = new Set<ItemKind>(['approve', 'hold']);

interface KeptBack {
  readonly gesture: Gesture;
  readonly note: string | undefined;
  readonly cancel: Cancel;
  readonly outcome: number;
}

/** Carries out what a person asked for in this window, keeps back what is final, and says what came of it. */
export class Gestures {
  readonly #replica: Replica;
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();
  readonly #kept = new Map<number, KeptBack>();
  #state: GesturesState = { outcomes: [], keptBack: new Map() };
  #next = 1;

  constructor(replica: Replica, clock: Clock) {
    this.#replica = replica;
    this.#clock = clock;
  }

  readonly snapshot = (): GesturesState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** What the gesture would do, workspace by workspace, before it is signed. */
  look(gesture: Gesture): Look {
    const index = locate(this.#replica.snapshot());
    const apart = gesture.kind !== 'approve' || !gesture.bulk ? [] : apartFrom(gesture.ids, index);
    const apartIds = new Set(apart.map(({ id }) => id));
    const ids = apart.length === 0 ? gesture.ids : gesture.ids.filter((id) => !apartIds.has(id));
    const look = mergeLooks(this.#wishes({ ...gesture, ids }, undefined).map((wish) => this.#replica.look(wish)));
    return apart.length === 0 ? look : { ...look, excluded: [...apart, ...look.excluded] };
  }

  /** Signs and saves it; a reject only when it was not undone in time. */
  ask(gesture: Gesture, note?: string): void {
    if (FINAL.has(gesture.kind)) this.#keepBack(gesture, note);
    else void this.#send(gesture, note);
  }

  /** Takes back what can be taken back most recently; false when there is nothing. */
  undo(): boolean {
    const index = locate(this.#replica.snapshot());
    const undo = this.#state.outcomes.findLast(
      (outcome) => outcome.undo !== null && canBeUndone(outcome.undoes, index),
    )?.undo;
    undo?.();
    return undo !== undefined;
  }

  say(text: string, tone: Outcome['tone'] = 'good'): void {
    this.#outcome({ text, tone, undo: null, undoes: null });
  }

  dismiss(id: number): void {
    this.#set({ outcomes: this.#state.outcomes.filter((outcome) => outcome.id !== id) });
  }

  /** The page goes away: what was kept back is signed now, since a person did ask for it. */
  flush(): void {
    for (const [id, { cancel, gesture, note }] of this.#kept) {
      cancel();
      this.#release(id);
      void this.#send(gesture, note);
    }
  }

  #keepBack(gesture: Gesture, note: string | undefined): void {
    const id = this.#next++;
    const seconds = GESTURE_LIMITS.keptBackMs / 1_000;
    const what = gesture.label ?? verbOf(gesture.kind);
    const outcome = this.#outcome({
      text: `${what}: ${this.#name(gesture.ids)}, in ${seconds} seconds`,
      tone: 'good',
      undoes: null,
      undo: () => {
        cancel();
        this.#release(id);
        this.say(`Not done: ${this.#name(gesture.ids)}`);
      },
    });
    const cancel = this.#clock.after(GESTURE_LIMITS.keptBackMs, () => {
      this.#release(id);
      void this.#send(gesture, note);
    });
    this.#kept.set(id, { gesture, note, cancel, outcome });
    this.#set({ keptBack: this.#keptIds() });
  }

  #release(id: number): void {
    const kept = this.#kept.get(id);
    this.#kept.delete(id);
    this.#set({
      keptBack: this.#keptIds(),
      outcomes: this.#state.outcomes.filter((outcome) => outcome.id !== kept?.outcome),
    });
  }

  #keptIds(): ReadonlyMap<ActionId, ItemKind> {
    return new Map([...this.#kept.values()].flatMap(({ gesture }) => gesture.ids.map((id) => [id, gesture.kind])));
  }

  async #send(gesture: Gesture, note: string | undefined): Promise<void> {
    const name = this.#name(gesture.ids);
    try {
      for (const wish of this.#wishes(gesture, note)) await this.#replica.decide(wish);
      this.#outcome({
        text: `${doneOf(gesture.kind)}: ${name}. Saved on this device.`,
        tone: 'good',
        undoes: gesture.ids,
        undo: UNDOABLE.has(gesture.kind) ? () => this.ask(takingBack(gesture)) : null,
      });
    } catch (cause) {
      // Not saved: the person is told, and nothing was signed that could still go out.
      if (!CountersignError.is(cause)) throw cause;
      this.#outcome({
        text: `${verbOf(gesture.kind)}: ${name} was not saved. ${cause.message}`,
        tone: 'bad',
        undo: null,
        undoes: null,
      });
    }
  }

  #wishes(gesture: Gesture, note: string | undefined): readonly Wish[] {
    const { ids, kind, shown } = gesture;
    const body = gesture.body ?? wholeBody(gesture);
    const index = locate(this.#replica.snapshot());
    const byWorkspace = new Map<WorkspaceView['id'], ActionId[]>();
    for (const id of ids) {
      const workspace = index.get(id)?.workspace.id;
      if (workspace === undefined) continue;
      const own = byWorkspace.get(workspace);
      if (own === undefined) byWorkspace.set(workspace, [id]);
      else own.push(id);
    }
    return [...byWorkspace].map(([workspace, own]) => ({
      workspace,
      kind,
      ids: own,
      shown,
      ...(body === undefined ? {} : { body }),
      ...(note === undefined || note === '' ? {} : { note }),
    }));
  }

  #name(ids: readonly ActionId[]): string {
    const [only] = ids;
    const seq = only === undefined || ids.length > 1 ? undefined : this.#seqOf(only);
    return seq === undefined ? counted(ids.length, 'action') : `#${seq}`;
  }

  #seqOf(id: ActionId): number | undefined {
    return locate(this.#replica.snapshot()).get(id)?.view.record.seq;
  }

  /** Answers the outcome's id. */
  #outcome(outcome: Omit<Outcome, 'id'>): number {
    const id = this.#next++;
    const outcomes = [...this.#state.outcomes, { ...outcome, id }].slice(-GESTURE_LIMITS.outcomesMax);
    this.#set({ outcomes });
    if (outcome.tone === 'good') this.#clock.after(GESTURE_LIMITS.outcomeMs, () => this.dismiss(id));
    return id;
  }

  #set(change: Partial<GesturesState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

const NOT_BEGUN: ReadonlySet<string> = new Set(['pending', 'approved', 'held']);

/** An undo is offered while something of it has not begun (DC-11). */
export function canBeUndone(undoes: Outcome['undoes'], index: ReadonlyMap<ActionId, Located>): boolean {
  return undoes === null || undoes.some((id) => NOT_BEGUN.has(index.get(id)?.view.record.state ?? ''));
}

/** Several that were approved as one count whole or not at all (DR-11). */
function wholeBody({ bulk, ids, kind }: Gesture): Gesture['body'] {
  return kind === 'approve' && bulk && ids.length > 1 ? { mode: 'all-or-none' } : undefined;
}

/** What is taken back may have a new digest by now; it is taken back all the same. */
function takingBack({ ids }: Gesture): Gesture {
  return { kind: 'retract', ids, shown: new Map(), bulk: false };
}

function apartFrom(ids: readonly ActionId[], index: ReadonlyMap<ActionId, Located>): Look['excluded'] {
  return ids.flatMap((id) => {
    const view = index.get(id)?.view;
    const why = view === undefined ? null : ownTick(view);
    return why === null ? [] : [{ id, why }];
  });
}

function mergeLooks(looks: readonly Look[]): Look {
  return {
    included: looks.flatMap(({ included }) => included),
    excluded: looks.flatMap(({ excluded }) => excluded),
    falls: looks.flatMap(({ falls }) => falls),
    lookAgain: looks.flatMap(({ lookAgain }) => lookAgain),
    takesBack: looks.flatMap(({ takesBack }) => takesBack),
    // A plan is of one workspace.
    planHash: looks.length === 1 ? (looks[0]?.planHash ?? null) : null,
    more: looks.some(({ more }) => more),
  };
}
