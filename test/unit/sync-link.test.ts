import * as Y from 'yjs';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { headWord } from '../../src/access/credentials.ts';
import { CLOSE_CODES } from '../../src/sync/close-codes.ts';
import { SYNC_LIMITS } from '../../src/sync/messages.ts';
import { headOf, historyOf, homeIdentity, INBOX, LEDGER, signedHead, SyncLab, wordOf } from '../support/sync-lab.ts';

afterEach(() => vi.restoreAllMocks());

const bytes = (value: number, length = 8): Uint8Array => new Uint8Array(length).fill(value);
const records = (doc: Y.Doc): unknown[] => doc.getArray('records').toArray();
const push =
  (...values: Uint8Array[]) =>
  (doc: Y.Doc) =>
    doc.getArray('records').push(values);

describe('a reader', () => {
  test('loads a room over HTTP first, with progress, and then follows it', async () => {
    const lab = new SyncLab();
    push(bytes(1), bytes(2))(lab.relay.room(LEDGER));
    const doc = new Y.Doc();
    const link = lab.client.join({ room: LEDGER, doc, role: 'reader' });
    const history = historyOf(link);
    await lab.settle();
    expect(history).toEqual(['connecting', 'loading', 'connecting', 'online', 'synced']);
    lab.relay.write(LEDGER, push(bytes(3)));
    await lab.settle();
    expect(records(doc)).toEqual([bytes(1), bytes(2), bytes(3)]);
    expect(lab.faults).toEqual([]);
  });

  test('that is up to date comes back for less than 1 KB', async () => {
    const lab = new SyncLab();
    for (let at = 0; at < 300; at++) push(bytes(at % 256, 300))(lab.relay.room(LEDGER));
    const doc = new Y.Doc();
    const link = lab.client.join({ room: LEDGER, doc, role: 'reader' });
    await lab.settle();
    const before = lab.relay.sentBytes;
    const requests = lab.relay.requests.length;
    lab.relay.restart();
    await lab.pass(1000);
    expect(wordOf(link.state())).toBe('synced');
    expect(lab.relay.sentBytes - before).toBeLessThan(1024);
    expect(lab.relay.requests.slice(requests)).toEqual(['GET /challenge']);
  });

  test('sends nothing of its document, whatever is loaded into it', async () => {
    const lab = new SyncLab();
    const doc = new Y.Doc();
    const link = lab.client.join({ room: LEDGER, doc, role: 'reader' });
    await lab.settle();
    const cache = new Y.Doc();
    push(bytes(9))(cache);
    Y.applyUpdate(doc, Y.encodeStateAsUpdate(cache), 'cache');
    await lab.settle();
    expect(wordOf(link.state())).toBe('synced');
    expect(records(lab.relay.room(LEDGER))).toEqual([]);
  });

  test('proves itself anew before every connection', async () => {
    const lab = new SyncLab();
    push(bytes(1))(lab.relay.room(LEDGER));
    lab.client.join({ room: LEDGER, doc: new Y.Doc(), role: 'reader' });
    await lab.settle();
    for (let at = 0; at < 3; at++) {
      lab.relay.restart();
      await lab.pass(2000);
    }
    // The relay takes a challenge once, and everybody is inside.
    expect(lab.relay.guests.size).toBe(1);
    expect(lab.relay.network.attempts).toBe(4);
    // Of the ticket one more.
    expect(lab.relay.requests.filter((each) => each === 'GET /challenge')).toHaveLength(5);
  });

  test('hears of a listener’s mistake once and of every later change', async () => {
    const lab = new SyncLab();
    const doc = new Y.Doc();
    lab.client.join({ room: LEDGER, doc, role: 'reader' });
    await lab.settle();
    const heard: number[] = [];
    doc.on('update', () => {
      heard.push(records(doc).length);
      if (heard.length === 1) throw new Error('a listener that fails');
    });
    for (let at = 1; at <= 3; at++) {
      lab.relay.write(LEDGER, push(bytes(at)));
      await lab.settle();
    }
    expect(heard).toEqual([1, 2, 3]);
    expect(lab.faults).toEqual([new Error('a listener that fails')]);
  });

  test('is quiet on the console, keeps no listener of the process and no timer', async () => {
    const warnings: Error[] = [];
    process.on('warning', (warning) => warnings.push(warning));
    const spies = (['log', 'warn', 'error', 'info'] as const).map((name) => vi.spyOn(console, name));
    const listeners = process.listenerCount('exit');
    const timers = process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length;
    const lab = new SyncLab();
    for (let at = 1; at <= 20; at++)
      lab.client.join({ room: LEDGER.replace('1.1', `1.${at}`), doc: new Y.Doc(), role: 'reader' });
    await lab.settle();
    lab.relay.restart();
    await lab.pass(1000);
    expect(process.listenerCount('exit')).toBe(listeners);
    expect(process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length).toBeLessThanOrEqual(timers);
    expect(warnings).toEqual([]);
    for (const spy of spies) expect(spy).not.toHaveBeenCalled();
    lab.client.close();
  });
});

