import { CountersignError } from '../base/errors.ts';
import type { Cancel } from '../base/clock.ts';
import type { Head } from '../access/head.ts';
import type { ActionId, DeviceId, HomeId, WorkspaceId } from '../model/ids.ts';
import type { HeadOddity } from '../sync/contract.ts';
import { Alarms } from './alarms.ts';
import { openAuditLog } from './audit/audit-log.ts';
import { Tiles } from './audit/tiles.ts';
import { Claims } from './claims/claims.ts';
import { InboxFollower } from './claims/inbox-follower.ts';
import { connectionOf } from './connection.ts';
import type { Core } from './core.ts';
import { decideWish, lookAtWish, type Deciding } from './decide/decide.ts';
import { decideSetting } from './decide/settings.ts';
import { detailOf } from './detail/detail.ts';
import { Blobs } from './detail/blobs.ts';
import { HeadKeeper } from './head/head-keeper.ts';
import type { Bus, Leader, OpenBus } from './ports.ts';
import { Outbox } from './outbox/outbox.ts';
import { Sender } from './outbox/sender.ts';
import type { AuditLog, Detail, Look, Outgoing, Replica, Setting, Snapshot, Wish } from './types.ts';
import { Workspace } from './workspace/workspace.ts';

export interface ReplicaParts {
  readonly core: Omit<Core, 'alarms' | 'changed'>;
  readonly nickname: string;
  readonly leader: Leader;
  readonly bus: OpenBus;
  readonly volatile: string | null;
}

/** What one window tells the others: the outbox in the store is another one. */
const OUTBOX = 'outbox';

/** A device's replica: assembles its parts, and lets each know what the others have learnt. */
export class DeviceReplica implements Replica {
  readonly home: HomeId;
  readonly device: DeviceId;
  readonly #core: Core;
  readonly #parts: ReplicaParts;
  readonly #heads: HeadKeeper;
  readonly #outbox: Outbox;
  readonly #blobs: Blobs;
  readonly #workspaces = new Map<WorkspaceId, Workspace>();
  readonly #claims = new Map<WorkspaceId, Claims>();
  readonly #inboxes = new Map<DeviceId, InboxFollower>();
  /** Of the logs that somebody has looked at. */
  readonly #tiles = new Map<WorkspaceId, Tiles>();
  readonly #claimsStale = new Set<WorkspaceId>();
  readonly #listeners = new Set<() => void>();
  readonly #ends: Cancel[] = [];
  #bus: Bus | undefined;
  #sender: Sender | undefined;
  #leads = false;
  #number = 0;
  #snapshot: Snapshot | undefined;
  #telling = false;
  #closed = false;

