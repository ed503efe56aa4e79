import { assert } from '../base/assert.ts';
import { isLive, type Action, type ActionState } from '../model/action.ts';
import type { ActionId, SessionId } from '../model/ids.ts';
import { loadOf } from './load.ts';
import { emptySession, newSession, type Session, type SessionRecord } from './session.ts';

/**
 * Nothing more happens to these by themselves: they leave memory, the journal keeps them. What late evidence denied stays
 * until a person has answered the alarm, and its lane waits for that (EF-6).
 */
const SETTLED: ReadonlySet<ActionState> = new Set<ActionState>(['applied', 'reverted', 'rejected']);

export function isSettled(action: Action): boolean {
  return SETTLED.has(action.state) && !(action.state === 'applied' && action.contradicted);
}

/**
 * The present of one workspace: open actions, their lanes and edges, sessions and their overlays. Pure memory,
 * kept equal to a fold of the journal; every index grows with what is open, never with history.
 */
export class State {
  readonly #open = new Map<ActionId, Action>();
  readonly #settled = new Map<ActionId, Action>();
  readonly #settledKept: number;
  readonly #lanes = new Map<string, Action[]>();
  readonly #dependants = new Map<ActionId, Set<ActionId>>();
  readonly #sessions = new Map<SessionId, Session>();
  #lastSeq = 0;
  #lastPlace = 0;

  constructor(options: { readonly settledKept: number }) {
    this.#settledKept = options.settledKept;
  }

  get openCount(): number {
    return this.#open.size;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  get nextPlace(): number {
    return this.#lastPlace + 1;
  }

  /** Numbers never fall, also when the actions that carried them have left memory. */
  floor(numbers: { readonly seq: number; readonly place: number }): void {
    this.#lastSeq = Math.max(this.#lastSeq, numbers.seq);
    this.#lastPlace = Math.max(this.#lastPlace, numbers.place);
  }

  open(id: ActionId): Action | undefined {
    return this.#open.get(id);
  }

  /** Open or recently settled. */
  recent(id: ActionId): Action | undefined {
    return this.#open.get(id) ?? this.#settled.get(id);
  }

  openActions(): Iterable<Action> {
    return this.#open.values();
  }

  /** Open actions that need this one. */
  *dependantsOf(id: ActionId): Iterable<Action> {
    for (const dependant of this.#dependants.get(id) ?? []) {
      const action = this.#open.get(dependant);
      if (action !== undefined) yield action;
    }
  }

  /** Open actions proposed after their session had been shown this one's effect (SM-6). */
  *sawBy(id: ActionId): Iterable<Action> {
    for (const session of this.#sessions.values()) {
      const sighting = session.sightings.get(id);
      if (sighting === undefined) continue;
      for (const lane of this.#lanes.values()) {
        for (const action of lane) {
          const after = action.lineage.root === session.record.id && action.lineage.sawThrough >= sighting;
          if (after && action.id !== id) yield action;
        }
      }
    }
  }

