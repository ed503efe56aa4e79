import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import * as Y from 'yjs';
import { canonicalText } from '../../src/base/canonical-json.ts';
import { CountersignError } from '../../src/base/errors.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { openMemoryStore } from '../../sync-server/relay.ts';
import { RELAY_LIMITS } from '../../sync-server/limits.ts';
import type { RelayStore } from '../../sync-server/storage/store.ts';
import { ask } from '../support/relay-http.ts';
import { relayLab, RelayClient, saying, type RelayLab } from '../support/relay-lab.ts';
import { family, grantDevice, inboxOf, ticketFor } from '../support/relay-people.ts';
import { contentsOf, docOf, RoomWriter } from '../support/relay-updates.ts';

const MIB = 1024 * 1024;
const mine = family(10, 2);
const [device, other] = mine.devices;
if (device === undefined || other === undefined) throw new Error('no devices');

async function putHead(lab: RelayLab, head: ReturnType<typeof mine.head>): Promise<number> {
  const ticket = await ticketFor(mine.home, lab.origin);
  return (await ask(lab.http, `/h/${mine.home.home}`, { method: 'PUT', ticket, body: canonicalText(head) })).status;
}

describe('a frame that a relay does not take ends its socket, with a code', () => {
  const masked = (first: number, payload: Uint8Array): Uint8Array => {
    const head =
      payload.length < 126
        ? [first, 0x80 | payload.length]
        : [first, 0x80 | 126, payload.length >> 8, payload.length & 255];
    return Uint8Array.from([...head, 0, 0, 0, 0, ...payload]);
  };

  test('too long in one piece: 4413', async () => {
    const lab = await relayLab();
    const client = await (await lab.join('notes')).open();
    client.sendRaw(new Uint8Array(MIB + 1));
    expect(await client.closed).toMatchObject({ code: 4413, reason: 'A message was larger than the relay takes.' });
  });

  test('too long in many pieces: 4413, and not one piece more is kept', async () => {
    const lab = await relayLab();
    const client = await (await lab.join('notes')).open();
    for (let piece = 0; piece < 20; piece++) client.socket.send(new Uint8Array(64 * 1024), { fin: false });
    expect(await client.closed).toMatchObject({ code: 4413 });
  });

  test.each([
    ['text', (client: RelayClient) => client.socket.send('hello'), 4422],
    ['an unknown message', (client: RelayClient) => client.sendRaw(Uint8Array.of(42)), 4422],
    ['an empty one', (client: RelayClient) => client.sendRaw(new Uint8Array()), 4422],
    ['one that ends too early', (client: RelayClient) => client.sendRaw(Uint8Array.of(0, 2, 200, 1)), 4422],
    ['one with something after it', (client: RelayClient) => client.sendRaw(Uint8Array.of(3, 0)), 4422],
    ['an update that is none', (client: RelayClient) => client.sendUpdate(Uint8Array.of(255, 255, 255)), 4422],
    ['an update in version 2', (client: RelayClient) => client.sendUpdate(version2()), 4422],
    ['a state vector that is none', (client: RelayClient) => client.sendStep1(Uint8Array.of(200)), 4422],
    ['a presence that is no JSON', (client: RelayClient) => client.sendAwareness(saying(1, 1, '{')), 4422],
    ['a presence too long', (client: RelayClient) => client.sendAwareness(saying(1, 1, `"${'x'.repeat(4096)}"`)), 4413],
  ] as const)('%s', async (_what, act, code) => {
    const lab = await relayLab();
    const client = await (await lab.join('notes')).open();
    act(client);
    expect(await client.closed).toMatchObject({ code });
    // The room goes on for others.
    await (await (await lab.join('notes')).open()).settled();
  });

  test('a frame that breaks RFC 6455: 1002', async () => {
    const lab = await relayLab();
    const raw = await upgraded(lab, 'notes');
    raw.write(masked(0xf2, Uint8Array.of(0)));
    const closing = await bytesUntilEnd(raw);
    expect(closing.subarray(-4, -2).toString('hex')).toBe('8802');
    expect(closing.readUInt16BE(closing.length - 2)).toBe(1002);
  });

  test('one struct too many that waits for what never comes: 4422', async () => {
    const lab = await relayLab();
    const client = await (await lab.join('notes')).open();
    const writer = new RoomWriter('notes');
    const updates = Array.from({ length: 200 }, (_, n) => writer.write(n));
    for (const update of updates.slice(1)) client.sendUpdate(update);
    expect(await client.closed).toMatchObject({ code: 4422 });
  });
});