test('says which head it has, so that it is not sent again with every socket', async () => {
  const lab = new SyncLab({ knownHead: signedHead(headOf(3)) });
  const asked: (readonly string[])[] = [];
  lab.relay.greet = (far) => asked.push(far.protocols);
  lab.client.join({ room: LEDGER, doc: new Y.Doc(), role: 'reader' });
  await lab.settle();
  expect(asked[0]).toContain(headWord(signedHead(headOf(3))));
  lab.client.close();
});

describe('an author', () => {
  const author = (lab: SyncLab, doc: Y.Doc, onDamaged: (why: string) => void = () => undefined) =>
    lab.client.join({ room: LEDGER, doc, role: 'author', onDamaged });

  test('fills a relay that has nothing, and knows when it is on its disk', async () => {
    const lab = new SyncLab({ identity: homeIdentity });
    const doc = new Y.Doc();
    push(bytes(1))(doc);
    const link = author(lab, doc);
    let durable = false;
    void link.durable().then(() => (durable = true));
    lab.relay.acknowledges = false;
    await lab.settle();
    expect(records(lab.relay.room(LEDGER))).toEqual([bytes(1)]);
    expect(durable).toBe(false);
    lab.relay.acknowledges = true;
    lab.relay.restart();
    await lab.pass(1000);
    expect(durable).toBe(true);
  });

  test('sends nothing before the relay has said what it holds', async () => {
    const lab = new SyncLab({ identity: homeIdentity });
    const seen: Uint8Array[] = [];
    lab.relay.greet = (far) => {
      far.onFrame = (frame) => seen.push(frame);
    };
    const doc = new Y.Doc();
    author(lab, doc);
    await lab.settle();
    push(bytes(1))(doc);
    await lab.settle();
    // A step 1 and a presence.
    expect(seen.map(([type, second]) => [type, second])).toEqual([
      [0, 0],
      [1, expect.any(Number)],
    ]);
  });

  test('whose relay has everything sends none of it again, not even what was deleted', async () => {
    const lab = new SyncLab({ identity: homeIdentity });
    const doc = new Y.Doc();
    for (let at = 0; at < 50; at++)
      doc.transact(() => {
        if (at > 2) doc.getArray('records').delete(at % 2);
        push(bytes(at))(doc);
      });
    Y.applyUpdate(lab.relay.room(LEDGER), Y.encodeStateAsUpdate(doc));
    const link = author(lab, doc);
    await lab.settle();
    await link.durable();
    const [guest] = lab.relay.guests;
    expect(guest?.changes).toBe(0);
    push(bytes(77))(doc);
    await lab.settle();
    expect(guest?.changes).toBe(1);
    expect(records(lab.relay.room(LEDGER)).at(-1)).toEqual(bytes(77));
  });

  test('puts what is too large for a frame as a snapshot, and sends after it what changed meanwhile', async () => {
    const lab = new SyncLab({ identity: homeIdentity });
    const doc = new Y.Doc();
    for (let at = 0; at < 90; at++) push(bytes(at, 8 * 1024))(doc);
    expect(Y.encodeStateAsUpdate(doc).length).toBeGreaterThan(SYNC_LIMITS.updateBytesMax);
    const link = author(lab, doc);
    let puts = 0;
    lab.relay.answer = (method, path) => {
      if (method === 'PUT' && path.endsWith('/snapshot') && puts++ === 0) push(bytes(200))(doc);
      return undefined;
    };
    await lab.settle();
    expect(puts).toBe(1);
    expect(records(lab.relay.room(LEDGER))).toHaveLength(91);
    expect(wordOf(link.state())).toBe('synced');
    await link.durable();
  });

  test('begins again when its snapshot does not arrive', async () => {
    const lab = new SyncLab({ identity: homeIdentity });
    const doc = new Y.Doc();
    push(bytes(1, 600 * 1024))(doc);
    const link = author(lab, doc);
    let refusals = 7;
    lab.relay.answer = (method) => (method === 'PUT' && refusals-- > 0 ? new Response('', { status: 500 }) : undefined);
    await lab.pass(120_000, 1000);
    expect(wordOf(link.state())).toBe('synced');
    expect(records(lab.relay.room(LEDGER))).toHaveLength(1);
  });

  test('[DC-1] applies nothing it receives, and says that its room is damaged', async () => {
    const lab = new SyncLab({ identity: homeIdentity });
    push(bytes(66))(lab.relay.room(LEDGER));
    const doc = new Y.Doc();
    push(bytes(1))(doc);
    const damages: string[] = [];
    const link = author(lab, doc, (why) => damages.push(why));
    await lab.settle();
    expect(damages).toHaveLength(1);
    expect(link.state().state).toBe('damaged');
    expect(records(doc)).toEqual([bytes(1)]);
    await lab.pass(600_000, 5000);
    expect(lab.relay.network.attempts).toBe(1);
  });

  test('[DC-1] notices a deletion that it did not make, at equal state vectors', async () => {
    const lab = new SyncLab({ identity: homeIdentity });
    const doc = new Y.Doc();
    push(bytes(1), bytes(2))(doc);
    Y.applyUpdate(lab.relay.room(LEDGER), Y.encodeStateAsUpdate(doc));
    lab.relay.room(LEDGER).getArray('records').delete(0, 1);
    const damages: string[] = [];
    author(lab, doc, (why) => damages.push(why));
    await lab.settle();
    expect(damages).toHaveLength(1);
    expect(records(doc)).toHaveLength(2);
  });

  test('never stops for good, and does not hurry', async () => {
    const lab = new SyncLab({ identity: homeIdentity });
    lab.relay.greet = (far) => far.close(CLOSE_CODES.forbidden.code);
    const link = author(lab, new Y.Doc());
    await lab.pass(3_600_000, 1000);
    expect(link.state().state).toBe('waiting');
    expect(lab.relay.network.attempts).toBeGreaterThan(50);
    expect(lab.relay.network.attempts).toBeLessThan(150);
    lab.relay.greet = undefined;
    await lab.pass(60_000, 1000);
    expect(wordOf(link.state())).toBe('synced');
  });
});

