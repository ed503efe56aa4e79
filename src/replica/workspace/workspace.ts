import { assert } from '../../base/assert.ts';
import type { Cancel } from '../../base/clock.ts';
import { Mutex } from '../../base/mutex.ts';
import type { HeadWorkspace } from '../../access/head.ts';
import { openKeys, type KeyRing } from '../../doc/keys.ts';
import type { Unreadable } from '../../doc/unreadable.ts';
import { parseActionId, type ActionId, type DeviceId, type SessionId, type WorkspaceId } from '../../model/ids.ts';
import type { LedgerAction, LedgerDevice, LedgerRecord, LedgerSession, LedgerWorkspace } from '../../model/ledger.ts';
import type { LinkState } from '../../sync/contract.ts';
import type { Core } from '../core.ts';
import { noCache } from '../memory.ts';
import type { Blobs } from '../detail/blobs.ts';
import { Cards } from '../detail/cards.ts';
import { Witnesses } from '../head/witnesses.ts';
import { ActionViews } from '../ledger/action-views.ts';
import { REPLICA_LIMITS } from '../limits.ts';
import type { ActionView, Claim, WorkspaceView } from '../types.ts';
import { Heartbeats } from './heartbeats.ts';
import { LedgerFollower } from './ledger-follower.ts';
import { Receipts } from './receipts.ts';
import { StandingRecords } from './standing-records.ts';

export interface WorkspaceOptions {
  readonly id: WorkspaceId;
  readonly blobs: Blobs;
  readonly claimsOf: (id: ActionId) => readonly Claim[];
  /** A receipt for a decision of this device has come. */
  readonly onReceipt: (device: DeviceId) => void;
  /** There are keys, or more of them. */
  readonly onKeys: () => void;
}

/** One guarded folder as this device sees it: its ledger, the cards of what is open, its heartbeat. */
export class Workspace {
  readonly id: WorkspaceId;
  readonly actions: ActionViews;
  readonly cards: Cards;
  readonly receipts: Receipts;
  readonly heartbeats: Heartbeats;
  readonly witnesses: Witnesses;
  readonly #core: Core;
  readonly #options: WorkspaceOptions;
  readonly #turn = new Mutex();
  readonly #sessions = new Map<SessionId, LedgerSession>();
  readonly #devices = new Map<DeviceId, LedgerDevice>();
  readonly #standing = new StandingRecords();
  #info: LedgerWorkspace | undefined;
  #entry: HeadWorkspace | undefined;
  #keys: KeyRing | undefined;
  #noKeys: string | null = null;
  /** What is shown, and the room that takes its place when it has arrived whole. */
  #shown: LedgerFollower | undefined;
  #next: LedgerFollower | undefined;
  /** Rooms that are not all here, each watched by one timer. */
  readonly #incomplete = new Set<LedgerFollower>();
  #behind: Cancel | undefined;
  /** Something in what is shown is damaged by itself: it stays so until another room takes its place. */
  #spoilt = false;
  #wasLive = false;
  #hasRecords = false;
  #view: WorkspaceView | undefined;
  #viewStale = true;
  #sessionList: readonly LedgerSession[] = [];
  #deviceMap: ReadonlyMap<DeviceId, LedgerDevice> = new Map();

