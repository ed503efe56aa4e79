import { CountersignError, type ErrorCode } from '../../base/errors.ts';
import type { KeyRing } from '../../doc/keys.ts';
import type { LedgerChange } from '../../doc/ledger-author.ts';
import { digestFrom } from '../../model/digest.ts';
import type { Seen } from '../../model/decision.ts';
import type { Digest } from '../../model/ids.ts';
import type { SignedText } from '../../model/signed-text.ts';
import { GENESIS_ROOT } from '../../trust/audit.ts';
import type { Core } from '../core.ts';
import type { PublishOptions } from '../options.ts';
import type { Session } from '../session.ts';
import type { Watch } from '../watch.ts';
import { Blobs } from './blobs.ts';
import { Drafts, type Difference } from './drafts.ts';
import { writeFitting } from './fitting.ts';
import { Feasibility } from './feasibility.ts';
import { HeadBeat } from './head-beat.ts';
import { LedgerRoom } from './ledger-room.ts';
import { PUBLISH_LIMITS } from './limits.ts';
import type { Published } from './outlet.ts';
import { Pace } from './pace.ts';
import { Pulse } from './pulse.ts';
import { Receipts } from './receipts.ts';
import { unpublishedActions } from './unpublished.ts';
import type { Tiles } from './tiles.ts';
import { Trail } from './trail.ts';
import { watchOf } from './watching.ts';
import { workspaceTiles } from './workspace-tiles.ts';

export interface PublisherParts {
  readonly core: Core;
  readonly options: PublishOptions;
  readonly heartbeat: () => SignedText;
  /** The same for the head, whose signature stands for it. */
  readonly headBeat: () => Seen;
  /** The newest signed checkpoint, as the head says it. */
  readonly checkpoint: () => Published['checkpoint'];
}

/**
 * Publishes the present of a workspace: ledger, audit tiles, blobs, heartbeats. It looks at what changed after that is
 * durable, in a commit of its own, and hands over only what that has stored (ADR 9). The first change after a pause is
 * published at the end of the turn; while things keep changing, every 25 ms.
 */
export class Publisher {
  readonly receipts: Receipts;
  readonly #parts: PublisherParts;
  readonly #trail: Trail;
  readonly #feasibility: Feasibility;
  readonly #blobs: Blobs;
  readonly #drafts: Drafts;
  readonly #tiles: Tiles;
  readonly #pulse: Pulse;
  readonly #headBeat: HeadBeat;
  #room: LedgerRoom | undefined;
  /**
   * What must come before the next change. `resume`: the author may hold what was never stored, so it begins again with
   * what is · `room`: this room cannot go on.
   */
  #need: 'nothing' | 'resume' | 'room' = 'resume';
  readonly #pace: Pace;
  #live = false;
  /** By the clock that nobody can set: a wall clock that was set back would keep a damaged room for as long. */
  #openedMonotonicMs: number | undefined;
  /** The log as the ledger's sum says it: everything up to there is told. */
  #told = NOTHING_TOLD;
  #said: string | undefined;
  #trouble: string | undefined;