describe('one writer of a room', () => {
  test('a newer connection of the writer takes over: 4409; readers stay', async () => {
    const lab = await relayLab();
    const first = await (await lab.join(mine.rooms.ledger, mine.home)).open();
    const reader = await (await lab.join(mine.rooms.ledger, device)).open();
    await reader.settled();
    const second = await (await lab.join(mine.rooms.ledger, mine.home)).open();
    expect(await first.closed).toMatchObject({ code: 4409 });
    second.sendUpdate(new RoomWriter('q/').write(1));
    await reader.until('update');
    expect(reader.over).toBeUndefined();
  });

  test('a device’s readers are counted: the oldest gets 4409', async () => {
    const lab = await relayLab();
    const open = async (): Promise<RelayClient> => {
      const client = await (await lab.join(mine.rooms.ledger, device)).open();
      await client.settled();
      return client;
    };
    const readers: RelayClient[] = [];
    for (let n = 0; n < RELAY_LIMITS.readersPerDeviceMax; n++) readers.push(await open());
    expect(readers.every(({ over }) => over === undefined)).toBe(true);
    await open();
    expect(await readers[0]?.closed).toMatchObject({ code: 4409 });
    expect(readers.slice(1).every(({ over }) => over === undefined)).toBe(true);
  });

  test('only the writer is asked what it has', async () => {
    const lab = await relayLab();
    const writer = await (await lab.join(mine.rooms.ledger, mine.home)).open();
    const reader = await (await lab.join(mine.rooms.ledger, device)).open();
    await writer.until('step1');
    await reader.settled();
    expect(reader.seen.map(({ type }) => type)).toEqual(['step2']);
  });

  test('every change is acknowledged when it is on disk, also one the relay had, and nothing is to who did not ask', async () => {
    const lab = await relayLab();
    const writer = await (await lab.join(mine.rooms.ledger, mine.home)).open();
    const source = new RoomWriter('q/');
    writer.sendUpdate(source.write(1));
    writer.sendStep2(Uint8Array.of(0, 0));
    writer.sendUpdate(source.write(2));
    writer.sendStep2(source.state);
    await writer.until('durable', ({ through }) => through === 3);
    const stock = await (await lab.join('notes')).open();
    stock.sendUpdate(new RoomWriter('notes').write(1));
    await stock.settled();
    expect(stock.seen.some(({ type }) => type === 'durable')).toBe(false);
  });

  test('an up-to-date reader is sent two bytes, however much was deleted; one that missed a deletion is told', async () => {
    const lab = await relayLab();
    const writer = await (await lab.join(mine.rooms.ledger, mine.home)).open();
    const doc = new Y.Doc();
    doc.on('update', (update: Uint8Array) => writer.sendUpdate(update));
    const records = doc.getArray('records');
    for (let n = 0; n < 50; n++)
      doc.transact(() => {
        if (n % 3 === 2) records.delete(0, 1);
        records.push([Uint8Array.of(n)]);
      });
    await writer.until('durable', ({ through }) => through === 50);
    const upToDate = Y.encodeStateVector(doc);
    const answerTo = async (stateVector: Uint8Array): Promise<Uint8Array> => {
      const reader = await (await lab.join(mine.rooms.ledger, device)).open();
      reader.sendStep1(stateVector);
      return (await reader.until('step2')).bytes;
    };
    expect([...(await answerTo(upToDate))]).toEqual([0, 0]);
    doc.transact(() => records.delete(0, 1));
    await writer.until('durable', ({ through }) => through === 51);
    const copy = docOf(await answerTo(upToDate), await answerTo(Uint8Array.of(0)));
    expect(contentsOf(copy)).toEqual(contentsOf(doc));
    expect((await answerTo(upToDate)).length).toBeGreaterThan(2);
  });
});

