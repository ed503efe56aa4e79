import * as Y from 'yjs';
import { neverFalling, type Clock } from '../../src/base/clock.ts';
import { CountersignError } from '../../src/base/errors.ts';
import { openAuthority, type Authority } from '../../src/authority/authority.ts';
import { LocalDevice } from '../../src/authority/local-device.ts';
import type { AuthorityOptions, RosterDevice } from '../../src/authority/options.ts';
import type { Outlet, Published } from '../../src/authority/publish/outlet.ts';
import type { Journal } from '../../src/authority/ports.ts';
import { nodeCrypto, nodeSigner } from '../../src/crypto/node.ts';
import type { Signer } from '../../src/crypto/ports.ts';
import { keyRing, type ContentSecret } from '../../src/doc/keys.ts';
import { LedgerReader } from '../../src/doc/ledger-reader.ts';
import { deviceIdOf, homeIdOf } from '../../src/access/home-id.ts';
import type { AgentPort } from '../../src/model/agent-port.ts';
import type { JournalRow } from '../../src/model/event.ts';
import type { Right } from '../../src/model/decision.ts';
import { workspaceId, type ActionId, type DeviceId } from '../../src/model/ids.ts';
import type { LedgerAction, LedgerRecord } from '../../src/model/ledger.ts';
import type { SignedText } from '../../src/model/signed-text.ts';
import { FakeClock, memoryJournal, seededRandom } from '../../src/testing/index.ts';
import { checkedWhole } from './doc-lab.ts';
import { overJournal } from './over-journal.ts';
import { shelf, type Shelf } from './shelf-surface.ts';

/** An outlet that keeps what it was given, as a relay would, and can say in which order it came. */
export class Kept implements Outlet {
  readonly rooms = new Map<string, Y.Doc>();
  readonly closed: string[] = [];
  readonly objects = new Map<string, () => Uint8Array>();
  readonly puts: string[] = [];
  readonly beats: { readonly room: string; readonly heartbeat: SignedText }[] = [];
  /** All bytes of documents that were handed over. */
  readonly bytes: Uint8Array[] = [];
  /** Runs before anything is kept. */
  onHanded: () => void = () => undefined;

  open(room: string, state: Uint8Array): void {
    this.onHanded();
    if (this.rooms.has(room)) throw new Error(`${room} is open already`);
    const doc = new Y.Doc();
    Y.applyUpdate(doc, state);
    this.rooms.set(room, doc);
    this.bytes.push(state);
  }

  update(room: string, update: Uint8Array): void {
    this.onHanded();
    const doc = this.rooms.get(room);
    if (doc === undefined) throw new Error(`${room} is not open`);
    Y.applyUpdate(doc, update);
    if (doc.store.pendingStructs !== null) throw new Error(`${room} got an update that builds on nothing`);
    this.bytes.push(update);
  }

  close(room: string): void {
    if (!this.rooms.delete(room)) throw new Error(`${room} is not open`);
    this.closed.push(room);
  }

  put(path: string, read: () => Uint8Array): void {
    this.onHanded();
    this.puts.push(path);
    this.objects.set(path, read);
  }

  beat(room: string, heartbeat: SignedText): void {
    this.beats.push({ room, heartbeat });
  }

  /** Everything that ever left, objects as they would be sent. */
  *everything(): Generator<Uint8Array> {
    yield* this.bytes;
    for (const read of this.objects.values()) yield read();
  }
}

/** What outlives a restart. */
interface World {
  readonly journal: Journal;
  readonly shelf: Shelf;
  readonly clock: FakeClock;
  readonly secrets: ContentSecret[];
  readonly removed: Set<DeviceId>;
  /** Rights that are other ones than `approve-all`. */
  readonly rights: Map<DeviceId, Right>;
  readonly roster: { number: number };
  readonly seed: number;
  readonly fence: number;
  /** What the head says, as the home's own journal keeps it. */
  readonly said: { published: Published };
}

interface Begin {
  readonly beforeDrain?: (authority: Authority) => Promise<void>;
}

