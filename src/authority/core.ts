import { assert } from '../base/assert.ts';
import { utf8 } from '../base/bytes.ts';
import { parseCanonical } from '../base/canonical-json.ts';
import { steadyClock, type EpochMs, type SteadyClock } from '../base/clock.ts';
import { CountersignError, type ErrorCode } from '../base/errors.ts';
import { pooled, type Random } from '../base/random.ts';
import type { Action } from '../model/action.ts';
import { actionText } from '../model/digest.ts';
import type { JournalRow, Transition } from '../model/event.ts';
import type { ActionId, DeviceId, SessionId } from '../model/ids.ts';
import { mayHappenTwice, step, type Command } from '../model/lifecycle.ts';
import type { NoticeFacts } from '../model/notice-facts.ts';
import type { Stances } from '../model/ruling.ts';
import { NOTHING_SET, type LetThrough, type Standing } from '../model/standing.ts';
import { keepNeeds } from './applied-needs.ts';
import { BulkLists } from './bulk-lists.ts';
import { Changes } from './changes.ts';
import { Graces } from './graces.ts';
import { Ground } from './ground.ts';
import { Heard } from './heard.ts';
import { AUTHORITY_LIMITS, type AuthorityOptions } from './options.ts';
import type { ReadTool, Surface } from './ports.ts';
import type { Session, SessionRecord } from './session.ts';
import { isSettled, State } from './state.ts';
import { Store } from './store.ts';
import { rowsOf } from './surface-rows.ts';
import { Wakes } from './wake.ts';
import { NOBODY_WATCHES, type Watch } from './watch.ts';

/** What every part of the authority works on: the present, the store behind it, and the world's code. */
export class Core {
  readonly options: AuthorityOptions;
  /** The authority's own time: it never falls, and it never stands still (DC-5). */
  readonly nowMs: () => EpochMs;
  readonly #clock: SteadyClock;
  readonly random: Random;
  readonly store: Store;
  readonly changes = new Changes();
  readonly surfacesByTool: ReadonlyMap<string, Surface>;
  readonly surfacesByKind: ReadonlyMap<string, Surface>;
  readonly reads: ReadonlyMap<string, ReadTool>;
  /** Whose surface it is: names the rows that its transactional effects keep. */
  readonly #packs = new Map<Surface, string>();
  /** Applied actions that are being taken back, each by its plan; `revert-steps.ts` changes it. */
  readonly revertPlans = new Map<ActionId, string>();
  /** Attempts whose deadline passed and that may still take effect, as `id/attempt`. */
  readonly hanging = new Set<string>();
  /** Whether any surface makes what only it can name: nothing is searched for references where none does. */
  readonly mintsReferences: boolean;
  readonly state = new State(AUTHORITY_LIMITS);
  /** What was decided about open actions. */
  readonly stances = new Map<ActionId, Stances>();
  readonly graces: Graces;
  /** What a person has set for the workspace. `standing.ts` changes it. */
  standing: Standing = NOTHING_SET;
  /** What goes on although plan mode is on (DR-8). */
  readonly letThrough = new Map<ActionId, LetThrough>();
  /** Lists of approvals that were not looked over yet. */
  readonly bulk: BulkLists;
  /** What came to light and waits for the outcome of another attempt. */
  readonly heard: Heard;
  /** What follows once rows are durable; the authority sets it. */
  onStored: (rows: readonly JournalRow[]) => void = () => undefined;
  /** Whether the world is still the one that pending work was made for. */
  readonly ground: Ground;
  /** Hosts that can wake their agents. */
  readonly wakes = new Wakes(this);
  /** Who publishes; the authority sets it. */
  watch: Watch = NOBODY_WATCHES;
  /** Devices that signed two decisions under one number (DC-2). */
  readonly frozen = new Set<DeviceId>();
  /** The number of the roster that everything here was brought in line with (DC-8). */
  rosterNumber: number | undefined;
  /** How far ahead of the wall clock the store says that this one is, as of that generation of it. */
  #keptAhead: { readonly generation: number; readonly ms: number } | undefined;