describe('a device in its own inbox', () => {
  test('writes, and takes back what it wrote before it lost its copy', async () => {
    const lab = new SyncLab();
    const inbox = lab.relay.room(INBOX);
    inbox.getMap('decisions').set('w:1', bytes(1));
    const doc = new Y.Doc();
    const link = lab.client.join({ room: INBOX, doc, role: 'writer' });
    await lab.settle();
    doc.getMap('decisions').set('w:2', bytes(2));
    await lab.settle();
    await link.durable();
    expect([...doc.getMap('decisions').keys()].toSorted()).toEqual(['w:1', 'w:2']);
    expect([...inbox.getMap('decisions').keys()].toSorted()).toEqual(['w:1', 'w:2']);
  });

  test('keeps waiting for the disk over any number of sockets', async () => {
    const lab = new SyncLab();
    const doc = new Y.Doc();
    const link = lab.client.join({ room: INBOX, doc, role: 'writer' });
    lab.relay.acknowledges = false;
    doc.getMap('decisions').set('w:1', bytes(1));
    const states: string[] = [];
    void link.durable().then(() => states.push('durable'));
    await lab.settle();
    lab.relay.rooms.clear();
    lab.relay.restart();
    await lab.pass(2000);
    expect(states).toEqual([]);
    lab.relay.rooms.clear();
    lab.relay.acknowledges = true;
    lab.relay.restart();
    await lab.pass(2000);
    expect(states).toEqual(['durable']);
  });

  test('stops when a newer window took over, and waits no longer for the disk once closed', async () => {
    const lab = new SyncLab();
    lab.relay.greet = (far) => far.close(CLOSE_CODES.replaced.code);
    const link = lab.client.join({ room: INBOX, doc: new Y.Doc(), role: 'writer' });
    const durable = link.durable();
    await lab.settle();
    expect(link.state()).toEqual({
      state: 'stopped',
      reason: 'replaced',
      sentence: 'A newer connection of this device took over.',
    });
    link.close();
    await expect(durable).rejects.toMatchObject({ code: 'closed' });
  });
});