describe('a newer head', () => {
  test('ends the sockets and tickets of a device that is not in it, at once, and goes to everybody else', async () => {
    const lab = await relayLab();
    expect(await putHead(lab, mine.head(1))).toBe(204);
    const [gone, stays] = [await lab.join(mine.rooms.ledger, device), await lab.join(mine.rooms.ledger, other)];
    await Promise.all([gone.until('head'), stays.until('head')]);
    const ticket = await ticketFor(device, lab.origin);
    expect((await ask(lab.http, `/h/${mine.home.home}`, { ticket })).status).toBe(200);
    expect(await putHead(lab, mine.head(2, { roster: [other], rosterNumber: 2 }))).toBe(204);
    expect(await gone.closed).toMatchObject({ code: 4403 });
    expect((await ask(lab.http, `/h/${mine.home.home}`, { ticket })).status).toBe(401);
    await stays.until('head', ({ json }) => json.includes('\\"number\\":2'));
    expect(await (await lab.join(inboxOf(device), device)).closed).toMatchObject({ code: 4403 });
    // A grant that is newer than the roster was given after it.
    const again = grantDevice(mine.home, 11, 3);
    await (await (await lab.join(inboxOf(again), again)).open()).settled();
  });

  test('sends readers of a room that it replaces to the new one: 4410, over HTTP 410; the writer stays', async () => {
    const lab = await relayLab();
    await putHead(lab, mine.head(1));
    const reader = await lab.join(mine.rooms.ledger, device);
    const writer = await lab.join(mine.rooms.ledger, mine.home);
    await Promise.all([reader.until('head'), writer.until('head')]);
    await putHead(lab, mine.head(2, { room: '1.2' }));
    expect(await reader.closed).toMatchObject({ code: 4410 });
    await writer.until('head', ({ json }) => json.includes('\\"number\\":2'));
    expect(await (await lab.join(mine.rooms.ledger, device)).closed).toMatchObject({ code: 4410 });
    const ticket = await ticketFor(device, lab.origin);
    expect((await ask(lab.http, `/r/${mine.rooms.ledger}/snapshot`, { ticket })).status).toBe(410);
    expect(writer.over).toBeUndefined();
  });

  test('is not shown again to who says that it has it', async () => {
    const lab = await relayLab();
    await putHead(lab, mine.head(4));
    const { protocolsFor } = await import('../support/relay-people.ts');
    const words = await protocolsFor(device, mine.rooms.ledger, lab.origin);
    const knows = await (await lab.join(mine.rooms.ledger, [...words, 'head.4'])).open();
    await knows.settled();
    expect(knows.seen.some(({ type }) => type === 'head')).toBe(false);
  });

  test('is no head with a lower number, another one of the same number, or one that another key signed', async () => {
    const lab = await relayLab();
    expect(await putHead(lab, mine.head(5))).toBe(204);
    expect(await putHead(lab, mine.head(5))).toBe(204);
    expect(await putHead(lab, mine.head(4))).toBe(409);
    expect(await putHead(lab, mine.head(5, { room: '9.9' }))).toBe(409);
    expect(await putHead(lab, family(50, 0).head(6))).toBe(400);
  });
});

describe('proofs', () => {
  test.each([
    ['spent', async (lab: RelayLab) => reuse(lab)],
    ['for another room', async (lab: RelayLab) => lab.join(mine.rooms.tile, await wordsFor(lab, mine.rooms.ledger))],
    [
      'for another relay',
      async (lab: RelayLab) => lab.join(mine.rooms.ledger, await wordsFor(lab, mine.rooms.ledger, 'ws://127.0.0.1:1')),
    ],
    ['malformed', async (lab: RelayLab) => lab.join(mine.rooms.ledger, ['countersign.1', 'auth.nonsense'])],
    ['missing', async (lab: RelayLab) => lab.join(mine.rooms.ledger, ['countersign.1'])],
  ] as const)('%s: the upgrade is accepted, then closed with 4401', async (_what, join) => {
    const lab = await relayLab({ admission: { open: false, homes: [mine.home.home], tokens: [] } });
    const client = await (await join(lab)).open();
    expect(await client.closed).toMatchObject({ code: 4401 });
  });

  test('too old: 4401', async () => {
    const clock = new FakeClock();
    const lab = await relayLab({ clock });
    const words = await wordsFor(lab, mine.rooms.ledger);
    clock.advance(RELAY_LIMITS.challengeMs);
    expect(await (await lab.join(mine.rooms.ledger, words)).closed).toMatchObject({ code: 4401 });
  });

  test('of a home that is not served: 4403, and no ticket', async () => {
    const lab = await relayLab({ admission: { open: false, homes: [family(50, 0).home.home], tokens: [] } });
    expect(await (await lab.join(mine.rooms.ledger, mine.home)).closed).toMatchObject({ code: 4403 });
    expect(await ticketFor(mine.home, lab.origin)).toBe(403);
  });
});

