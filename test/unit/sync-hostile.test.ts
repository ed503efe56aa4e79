import * as decoding from 'lib0/decoding';
import * as encoding from 'lib0/encoding';
import * as Y from 'yjs';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { RoomLink } from '../../src/sync/contract.ts';
import { seededRandom } from '../../src/testing/seeded-random.ts';
import { LINK_LIMITS } from '../../src/sync/link-limits.ts';
import { SYNC_LIMITS } from '../../src/sync/messages.ts';
import {
  forgedHead,
  headOf,
  historyOf,
  homeIdentity,
  INBOX,
  LEDGER,
  newerHead,
  signedHead,
  SyncLab,
  wordOf,
} from '../support/sync-lab.ts';
import { awarenessFrame, durableFrame, headFrame, syncFrame } from '../support/sync-relay.ts';
import type { FarEnd } from '../support/sync-sockets.ts';

afterEach(() => vi.restoreAllMocks());

const HOUR_MS = 3_600_000;

/** A relay that greets whoever comes with these frames, and says nothing else. */
async function greetedWith(
  frames: (doc: Y.Doc) => readonly (Uint8Array | string)[],
): Promise<{ lab: SyncLab; doc: Y.Doc; link: RoomLink; history: string[] }> {
  const lab = new SyncLab();
  const doc = new Y.Doc();
  lab.relay.greet = (far) => {
    for (const frame of frames(doc)) far.send(frame);
  };
  const link = lab.client.join({ room: LEDGER, doc, role: 'reader' });
  const history = historyOf(link);
  await lab.settle();
  return { lab, doc, link, history };
}

function updateOf(change: (doc: Y.Doc) => void): Uint8Array {
  const doc = new Y.Doc();
  change(doc);
  return Y.encodeStateAsUpdate(doc);
}

const record = (length = 8): Uint8Array => new Uint8Array(length);