  constructor(parts: ReplicaParts) {
    this.#parts = parts;
    // The parts below it tell it what has changed; it tells who listens, once a turn.
    const changed = (): void => this.#changed();
    const run: Core['run'] = (task) => parts.core.run(() => this.#unlessClosed(task));
    this.#core = { ...parts.core, alarms: new Alarms(changed), changed, run };
    this.home = parts.core.home;
    this.device = parts.core.device;
    this.#heads = new HeadKeeper(this.#core, (head) => this.#headChanged(head));
    this.#outbox = new Outbox(this.#core, () => this.#outboxChanged());
    this.#blobs = new Blobs(this.#core);
  }

  /** Everything this device has kept, then the relay. */
  async start(): Promise<void> {
    const { client, device, home } = this.#core;
    await Promise.all([this.#outbox.reload(), this.#blobs.load()]);
    await this.#heads.load();
    const name = `countersign/${home}/${device}`;
    this.#bus = this.#parts.bus(name, (what) => this.#heard(what));
    this.#ends.push(
      client.head.subscribe(({ signed }) => this.#takeHead(signed)),
      client.head.subscribeOddities((oddity) => this.#odd(oddity)),
      this.#parts.leader.ask(name, () => this.#lead()),
    );
    const known = client.head.newest();
    if (known !== undefined) this.#takeHead(known.signed);
    this.#refreshHead();
  }

  snapshot(): Snapshot {
    if (this.#snapshot !== undefined) return this.#snapshot;
    this.#updateClaims();
    this.#number += 1;
    const workspaces = [...this.#workspaces.values()].map((workspace) => workspace.view());
    this.#snapshot = {
      number: this.#number,
      right: this.#heads.right,
      nickname: this.#parts.nickname,
      connection: connectionOf(this.#links(), this.#heads.head !== undefined),
      volatile: this.#parts.volatile,
      sending: this.#leads,
      outgoing: this.#outbox.outgoing,
      alarms: this.#core.alarms.list(),
      workspaces,
    };
    return this.#snapshot;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  detail(workspace: WorkspaceId, id: ActionId): Promise<Detail> {
    return detailOf(this.#workspace(workspace), id);
  }

  look(wish: Wish): Look {
    this.snapshot();
    return lookAtWish(this.#deciding(wish.workspace), wish);
  }

  async decide(wish: Wish): Promise<readonly Outgoing[]> {
    this.snapshot();
    const saved = await decideWish(this.#deciding(wish.workspace), wish);
    this.#bus?.tell(OUTBOX);
    return saved;
  }

  async set(setting: Setting): Promise<readonly Outgoing[]> {
    const saved = await decideSetting(this.#deciding(setting.workspace), setting);
    this.#bus?.tell(OUTBOX);
    return saved;
  }

  audit(workspace: WorkspaceId): AuditLog {
    const of = this.#workspace(workspace);
    const tiles = this.#tiles.get(workspace) ?? new Tiles(this.#core, of);
    this.#tiles.set(workspace, tiles);
    return openAuditLog(this.#core, of, tiles);
  }

  reconnect(): void {
    for (const workspace of this.#workspaces.values()) workspace.reconnect();
    for (const inbox of this.#inboxes.values()) inbox.reconnect();
    this.#sender?.reconnect();
    this.#refreshHead();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const end of this.#ends) end();
    this.#sender?.close();
    for (const inbox of this.#inboxes.values()) inbox.close({ forget: false });
    for (const tiles of this.#tiles.values()) tiles.close();
    for (const workspace of this.#workspaces.values()) workspace.close({ forget: false });
    this.#listeners.clear();
    this.#bus?.close();
    this.#core.client.close();
    this.#core.storage.close();
  }

  #workspace(id: WorkspaceId): Workspace {
    const workspace = this.#workspaces.get(id);
    if (workspace === undefined) throw new CountersignError('not-found', 'This device knows no such workspace.');
    return workspace;
  }

  #deciding(id: WorkspaceId): Deciding {
    return {
      core: this.#core,
      workspace: this.#workspace(id),
      outbox: this.#outbox,
      right: this.#heads.right,
      volatile: this.#parts.volatile,
    };
  }

  #takeHead(signed: Parameters<HeadKeeper['take']>[0]): void {
    this.#core.run(async () => void (await this.#heads.take(signed)));
  }

  #refreshHead(): void {
    this.#core.run(async () => {
      try {
        await this.#core.client.head.refresh();
      } catch (thrown) {
        // Without a relay there is nothing newer; the links say why it cannot be reached.
        if (!CountersignError.is(thrown)) throw thrown;
      }
    });
  }

  #odd({ kind, sentence }: HeadOddity): void {
    this.#core.alarms.raise({ kind: kind === 'forged' ? 'damaged' : kind, workspace: null, sentence });
  }

  #headChanged(head: Head): void {
    if (this.#closed) return;
    for (const [id, workspace] of this.#workspaces) {
      if (head.workspaces.some((entry) => entry.id === id)) continue;
      workspace.close({ forget: true });
      this.#tiles.get(id)?.close();
      this.#tiles.delete(id);
      this.#workspaces.delete(id);
      this.#claims.delete(id);
    }
    for (const entry of head.workspaces) {
      const known = this.#workspaces.get(entry.id);
      const workspace = known ?? this.#openWorkspace(entry.id);
      this.#core.run(async () => {
        if (known === undefined) await workspace.load();
        await workspace.follow(entry);
      });
    }
    this.#followInboxes(head);
    this.#changed();
  }

  #openWorkspace(id: WorkspaceId): Workspace {
    const claims = new Claims();
    const workspace = new Workspace(this.#core, {
      id,
      blobs: this.#blobs,
      claimsOf: (action) => claims.of(action),
      onReceipt: (device) => this.#receipt(id, device),
      onKeys: () => {
        for (const inbox of this.#inboxes.values()) inbox.look([id]);
        this.#sender?.work();
      },
    });
    this.#workspaces.set(id, workspace);
    this.#claims.set(id, claims);
    this.#claimsStale.add(id);
    return workspace;
  }

  /** Of every device on the roster but this one, whose own decisions stand in the store. */
  #followInboxes(head: Head): void {
    const members = new Map(head.roster.map((entry) => [entry.device, entry]));
    for (const [device, inbox] of this.#inboxes) {
      if (members.get(device)?.publicKey === inbox.member.publicKey) continue;
      inbox.close({ forget: true });
      this.#inboxes.delete(device);
      for (const workspace of this.#workspaces.keys()) this.#claimsStale.add(workspace);
    }
    for (const [device, member] of members) {
      if (device === this.device || this.#inboxes.has(device)) continue;
      const inbox = new InboxFollower(this.#core, {
        member,
        keysOf: (workspace) => this.#workspaces.get(workspace)?.keys,
        changed: (workspace) => this.#claimsChanged(workspace),
      });
      this.#inboxes.set(device, inbox);
      inbox.look(this.#workspaces.keys());
    }
  }

  #lead(): void {
    if (this.#closed) return;
    this.#leads = true;
    this.#sender = new Sender(this.#core, {
      outbox: this.#outbox,
      keysOf: (workspace) => this.#workspaces.get(workspace)?.keys,
      workspaces: () => this.#workspaces.keys(),
      tell: () => this.#bus?.tell(OUTBOX),
    });
    // What came while another window led.
    this.#core.run(() => this.#outbox.reload());
    for (const workspace of this.#workspaces.keys()) this.#settle(workspace);
    this.#changed();
  }

  #receipt(workspace: WorkspaceId, device: DeviceId): void {
    if (device === this.device) this.#settle(workspace);
    else this.#claimsChanged(workspace);
  }

  /** Takes receipts for this device's own decisions; the window that leads does it for all. */
  #settle(id: WorkspaceId): void {
    if (!this.#leads) return;
    this.#core.run(async () => {
      const receipts = [...(this.#workspaces.get(id)?.receipts.ofDevice(this.device) ?? [])];
      const { foreign, settled } = await this.#outbox.settle(id, receipts);
      if (foreign.length > 0) this.#core.alarms.raise({ kind: 'frozen', workspace: id, sentence: CLONED });
      if (settled > 0) this.#bus?.tell(OUTBOX);
    });
  }

  #heard(what: string): void {
    if (what === OUTBOX && !this.#closed) this.#core.run(() => this.#outbox.reload());
  }

  #outboxChanged(): void {
    for (const workspace of this.#workspaces.keys()) this.#claimsStale.add(workspace);
    this.#sender?.work();
    this.#changed();
  }

  #claimsChanged(workspace: WorkspaceId): void {
    this.#claimsStale.add(workspace);
    this.#changed();
  }

  #updateClaims(): void {
    for (const id of this.#claimsStale) {
      const workspace = this.#workspaces.get(id);
      const touched = this.#claims.get(id)?.update(
        {
          device: this.device,
          outbox: this.#outbox,
          decisions: [...this.#inboxes.values()].flatMap((inbox) => [...inbox.decisions(id)]),
          receiptOf: (device, n) => workspace?.receipts.of(device, n),
          nicknameOf: (device) => workspace?.view().devices.get(device)?.nickname ?? device,
        },
        id,
      );
      for (const action of touched ?? []) workspace?.actions.touch(action);
    }
    this.#claimsStale.clear();
  }

  #links() {
    const workspaces = [...this.#workspaces.values()].map((workspace) => workspace.link);
    const inboxes = [...this.#inboxes.values()].map((inbox) => inbox.link());
    return [this.#sender?.link(), ...workspaces, ...inboxes].filter((state) => state !== undefined);
  }

  /** What is still under way when it closes finds its storage and its links gone; nobody needs to hear of it. */
  async #unlessClosed(task: () => Promise<void>): Promise<void> {
    try {
      await task();
    } catch (thrown) {
      if (!this.#closed) throw thrown;
    }
  }

  /** Coalesced to one a turn. */
  #changed(): void {
    this.#snapshot = undefined;
    if (this.#telling || this.#closed) return;
    this.#telling = true;
    this.#core.clock.soon(() => {
      this.#telling = false;
      for (const listener of this.#listeners) listener();
    });
  }
}

const CLONED =
  'The runtime has taken a decision of this device that it did not make: its key is in use somewhere else. Remove this device.';