  /** Root sessions that were shown this action's effect. */
  *shownTo(id: ActionId): Iterable<SessionId> {
    for (const session of this.#sessions.values()) if (session.sightings.has(id)) yield session.record.id;
  }

  /** The live actions this one was proposed after seeing, those it needs left out. */
  saw(action: Action): readonly ActionId[] {
    const sightings = this.#sessions.get(action.lineage.root)?.sightings ?? new Map<ActionId, number>();
    return [...sightings]
      .filter(
        ([id, sighting]) =>
          sighting <= action.lineage.sawThrough && id !== action.id && this.#open.has(id) && !action.needs.includes(id),
      )
      .map(([id]) => id);
  }

  /** Forgets everything but who is connected, to be filled from the journal again. */
  clear(): void {
    this.#open.clear();
    this.#settled.clear();
    this.#lanes.clear();
    this.#dependants.clear();
    this.#lastSeq = 0;
    this.#lastPlace = 0;
    for (const session of this.#sessions.values()) emptySession(session);
  }

  lanes(): Iterable<string> {
    return this.#lanes.keys();
  }

  /** The open actions of a lane in the order of their places. */
  lane(lane: string): readonly Action[] {
    return this.#lanes.get(lane) ?? [];
  }

  sessions(): Iterable<Session> {
    return this.#sessions.values();
  }

  session(id: SessionId): Session | undefined {
    return this.#sessions.get(id);
  }

  addSession(record: SessionRecord): Session {
    const session = newSession(record);
    this.#sessions.set(record.id, session);
    return session;
  }

  dropSession(id: SessionId): void {
    this.#sessions.delete(id);
  }

  /** Puts an action's newest form into every index. */
  set(action: Action): void {
    const before = this.#open.get(action.id);
    this.floor({ seq: action.seq, place: action.place });
    const settled = isSettled(action);
    if (before !== undefined && !settled && standsWhereItStood(before, action)) this.#replace(action);
    else {
      if (before !== undefined) this.#unlink(before);
      if (!settled) this.#link(action);
    }
    if (settled) {
      this.#open.delete(action.id);
      this.#keepSettled(action);
    } else {
      this.#open.set(action.id, action);
      this.#settled.delete(action.id);
    }
    this.#setOverlay(before, action);
  }

  /** Most changes are of state only, and a lane may hold thousands: nothing is moved for them. */
  #replace(action: Action): void {
    const lane = this.#lanes.get(action.lane);
    const at = lane === undefined ? 0 : indexInLane(lane, action);
    assert(lane?.[at]?.id === action.id, 'an open action stands in its lane');
    lane[at] = action;
  }

  #link(action: Action): void {
    const lane = this.#lanes.get(action.lane) ?? [];
    lane.splice(indexInLane(lane, action), 0, action);
    this.#lanes.set(action.lane, lane);
    for (const need of action.needs) {
      const dependants = this.#dependants.get(need);
      if (dependants === undefined) this.#dependants.set(need, new Set([action.id]));
      else dependants.add(action.id);
    }
  }

  #unlink(action: Action): void {
    const lane = this.#lanes.get(action.lane);
    const at = lane === undefined ? 0 : indexInLane(lane, action);
    assert(lane?.[at]?.id === action.id, 'an open action stands in its lane');
    // What is applied stands first, and taking that out moves nothing.
    if (at === 0) lane.shift();
    else lane.splice(at, 1);
    if (lane.length === 0) this.#lanes.delete(action.lane);
    for (const need of action.needs) {
      const dependants = this.#dependants.get(need);
      dependants?.delete(action.id);
      if (dependants?.size === 0) this.#dependants.delete(need);
    }
  }

  #keepSettled(action: Action): void {
    this.#settled.delete(action.id);
    this.#settled.set(action.id, action);
    if (this.#settled.size <= this.#settledKept) return;
    const oldest = this.#settled.keys().next();
    if (oldest.done !== true) this.#settled.delete(oldest.value);
  }

  #setOverlay(before: Action | undefined, action: Action): void {
    const session = this.#sessions.get(action.lineage.root);
    assert(session !== undefined, 'an action belongs to a known session');
    const live = isLive(action);
    const liveBefore = before !== undefined && isLive(before) ? before : undefined;
    if (!live || liveBefore?.content !== action.content) {
      if (liveBefore !== undefined) count(session, liveBefore, -1);
      if (live) count(session, action, 1);
    }
    if (!live) {
      session.overlay.remove(action.id);
      forgetDigest(session, action);
      return;
    }
    if (before !== undefined && before.digest !== action.digest) forgetDigest(session, before);
    session.byDigest.set(action.digest, action.id);
    if (liveBefore?.place !== action.place || liveBefore.overlay !== action.overlay) {
      session.overlay.add(action.id, action.place, action.overlay);
    }
  }
}

function standsWhereItStood(before: Action, action: Action): boolean {
  const { lane, needs, place, seq } = action;
  return before.place === place && before.seq === seq && before.lane === lane && before.needs === needs;
}

/**
 * Where it stands, or would stand, in a lane: a lane may hold thousands, and each of them moves often. A person's own
 * version has the place of the one it replaces, which late evidence can bring back: then that one stands before it.
 */
function indexInLane(lane: readonly Action[], { place, seq }: Action): number {
  let [low, high] = [0, lane.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = lane[middle];
    if (other !== undefined && (other.place - place || other.seq - seq) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function count(session: Session, action: Action, by: 1 | -1): void {
  const { targets, bytes } = loadOf(action.content);
  session.load.bytes += by * bytes;
  for (const target of targets) {
    const steps = (session.load.steps.get(target) ?? 0) + by;
    if (steps === 0) session.load.steps.delete(target);
    else session.load.steps.set(target, steps);
  }
}

/** The same digest may stand for a newer action by now. */
function forgetDigest(session: Session, action: Action): void {
  if (session.byDigest.get(action.digest) === action.id) session.byDigest.delete(action.digest);
}
