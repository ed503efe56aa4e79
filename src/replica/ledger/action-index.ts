import type { ActionState } from '../../model/action.ts';
import type { NeedsIndex, SawIndex } from '../../model/cascade.ts';
import type { InLane, LaneIndex } from '../../model/drain-plan.ts';
import type { ActionId, SessionId } from '../../model/ids.ts';
import { LEDGER_LIMITS, type LedgerAction } from '../../model/ledger.ts';
import { isSettled } from './settled.ts';
import { placeIn } from './sorted-list.ts';
import { hasNumber, numbersOf } from './seq-set.ts';

/** Out of the lane: what comes after does not wait for these. */
const OUT_OF_LANE: ReadonlySet<ActionState> = new Set<ActionState>(['held', 'reverting', 'revert-in-doubt']);

/** An open action as the model's own functions on order and edges see it. */
export interface Member extends InLane {
  readonly record: LedgerAction;
}

/**
 * The open actions of one ledger, with the edges between them, so that waiting and cascades are computed by the
 * model's own functions. Changes cost what changes; only `sawBy` looks at everything open.
 */
export class ActionIndex implements NeedsIndex<Member>, SawIndex<Member>, LaneIndex<Member> {
  readonly #open = new Map<ActionId, Member>();
  readonly #bySeq = new Map<number, ActionId>();
  readonly #lanes = new Map<string, Member[]>();
  readonly #dependants = new Map<number, Set<ActionId>>();

  set(record: LedgerAction): void {
    this.remove(record.id);
    if (isSettled(record)) return;
    const member = this.#member(record);
    this.#open.set(record.id, member);
    this.#bySeq.set(record.seq, record.id);
    for (const seq of needsOf(record)) setOf(this.#dependants, seq).add(record.id);
    if (!OUT_OF_LANE.has(record.state)) this.#enter(member);
  }

  remove(id: ActionId): void {
    const member = this.#open.get(id);
    if (member === undefined) return;
    this.#leave(member);
    const { record } = member;
    this.#open.delete(id);
    if (this.#bySeq.get(record.seq) === id) this.#bySeq.delete(record.seq);
    for (const seq of needsOf(record)) {
      const dependants = this.#dependants.get(seq);
      dependants?.delete(id);
      if (dependants?.size === 0) this.#dependants.delete(seq);
    }
  }

  open(id: ActionId): Member | undefined {
    return this.#open.get(id);
  }

  bySeq(seq: number): Member | undefined {
    const id = this.#bySeq.get(seq);
    return id === undefined ? undefined : this.#open.get(id);
  }

  /** What waits for its turn or stands in the way, in the order of places. What is held is passed over, so left out. */
  lane(lane: string): readonly Member[] {
    return this.#lanes.get(lane) ?? [];
  }

  *dependantsOf(id: ActionId): Generator<Member> {
    const seq = this.#open.get(id)?.record.seq;
    if (seq !== undefined) yield* this.dependantsOfSeq(seq);
  }

  /** Of an action that may be settled: its number is all that is known of it here. */
  *dependantsOfSeq(seq: number): Generator<Member> {
    for (const id of this.#dependants.get(seq) ?? []) {
      const member = this.#open.get(id);
      if (member !== undefined) yield member;
    }
  }

  *sawBy(id: ActionId): Generator<Member> {
    const seq = this.#open.get(id)?.record.seq;
    if (seq !== undefined) yield* this.sawSeq(seq);
  }

  *sawSeq(seq: number): Generator<Member> {
    for (const member of this.#open.values()) if (hasNumber(member.record.saw, seq)) yield member;
  }

  /** Who must be told to start again is for the runtime to say. */
  shownTo(_id: ActionId): Iterable<SessionId> {
    return [];
  }

  /** Was a list of edges cut in the ledger, so that there may be more than can be found here? */
  hasCutEdges(): boolean {
    for (const { record } of this.#open.values()) if (record.needs.more || record.saw.more) return true;
    return false;
  }

  #enter(member: Member): void {
    const lane = this.#lanes.get(member.lane) ?? [];
    lane.splice(placeIn(lane, member, byPlaceThenId), 0, member);
    this.#lanes.set(member.lane, lane);
  }

  #leave(member: Member): void {
    const lane = this.#lanes.get(member.lane);
    const at = lane === undefined ? 0 : placeIn(lane, member, byPlaceThenId);
    if (lane?.[at] !== member) return;
    lane.splice(at, 1);
    if (lane.length === 0) this.#lanes.delete(member.lane);
  }

  #member(record: LedgerAction): Member {
    const byNumber = this.#bySeq;
    return {
      id: record.id,
      place: record.place,
      lane: record.lane,
      state: record.state,
      attention: record.attention,
      contradicted: record.contradicted,
      record,
      // What it needs may come into the ledger, or leave it, after it.
      get needs() {
        return needsOf(record).flatMap((seq) => byNumber.get(seq) ?? []);
      },
    };
  }
}

function needsOf(record: LedgerAction): readonly number[] {
  return [...numbersOf(record.needs, LEDGER_LIMITS.openMax)];
}

function byPlaceThenId(a: InLane, b: InLane): number {
  if (a.place !== b.place) return a.place - b.place;
  return a.id === b.id ? 0 : a.id < b.id ? -1 : 1;
}

function setOf<K, V>(map: Map<K, Set<V>>, key: K): Set<V> {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = new Set<V>();
  map.set(key, made);
  return made;
}