  constructor(options: AuthorityOptions, onLost: () => void) {
    this.options = options;
    this.#clock = steadyClock(options.clock, beginsAtMs(options));
    this.nowMs = () => this.#clock.nowMs();
    this.graces = new Graces({
      clock: options.clock,
      nowMs: this.nowMs,
      graceMs: options.graceMs ?? AUTHORITY_LIMITS.graceMs,
    });
    this.random = pooled(options.random);
    this.store = new Store({
      journal: options.journal,
      sha256: options.crypto.sha256,
      random: this.random,
      nowMs: this.nowMs,
      onLost,
      onStored: (rows) => this.onStored(rows),
    });
    this.bulk = new BulkLists(this.store);
    this.heard = new Heard(this.store);
    const surfaces = options.packs.flatMap((pack) => pack.surfaces);
    const reads = options.packs.flatMap((pack) => pack.reads);
    this.surfacesByTool = new Map(surfaces.map((surface) => [surface.tool.name, surface]));
    this.surfacesByKind = new Map(surfaces.map((surface) => [surface.kind.tag, surface]));
    this.ground = new Ground(this);
    this.mintsReferences = surfaces.some((surface) => surface.outputs !== undefined);
    this.reads = new Map(reads.map((read) => [read.tool.name, read]));
    for (const pack of options.packs) {
      for (const surface of pack.surfaces) this.#packs.set(surface, pack.name);
      pack.open?.(rowsOf(this.store, pack.name));
    }
    const names = new Set([...surfaces, ...reads].map((each) => each.tool.name));
    assert(names.size === surfaces.length + reads.length, 'every tool has a name of its own');
  }

  /** Takes an action one step on: in memory at once, in the store with the next commit. */
  transit(action: Action, transition: Transition): { readonly action: Action; readonly commands: readonly Command[] } {
    const atMs = this.nowMs();
    assert(transition.kind !== 'approved' || !mayHappenTwice(action), 'only a retry begins what may happen twice');
    const stepped = step(action, transition, atMs);
    assert(stepped.ok, stepped.ok ? '' : stepped.why);
    this.store.stage({ action: action.id, n: action.seq, digest: stepped.action.digest, ...transition }, atMs);
    this.watch.transition(stepped.action, transition, atMs);
    if (stepped.action.state === 'applied' && action.state !== 'applied')
      keepNeeds(this, stepped.action, { first: action.state === 'applying' && action.attempts === 1 });
    this.keep(stepped.action);
    return { action: stepped.action, commands: stepped.commands };
  }

  keep(action: Action): void {
    const session = this.session(action.lineage.root);
    this.state.set(action);
    this.graces.follow(action);
    this.#forgetSightings(session, action);
    this.store.put('action', action.id, action.seq, !isSettled(action), action, utf8(actionText(action)));
    this.ground.take(action);
    this.watch.action(action);
    if (!isSettled(action)) return;
    this.stances.delete(action.id);
    this.store.drop('stance', action.id);
    if (this.letThrough.delete(action.id)) this.store.drop('standing', `through/${action.id}`);
  }