export interface PublishLab {
  readonly authority: Authority;
  readonly outlet: Kept;
  readonly world: World;
  readonly alarms: readonly string[];
  readonly heads: readonly Published[];
  /** Rows that became durable since the lab began, in their order. */
  readonly rows: readonly JournalRow[];
  readonly phone: LocalDevice;
  readonly tablet: LocalDevice;
  agent(name?: string): Promise<AgentPort>;
  idOf(seq: number): ActionId;
  /** Lets everything that is due happen, publications included. */
  settled(): Promise<void>;
  reader(): LedgerReader;
  records(): ReadonlyMap<string, LedgerRecord>;
  actions(): readonly LedgerAction[];
  /** Removes a device as the home's book does: roster number and content key are other ones. */
  remove(device: DeviceId): Promise<void>;
  /** The same journal and world after the process ended without a word. */
  crashed(changed?: Partial<World> & Begin): Promise<PublishLab>;
}

const HOME = nodeSigner(new Uint8Array(32).fill(7));
const LAB_HOME = homeIdOf(nodeCrypto.sha256, HOME.publicKey);
const LAB_WORKSPACE = workspaceId(nodeCrypto.sha256(new Uint8Array(1)));
export const LAB_HOME_KEY = HOME.publicKey;
export const LAB_PLACE = { home: LAB_HOME, workspace: LAB_WORKSPACE } as const;
const PHONE = nodeSigner(new Uint8Array(32).fill(8));
const TABLET = nodeSigner(new Uint8Array(32).fill(9));

export async function publishLab({ beforeDrain, ...kept }: Partial<World> & Begin = {}): Promise<PublishLab> {
  const world: World = {
    journal: memoryJournal(),
    shelf: shelf(),
    clock: new FakeClock(),
    secrets: [{ gen: 1, secret: new Uint8Array(32).fill(1) }],
    removed: new Set(),
    rights: new Map(),
    roster: { number: 2 },
    seed: 1,
    fence: 1,
    said: { published: { room: null, tile: null, manifestRoot: null, checkpoint: null } },
    ...kept,
  };
  const outlet = new Kept();
  const rows: JournalRow[] = [...world.journal.rows(1, 100_000)];
  const life = { ended: false };
  const journal = overJournal(world.journal, async (batch, commit) => {
    // What is dead neither writes nor hears of it.
    if (life.ended) await new Promise(() => undefined);
    await commit(batch);
    rows.push(...batch.rows);
  });
  const alarms: string[] = [];
  const heads: Published[] = [];
  const devices = new Map<DeviceId, RosterDevice>([
    memberOf(PHONE, 'phone', 'approve-all'),
    memberOf(TABLET, 'tablet', 'approve-all'),
  ]);
  const present = (id: DeviceId): RosterDevice | undefined => {
    const device = devices.get(id);
    return device && { ...device, right: world.rights.get(id) ?? device.right, revoked: world.removed.has(id) };
  };
  const keys = () => {
    const [first, ...rest] = world.secrets;
    if (first === undefined) throw new Error('a workspace has a key');
    return keyRing(nodeCrypto.hmac, [first, ...rest]);
  };
  const options: AuthorityOptions = {
    home: LAB_HOME,
    workspace: LAB_WORKSPACE,
    fence: world.fence,
    journal,
    packs: [world.shelf.pack],
    crypto: nodeCrypto,
    signer: HOME,
    clock: ofProcess(world.clock),
    random: seededRandom(world.seed),
    roster: { device: present, number: () => world.roster.number },
    publish: {
      outlet,
      name: 'shelf',
      root: '/shelf',
      keys,
      devices: () =>
        [...devices].map(([id, { nickname, right }]) => ({ id, nickname, right, removed: world.removed.has(id) })),
      lastPublished: () => world.said.published,
      onPublished: (published) => {
        world.said.published = published;
        heads.push(published);
      },
    },
    onAlarm: (text) => alarms.push(text),
    onFatal: (error) => {
      throw error;
    },
  };
  const authority = await openAuthority(options, beforeDrain);
  const deviceOf = (signer: Signer): LocalDevice =>
    new LocalDevice(deviceIdOf(nodeCrypto.sha256, signer.publicKey), {
      authority,
      home: LAB_HOME,
      workspace: LAB_WORKSPACE,
      signer,
      sha256: nodeCrypto.sha256,
      verify: nodeCrypto.verify,
      homeKey: HOME.publicKey,
    });
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 30; turn++) {
      for (let step = 0; step < 4; step++) await new Promise((resolve) => void setImmediate(resolve));
      world.clock.advance(10);
    }
  };
  const reader = (): LedgerReader => {
    const room = heads.at(-1)?.room ?? '';
    const name = `q/${LAB_HOME}/${LAB_WORKSPACE}/${room}`;
    const place = { home: LAB_HOME, workspace: LAB_WORKSPACE, name };
    const doc = outlet.rooms.get(name);
    if (doc === undefined) throw new Error(`the head names ${name}, which is not open`);
    return new LedgerReader(doc, { crypto: nodeCrypto, homeKey: HOME.publicKey, place, keys });
  };
  const records = (): ReadonlyMap<string, LedgerRecord> => recordsOf(reader());
  return {
    authority,
    outlet,
    world,
    alarms,
    heads,
    rows,
    phone: deviceOf(PHONE),
    tablet: deviceOf(TABLET),
    settled,
    reader,
    records,
    agent: (name) => authority.agent(hello(name ?? null)),
    idOf: (seq) => {
      const row = authority.queue({ all: true }).find((each) => each.seq === seq);
      if (row === undefined) throw new Error(`there is no #${seq}`);
      return row.id;
    },
    actions: () =>
      [...records().values()].filter((record) => record.type === 'action').toSorted((a, b) => a.seq - b.seq),
    remove: async (device) => {
      world.removed.add(device);
      world.roster.number += 1;
      const gen = world.secrets.length + 1;
      world.secrets.push({ gen, secret: new Uint8Array(32).fill(gen) });
      await authority.rosterChanged();
    },
    crashed: (changed = {}) => {
      life.ended = true;
      return publishLab({ ...world, seed: world.seed + 1, ...changed });
    },
  };
}

