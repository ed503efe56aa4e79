import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { openMemoryStore } from '../../sync-server/relay.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { RELAY_LIMITS } from '../../sync-server/limits.ts';
import { ask } from '../support/relay-http.ts';
import { relayLab, saying, type RelayClient } from '../support/relay-lab.ts';
import { family, ticketFor } from '../support/relay-people.ts';
import { contentsOf, docOf, RoomWriter } from '../support/relay-updates.ts';

const mine = family(10, 2);
const [device, other] = mine.devices;
if (device === undefined || other === undefined) throw new Error('no devices');

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

describe('a document in memory', () => {
  test('goes to rest when nobody looks at it for a while, with one state in the place of many changes', async () => {
    const clock = new FakeClock();
    const memory = openMemoryStore();
    // It is given to no relay that would close it.
    const lab = await relayLab({ clock, store: { ...memory, close: () => Promise.resolve() } });
    const writer = await (await lab.join(mine.rooms.ledger, mine.home)).open();
    const source = new RoomWriter('q/');
    for (let n = 0; n < 100; n++) writer.sendUpdate(source.write(n));
    await writer.until('durable', ({ through }) => through === 100);
    writer.socket.terminate();
    const watcher = await (await lab.join('notes')).open();
    while (lab.relay.metrics.read().sockets > 1) await watcher.turn();
    expect(lab.relay.metrics.read().rooms).toBe(2);
    clock.advance(RELAY_LIMITS.roomIdleMs);
    expect(lab.relay.metrics.read().rooms).toBe(1);
    expect((await memory.load(mine.rooms.ledger))?.updates).toHaveLength(1);
    const ticket = await ticketFor(device, lab.origin);
    const { bytes } = await ask(lab.http, `/r/${mine.rooms.ledger}/snapshot`, { ticket });
    expect(contentsOf(docOf(bytes))).toEqual(contentsOf(source.doc));
  });

  test('is stored as a state again before its changes are many, without losing one', async () => {
    const memory = openMemoryStore();
    const lab = await relayLab({ store: memory });
    const writer = await (await lab.join(mine.rooms.ledger, mine.home)).open();
    const source = new RoomWriter('q/');
    for (let n = 0; n < 300; n++) {
      // What goes away again makes the changes larger than the state.
      if (n % 2 === 1) writer.sendUpdate(source.remove());
      else writer.sendUpdate(source.write(n, new Uint8Array(8_000)));
    }
    await writer.until('durable', ({ through }) => through === 300);
    const stored = (await memory.load(mine.rooms.ledger))?.updates ?? [];
    expect(stored.length).toBeLessThan(300);
    expect(contentsOf(docOf(...stored))).toEqual(contentsOf(source.doc));
    expect(lab.relay.metrics.read().stored_bytes).toBe(stored.reduce((sum, update) => sum + update.length, 0));
  });

  test('is none for a name that somebody made up and left', async () => {
    const lab = await relayLab();
    const watcher = await (await lab.join('kept')).open();
    for (let n = 0; n < 5; n++) {
      const client = await (await lab.join(`made-up-${n}`)).open();
      await client.settled();
      client.socket.terminate();
    }
    while (lab.relay.metrics.read().sockets > 1) await watcher.turn();
    expect(lab.relay.metrics.read().rooms).toBe(1);
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

test('[T10] in a room of a home only its writer is seen: a reader neither speaks for it, nor takes its place, nor drowns it', async () => {
  const lab = await relayLab();
  const squatter = await (await lab.join(mine.rooms.ledger, device)).open();
  squatter.sendAwareness(saying(1, 9, '{"heartbeat":"forged"}'));
  await squatter.until('awareness');
  const home = await (await lab.join(mine.rooms.ledger, mine.home)).open();
  expect(home.seen.filter(({ type }) => type === 'awareness')).toEqual([]);
  home.sendAwareness(saying(1, 5, '{"heartbeat":1}'));
  await home.until('awareness');
  const watcher = await (await lab.join(mine.rooms.ledger, other)).open();
  const shown = await watcher.until('awareness');
  expect(Buffer.from(shown.bytes).toString()).toContain('{"heartbeat":1}');
  squatter.sendAwareness(saying(1, 99, 'null'));
  for (let client = 2; client < 40; client += 1) squatter.sendAwareness(saying(client, 1, '{"heartbeat":"noise"}'));
  squatter.sendRaw(Uint8Array.of(3));
  await squatter.settled();
  await watcher.settled();
  expect(watcher.seen.filter(({ type }) => type === 'awareness')).toHaveLength(1);
  home.socket.close();
  const gone = await watcher.until('awareness', ({ bytes }) => Buffer.from(bytes).toString().endsWith('null'));
  expect([...gone.bytes.subarray(0, 2)]).toEqual([1, 1]);
});
