import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import * as Y from 'yjs';
import { CountersignError } from '../../src/base/errors.ts';
import { openMemoryStore } from '../../sync-server/relay.ts';
import { RELAY_LIMITS } from '../../sync-server/limits.ts';
import type { RelayStore } from '../../sync-server/storage/store.ts';
import { ask } from '../support/relay-http.ts';
import { relayLab } from '../support/relay-lab.ts';
import { family, ticketFor } from '../support/relay-people.ts';
import { bytesUntilEnd, closeCodeIn, upgradedByHand } from '../support/relay-raw.ts';
import { contentsOf, docOf, RoomWriter } from '../support/relay-updates.ts';

const MIB = 1024 * 1024;
const mine = family(10, 1);
const [device] = mine.devices;
if (device === undefined) throw new Error('no device');

describe('[F8] a reader that does not read', () => {
  test('is cut with 4408; the others get everything, and memory stays bounded', async () => {
    const lab = await relayLab();
    const writer = await (await lab.join('notes')).open();
    const fast = await (await lab.join('notes')).open();
    await fast.settled();
    const slow = await upgradedByHand(lab.port, 'notes');
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

describe('a disk that does not keep up', () => {
  test('is not run ahead of: no more is read of a writer until its changes are stored, then everything is', async () => {
    const { disk, store } = held();
    const limits = { unstoredBytesMax: 256 * 1024 };
    const lab = await relayLab({ store, limits });
    const writer = await (await lab.join('notes')).open();
    const reader = await (await lab.join('notes')).open();
    await reader.settled();
    const source = new RoomWriter('notes');
    const bytes = new Uint8Array(64 * 1024);
    for (let n = 0; n < 64; n++) writer.sendUpdate(source.write(n, bytes));
    const updates = (): number => reader.seen.filter(({ type }) => type === 'update').length;
    await reader.until('update', () => updates() >= 4);
    // Long enough for all of it, if anybody read it.
    for (let n = 0; n < 100; n++) await reader.turn();
    expect(updates() * bytes.length).toBeLessThan(limits.unstoredBytesMax + 4 * bytes.length);
    disk.release();
    await reader.until('update', () => updates() === 64);
    expect([writer.over, lab.failures]).toEqual([undefined, []]);
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
    const proven = await relayLab({ limits: { proofs: { burst: 1, perSecond: 0.001 } } });
    await (await (await proven.join(mine.rooms.ledger, mine.home)).open()).settled();
    expect(await (await proven.join(mine.rooms.ledger, mine.home)).closed).toMatchObject({ code: 4429 });
    expect(await ticketFor(mine.home, proven.origin)).toBe(429);
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

/** A store that keeps everybody waiting for its disk until it is released. */
function held(): { store: RelayStore; disk: { release: () => void } } {
  const memory = openMemoryStore();
  const disk = { release: (): void => undefined };
  const released = new Promise<void>((resolve) => (disk.release = resolve));
  const append: RelayStore['append'] = async (...args) => {
    await released;
    return memory.append(...args);
  };
  return { disk, store: { ...memory, append } };
}

/** A store whose disk can be made full, or fail, for appends. */
function fillable(failure = new CountersignError('full', 'no room')): { store: RelayStore; full: { is: boolean } } {
  const full = { is: false };
  const memory = openMemoryStore();
  const append: RelayStore['append'] = (...args) => (full.is ? Promise.reject(failure) : memory.append(...args));
  return { full, store: { ...memory, append } };
}