/** A journal that does not agree with its head log: it can be read, and nothing is written to it. */
export function quarantinedJournal(inner: Journal, why: string): Journal {
  const refused = (): Promise<void> => Promise.reject(new CountersignError('quarantined', why));
  return { ...overJournal(inner, refused), health: { state: 'quarantined', why, doubtful: [] } };
}

/** What a device reads, every signature checked; throws when the ledger is not whole. */
function recordsOf(reader: LedgerReader): ReadonlyMap<string, LedgerRecord> {
  const check = checkedWhole(reader);
  if (check.state !== 'whole') throw new Error(`the ledger is ${JSON.stringify(check)}`);
  return new Map(
    reader.ids.map((id) => {
      const opened = reader.open(id);
      if (opened?.ok !== true || !reader.isSigned(id)) throw new Error(`${id} cannot be read`);
      return [id, opened.value.record];
    }),
  );
}

function memberOf(signer: Signer, nickname: string, right: Right): [DeviceId, RosterDevice] {
  const id = deviceIdOf(nodeCrypto.sha256, signer.publicKey);
  return [id, { publicKey: signer.publicKey, nickname, right, revoked: false }];
}

const hello = (name: string | null) =>
  ({
    name,
    client: { name: 'test-agent', version: '1' },
    transportId: null,
    host: 'mcp',
    workspaceDir: '/shelf',
  }) as const;

/** A process reads a wall clock that was set back as one that stands still. */
function ofProcess(clock: Clock): Clock {
  return {
    nowMs: neverFalling(() => clock.nowMs()),
    monotonicMs: () => clock.monotonicMs(),
    after: (delayMs, run) => clock.after(delayMs, run),
    soon: (run) => clock.soon(run),
  };
}
