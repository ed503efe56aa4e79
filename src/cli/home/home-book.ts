import { assert } from '../../base/assert.ts';
import { toHex } from '../../base/bytes.ts';
import { neverFalling, type Clock, type EpochMs } from '../../base/clock.ts';
import { CountersignError } from '../../base/errors.ts';
import { Mutex } from '../../base/mutex.ts';
import type { Random } from '../../base/random.ts';
import type { RosterDevice, RosterPort } from '../../authority/options.ts';
import type { Outlet, Published } from '../../authority/publish/outlet.ts';
import type { TilesRecord } from '../../authority/publish/tiles.ts';
import type { Journal } from '../../authority/ports.ts';
import { Store } from '../../authority/store.ts';
import type { Crypto, Signer } from '../../crypto/ports.ts';
import type { KeyRing } from '../../doc/keys.ts';
import type { Right } from '../../model/decision.ts';
import type { DeviceId, HomeId, WorkspaceId } from '../../model/ids.ts';
import type { SignedText } from '../../model/signed-text.ts';
import { signGrant } from '../../access/grant.ts';
import { HEAD_LIMITS, signHead } from '../../access/head.ts';
import { deviceIdOf, homeIdOf } from '../../access/home-id.ts';
import type { WorkspaceRecord } from '../state/workspace-place.ts';
import { headOf, NOTHING_PUBLISHED, rosterOf, stateOf, withDevice, type BookState } from './book-state.ts';
import { boxed, nextKeys, ringOf, type WorkspaceKeys } from './content-keys.ts';
import { HomeLog } from './home-log.ts';
import {
  HOME_KEY,
  LOG_KEYS,
  LOG_TILES,
  KEYS_PREFIX,
  PUBLISHED_PREFIX,
  rosterDevice,
  WORKSPACE_PREFIX,
  type DeviceRecord,
} from './registry.ts';

export interface HomeBookOptions {
  readonly journal: Journal;
  readonly crypto: Crypto;
  readonly signer: Signer;
  readonly clock: Clock;
  readonly random: Random;
  /** It is not known what reached the disk: the process must stop (EF-5). */
  readonly onFatal: (error: unknown) => void;
}

const BOOK_LIMITS = {
  /** Milliseconds in which several things that authorities published become one head. */
  headEveryMs: 50,
  /** Milliseconds until a head that a full disk refused is tried again. */
  headAgainMs: 5_000,
} as const;

/** What a change of the book means to those who work with it. */
export interface BookChange {
  /** Somebody was added or removed, or has another right (DC-8). */
  readonly roster: boolean;
  /** Workspaces have a new content key. */
  readonly keys: boolean;
}

/** The home's own journal: who may decide, which folders are guarded under which keys, and the signed head that says so. */
export class HomeBook implements RosterPort {
  readonly id: HomeId;
  readonly #options: HomeBookOptions;
  readonly #store: Store;
  readonly #nowMs: () => EpochMs;
  /** One change after the other: each begins with what the one before made durable. */
  readonly #turnstile = new Mutex();
  readonly #listeners = new Set<(change: BookChange) => void>();
  #state: BookState;
  #head: SignedText | undefined;
  /** What authorities said since the newest head. */
  readonly #news = new Map<WorkspaceId, Published>();
  #newsDue = false;
  readonly #log: HomeLog;
  #closed = false;

