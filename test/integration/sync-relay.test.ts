import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { onTestFinished, test, expect, describe } from 'vitest';
import * as Y from 'yjs';
import { openMemoryStore, openRelay, openSqliteStore, type Relay, type RelayOptions } from '../../sync-server/relay.ts';
import type { RelayStore } from '../../sync-server/storage/store.ts';
import type { LinkState, RoomLink } from '../../src/sync/contract.ts';
import { SYNC_LIMITS } from '../../src/sync/messages.ts';
import { systemClock } from '../../src/cli/home/system.ts';
import { nodeRandom } from '../../src/crypto/node.ts';
import { PAUSES } from '../../src/sync/next-attempt.ts';
import { retried } from '../../src/sync/retried.ts';
import { tempDir } from '../support/temp-dir.ts';
import { family, WORKSPACE, type Person } from '../support/relay-people.ts';
import { isSynced, openWire, until, type Wire } from '../support/sync-wire.ts';

/** A relay at one address that can be stopped, started again, and lose everything. */
class Place {
  readonly origin: string;
  readonly #server: Server;
  readonly #options: Partial<RelayOptions>;
  readonly #sockets = new Set<Socket>();
  #relay: Relay | undefined;

  private constructor(server: Server, origin: string, options: Partial<RelayOptions>) {
    this.#server = server;
    this.#options = options;
    this.origin = origin;
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.on('request', (request, response) => {
      if (this.#relay?.handleRequest(request, response) !== true) response.writeHead(503).end();
    });
    server.on('upgrade', (request, socket, head) => {
      if (this.#relay === undefined) socket.destroy();
      else this.#relay.handleUpgrade(request, socket, head);
    });
  }

  static async open(options: Partial<RelayOptions> = {}, store?: RelayStore): Promise<Place> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const place = new Place(server, `ws://127.0.0.1:${address.port}`, options);
    await place.start(store);
    onTestFinished(async () => {
      server.closeAllConnections();
      server.close();
      await place.stop();
    });
    return place;
  }

  async start(store: RelayStore = openMemoryStore()): Promise<void> {
    this.#relay = await openRelay({
      store,
      admission: { open: true, homes: [], tokens: [] },
      origins: [this.origin],
      pageOrigins: [],
      onFatal: (cause) => {
        throw cause;
      },
      ...this.#options,
    });
  }

  async stop(): Promise<void> {
    const relay = this.#relay;
    this.#relay = undefined;
    this.#server.closeAllConnections();
    await relay?.close();
  }

  /** The network breaks under everybody. */
  drop(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  join(who: Person): Wire {
    const wire = openWire(this.origin, who);
    onTestFinished(() => {
      wire.client.close();
      expect(wire.faults).toEqual([]);
    });
    return wire;
  }
}

const AGAIN = { clock: systemClock, random: nodeRandom, pauses: PAUSES.unreachable, triesMax: 5 };
const bytes = (value: number, length = 64): Uint8Array => new Uint8Array(length).fill(value);
const records = (doc: Y.Doc): unknown[] => doc.getArray('records').toArray();

/** A document as a home's journal stores it: a whole state, then updates. */
function ledger(): { state: () => Uint8Array; push: (...values: Uint8Array[]) => Uint8Array } {
  const doc = new Y.Doc();
  return {
    state: () => Y.encodeStateAsUpdate(doc),
    push: (...values) => {
      const before = Y.encodeStateVector(doc);
      doc.getArray('records').push(values);
      return Y.encodeStateAsUpdate(doc, before);
    },
  };
}

/** Kept when the document has this many records. */
async function has(doc: Y.Doc, count: number): Promise<void> {
  while (records(doc).length !== count) await new Promise<void>((resolve) => doc.once('update', () => resolve()));
}

function read(wire: Wire, room: string): { link: RoomLink; doc: Y.Doc } {
  const doc = new Y.Doc();
  return { link: wire.client.join({ room, doc, role: 'reader' }), doc };
}

const cannotBe = (why: string): never => {
  throw new Error(why);
};

