import * as Y from 'yjs';
import { onTestFinished } from 'vitest';
import { toHex } from '../../src/base/bytes.ts';
import { signGrant } from '../../src/access/grant.ts';
import { signHead, type Head, type HeadWorkspace } from '../../src/access/head.ts';
import { deviceIdOf, homeIdOf } from '../../src/access/home-id.ts';
import { openAuthority, type Authority } from '../../src/authority/authority.ts';
import type { Outlet, Published } from '../../src/authority/publish/outlet.ts';
import { nodeCrypto, nodeSigner } from '../../src/crypto/node.ts';
import type { Crypto } from '../../src/crypto/ports.ts';
import { InboxReader } from '../../src/doc/inbox.ts';
import { keyRing, sealKey, sealOlder, type ContentSecret, type KeyRing } from '../../src/doc/keys.ts';
import type { AgentPort } from '../../src/model/agent-port.ts';
import type { Right } from '../../src/model/decision.ts';
import { workspaceId, type ActionId, type DeviceId } from '../../src/model/ids.ts';
import type { SignedText } from '../../src/model/signed-text.ts';
import { memoryBus, memoryLeader, memoryStorage, noCache, openReplica, seedKeys } from '../../src/replica/index.ts';
import type { DocCache, ReplicaStorage } from '../../src/replica/ports.ts';
import type { ActionView, Replica, WorkspaceView } from '../../src/replica/types.ts';
import { roomName } from '../../src/sync/room.ts';
import { FakeClock, memoryJournal, seededRandom } from '../../src/testing/index.ts';
import { quarantinedJournal } from './publish-lab.ts';
import { HELLO } from './hello.ts';
import { RelayHub } from './replica-hub.ts';
import { shelf, type Shelf } from './shelf-surface.ts';

/**
 * A real authority, its publisher and its inboxes, and any number of real replicas, around a relay whose messages move
 * when they are told to. Only clock, dice, storage and network are made up.
 */
export const REPLICA_HOME = nodeSigner(new Uint8Array(32).fill(61));
export const HOME_ID = homeIdOf(nodeCrypto.sha256, REPLICA_HOME.publicKey);
export const WORKSPACE_ID = workspaceId(nodeCrypto.sha256(Uint8Array.of(61)));

/** One browser: what outlives its windows. */
export interface LabDevice {
  readonly id: DeviceId;
  readonly name: string;
  readonly storage: ReplicaStorage;
  readonly clock: FakeClock;
  readonly faults: unknown[];
  /** Opens a window. Windows share storage, leadership and bus. */
  window(name?: string): Promise<Replica>;
}

export interface LabOptions {
  readonly seed?: number;
  readonly devices?: Readonly<Record<string, LabDeviceOptions>>;
}

export interface LabDeviceOptions {
  readonly right?: Right;
  /** How far this device's clock is from the home's. */
  readonly clockOffMs?: number;
  readonly volatile?: string | null;
  readonly storage?: ReplicaStorage;
  readonly cache?: DocCache;
}

export interface ReplicaLab {
  readonly hub: RelayHub;
  readonly shelf: Shelf;
  readonly authority: Authority;
  readonly clock: FakeClock;
  readonly devices: Readonly<Record<string, LabDevice>>;
  readonly published: () => Published | undefined;
  agent(name?: string): Promise<AgentPort>;
  idOf(seq: number): ActionId;
  /** The runtime takes no inbox and shows no heartbeat until it wakes: as another run, on the same journal. */
  fallAsleep(): void;
  /** `quarantine`: its journal does not agree with its head log, and this is what is said of it. */
  wake(options?: { readonly quarantine: string }): Promise<void>;
  /** Lets everything that is due happen. */
  settle(turns?: number): Promise<void>;
  /** Removes a device: new key, new room, a head without it. */
  remove(name: string): Promise<void>;
  signedHead(change: (head: Head) => Head): SignedText;
  keys(): KeyRing;
}