  constructor(core: Core, options: WorkspaceOptions) {
    this.id = options.id;
    this.#core = core;
    this.#options = options;
    this.cards = new Cards(core, {
      workspace: this.id,
      blobs: options.blobs,
      keys: () => this.#keys,
      changed: (ids) => this.touch(ids),
    });
    this.actions = new ActionViews({ claimsOf: options.claimsOf, cardOf: (record) => this.cards.stateOf(record) });
    this.receipts = new Receipts(core, {
      workspace: this.id,
      blob: (ref) => this.cards.blob(ref.$blob),
      changed: options.onReceipt,
    });
    this.witnesses = new Witnesses(core, this.id);
    this.heartbeats = new Heartbeats({ ...core, changed: () => this.#changed() }, this.id, this.witnesses);
  }

  get entry(): HeadWorkspace | undefined {
    return this.#entry;
  }

  get keys(): KeyRing | undefined {
    return this.#keys;
  }

  get link(): LinkState | undefined {
    return (this.#next ?? this.#shown)?.link();
  }

  async load(): Promise<void> {
    await this.witnesses.load();
    await this.heartbeats.load();
  }

  /** Follows what the newest head says of it. */
  follow(entry: HeadWorkspace): Promise<void> {
    return this.#turn.run(async () => {
      const before = this.#entry;
      this.#entry = entry;
      if (entry.checkpoint !== null) this.witnesses.add(entry.checkpoint);
      if (entry.heartbeat !== undefined) this.heartbeats.takeHead(entry.heartbeat);
      if (this.#keys === undefined || before === undefined || !sameKeys(before, entry)) await this.#openKeys(entry);
      if (this.#keys === undefined || entry.room === null) return;
      const following = this.#next ?? this.#shown;
      if (following?.room !== entry.room) this.#open(entry.room);
    });
  }

  /** Claims on these, or their cards, have changed. */
  touch(ids: Iterable<ActionId>): void {
    for (const id of ids) this.actions.touch(id);
    this.#changed();
  }

  record(id: ActionId): LedgerAction | undefined {
    return this.actions.record(id);
  }

  /** Has more come than was held against the home's sum yet? */
  get isChecking(): boolean {
    return this.#shown?.check().state === 'checking';
  }

  /** Did the home sign this record as it stands here? One that it did not is gone after the question. */
  isSigned(id: string): boolean {
    return this.#shown?.isSigned(id) === true;
  }

  actionView(id: ActionId): ActionView | undefined {
    this.view();
    return this.actions.view(id);
  }

  view(): WorkspaceView {
    if (this.#view !== undefined && !this.#viewStale && !this.actions.isDirty) return this.#view;
    this.#viewStale = false;
    const { open, settled } = this.actions.lists();
    this.#view = {
      id: this.id,
      name: this.#info?.name ?? this.id,
      root: this.#info?.root ?? '',
      quarantine: this.#info?.quarantine ?? null,
      moved: movedIn(this.#info?.moved ?? null, open),
      runtime: this.heartbeats.runtime(),
      loaded: this.#loaded(),
      trouble: this.#trouble(),
      sessions: this.#sessionList,
      devices: this.#deviceMap,
      ...this.#standing.view(),
      open,
      settled,
    };
    return this.#view;
  }

  reconnect(): void {
    this.cards.retry();
    const damaged = this.#shown?.check().state === 'damaged';
    if (damaged && this.#entry?.room !== null && this.#entry !== undefined) this.#open(this.#entry.room, noCache);
    else (this.#next ?? this.#shown)?.reconnect();
  }

  close(options: { readonly forget: boolean }): void {
    this.#behind?.();
    this.heartbeats.close();
    this.cards.close();
    this.#next?.close(options);
    this.#shown?.close(options);
  }

  async #openKeys(entry: HeadWorkspace): Promise<void> {
    const { crypto, device, home, keys } = this.#core;
    const opened = await openKeys(crypto, keys.agreement, { home, device }, entry);
    this.#noKeys = opened.ok ? null : opened.error;
    if (opened.ok) {
      this.#keys = opened.value;
      this.#next?.keysChanged();
      this.#shown?.keysChanged();
      this.cards.retry();
      this.#options.onKeys();
    }
    this.#changed();
  }

  #open(room: string, cache = this.#core.cache): void {
    this.#next?.close({ forget: true });
    const follower: LedgerFollower = new LedgerFollower(this.#core, {
      workspace: this.id,
      room,
      cache,
      keys: () => this.#keyRing(),
      onRecords: (records, gone) => {
        if (follower === this.#shown) this.#take(records, gone);
      },
      onState: () => this.#stateChanged(follower),
      onPresences: (presences) => {
        this.heartbeats.takeAll(presences);
        if (follower === this.#shown && this.#isBehind(follower)) this.#watchBehind(follower);
      },
      onUnreadable: (error) => this.#unreadable(error),
    });
    this.#next = follower;
    // With nothing to show yet, even a part of it is better.
    if (this.#shown === undefined) this.#show(follower);
  }

  #show(follower: LedgerFollower): void {
    const { alarms } = this.#core;
    const before = this.#shown;
    this.#shown = follower;
    this.#next = undefined;
    this.#spoilt = false;
    alarms.clear('damaged', this.id);
    alarms.clear('too-new', this.id);
    if (before !== undefined) {
      before.close({ forget: before.name !== follower.name || before.check().state === 'damaged' });
      this.#clear(new Set(follower.ids));
    }
    follower.all();
  }

  /** What the old room had and the new one has not. */
  #clear(kept: ReadonlySet<string>): void {
    const all = [...this.actions.records()].map(({ id }): string => id);
    this.#take(
      [],
      [...all, ...this.#sessions.keys(), ...this.#devices.keys(), ...this.#standing.ids()].filter(
        (id) => !kept.has(id),
      ),
    );
  }

  #take(records: readonly LedgerRecord[], gone: readonly string[]): void {
    for (const id of gone) this.#remove(id);
    for (const record of records) this.#set(record);
    this.#hasRecords ||= records.length > 0;
    this.#sessionList = [...this.#sessions.values()];
    this.#deviceMap = new Map(this.#devices);
    this.#changed();
  }

  #set(record: LedgerRecord): void {
    switch (record.type) {
      case 'action':
        this.cards.set(record);
        this.actions.set(record);
        break;
      case 'session':
        this.#sessions.set(record.id, record);
        break;
      case 'device':
        this.#devices.set(record.id, record);
        break;
      case 'workspace':
        this.#info = record;
        break;
      case 'standing':
      case 'rule':
      case 'kind':
        this.#standing.set(record);
        break;
      case 'receipt':
        this.receipts.set(record);
        break;
      case 'sum':
        break;
    }
  }

  #remove(id: string): void {
    const action = parseActionId(id);
    if (action.ok) {
      this.cards.remove(action.value);
      this.actions.remove(action.value);
      return;
    }
    this.receipts.remove(id);
    this.#standing.remove(id);
    // reason: what is no key of a map is not in it
    this.#sessions.delete(id as SessionId);
    this.#devices.delete(id as DeviceId); // reason: as above
  }