describe('a reader that does not read', () => {
  test('is cut with 4408; the others get everything, and memory stays bounded', async () => {
    const lab = await relayLab();
    const writer = await (await lab.join('notes')).open();
    const fast = await (await lab.join('notes')).open();
    await fast.settled();
    const slow = await upgraded(lab, 'notes');
    slow.pause();
    const source = new RoomWriter('notes');
    const bytes = new Uint8Array(64 * 1024);
    const before = lab.relay.metrics.read().closes;
    let sent = 0;
    while (lab.relay.metrics.read().closes === before) {
      writer.sendUpdate(source.write(sent, bytes));
      sent += 1;
      if (sent % 8 === 0)
        await fast.until('update', () => fast.seen.filter(({ type }) => type === 'update').length >= sent - 8);
      expect(sent, 'cut before 64 MiB were sent').toBeLessThan(1_024);
    }
    await fast.until('update', () => fast.seen.filter(({ type }) => type === 'update').length === sent);
    // What the kernel holds of both sides, and what the relay kept.
    expect(sent * bytes.length).toBeLessThan(32 * MIB);
    slow.resume();
    const received = await bytesUntilEnd(slow);
    expect(closeCodeIn(received)).toBe(4408);
    expect(fast.over).toBeUndefined();
  });
});