describe('[T9] a relay that sends a reader', () => {
  test.each([
    ['a text frame that the stock provider would make 4 GB of', ['4294967295']],
    ['an empty frame', [new Uint8Array(0)]],
    ['a message that ends too early', [Uint8Array.of(0, 2, 255, 255, 3)]],
    ['a type that never ends', [new Uint8Array(64).fill(255)]],
    ['a frame larger than any', [new Uint8Array(SYNC_LIMITS.frameBytesMax + 1)]],
    ['garbage as awareness', [Uint8Array.of(1, 4, 200, 1, 1, 1)]],
    ['an awareness state that is no JSON', [awarenessText('{')]],
    ['an acknowledgement of nothing', [durableFrame(1)]],
    ['a head that is no JSON', [Uint8Array.of(101, 2, 123, 123)]],
    ['a head of somebody else', [headFrame(forgedHead(headOf(9)))]],
  ])('%s: is left, with a pause, and asked again', async (_, frames) => {
    const { history, lab, link } = await greetedWith(() => frames);
    expect(history).toContain('waiting malformed');
    expect(lab.faults, 'it is the relay’s doing, and no bug of this side').toEqual([]);
    await lab.pass(HOUR_MS, 1000);
    expect(lab.relay.network.attempts).toBeLessThan(140);
    lab.relay.greet = undefined;
    await lab.pass(60_000, 1000);
    expect(wordOf(link.state())).toBe('synced');
  });

  test.each([
    ['a state vector that is none', Uint8Array.of(0, 0, 2, 9, 9)],
    ['changes that are none', syncFrame(2, seededRandom(7).bytes(200))],
    ['content of no kind that Yjs knows', syncFrame(1, Uint8Array.of(1, 1, 7, 0, 0x1b, 1, 1, 97, 1, 0))],
  ])('an author %s: is left, and no bug is reported', async (_, frame) => {
    const lab = new SyncLab({ identity: homeIdentity });
    lab.relay.greet = (far) => far.send(frame);
    const link = lab.client.join({ room: LEDGER, doc: new Y.Doc(), role: 'author' });
    const history = historyOf(link);
    await lab.settle();
    expect(history).toContain('waiting malformed');
    expect(lab.faults).toEqual([]);
  });

  test.each([
    ['garbage', () => seededRandom(7).bytes(200)],
    ['V2 bytes', () => v2Update()],
    ['what stands in another room', () => updateOf((doc) => doc.getMap('decisions').set('w:1', record()))],
    ['a type where bytes belong', () => updateOf((doc) => doc.getArray('records').push([new Y.Text('x')]))],
    ['text where bytes belong', () => updateOf((doc) => doc.getArray('records').push(['x']))],
    ['a great many clients', () => manyClients(2000)],
  ])('%s as changes: is damaged, says so, and asks again once a minute', async (_, update) => {
    const frame = syncFrame(2, update());
    const { doc, lab, link } = await greetedWith(() => [frame]);
    expect(link.state()).toMatchObject({ state: 'damaged', sentence: expect.stringMatching(/^[A-Z].*\.$/) });
    expect(doc.store.clients.size).toBe(0);
    expect(lab.faults).toEqual([]);
    await lab.pass(HOUR_MS, 5000);
    expect(lab.relay.network.attempts).toBeLessThanOrEqual(61);
    expect(doc.store.clients.size).toBe(0);
    lab.relay.greet = undefined;
    await lab.pass(LINK_LIMITS.damagedAgainMs + 1_000, 1_000);
    expect(wordOf(link.state())).toBe('synced');
  });

  test('changes that follow what never comes: they do not pile up', async () => {
    const orphans = Array.from({ length: 200 }, (_, at) => syncFrame(2, orphan(at)));
    const { doc, lab, link } = await greetedWith(() => [syncFrame(1, Uint8Array.of(0, 0)), ...orphans]);
    expect(['waiting malformed', 'damaged']).toContain(wordOf(link.state()));
    expect(doc.store.pendingStructs?.update.length ?? 0).toBeLessThan(SYNC_LIMITS.updateBytesMax);
    await lab.pass(HOUR_MS, 1000);
    expect(lab.relay.network.attempts).toBeLessThan(140);
  });

  test('a snapshot that waits for what never comes: nothing of it stays', async () => {
    const lab = new SyncLab();
    const doc = new Y.Doc();
    lab.relay.answer = (_, path) => (path.endsWith('/snapshot') ? new Response(Uint8Array.from(orphan(1))) : undefined);
    const link = lab.client.join({ room: LEDGER, doc, role: 'reader' });
    await lab.settle();
    expect(doc.store.pendingStructs).toBeNull();
    expect(wordOf(link.state())).toBe('synced');
  });

  test('an older snapshot again: what is here stays', async () => {
    const lab = new SyncLab();
    const room = lab.relay.room(LEDGER);
    room.getArray('records').push([record()]);
    const old = Y.encodeStateAsUpdate(room);
    room.getArray('records').push([record(9)]);
    const doc = new Y.Doc();
    const link = lab.client.join({ room: LEDGER, doc, role: 'reader' });
    await lab.settle();
    for (const guest of lab.relay.guests) guest.far.send(syncFrame(2, old));
    await lab.settle();
    expect(doc.getArray('records').length).toBe(2);
    expect(wordOf(link.state())).toBe('synced');
  });

  test('a document without end: it is cut at a size', async () => {
    const { lab, link } = await greetedWith(() => []);
    const author = new Y.Doc();
    const [far] = await farEnds(lab, link);
    for (let mib = 0; mib < 48 && link.state().state === 'online'; mib++) {
      const before = Y.encodeStateVector(author);
      author.getArray('records').push(Array.from({ length: 100 }, () => record(8 * 1024)));
      far?.send(syncFrame(2, Y.encodeStateAsUpdate(author, before)));
      await lab.settle();
    }
    expect(link.state()).toEqual({ state: 'damaged', sentence: 'The document is larger than any may be.' });
  }, 60_000);

  test('a body without end, or one that never comes', async () => {
    const lab = new SyncLab();
    let pulled = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pulled += 1024 * 1024;
        controller.enqueue(new Uint8Array(1024 * 1024));
      },
    });
    lab.relay.answer = (_, path) => (path.endsWith('/snapshot') ? new Response(endless) : undefined);
    const link = lab.client.join({ room: LEDGER, doc: new Y.Doc(), role: 'reader' });
    const history = historyOf(link);
    await lab.settle();
    expect(history).toContain('waiting unreachable');
    expect(pulled).toBeLessThan(SYNC_LIMITS.snapshotBytesMax + 4 * 1024 * 1024);
    lab.relay.answer = (_, path) => (path.endsWith('/snapshot') ? new Response(new ReadableStream({})) : undefined);
    await lab.pass(20_000, 1000);
    expect(link.state().state).not.toBe('online');
    lab.relay.answer = () => undefined;
    await lab.pass(30_000, 1000);
    expect(wordOf(link.state())).toBe('synced');
  });

  test('messages of a kind nobody knows: they are left out', async () => {
    const { lab, link } = await greetedWith(() => [Uint8Array.of(102, 1, 1), Uint8Array.of(2, 0, 1, 120)]);
    expect(wordOf(link.state())).toBe('online');
    expect(lab.faults).toEqual([]);
  });

  test('its own client id: it takes another before Yjs complains, and everything goes on', async () => {
    const spies = (['log', 'warn'] as const).map((name) => vi.spyOn(console, name));
    const { lab, link } = await greetedWith((doc) => {
      const twin = new Y.Doc();
      twin.clientID = doc.clientID;
      twin.getArray('records').push([record()]);
      return [syncFrame(1, Y.encodeStateAsUpdate(twin))];
    });
    lab.relay.greet = undefined;
    for (let at = 0; at < 3; at++) {
      lab.relay.restart();
      await lab.pass(60_000, 1000);
    }
    expect(wordOf(link.state())).toBe('synced');
    expect(lab.faults).toEqual([]);
    for (const spy of spies) expect(spy).not.toHaveBeenCalled();
  });

  test('changes in the name of a writer: the inbox is damaged', async () => {
    const lab = new SyncLab();
    const doc = new Y.Doc();
    doc.getMap('decisions').set('w:1', record());
    const twin = new Y.Doc();
    twin.clientID = doc.clientID;
    for (let at = 1; at < 4; at++) twin.getMap('decisions').set(`w:${at}`, record());
    Y.applyUpdate(lab.relay.room(INBOX), Y.encodeStateAsUpdate(twin));
    const link = lab.client.join({ room: INBOX, doc, role: 'writer' });
    await lab.settle();
    expect(link.state().state).toBe('damaged');
    expect(doc.getMap('decisions').size).toBe(1);
  });

  test('its own presence with other words, or a crowd', async () => {
    const { doc, lab, link } = await greetedWith((own) => [
      awarenessFrame([{ client: own.clientID, clock: 99, value: { heartbeat: 'forged' } }]),
      ...Array.from({ length: 100 }, (_, block) =>
        awarenessFrame(
          Array.from({ length: 50 }, (__, at) => ({ client: 1000 + block * 50 + at, clock: 1, value: at })),
        ),
      ),
      awarenessFrame([{ client: 7, clock: 1, value: 'x'.repeat(SYNC_LIMITS.awarenessBytesMax) }]),
    ]);
    expect(link.presences().length).toBeLessThanOrEqual(LINK_LIMITS.presencesMax);
    expect(link.presences()).not.toContain('x'.repeat(SYNC_LIMITS.awarenessBytesMax));
    const [far] = await farEnds(lab, link);
    const frames: Uint8Array[] = [];
    if (far !== undefined) far.onFrame = (frame) => frames.push(frame);
    await lab.pass(LINK_LIMITS.renewMs, 1000);
    expect(frames.map(presencesOf)).toEqual([[{ client: doc.clientID, value: {} }]]);
  });

  test('a question without end about its own document: it is not answered for ever', async () => {
    const lab = new SyncLab({ identity: homeIdentity });
    const answers: Uint8Array[] = [];
    lab.relay.greet = (far) => {
      far.onFrame = (frame) => answers.push(frame);
      for (let at = 0; at < 500; at++) far.send(syncFrame(0, Uint8Array.of(0)));
    };
    const doc = new Y.Doc();
    doc.getArray('records').push([record()]);
    lab.client.join({ room: LEDGER, doc, role: 'author' });
    await lab.settle();
    expect(answers.length).toBeLessThan(LINK_LIMITS.questionsMax + 5);
    expect(lab.relay.network.attempts).toBe(1);
  });

  test('[DC-1] an author only a state vector with more than it ever wrote: the room is damaged', async () => {
    const lab = new SyncLab({ identity: homeIdentity });
    const other = new Y.Doc();
    other.getArray('records').push([record()]);
    lab.relay.greet = (far) => far.send(syncFrame(0, Y.encodeStateVector(other)));
    const link = lab.client.join({ room: LEDGER, doc: new Y.Doc(), role: 'author' });
    await lab.settle();
    expect(link.state().state).toBe('damaged');
  });

  test('a question for its document: it is not answered', async () => {
    const { doc, lab, link } = await greetedWith(() => [syncFrame(0, Uint8Array.of(0))]);
    const [far] = await farEnds(lab, link);
    const frames: Uint8Array[] = [];
    if (far !== undefined) far.onFrame = (frame) => frames.push(frame);
    doc.getArray('records').push([record()]);
    await lab.settle();
    expect(frames).toEqual([]);
  });

  test('nothing, and takes nothing: what waits for a slow relay is bounded', async () => {
    const lab = new SyncLab();
    const doc = new Y.Doc();
    const link = lab.client.join({ room: INBOX, doc, role: 'writer' });
    await lab.settle();
    const history = historyOf(link);
    lab.relay.network.stall(LINK_LIMITS.bufferedBytesMax);
    doc.getMap('decisions').set('w:1', record());
    await lab.settle();
    lab.relay.network.stall(0);
    await lab.pass(2000);
    expect(history).toContain('waiting slow');
    expect(wordOf(link.state())).toBe('synced');
    await link.durable();
  });
});