  constructor(parts: PublisherParts) {
    const { core, options } = parts;
    const { crypto, home, workspace } = core.options;
    this.#parts = parts;
    this.#blobs = new Blobs({
      crypto,
      place: { home, workspace },
      outlet: options.outlet,
      read: (hash) => core.store.blob(hash),
    });
    this.#trail = new Trail(core);
    this.#feasibility = new Feasibility(core, (id) => {
      this.#drafts.dirty.actions.add(id);
      this.wake();
    });
    this.receipts = new Receipts(core, this.#blobs);
    this.#drafts = new Drafts({
      core,
      options,
      trail: this.#trail,
      feasibility: this.#feasibility,
      receipts: this.receipts,
      blobs: this.#blobs,
    });
    this.#tiles = workspaceTiles(core, options, { onChange: () => this.#tell(), onDue: () => this.wake() });
    this.#headBeat = new HeadBeat(core.options.clock, parts.headBeat);
    this.#pulse = new Pulse(core.options.clock, () => this.#beat());
    this.#pace = new Pace({
      clock: core.options.clock,
      run: () => this.#publishSafely(),
      left: () => (this.#need !== 'nothing' ? 'stuck' : this.#drafts.dirty.empty ? 'nothing' : 'more'),
    });
  }

  get published(): Published {
    const heartbeat = this.#headBeat.newest;
    return { ...this.#places, ...(heartbeat === undefined ? {} : { heartbeat }) };
  }

  get #places(): Omit<Published, 'heartbeat'> {
    return {
      room: this.#room?.part ?? null,
      tile: this.#tiles.tile,
      manifestRoot: this.#tiles.manifestRoot,
      checkpoint: this.#parts.checkpoint(),
    };
  }

  /** The content keys as they are now. */
  keys(): KeyRing {
    return this.#parts.options.keys();
  }

  /** Notes what changes, for the next publication. */
  watch(): Watch {
    return watchOf({
      core: this.#parts.core,
      dirty: this.#drafts.dirty,
      trail: this.#trail,
      feasibility: this.#feasibility,
      wake: () => this.wake(),
    });
  }

  /** Begins with what was published before; what a crash left out is told next. */
  start(): void {
    this.#live = true;
    this.#resume();
    if (this.#room !== undefined) this.#parts.options.outlet.open(this.#room.name, this.#room.state());
    this.#tell();
    this.#pace.start();
    this.#pulse.start();
  }

  /** Something changed. The publication comes by itself. */
  wake(): void {
    this.#pace.wake();
  }

  /** Rows are durable: the log has grown, and so may have what the ledger says. */
  stored(rows: number): void {
    if (rows > 0) this.wake();
  }

  /** What was in memory and not durable never happened. */
  lost(): void {
    this.#trail.clear();
    if (this.#need === 'nothing') this.#need = 'resume';
  }

  /** The roster or the content key is another one. */
  rosterChanged(): void {
    this.#drafts.markDevices();
    for (const id of this.receipts.forgetRemoved()) this.#drafts.dirty.receipts.add(id);
    if (this.#room !== undefined && this.#room.record.keyGen !== this.#parts.options.keys().newest.gen) {
      this.#need = 'room';
      this.#openedMonotonicMs = undefined;
      this.#tiles.renew();
      this.#pace.hurry();
    } else this.wake();
  }

  markSession(session: Session): void {
    this.#drafts.dirty.sessions.add(session.record.id);
    this.wake();
  }

  markReceipts(ids: Iterable<string>): void {
    for (const id of ids) this.#drafts.dirty.receipts.add(id);
    this.wake();
  }

  /** The relay holds something in this room that was never written here. */
  damaged(room: string): void {
    if (room === this.#room?.name) this.#need = 'room';
    else if (room === this.#tiles.room) this.#tiles.damaged();
    this.wake();
  }

  /** The relay has nothing: everything that is an object is handed over again. */
  putAgain(): void {
    this.#blobs.forget();
    this.#tiles.putAgain();
    this.#drafts.markAll();
    this.wake();
  }

  /** Publishes what is left and writes nothing more. */
  async stop(): Promise<void> {
    await this.#pace.stop();
    this.#drafts.end();
    for (let turn = 0; this.#live && turn < LAST_TURNS_MAX && (!this.#drafts.dirty.empty || this.#isBehind); turn++)
      await this.#publishSafely();
    await this.#pump();
    this.#beat();
    await this.abandon();
  }

  /** Writes nothing more, whatever is left: the next start tells of it. */
  async abandon(): Promise<void> {
    this.#live = false;
    this.#pulse.stop();
    this.#tiles.stop();
    this.#feasibility.stop();
    await this.#pace.stop();
  }

  /** A full disk is met again later, and it is told by whoever met it first. */
  async #publishSafely(): Promise<void> {
    try {
      await this.#publish();
    } catch (error) {
      if (this.#need === 'nothing') this.#need = 'resume';
      this.#met(error);
    }
  }

  /** A bug ends the process; what a commit met it has reported; whatever else stands in the way is said once. */
  #met(error: unknown): void {
    const { options } = this.#parts.core;
    if (!CountersignError.is(error)) {
      options.onFatal(error);
      return;
    }
    if (REPORTED.has(error.code) || this.#trouble === error.message) return;
    this.#trouble = error.message;
    options.onAlarm(`What devices are shown could not be brought up to date: ${error.message}`);
  }

  async #publish(): Promise<void> {
    if (this.#need === 'resume') this.#resume();
    if (this.#need === 'room') await this.#openRoom();
    if (this.#need === 'nothing' && this.#room !== undefined) await this.#update(this.#room);
    // Not waited for: a log that was never published takes its time, and the ledger does not wait for it.
    void this.#pump();
    this.#tell();
    this.#pulse.changed();
  }

  async #pump(): Promise<void> {
    try {
      await this.#tiles.pump();
      this.#tell();
    } catch (error) {
      this.#met(error);
      this.#pace.later(PUBLISH_LIMITS.againMs);
    }
  }

  /** Goes on in the stored room, if it can go on. */
  #resume(): void {
    const { core, options } = this.#parts;
    this.#blobs.unstage();
    const restored = LedgerRoom.restore(core, options.keys());
    if (!restored.ok) {
      this.#need = 'room';
      return;
    }
    this.#room = restored.value;
    this.#need = 'nothing';
    const { author } = restored.value;
    const records = author.ids.map((id) => author.record(id)).filter((record) => record !== undefined);
    this.receipts.restore(records);
    this.#drafts.reset(records);
    for (const record of records) {
      const action = record.type === 'action' ? core.action(record.id) : undefined;
      if (action !== undefined && record.type === 'action') this.#feasibility.remember(action, record.revertable);
    }
    this.#drafts.markAll();
    const sum = author.record('sum');
    this.#told = sum?.type === 'sum' ? { size: sum.size, root: sum.root } : NOTHING_TOLD;
    for (const id of unpublishedActions(core, this.#told.size)) this.#drafts.dirty.actions.add(id);
  }

  /**
   * The ledger says an older log than there is. Also where no record changed it says the newest: a heartbeat that knows
   * of more than the ledger is how a device sees that changes are kept back.
   */
  get #isBehind(): boolean {
    return this.#told.size < this.#parts.core.store.head.seq;
  }

  async #update(room: LedgerRoom): Promise<void> {
    const { core, options } = this.#parts;
    const beganMs = core.options.clock.monotonicMs();
    const difference = this.#drafts.next(room.keys.newest);
    if (difference.puts.length + difference.drops.length === 0 && !this.#isBehind) {
      // At a start everything may be published as it is, and only the blobs be on their way.
      this.#blobs.flush();
      return;
    }
    const update = this.#written(difference, (change) => room.change(change));
    const { generation } = core.store;
    this.#pace.worked(core.options.clock.monotonicMs() - beganMs);
    await core.commit();
    // Something that this spoke of was lost, and yet this was stored: it is not handed over, so the room ends here.
    if (core.store.generation !== generation) this.#need = 'room';
    else {
      this.#blobs.flush();
      if (update !== undefined) options.outlet.update(room.name, update);
    }
    if (room.author.outgrown === 'writers') this.#need = 'room';
  }

  /** Writes all of it into a room that nobody knows, and makes it the one when it is complete and stored. */
  async #openRoom(): Promise<void> {
    const { core, options } = this.#parts;
    const { clock } = core.options;
    const nowMs = clock.monotonicMs();
    const waitMs = (this.#openedMonotonicMs ?? -Infinity) + PUBLISH_LIMITS.roomEveryMs - nowMs;
    if (waitMs > 0) {
      this.#pace.later(waitMs);
      return;
    }
    const room = LedgerRoom.fresh(core, options.keys());
    this.#blobs.unstage();
    this.#drafts.reset([]);
    this.#drafts.markAll();
    for (const id of unpublishedActions(core, 0)) this.#drafts.dirty.actions.add(id);
    const { generation } = core.store;
    do {
      const difference = this.#drafts.next(room.keys.newest);
      if (difference.puts.length > 0) this.#written(difference, (change) => room.write(change));
      // A large one is written in pieces, so that nobody waits for it.
      if (!this.#drafts.dirty.empty) await new Promise<void>((resolve) => clock.soon(resolve));
    } while (!this.#drafts.dirty.empty);
    room.storeWhole();
    await core.commit();
    if (core.store.generation !== generation) return;
    if (this.#room !== undefined) options.outlet.close(this.#room.name);
    this.#room = room;
    this.#need = 'nothing';
    this.#openedMonotonicMs = nowMs;
    this.#blobs.flush();
    options.outlet.open(room.name, room.state());
  }

  /** What no reader would accept is left out, and a person hears of it: the rest is told. */
  #written<T>(difference: Difference, write: (change: LedgerChange) => T): T | undefined {
    const { core } = this.#parts;
    // While a part of it is left to tell, a start must look for that from where it stands now.
    if (this.#drafts.dirty.empty) this.#told = { size: core.store.head.seq, root: digestFrom(core.store.head.root) };
    return writeFitting({ ...difference, asOf: this.#told }, write, ({ id }, why) => {
      this.#drafts.unpublished(id);
      core.options.onAlarm(`${id} cannot be shown on other devices. ${why}`);
    });
  }

  #beat(): void {
    const { heartbeat, options } = this.#parts;
    if (!this.#live || this.#room === undefined || this.#need !== 'nothing') return;
    try {
      options.outlet.beat(this.#room.name, heartbeat());
      this.#tell();
    } catch (error) {
      // A journal that cannot be used any more: whoever wrote to it last has said so. Nobody hears a heart then.
      if (!CountersignError.is(error)) this.#parts.core.options.onFatal(error);
    }
  }

  /** Says what the head must say, when that is something else, or its heartbeat is an old one. */
  #tell(): void {
    const places = this.#places;
    const text = JSON.stringify(places);
    if ((text === this.#said && !this.#headBeat.isDue) || places.room === null) return;
    this.#said = text;
    this.#headBeat.renew();
    this.#parts.options.onPublished(this.published);
  }
}

const NOTHING_TOLD: { readonly size: number; readonly root: Digest } = { size: 0, root: digestFrom(GENESIS_ROOT) };

/** Publications of a runtime that ends: what more there is, the next start tells. */
const LAST_TURNS_MAX = 50;

/** Failures that `Core.commit` tells of, or that tell of an end. */
const REPORTED: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['full', 'storage', 'closed']);