export async function replicaLab(options: LabOptions = {}): Promise<ReplicaLab> {
  const { devices: asked = { phone: {}, laptop: {} }, seed = 1 } = options;
  const clock = new FakeClock();
  const clocks = [clock];
  const hub = new RelayHub();
  const secrets: ContentSecret[] = [{ gen: 1, secret: new Uint8Array(32).fill(1) }];
  const removed = new Set<DeviceId>();
  const random = seededRandom(seed);
  const devices: Record<string, LabDevice> = {};
  const members: {
    readonly device: LabDevice;
    readonly publicKey: Uint8Array;
    readonly boxKey: Uint8Array;
    readonly right: Right;
  }[] = [];
  for (const [name, each] of Object.entries(asked)) {
    const made = await makeDevice(hub, clocks, members.length + 1, name, each);
    devices[name] = made.device;
    members.push({ ...made, right: each.right ?? 'approve-all' });
  }
  let rosterNumber = 1;
  let asleep = false;
  let headNumber = 0;
  let published: Published | undefined;
  let chain: Promise<void> = Promise.resolve();
  const keys = (): KeyRing => {
    const [first, ...rest] = secrets;
    if (first === undefined) throw new Error('a workspace has a key');
    return keyRing(nodeCrypto.hmac, [first, ...rest]);
  };
  const present = () => members.filter(({ device }) => !removed.has(device.id));
  const makeHead = async (): Promise<Head> => {
    const newest = secrets.at(-1);
    if (newest === undefined) throw new Error('a workspace has a key');
    const place = { home: HOME_ID, workspace: WORKSPACE_ID };
    const boxes = await Promise.all(
      present().map(({ boxKey, device }) =>
        sealKey(nodeCrypto, random, place, newest, { device: device.id, boxKey: toHex(boxKey) }),
      ),
    );
    const workspace: HeadWorkspace = {
      id: WORKSPACE_ID,
      fence: 1,
      keyGen: newest.gen,
      room: published?.room ?? null,
      tile: published?.tile ?? null,
      manifestRoot: published?.manifestRoot ?? null,
      checkpoint: published?.checkpoint ?? null,
      ...(published?.heartbeat === undefined ? {} : { heartbeat: published.heartbeat }),
      boxes: boxes.filter((box) => box !== undefined),
      older: secrets
        .slice(0, -1)
        .map((older, at) => sealOlder(nodeCrypto, random, place, secrets[at + 1] ?? older, older)),
    };
    return {
      v: 1,
      home: HOME_ID,
      number: ++headNumber,
      atMs: clock.nowMs(),
      roster: present().map(({ boxKey, device, publicKey, right }) => ({
        device: device.id,
        publicKey: toHex(publicKey),
        boxKey: toHex(boxKey),
        right,
        addedEntry: 0,
      })),
      rosterNumber,
      workspaces: [workspace],
    };
  };
  const publishHead = (): void => {
    const before = chain;
    chain = (async () => {
      await before;
      const head = await makeHead();
      hub.setHead({ head, signed: signHead(REPLICA_HOME, head) });
    })();
  };
  const world = shelf();
  const journal = memoryJournal();
  let run = 0;
  const inboxes = new Map<DeviceId, InboxReader>();
  const takeAll = async (taking: Authority): Promise<void> => {
    await Promise.all([...inboxes].map(([device, reader]) => taking.takeInbox(device, reader)));
  };
  const begin = (own: number, quarantine?: string): Promise<Authority> =>
    openAuthority(
      {
        home: HOME_ID,
        workspace: WORKSPACE_ID,
        fence: 1,
        journal: quarantine === undefined ? journal : quarantinedJournal(journal, quarantine),
        packs: [world.pack],
        crypto: nodeCrypto,
        signer: REPLICA_HOME,
        clock,
        random: seededRandom(seed + own),
        roster: {
          device: (id) => {
            const member = members.find(({ device }) => device.id === id);
            return (
              member && {
                publicKey: member.publicKey,
                nickname: member.device.name,
                right: member.right,
                revoked: removed.has(id),
              }
            );
          },
          number: () => rosterNumber,
        },
        publish: {
          outlet: hubOutlet(
            hub,
            () => own === run,
            () => asleep,
          ),
          name: 'shelf',
          root: '/shelf',
          keys,
          devices: () =>
            members.map(({ device: { id, name }, right }) => ({ id, nickname: name, right, removed: removed.has(id) })),
          lastPublished: () => published ?? { room: null, tile: null, manifestRoot: null, checkpoint: null },
          onPublished: (now) => {
            if (own !== run) return;
            published = now;
            publishHead();
          },
        },
        onAlarm: () => undefined,
        onFatal: (error) => {
          throw error;
        },
      },
      takeAll,
    );
  let authority = await begin(++run);
  for (const { device } of members) {
    const name = roomName({ kind: 'inbox', home: HOME_ID, device: device.id });
    const reader = new InboxReader(hub.room(name), { seal: nodeCrypto.seal, name });
    reader.onChange(() => void (asleep ? undefined : authority.takeInbox(device.id, reader)));
    inboxes.set(device.id, reader);
  }
  const settle = async (turns = 40): Promise<void> => {
    for (let turn = 0; turn < turns; turn++) {
      hub.flush();
      for (let step = 0; step < 4; step++) await new Promise((resolve) => void setImmediate(resolve));
      for (const each of clocks) each.advance(10);
    }
    await chain;
  };
  onTestFinished(() => authority.stop());
  return {
    hub,
    shelf: world,
    get authority() {
      return authority;
    },
    clock,
    devices,
    published: () => published,
    agent: (name) => authority.agent(name === undefined ? HELLO : { ...HELLO, name }),
    idOf: (seq) => {
      const row = authority.queue({ all: true }).find((each) => each.seq === seq);
      if (row === undefined) throw new Error(`there is no #${seq}`);
      return row.id;
    },
    fallAsleep: () => void (asleep = true),
    wake: async (woken) => {
      // The runtime starts again: what lies in the inboxes is heard before anything drains.
      asleep = false;
      authority = await begin(++run, woken?.quarantine);
    },
    settle,
    remove: async (name) => {
      const device = devices[name];
      if (device === undefined) throw new Error(`there is no ${name}`);
      removed.add(device.id);
      rosterNumber += 1;
      const gen = secrets.length + 1;
      secrets.push({ gen, secret: new Uint8Array(32).fill(gen) });
      await authority.rosterChanged();
      publishHead();
      await settle();
    },
    signedHead: (change) => {
      const head = hub.head?.head;
      if (head === undefined) throw new Error('there is no head yet');
      return signHead(REPLICA_HOME, change(head));
    },
    keys,
  };
}