describe('a relay that shows', () => {
  test.each([
    ['rollback', () => signedHead(headOf(3))],
    ['fork', () => signedHead(headOf(5, '1.1', 777))],
    ['too-new', () => newerHead(6)],
  ] as const)('a head that cannot be (%s): it is said once and not taken', async (kind, signed) => {
    const lab = new SyncLab({ knownHead: signedHead(headOf(5)) });
    const oddities: string[] = [];
    lab.client.head.subscribeOddities((oddity) => oddities.push(oddity.kind));
    lab.relay.head = signed();
    for (let at = 0; at < 3; at++) await lab.client.head.refresh();
    expect(oddities).toEqual([kind]);
    expect(lab.client.head.newest()?.head).toEqual(headOf(5));
  });

  test('a head that the home did not sign: the question fails', async () => {
    const lab = new SyncLab();
    lab.relay.head = forgedHead(headOf(9));
    await expect(lab.client.head.refresh()).rejects.toMatchObject({ code: 'closed' });
    expect(lab.client.head.newest()).toBeUndefined();
  });
});

function awarenessText(text: string): Uint8Array {
  const update = encoding.createEncoder();
  encoding.writeVarUint(update, 1);
  encoding.writeVarUint(update, 5);
  encoding.writeVarUint(update, 1);
  encoding.writeVarString(update, text);
  const frame = encoding.createEncoder();
  encoding.writeVarUint(frame, 1);
  encoding.writeVarUint8Array(frame, encoding.toUint8Array(update));
  return encoding.toUint8Array(frame);
}