  /**
   * A sighting speaks for as long as something can still be withdrawn from under what was made after it: what was seen is
   * neither rejected nor reverted, and something of the session waits.
   */
  #forgetSightings(session: Session, changed: Action): void {
    if (changed.state === 'rejected' || changed.state === 'reverted') this.#forgetSighting(session, changed.id);
    if (session.load.steps.size > 0) return;
    for (const id of session.sightings.keys()) this.#forgetSighting(session, id);
  }

  #forgetSighting(session: Session, id: ActionId): void {
    const sighting = session.sightings.get(id);
    if (sighting === undefined) return;
    session.sightings.delete(id);
    this.store.drop('sighting', sightingKey(session, id));
    this.watch.unseen(session.record.root, sighting);
  }

  /** Remembers that a session was shown these actions' effects (SM-6 *saw*); stored with the next commit. */
  showed(session: Session, ids: Iterable<ActionId>): void {
    for (const id of ids) {
      if (session.sightings.has(id)) continue;
      session.sightings.set(id, ++session.sightingCount);
      this.store.put('sighting', sightingKey(session, id), session.sightingCount, true, {
        session: session.record.id,
        action: id,
      });
    }
    for (const id of session.sightings.keys()) {
      if (session.sightings.size <= AUTHORITY_LIMITS.sightingsMax) return;
      if (this.state.open(id) === undefined) this.#forgetSighting(session, id);
    }
  }

  /** Makes what was staged durable, then wakes those who wait. */
  async commit(options: { readonly urgent?: boolean } = {}): Promise<void> {
    this.#keepAhead();
    try {
      await this.store.commit(options);
    } catch (error) {
      if (!CountersignError.is(error) || !STORED_NOTHING.has(error.code)) this.options.onFatal(error);
      throw error;
    }
    this.changes.fire();
  }

  /** A wall clock that was set back stays behind over a restart, and what the process slept counts, too. */
  #keepAhead(): void {
    const aheadMs = this.#clock.aheadMs();
    const { generation } = this.store;
    // Read once, and again when what was written may be lost: this is asked before every commit.
    if (this.#keptAhead?.generation !== generation) {
      // reason: written here only
      const ms = (this.store.record('meta', 'clock-ahead') as number | undefined) ?? 0;
      this.#keptAhead = { generation, ms };
    }
    if (Math.abs(aheadMs - this.#keptAhead.ms) < AUTHORITY_LIMITS.aheadKeptMs) return;
    this.store.put('meta', 'clock-ahead', 0, false, aheadMs);
    this.#keptAhead = { generation, ms: aheadMs };
  }

  /** Open, recent, or from the journal. */
  action(id: ActionId): Action | undefined {
    const recent = this.state.recent(id);
    if (recent !== undefined) return recent;
    // reason: records of this table are written by `keep` only, and the chain over them is checked at boot
    return this.store.record('action', id) as Action | undefined;
  }

  /** The action `#seq`. */
  actionNumbered(seq: number): Action | undefined {
    if (!Number.isSafeInteger(seq) || seq < 1) return undefined;
    for (const action of this.state.openActions()) if (action.seq === seq) return action;
    const [record] = this.options.journal.recordsBefore('action', seq + 1, 1);
    // reason: records of this table are keyed by action id
    return record?.order === seq ? this.action(record.key as ActionId) : undefined;
  }

  surfaceOf(action: Action): Surface | undefined {
    return this.surfacesByKind.get(action.content.kind.tag);
  }

  packOf(action: Action): string {
    const surface = this.surfaceOf(action);
    const pack = surface && this.#packs.get(surface);
    assert(pack !== undefined, 'an action that has a surface has its pack');
    return pack;
  }

  sessionOf(action: Action): Session {
    return this.session(action.lineage.root);
  }

  /** A known session, read from the journal when it is not in memory. */
  session(id: SessionId): Session {
    const known = this.state.session(id);
    if (known !== undefined) return known;
    // reason: records of this table are written by `saveSession` only
    const record = this.store.record('session', id) as SessionRecord | undefined;
    assert(record !== undefined, `session ${id} is in the journal`);
    return this.state.addSession(record);
  }

  saveSession(record: SessionRecord): void {
    this.session(record.id).record = record;
    this.store.put('session', record.id, record.openedAtMs, false, record);
    this.watch.session(record.id);
  }

  /** Tells the agent once, at its next call (SM-8). */
  notify(session: Session, facts: NoticeFacts): void {
    const n = ++session.noticeCount;
    session.notices.push({ n, facts });
    this.wakes.notified(session);
    this.store.put('notice', `${session.record.id}/${n}`, n, true, facts);
  }
}

/** Never before what the log says, and as far ahead of the wall clock as it was. */
function beginsAtMs({ clock, journal }: AuthorityOptions): EpochMs {
  const [newest] = journal.rows(journal.head().seq, 1);
  const stored = journal.record('meta', 'clock-ahead');
  // reason: written by `Core` only
  const aheadMs = stored === undefined ? 0 : (parseCanonical(stored.value) as number);
  return Math.max(newest?.atMs ?? 0, aheadMs === 0 ? 0 : clock.nowMs() + aheadMs);
}

/** Failures after which it is known that nothing was stored; after any other the process must stop (EF-5). */
const STORED_NOTHING: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['full', 'closed', 'quarantined']);

function sightingKey(session: Session, id: ActionId): string {
  return `${session.record.id}/${id}`;
}