describe('a home and its devices at a real relay', () => {
  test('a change reaches every device, and its home knows when it is on the disk', async () => {
    const { devices, head, home, rooms } = family(1, 2);
    const place = await Place.open();
    const writer = place.join(home);
    await writer.client.head.put(head(1));
    const source = ledger();
    const publication = writer.client.publish(rooms.ledger, source.state(), { onDamaged: cannotBe });
    const readers = devices.map((device) => read(place.join(device), rooms.ledger));
    publication.update(source.push(bytes(1)));
    publication.update(source.push(bytes(2)));
    await publication.durable();
    await Promise.all(readers.map(({ doc }) => has(doc, 2)));
    for (const { doc } of readers) expect(records(doc)).toEqual([bytes(1), bytes(2)]);
  });

  test('a relay that starts again goes on, and one that lost everything is filled again', async () => {
    const { devices, head, home, rooms } = family(10, 1);
    const place = await Place.open();
    const writer = place.join(home);
    await writer.client.head.put(head(1));
    const source = ledger();
    // Two megabytes go as a snapshot.
    source.push(...Array.from({ length: 256 }, (_, at) => bytes(at, 8 * 1024)));
    const publication = writer.client.publish(rooms.ledger, source.state(), { onDamaged: cannotBe });
    await publication.durable();
    const reader = read(place.join(devices[0] ?? home), rooms.ledger);
    await has(reader.doc, 256);
    await place.stop();
    publication.update(source.push(bytes(7)));
    await place.start();
    // The wiped relay knows no device before it has the head again. The first request may find a connection that ended.
    await retried(() => writer.client.head.put(head(2)), AGAIN);
    await publication.durable();
    await has(reader.doc, 257);
    await until(reader.link, isSynced);
    const late = read(place.join(devices[0] ?? home), rooms.ledger);
    await has(late.doc, 257);
  });

  test('a relay that kept its store costs nobody what they have', async () => {
    const { devices, head, home, rooms } = family(15, 1);
    const folder = await tempDir();
    const place = await Place.open({}, await openSqliteStore(folder));
    const writer = place.join(home);
    await writer.client.head.put(head(1));
    const source = ledger();
    const publication = writer.client.publish(rooms.ledger, source.state(), { onDamaged: cannotBe });
    publication.update(source.push(...Array.from({ length: 40 }, (_, at) => bytes(at, 8 * 1024))));
    await publication.durable();
    const wire = place.join(devices[0] ?? home);
    const reader = read(wire, rooms.ledger);
    await has(reader.doc, 40);
    await until(reader.link, isSynced);
    const seen = wire.bytes.frames;
    await place.stop();
    publication.update(source.push(bytes(7)));
    await place.start(await openSqliteStore(folder));
    await publication.durable();
    await has(reader.doc, 41);
    expect(wire.bytes.frames - seen).toBeLessThan(2048);
  });

  test('a device that missed too much for a socket loads it over HTTP', async () => {
    const { devices, head, home, rooms } = family(20, 1);
    const place = await Place.open();
    const writer = place.join(home);
    await writer.client.head.put(head(1));
    const source = ledger();
    const publication = writer.client.publish(rooms.ledger, source.state(), { onDamaged: cannotBe });
    publication.update(source.push(bytes(1)));
    await publication.durable();
    const doc = new Y.Doc();
    const first = place.join(devices[0] ?? home).client.join({ room: rooms.ledger, doc, role: 'reader' });
    await has(doc, 1);
    first.close();
    for (let at = 0; at < 90; at++) publication.update(source.push(bytes(at, 8 * 1024)));
    await publication.durable();
    const wire = place.join(devices[0] ?? home);
    const words: string[] = [];
    const again = wire.client.join({ room: rooms.ledger, doc, role: 'reader' });
    again.subscribe(({ state }) => words.push(state));
    await has(doc, 91);
    await until(again, isSynced);
    expect(words).toContain('loading');
    expect(wire.bytes.bodies).toBeGreaterThan(SYNC_LIMITS.updateBytesMax);
    expect(wire.bytes.frames).toBeLessThan(2048);
  });

  test('an up-to-date reconnect costs less than 1 KB, of a ledger that changed a great deal', async () => {
    const { devices, head, home, rooms } = family(30, 1);
    const place = await Place.open();
    const writer = place.join(home);
    await writer.client.head.put(head(1));
    const doc = new Y.Doc();
    const array = doc.getArray('records');
    // Half of what was written is gone, in small pieces.
    for (let at = 0; at < 2000; at++)
      doc.transact(() => (at % 2 === 1 ? array.delete(Math.floor(at / 4)) : undefined, array.push([bytes(at, 32)])));
    const publication = writer.client.publish(rooms.ledger, Y.encodeStateAsUpdate(doc), { onDamaged: cannotBe });
    await publication.durable();
    // In order, as from its author: only then deletions need not be told again.
    const source = new Y.Doc();
    Y.applyUpdate(source, Y.encodeStateAsUpdate(doc));
    const before = Y.encodeStateVector(source);
    source.getArray('records').push([bytes(1)]);
    publication.update(Y.encodeStateAsUpdate(source, before));
    await publication.durable();
    const wire = place.join(devices[0] ?? home);
    const reader = read(wire, rooms.ledger);
    await has(reader.doc, records(source).length);
    await until(reader.link, isSynced);
    const seen = wire.bytes.frames;
    const ended = until(reader.link, ({ state }) => state === 'waiting' || state === 'connecting');
    place.drop();
    await ended;
    await until(reader.link, isSynced);
    expect(wire.bytes.frames - seen).toBeLessThan(1024);
  });

  test('a room that was left tells its readers so, and the new head names the new one', async () => {
    const { devices, head, home, rooms } = family(40, 1);
    const place = await Place.open();
    const writer = place.join(home);
    await writer.client.head.put(head(1));
    const source = ledger();
    const publication = writer.client.publish(rooms.ledger, source.state(), { onDamaged: cannotBe });
    publication.update(source.push(bytes(1)));
    await publication.durable();
    const wire = place.join(devices[0] ?? home);
    const numbers: number[] = [];
    wire.client.head.subscribe((newest) => numbers.push(newest.head.number));
    const reader = read(wire, rooms.ledger);
    await has(reader.doc, 1);
    await writer.client.head.put(head(2, { room: '1.2' }));
    const gone = await until(reader.link, ({ state }) => state === 'gone');
    expect(gone).toMatchObject({ state: 'gone' });
    expect(numbers.at(-1)).toBe(2);
  });

  test('a device that was removed is turned away', async () => {
    const { devices, head, home, rooms } = family(50, 2);
    const place = await Place.open();
    const writer = place.join(home);
    await writer.client.head.put(head(1));
    const [kept, removed] = devices;
    if (kept === undefined || removed === undefined) throw new Error('two devices');
    const reader = read(place.join(removed), rooms.ledger);
    await until(reader.link, isSynced);
    await writer.client.head.put(head(2, { roster: [kept], rosterNumber: 2 }));
    const away = (state: LinkState): boolean => state.state === 'stopped' || state.state === 'waiting';
    expect(await until(reader.link, away)).toMatchObject({
      reason: expect.stringMatching(/forbidden|unauthenticated/),
    });
  });

  test('a decision travels through an inbox, and is there for its device after it lost its copy', async () => {
    const people = family(60, 2);
    const { devices, head, home } = people;
    const place = await Place.open();
    await place.join(home).client.head.put(head(1));
    const [device, other] = devices;
    if (device === undefined || other === undefined) throw new Error('two devices');
    const room = people.inbox(device);
    const doc = new Y.Doc();
    const link = place.join(device).client.join({ room, doc, role: 'writer' });
    doc.getMap('decisions').set('w:1', bytes(1));
    await link.durable();
    const seen = read(place.join(other), room);
    while (seen.doc.getMap('decisions').size !== 1)
      await new Promise<void>((resolve) => seen.doc.once('update', () => resolve()));
    link.close();
    const fresh = new Y.Doc();
    const again = place.join(device).client.join({ room, doc: fresh, role: 'writer' });
    await until(again, isSynced);
    expect(fresh.getMap('decisions').get('w:1')).toEqual(bytes(1));
  });

  test('[DC-1] a device that writes in the ledger changes nothing, and is told to stop', async () => {
    const { devices, head, home, rooms } = family(70, 1);
    const place = await Place.open();
    const writer = place.join(home);
    await writer.client.head.put(head(1));
    const source = ledger();
    const publication = writer.client.publish(rooms.ledger, source.state(), { onDamaged: cannotBe });
    publication.update(source.push(bytes(1)));
    await publication.durable();
    const [device] = devices;
    if (device === undefined) throw new Error('a device');
    const doc = new Y.Doc();
    doc.getArray('records').push([bytes(66)]);
    const link = place.join(device).client.join({ room: rooms.ledger, doc, role: 'writer' });
    await until(link, ({ state }) => state === 'online');
    doc.getArray('records').push([bytes(67)]);
    const reader = read(place.join(device), rooms.ledger);
    await until(reader.link, isSynced);
    expect(records(reader.doc)).toEqual([bytes(1)]);
    link.close();
  });

  test('objects are put once and read by every device, and by nobody else', async () => {
    const { devices, head, home } = family(80, 1);
    const stranger = family(90, 0);
    const place = await Place.open();
    const writer = place.join(home);
    await writer.client.head.put(head(1));
    const path = `b/${WORKSPACE}/${'0'.repeat(64)}`;
    await writer.client.objects.put(path, bytes(9));
    await writer.client.objects.put(path, bytes(9));
    expect(await place.join(devices[0] ?? home).client.objects.get(path)).toEqual(bytes(9));
    await expect(place.join(devices[0] ?? home).client.objects.put(path, bytes(1))).rejects.toMatchObject({
      code: 'denied',
    });
    await expect(place.join(stranger.home).client.objects.get(path)).rejects.toMatchObject({ code: 'not-found' });
  });
});