  private constructor(options: HomeBookOptions) {
    this.id = homeIdOf(options.crypto.sha256, options.signer.publicKey);
    this.#options = options;
    const [newest] = options.journal.rows(options.journal.head().seq, 1);
    this.#nowMs = neverFalling(() => Math.max(options.clock.nowMs(), newest?.atMs ?? 0));
    this.#state = stateOf(options.journal, this.id);
    this.#store = new Store({
      journal: options.journal,
      sha256: options.crypto.sha256,
      random: options.random,
      nowMs: this.#nowMs,
      // Nothing to take back: what was not stored never became the state.
      onLost: () => undefined,
    });
    this.#log = new HomeLog({
      ...options,
      home: this.id,
      keys: () => this.#logKeys(),
      load: () => this.#state.logTiles,
      save: (record) => this.#saveLog(record),
    });
  }

  /** Throws `denied` when the journal belongs to another home key, `quarantined` when it was tampered with. */
  static async open(options: HomeBookOptions): Promise<HomeBook> {
    const { health } = options.journal;
    if (health.state === 'quarantined') {
      throw new CountersignError('quarantined', `The home's own journal is damaged: ${health.why}`);
    }
    const book = new HomeBook(options);
    if (options.journal.head().seq === 0) {
      const detail = { publicKey: toHex(options.signer.publicKey) };
      book.#store.stage({ kind: 'opened', what: 'home', id: book.id, detail });
    }
    book.#store.stage({ kind: 'started', fence: 1, keyGen: 1 });
    await book.#change((state) => book.#withKeys(state, () => false));
    return book;
  }

  /** The newest signed head that is durable; devices never accept a lower number. */
  get head(): SignedText {
    assert(this.#head !== undefined, 'opening the book publishes a head');
    return this.#head;
  }

  get workspaces(): readonly WorkspaceRecord[] {
    return [...this.#state.workspaces.values()];
  }

  /** Who may decide now, by name. */
  get roster(): readonly DeviceRecord[] {
    return rosterOf(this.#state);
  }

  /** Everyone who was ever admitted, in that order, removed ones among them. */
  get devices(): readonly DeviceRecord[] {
    return [...this.#state.devices.values()].toSorted((a, b) => a.addedEntry - b.addedEntry);
  }

  device(id: DeviceId): RosterDevice | undefined {
    const record = this.#state.devices.get(id);
    return record === undefined ? undefined : rosterDevice(record);
  }

  number(): number {
    return this.#state.home.rosterNumber;
  }

  /** Every content key of a workspace that is guarded, newest first. */
  keysOf(workspace: WorkspaceId): KeyRing {
    const keys = this.#state.keys.get(workspace);
    if (keys === undefined) throw new CountersignError('not-found', 'This home guards no such workspace.');
    return ringOf(this.#options.crypto, keys);
  }

  /** Publishes the home's own log there, from now on. */
  publishLog(outlet: Outlet): void {
    this.#log.publish(outlet);
  }

  /** The relay holds something in this tile of it that was never written here. */
  logDamaged(room: string): void {
    this.#log.damaged(room);
  }

  /** The relay lost what it was given of it. */
  putLogAgain(): void {
    this.#log.putAgain();
  }

  /** Runs after every change, when its head is durable; answers how to end it. */
  subscribe(listener: (change: BookChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Enrols a device that is not in the roster yet, or gives one that is what is named: another right, name or box key.
   *
   * Throws: `denied` for a device that was removed: it comes back with a new key only. `full` for one too many.
   */
  async admit(device: {
    readonly publicKey: Uint8Array;
    /** X25519, for the content keys; absent for a device that reads through the owner door alone. */
    readonly boxKey?: Uint8Array;
    readonly nickname: string;
    /** `undefined`: as it is, and `approve-reversible` for a new one. */
    readonly right: Right | undefined;
  }): Promise<DeviceId> {
    const id = deviceIdOf(this.#options.crypto.sha256, device.publicKey);
    const boxKey = device.boxKey === undefined ? undefined : toHex(device.boxKey);
    await this.#change(async (state) => {
      const known = state.devices.get(id);
      if (known?.revoked === true)
        throw new CountersignError('denied', 'This device was removed. It can be added again under a new key only.');
      if (known === undefined) {
        if (rosterOf(state).length >= HEAD_LIMITS.rosterMax)
          throw new CountersignError('full', `A home has ${HEAD_LIMITS.rosterMax} devices at most.`);
        const { nickname } = device;
        const right = device.right ?? 'approve-reversible';
        const entry = { device: id, publicKey: toHex(device.publicKey), nickname, right } as const;
        const addedEntry = this.#store.stage({ kind: 'device-added', ...entry });
        return this.#keep(state, { ...entry, boxKey: boxKey ?? null, addedEntry, revoked: false });
      }
      const right = device.right ?? known.right;
      const now = { ...known, right, boxKey: boxKey ?? known.boxKey, nickname: device.nickname };
      if (now.right === known.right && now.boxKey === known.boxKey && now.nickname === known.nickname) return undefined;
      if (now.right !== known.right) this.#store.stage({ kind: 'device-right', device: id, right });
      return this.#keep(state, now);
    });
    return id;
  }

  /** Gives a device of the roster another right. Throws: `not-found`. */
  async setRight(id: DeviceId, right: Right): Promise<void> {
    await this.#change(async (state) => {
      const known = this.#listed(state, id);
      if (known.right === right) return undefined;
      this.#store.stage({ kind: 'device-right', device: id, right });
      return this.#keep(state, { ...known, right });
    });
  }

  /**
   * Removes a device: it is in no later head, and every workspace gets a content key that it has not. What it sent
   * before is judged by the authorities, which hear of it (DC-8). Throws: `not-found`.
   */
  async revoke(id: DeviceId): Promise<void> {
    await this.#change(async (state) => {
      const known = this.#listed(state, id);
      this.#store.stage({ kind: 'device-right', device: id, right: 'none' });
      const gone = await this.#keep(state, { ...known, revoked: true });
      const keys = new Map<WorkspaceId, WorkspaceKeys>();
      for (const [workspace, before] of gone.keys) keys.set(workspace, nextKeys(this.#keyParts(workspace), before));
      const logKeys = nextKeys(this.#keyParts(null), gone.logKeys);
      return this.#withKeys({ ...gone, keys, logKeys }, () => false);
    });
  }

  /** The home's word that this device is one of its own, for relays. Throws: `not-found`. */
  grantFor(id: DeviceId): SignedText {
    const { publicKey, right } = this.#listed(this.#state, id);
    const grant = { v: 1, home: this.id, device: id, publicKey, right, number: this.number() } as const;
    return signGrant(this.#options.signer, grant);
  }

  /** Keeps where a workspace is found and at which fence it stands. */
  async keepWorkspace(record: WorkspaceRecord, how: 'new' | 'moved' | 'adopted'): Promise<void> {
    const { id, ...rest } = record;
    await this.#change((state) => {
      if (!state.workspaces.has(id) && state.workspaces.size >= HEAD_LIMITS.workspacesMax) {
        throw new CountersignError('full', `A home guards ${HEAD_LIMITS.workspacesMax} folders at most.`);
      }
      this.#store.stage({ kind: 'opened', what: 'workspace', id, detail: { ...rest, how } });
      this.#store.put('meta', `${WORKSPACE_PREFIX}${id}`, 0, true, record);
      return this.#withKeys({ ...state, workspaces: new Map(state.workspaces).set(id, record) }, () => false);
    });
  }

  /** What the newest head says of a workspace, or the next one will. */
  published(workspace: WorkspaceId): Published {
    return this.#news.get(workspace) ?? this.#state.published.get(workspace) ?? NOTHING_PUBLISHED;
  }

  /** What an authority published, for the next head. Returns at once: several are gathered into one. */
  publish(workspace: WorkspaceId, published: Published): void {
    this.#news.set(workspace, published);
    if (!this.#newsDue) this.#publishNews(BOOK_LIMITS.headEveryMs);
  }

  /** Makes what was published last a head now. A full disk refuses it, and the next start tells. */
  async tellNews(): Promise<void> {
    if (this.#news.size === 0) return;
    await this.#change((state) => Promise.resolve(state)).catch((error: unknown) => {
      if (!CountersignError.is(error) || error.code !== 'full') throw error;
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#log.stop();
    await this.#turnstile.run(async () => {
      this.#takeNews(this.#state);
      this.#store.stage({ kind: 'stopped' });
      await this.#commit();
    });
    await this.#options.journal.close();
  }

  #publishNews(inMs: number): void {
    this.#newsDue = true;
    this.#options.clock.after(inMs, () => {
      this.#newsDue = false;
      if (this.#closed || this.#news.size === 0) return;
      // A full disk refuses it and keeps the news; whatever else is wrong, `#commit` has reported it.
      this.#change((state) => Promise.resolve(state)).catch(() => this.#publishNews(BOOK_LIMITS.headAgainMs));
    });
  }

  /** Stages what authorities published since, as part of the state that is about to be stored. */
  #takeNews(state: BookState): BookState {
    const published = new Map(state.published);
    for (const [workspace, news] of this.#news) {
      published.set(workspace, news);
      this.#store.put('meta', `${PUBLISHED_PREFIX}${workspace}`, 0, true, news);
    }
    return { ...state, published };
  }

  /** Stores another state with the head that says so, all or nothing; `undefined` for no change. */
  async #change(make: (state: BookState) => Promise<BookState | undefined>): Promise<void> {
    await this.#turnstile.run(async () => {
      const before = this.#state;
      const made = await make(before);
      if (made === undefined) return;
      const news = new Map(this.#news);
      const told = this.#takeNews(made);
      const state = { ...told, home: { ...told.home, headNumber: told.home.headNumber + 1 } };
      const head = signHead(this.#options.signer, headOf(state, this.#nowMs(), this.#store.head));
      this.#store.put('meta', HOME_KEY, 0, false, state.home);
      this.#store.put('meta', 'head', 0, false, head);
      await this.#commit();
      this.#state = state;
      this.#head = head;
      for (const [workspace, one] of news) if (this.#news.get(workspace) === one) this.#news.delete(workspace);
      this.#log.grown({ rekeyed: state.logKeys?.secrets.length !== before.logKeys?.secrets.length });
      this.#tell({
        roster: state.home.rosterNumber !== before.home.rosterNumber,
        keys: [...state.keys].some(([id, keys]) => keys.secrets.length !== before.keys.get(id)?.secrets.length),
      });
    });
  }

  #listed(state: BookState, id: DeviceId): DeviceRecord {
    const record = state.devices.get(id);
    if (record === undefined || record.revoked)
      throw new CountersignError('not-found', 'There is no such device in the roster.');
    return record;
  }

  #tell(change: BookChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  #keep(state: BookState, record: DeviceRecord): Promise<BookState> {
    const known = state.devices.get(record.device);
    this.#store.put('device', record.device, record.addedEntry, true, record);
    const anew = (device: DeviceId): boolean => device === record.device && known?.boxKey !== record.boxKey;
    return this.#withKeys(withDevice(state, record), anew);
  }

  /** A content key for every workspace, and a box of it for every device; stages those that changed. */
  async #withKeys(state: BookState, anew: (device: DeviceId) => boolean): Promise<BookState> {
    const keys = new Map(state.keys);
    for (const workspace of state.workspaces.keys()) {
      const parts = this.#keyParts(workspace);
      const made = await boxed(parts, keys.get(workspace) ?? nextKeys(parts, undefined), rosterOf(state), anew);
      keys.set(workspace, made);
      this.#store.put('meta', `${KEYS_PREFIX}${workspace}`, 0, true, made);
    }
    const parts = this.#keyParts(null);
    const logKeys = await boxed(parts, state.logKeys ?? nextKeys(parts, undefined), rosterOf(state), anew);
    this.#store.put('meta', LOG_KEYS, 0, false, logKeys);
    return { ...state, keys, logKeys };
  }

  #logKeys(): KeyRing {
    assert(this.#state.logKeys !== undefined, 'opening the book makes a key for its log');
    return ringOf(this.#options.crypto, this.#state.logKeys);
  }

  #saveLog(record: TilesRecord): Promise<void> {
    return this.#change((state) => {
      // Nobody is shown what would come of it any more.
      if (this.#closed) return Promise.resolve(undefined);
      this.#store.put('meta', LOG_TILES, 0, false, record);
      return Promise.resolve({ ...state, logTiles: record });
    });
  }

  #keyParts(workspace: WorkspaceId | null): Parameters<typeof nextKeys>[0] {
    const { crypto, random } = this.#options;
    return { crypto, random, place: { home: this.id, workspace } };
  }

  async #commit(): Promise<void> {
    try {
      await this.#store.commit();
    } catch (error) {
      if (!CountersignError.is(error) || error.code !== 'full') this.#options.onFatal(error);
      throw error;
    }
  }
}
