import { waitsFor } from '../../model/drain-plan.ts';
import type { ActionId } from '../../model/ids.ts';
import type { LedgerAction } from '../../model/ledger.ts';
import type { ActionView, Claim } from '../types.ts';
import { ActionIndex } from './action-index.ts';
import { isSettled } from './settled.ts';
import { changedList } from './sorted-list.ts';

const NONE: readonly never[] = [];

/** Where an action's claims and the readiness of its card come from. */
export interface ViewSources {
  claimsOf(id: ActionId): readonly Claim[];
  cardOf(record: LedgerAction): ActionView['card'];
}

export interface ViewLists {
  readonly open: readonly ActionView[];
  readonly settled: readonly ActionView[];
}

/**
 * The actions of one workspace as a list shows them. Changes are noted one by one and made visible together; a view
 * that did not change stays the same object, so that nothing that shows it has to look again.
 */
export class ActionViews {
  readonly index = new ActionIndex();
  readonly #sources: ViewSources;
  readonly #records = new Map<ActionId, LedgerAction>();
  readonly #views = new Map<ActionId, ActionView>();
  readonly #dirty = new Set<ActionId>();
  /** Who stood in front of each lane when its members were last looked at: they all wait for it. */
  readonly #fronts = new Map<string, ActionId | undefined>();
  readonly #touchedLanes = new Set<string>();
  #lists: ViewLists = { open: NONE, settled: NONE };

  constructor(sources: ViewSources) {
    this.#sources = sources;
  }

  record(id: ActionId): LedgerAction | undefined {
    return this.#records.get(id);
  }

  /** One action as the lists show it. Ask for the lists first. */
  view(id: ActionId): ActionView | undefined {
    return this.#views.get(id);
  }

  records(): Iterable<LedgerAction> {
    return this.#records.values();
  }

  set(record: LedgerAction): void {
    const before = this.#records.get(record.id);
    this.#records.set(record.id, record);
    this.#changed(before ?? record);
    this.index.set(record);
    this.#changed(record);
  }

  remove(id: ActionId): void {
    const before = this.#records.get(id);
    if (before === undefined) return;
    this.#records.delete(id);
    this.index.remove(id);
    this.#changed(before);
  }

  clear(): void {
    for (const id of this.#records.keys()) this.remove(id);
  }

  /** Claims on it or the readiness of its card have changed. */
  touch(id: ActionId): void {
    this.#dirty.add(id);
  }

  get isDirty(): boolean {
    return this.#dirty.size > 0;
  }

  /** The present lists. Costs what has changed since they were last asked for, and a copy of the list. */
  lists(): ViewLists {
    if (this.#dirty.size === 0) return this.#lists;
    this.#touchFollowers();
    const open = new Changes();
    const settled = new Changes();
    for (const id of this.#dirty) {
      const before = this.#views.get(id);
      const now = this.#viewOf(id, before);
      if (now === before) continue;
      if (before !== undefined) (isSettled(before.record) ? settled : open).gone.add(before);
      if (now === undefined) this.#views.delete(id);
      else {
        this.#views.set(id, now);
        (isSettled(now.record) ? settled : open).come.push(now);
      }
    }
    this.#dirty.clear();
    this.#lists = {
      open: changedList(this.#lists.open, open.gone, open.come, byPlace),
      settled: changedList(this.#lists.settled, settled.gone, settled.come, newestFirst),
    };
    return this.#lists;
  }

  #changed(record: LedgerAction): void {
    this.#dirty.add(record.id);
    this.#touchedLanes.add(record.lane);
    // Those in other lanes wait for what they need; in its own lane everybody waits for the front.
    for (const dependant of this.index.dependantsOfSeq(record.seq)) this.#dirty.add(dependant.id);
  }

  #touchFollowers(): void {
    for (const lane of this.#touchedLanes) {
      const members = this.index.lane(lane);
      const front = members[0]?.id;
      if (front === this.#fronts.get(lane)) continue;
      if (front === undefined) this.#fronts.delete(lane);
      else this.#fronts.set(lane, front);
      for (const { id } of members) this.#dirty.add(id);
    }
    this.#touchedLanes.clear();
  }

  #viewOf(id: ActionId, before: ActionView | undefined): ActionView | undefined {
    const record = this.#records.get(id);
    if (record === undefined) return undefined;
    const claims = this.#sources.claimsOf(id);
    const card = this.#sources.cardOf(record);
    const waits = waitsFor(this.index, id);
    const same = before !== undefined && sameIds(before.waitsFor, waits) ? before.waitsFor : waits;
    if (before?.record === record && before.claims === claims && before.card === card && before.waitsFor === same)
      return before;
    return { record, claims, waitsFor: same, card };
  }
}

/** What left a list and what came to it. */
class Changes {
  readonly gone = new Set<ActionView>();
  readonly come: ActionView[] = [];
}

function byPlace(a: ActionView, b: ActionView): number {
  return a.record.place - b.record.place || byId(a, b);
}

function newestFirst(a: ActionView, b: ActionView): number {
  return b.record.changedAtMs - a.record.changedAtMs || b.record.seq - a.record.seq || byId(a, b);
}

function byId(a: ActionView, b: ActionView): number {
  if (a.record.id === b.record.id) return 0;
  return a.record.id < b.record.id ? -1 : 1;
}

function sameIds(a: readonly ActionId[], b: readonly ActionId[]): boolean {
  return a.length === b.length && a.every((id, at) => id === b[at]);
}