  #stateChanged(follower: LedgerFollower): void {
    const check = follower.check();
    if (check.state === 'whole') this.witnesses.add({ size: check.sum.size, root: check.sum.root, tree: null });
    if (follower === this.#next && check.state === 'whole') this.#show(follower);
    if (check.state === 'incomplete' && follower.isLive) this.#watchIncomplete(follower);
    if (follower !== this.#shown) return;
    if (check.state === 'whole' && this.#isBehind(follower)) this.#watchBehind(follower);
    else if (check.state === 'whole' && this.#next === undefined && !this.#spoilt)
      this.#core.alarms.clear('damaged', this.id);
    if (check.state === 'damaged')
      this.#core.alarms.raise({ kind: 'damaged', workspace: this.id, sentence: check.why });
    if (check.state === 'too-new') this.#unreadable({ reason: 'too-new' });
    this.heartbeats.listening(follower.link()?.state === 'online');
    if (follower.isLive !== this.#wasLive) {
      this.#wasLive = follower.isLive;
      if (follower.isLive) this.cards.retry();
    }
    this.#changed();
  }

  #watchIncomplete(follower: LedgerFollower): void {
    if (this.#incomplete.has(follower)) return;
    this.#incomplete.add(follower);
    this.#core.clock.after(REPLICA_LIMITS.incompleteMs, () => {
      this.#incomplete.delete(follower);
      const isOurs = follower === this.#shown || follower === this.#next;
      if (!isOurs || !follower.isLive || follower.check().state !== 'incomplete') return;
      this.#core.alarms.raise({ kind: 'damaged', workspace: this.id, sentence: WITHHELD });
    });
  }

  /** A heartbeat knows of a longer log than the ledger: changes are on their way, or are kept back. */
  #isBehind(follower: LedgerFollower, size = this.heartbeats.seen?.size ?? 0): boolean {
    const check = follower.check();
    // In quarantine a log may end before what was seen of it; that is said in another way.
    return check.state === 'whole' && check.sum.size < size && (this.#info?.quarantine ?? null) === null;
  }

  #watchBehind(follower: LedgerFollower): void {
    const size = this.heartbeats.seen?.size ?? 0;
    if (this.#behind !== undefined || !follower.isLive) return;
    this.#behind = this.#core.clock.after(REPLICA_LIMITS.incompleteMs, () => {
      this.#behind = undefined;
      if (follower !== this.#shown || !follower.isLive || !this.#isBehind(follower, size)) return;
      this.#core.alarms.raise({ kind: 'damaged', workspace: this.id, sentence: WITHHELD });
    });
  }

  #unreadable(error: Unreadable): void {
    // A key that is missing comes with the next head.
    if (error.reason === 'no-key') return;
    const { alarms } = this.#core;
    if (error.reason === 'too-new') alarms.raise({ kind: 'too-new', workspace: this.id, sentence: TOO_NEW });
    else {
      this.#spoilt = true;
      alarms.raise({ kind: 'damaged', workspace: this.id, sentence: `The ledger is damaged. ${error.why}` });
    }
  }

  #loaded(): WorkspaceView['loaded'] {
    if (this.#shown === undefined || !this.#hasRecords) return 'none';
    return this.#shown.isLive && this.#shown.isShown && this.#next === undefined ? 'live' : 'cache';
  }

  #trouble(): string | null {
    if (this.#noKeys !== null && this.#keys === undefined) return this.#noKeys;
    return this.#shown?.check().state === 'no-key'
      ? 'The key of this workspace has not arrived on this device yet.'
      : null;
  }

  #keyRing(): KeyRing {
    const keys = this.#keys;
    assert(keys !== undefined, 'a ledger is opened when its key is here');
    return keys;
  }

  #changed(): void {
    this.#viewStale = true;
    this.#core.changed();
  }
}

const TOO_NEW = 'The runtime is newer than this page and publishes what it cannot read. Load the page again.';
const WITHHELD = 'Part of the queue does not arrive: the relay has lost it or keeps it back.';

function sameKeys(a: HeadWorkspace, b: HeadWorkspace): boolean {
  return a.keyGen === b.keyGen && a.older.length === b.older.length;
}

/** What moved is named by number, and decided about by what stands under each number here. */
function movedIn(moved: LedgerWorkspace['moved'], open: readonly ActionView[]): WorkspaceView['moved'] {
  if (moved === null) return null;
  const { ranges } = moved.actions;
  const isMoved = ({ record }: ActionView): boolean =>
    ranges.some(([from, to]) => from <= record.seq && record.seq <= to);
  return { why: moved.why, actions: open.filter(isMoved).map(({ record }) => record.id) };
}