async function makeDevice(hub: RelayHub, clocks: FakeClock[], n: number, name: string, options: LabDeviceOptions) {
  const random = seededRandom(1000 + n);
  const maker = seedKeys({ random, signer: nodeSigner, agreement: nodeCrypto.agreement });
  const keys = await maker.make();
  const { publicKey } = keys.signer;
  const id = deviceIdOf(nodeCrypto.sha256, publicKey);
  const storage = options.storage ?? memoryStorage({ volatile: options.volatile ?? null });
  const clock = new FakeClock({ nowMs: Date.UTC(2026, 0, 1) + (options.clockOffMs ?? 0) });
  clocks.push(clock);
  const right = options.right ?? 'approve-all';
  await storage.identity.save({
    home: HOME_ID,
    homeKey: toHex(REPLICA_HOME.publicKey),
    device: id,
    nickname: name,
    relayUrl: 'ws://hub',
    grant: signGrant(REPLICA_HOME, { v: 1, home: HOME_ID, device: id, publicKey: toHex(publicKey), right, number: 1 }),
    keys: keys.kept,
  });
  const leader = memoryLeader();
  const bus = memoryBus();
  const faults: unknown[] = [];
  const device: LabDevice = {
    id,
    name,
    storage,
    clock,
    faults,
    window: async (window = 'one') => {
      const replica = await openReplica({
        storage,
        cache: options.cache ?? noCache,
        leader,
        bus,
        keys: maker,
        connect: () => hub.client(`${name}/${window}`, id),
        crypto: nodeCrypto satisfies Crypto,
        clock,
        random,
        onFault: (thrown) => void faults.push(thrown),
      });
      onTestFinished(() => replica.close());
      return replica;
    },
  };
  return { device, publicKey, boxKey: keys.agreement.publicKey };
}

/** Of one run of the authority: what an earlier one still says is not heard. */
function hubOutlet(hub: RelayHub, runs: () => boolean, sleeps: () => boolean): Outlet {
  return {
    open: (room, state) => (runs() ? Y.applyUpdate(hub.room(room), state) : undefined),
    update: (room, update) => (runs() ? Y.applyUpdate(hub.room(room), update) : undefined),
    close: () => undefined,
    put: (path, read) => void hub.objects.set(path, read),
    beat: (room, heartbeat) => (sleeps() || !runs() ? undefined : hub.show(room, { heartbeat: { ...heartbeat } })),
  };
}

export function workspaceOf(replica: Replica): WorkspaceView {
  const [workspace] = replica.snapshot().workspaces;
  if (workspace === undefined) throw new Error('the replica has no workspace yet');
  return workspace;
}

/** The view of `#seq`, open or settled. */
export function viewOf(replica: Replica, seq: number): ActionView {
  const { open, settled } = workspaceOf(replica);
  const view = [...open, ...settled].find(({ record }) => record.seq === seq);
  if (view === undefined) throw new Error(`the replica does not show #${seq}`);
  return view;
}