describe('a flood', () => {
  test('of a reader’s frames: 4429', async () => {
    const lab = await relayLab();
    const reader = await (await lab.join(mine.rooms.ledger, device)).open();
    for (let n = 0; n < 600; n++) reader.sendRaw(Uint8Array.of(3));
    expect(await reader.closed).toMatchObject({ code: 4429 });
  });

  test('of first steps: 4429', async () => {
    const lab = await relayLab();
    const client = await (await lab.join('notes')).open();
    for (let n = 0; n < 40; n++) client.sendStep1(Uint8Array.of(0));
    expect(await client.closed).toMatchObject({ code: 4429 });
  });

  test('of a writer’s changes is read at its pace, and others get theirs in between', async () => {
    const pace = { frames: { burst: 50, perSecond: 100 }, bytes: { burst: MIB, perSecond: MIB } };
    const lab = await relayLab({ limits: { pace: { ...RELAY_LIMITS.pace, author: pace } } });
    const flooder = await (await lab.join('flooded')).open();
    const source = new RoomWriter('flooded');
    for (let n = 0; n < 3_000; n++) flooder.sendUpdate(source.write(n));
    const honest = await (await lab.join('calm')).open();
    const listener = await (await lab.join('calm')).open();
    await listener.settled();
    const calm = new RoomWriter('calm');
    for (let n = 1; n <= 20; n++) {
      honest.sendUpdate(calm.write(n));
      await listener.until('update', () => listener.seen.filter(({ type }) => type === 'update').length === n);
    }
    // All of the calm room went through while most of the flood still waits in the network.
    expect(lab.relay.metrics.read().updates).toBeLessThan(3_020);
    expect(flooder.over).toBeUndefined();
  });

  test('of sockets and of requests from one address: refused before anything is read', async () => {
    const lab = await relayLab({ limits: { connectionsPerAddressMax: 3 } });
    const clients = [];
    for (let n = 0; n < 3; n++) clients.push(await (await lab.join('notes')).open());
    const refused = new WebSocket(`${lab.origin}/notes`);
    const [error] = await once(refused, 'error');
    expect(String(error)).toContain('429');
    clients[0]?.socket.terminate();
    await clients[0]?.closed;
    const busy = await relayLab({ limits: { requests: { burst: 5, perSecond: 0.001 } } });
    const statuses = [];
    for (let n = 0; n < 7; n++) statuses.push((await ask(busy.http, '/healthz')).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
  });
});

describe('limits of storage', () => {
  test('a home’s quota: 4507, over HTTP 507, and what stands is untouched', async () => {
    const lab = await relayLab({ limits: { homeBytesMax: 4_096 } });
    const writer = await (await lab.join(mine.rooms.ledger, mine.home)).open();
    const source = new RoomWriter('q/');
    writer.sendUpdate(source.write(1, new Uint8Array(1_000)));
    await writer.until('durable');
    writer.sendUpdate(source.write(2, new Uint8Array(4_000)));
    expect(await writer.closed).toMatchObject({ code: 4507, reason: 'The relay has no room left for this home.' });
    const ticket = await ticketFor(mine.home, lab.origin);
    const put = await ask(lab.http, `/o/${mine.home.home}/b/w/1`, {
      method: 'PUT',
      ticket,
      body: new Uint8Array(4_000),
    });
    expect([put.status, put.text]).toEqual([507, 'The relay has no room left for this home.\n']);
    expect((await ask(lab.http, `/o/${mine.home.home}/b/w/1`, { ticket })).status).toBe(404);
    const snapshot = await ask(lab.http, `/r/${mine.rooms.ledger}/snapshot`, { ticket });
    expect(contentsOf(docOf(snapshot.bytes))).toEqual(['00'.repeat(1_000)]);
  });

  test('a full disk: 4507, nothing of the change is kept or acknowledged, and it is taken when there is room', async () => {
    const { full, store } = fillable();
    const lab = await relayLab({ store });
    const writer = await (await lab.join(mine.rooms.ledger, mine.home)).open();
    const source = new RoomWriter('q/');
    writer.sendUpdate(source.write(1));
    await writer.until('durable');
    full.is = true;
    const lost = source.write(2);
    writer.sendUpdate(lost);
    expect(await writer.closed).toMatchObject({ code: 4507 });
    expect(writer.seen.filter(({ type }) => type === 'durable')).toEqual([{ type: 'durable', through: 1 }]);
    full.is = false;
    const again = await (await lab.join(mine.rooms.ledger, mine.home)).open();
    const asked = await again.until('step1');
    again.sendStep2(Y.encodeStateAsUpdate(source.doc, asked.bytes));
    await again.until('durable');
    const ticket = await ticketFor(device, lab.origin);
    const snapshot = await ask(lab.http, `/r/${mine.rooms.ledger}/snapshot`, { ticket });
    expect(contentsOf(docOf(snapshot.bytes))).toEqual(['01', '02']);
    expect(lab.failures).toEqual([]);
  });

  test('a failed disk: nothing is acknowledged any more, every socket ends, and the process is told once', async () => {
    const { full, store } = fillable(new CountersignError('storage', 'fsync: input/output error'));
    const lab = await relayLab({ store });
    const writer = await (await lab.join(mine.rooms.ledger, mine.home)).open();
    const bystander = await (await lab.join('notes')).open();
    await bystander.settled();
    full.is = true;
    writer.sendUpdate(new RoomWriter('q/').write(1));
    expect(await bystander.closed).toMatchObject({ code: 1001 });
    await writer.closed;
    expect(writer.seen.some(({ type }) => type === 'durable')).toBe(false);
    expect(lab.failures).toHaveLength(1);
    await expect(once(new WebSocket(`${lab.origin}/notes`), 'open')).rejects.toThrow('503');
  });

  test('too many documents of one home in memory: 4507', async () => {
    const lab = await relayLab({ limits: { roomsPerHomeMax: 2 } });
    await (await (await lab.join('a-room')).open()).settled();
    await (await (await lab.join('b-room')).open()).settled();
    expect(await (await lab.join('c-room')).closed).toMatchObject({ code: 4507 });
    await (await (await lab.join('a-room')).open()).settled();
  });
});

describe('a document larger than a frame', () => {
  test('is fetched by HTTP by who can (4410), and sent whole to a stock client', async () => {
    const lab = await relayLab();
    const source = new RoomWriter('q/');
    for (let n = 0; n < 80; n++) source.write(n, new Uint8Array(8_192));
    const ticket = await ticketFor(mine.home, lab.origin);
    const path = `/r/${mine.rooms.ledger}/snapshot`;
    const old = await (await lab.join(mine.rooms.ledger, device)).open();
    await old.settled();
    expect((await ask(lab.http, path, { method: 'PUT', ticket, body: source.state })).status).toBe(204);
    expect(await old.closed).toMatchObject({ code: 4410 });
    const late = await (await lab.join(mine.rooms.ledger, device)).open();
    late.sendStep1(Uint8Array.of(0));
    expect(await late.closed).toMatchObject({ code: 4410 });
    const fetched = await ask(lab.http, path, { ticket: await ticketFor(device, lab.origin) });
    expect(contentsOf(docOf(fetched.bytes))).toHaveLength(80);
    const now = await (await lab.join(mine.rooms.ledger, device)).open();
    now.sendStep1(Y.encodeStateVectorFromUpdate(fetched.bytes));
    expect([...(await now.until('step2')).bytes.subarray(0, 1)]).toEqual([0]);
  });
});

test('presence belongs to who said it first: nobody speaks for another, and leaving takes it off', async () => {
  const lab = await relayLab();
  const home = await (await lab.join(mine.rooms.ledger, mine.home)).open();
  home.sendAwareness(saying(1, 5, '{"heartbeat":1}'));
  await home.until('awareness');
  const reader = await (await lab.join(mine.rooms.ledger, device)).open();
  const watcher = await (await lab.join(mine.rooms.ledger, other)).open();
  await watcher.until('awareness');
  reader.sendAwareness(saying(1, 9, 'null'));
  reader.sendAwareness(saying(1, 9, '{"heartbeat":"forged"}'));
  reader.sendAwareness(saying(2, 1, '{}'));
  await watcher.until('awareness', ({ bytes }) => bytes[1] === 2);
  expect(watcher.seen.filter(({ type }) => type === 'awareness')).toHaveLength(2);
  reader.socket.close();
  const gone = await watcher.until('awareness', ({ bytes }) => bytes[1] === 2 && bytes.at(-1) === 'l'.codePointAt(0));
  expect(Buffer.from(gone.bytes).toString()).toContain('null');
});

function version2(): Uint8Array {
  const doc = new Y.Doc();
  doc.getArray('records').push([Uint8Array.of(1)]);
  return Y.encodeStateAsUpdateV2(doc);
}

/** A store whose disk can be made full, or fail, for appends. */
function fillable(failure = new CountersignError('full', 'no room')): { store: RelayStore; full: { is: boolean } } {
  const full = { is: false };
  const memory = openMemoryStore();
  const append: RelayStore['append'] = (...args) => (full.is ? Promise.reject(failure) : memory.append(...args));
  return { full, store: { ...memory, append } };
}

async function wordsFor(lab: RelayLab, room: string, origin = lab.origin): Promise<readonly string[]> {
  const { credentialsWith } = await import('../support/relay-people.ts');
  const { toSubprotocols } = await import('../../src/access/credentials.ts');
  const { text } = await ask(lab.http, `/challenge?room=${encodeURIComponent(room)}`);
  // reason: what the relay under test answers
  const { challenge } = JSON.parse(text) as { challenge: string };
  return toSubprotocols(credentialsWith(mine.home, { room, origin, challenge }));
}

async function reuse(lab: RelayLab): Promise<RelayClient> {
  const words = await wordsFor(lab, mine.rooms.ledger);
  await (await (await lab.join(mine.rooms.ledger, words)).open()).settled();
  return lab.join(mine.rooms.ledger, words);
}

/** A WebSocket by hand, which reads only when it is told to. */
async function upgraded(lab: RelayLab, room: string): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: lab.port });
  onTestFinished(() => void socket.destroy());
  const head = [
    `GET /${room} HTTP/1.1`,
    `Host: 127.0.0.1:${lab.port}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${Buffer.alloc(16, 1).toString('base64')}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  await once(socket, 'readable');
  socket.read();
  return socket;
}

async function bytesUntilEnd(socket: Socket): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of socket) parts.push(part as Buffer); // reason: no encoding was set
  return Buffer.concat(parts);
}

/** The code of the close frame that ends a stream of frames. */
function closeCodeIn(stream: Buffer): number | undefined {
  for (let at = stream.length - 4; at >= Math.max(0, stream.length - 200); at--)
    if (stream[at] === 0x88 && stream[at + 1] === stream.length - at - 2) return stream.readUInt16BE(at + 2);
  return undefined;
}