function presencesOf(frame: Uint8Array): unknown {
  const decoder = decoding.createDecoder(frame);
  decoding.readVarUint(decoder);
  const update = decoding.createDecoder(decoding.readVarUint8Array(decoder));
  return Array.from({ length: decoding.readVarUint(update) }, () => {
    const client = decoding.readVarUint(update);
    decoding.readVarUint(update);
    return { client, value: JSON.parse(decoding.readVarString(update)) };
  });
}

/** The second change of a client whose first is never shown. */
function orphan(seed: number): Uint8Array {
  const doc = new Y.Doc();
  doc.clientID = 5000 + seed;
  doc.getArray('records').push([record()]);
  const before = Y.encodeStateVector(doc);
  doc.getArray('records').push([record(2000)]);
  return Y.encodeStateAsUpdate(doc, before);
}

function v2Update(): Uint8Array {
  const doc = new Y.Doc();
  for (let at = 0; at < 20; at++) doc.getArray('records').push([record(at)]);
  return Y.encodeStateAsUpdateV2(doc);
}

function manyClients(count: number): Uint8Array {
  const updates = Array.from({ length: count }, () => updateOf((doc) => doc.getArray('records').push([record(1)])));
  return Y.mergeUpdates(updates);
}

async function farEnds(lab: SyncLab, link: RoomLink): Promise<FarEnd[]> {
  const ends: FarEnd[] = [];
  const before = lab.relay.greet;
  lab.relay.greet = (far, room) => {
    ends.push(far);
    before?.(far, room);
  };
  lab.relay.network.drop();
  await lab.pass(1000);
  expect(link.state().state).toBe('online');
  return ends;
}
