import * as Y from 'yjs';
import { expect, test } from 'vitest';
import { CLOSE_CODES } from '../../src/sync/close-codes.ts';
import { seededRandom } from '../../src/testing/seeded-random.ts';
import { headOf, homeIdentity, INBOX, LEDGER, signedHead, SyncLab, wordOf } from '../support/sync-lab.ts';
import { ScriptedRelay } from '../support/sync-relay.ts';

/**
 * Goal: whatever a network and an honest relay go through, in the end everybody has what its writer wrote, and a change
 * that was acknowledged was on the relay.
 * Method: random writes, breaks, restarts, refusals, outages and wiped stores from one seed; then the network heals.
 */
const SEEDS = Array.from({ length: 8 }, (_, at) => at + 1);
const STEPS = 60;
const CLOSES = [1001, 1006, ...(['unauthenticated', 'slow', 'too-fast', 'full', 'gone'] as const)].map((each) =>
  typeof each === 'number' ? each : CLOSE_CODES[each].code,
);

test.each(SEEDS)('a ledger and an inbox arrive after faults (seed %i)', async (seed) => {
  const random = seededRandom(seed);
  const die = (sides: number): number => (random.bytes(1)[0] ?? 0) % sides;
  const relay = new ScriptedRelay();
  relay.head = signedHead(headOf(1));
  const home = new SyncLab({ identity: homeIdentity, relay });
  const device = new SyncLab({ relay, clock: home.clock });

  const journal = new Y.Doc();
  const publication = home.client.publish(LEDGER, Y.encodeStateAsUpdate(journal), {
    onDamaged: (why) => {
      throw new Error(why);
    },
  });
  journal.on('update', (update) => publication.update(update));
  const ledger = new Y.Doc();
  const inbox = new Y.Doc();
  const seenInbox = new Y.Doc();
  const links = [
    device.client.join({ room: LEDGER, doc: ledger, role: 'reader' }),
    device.client.join({ room: INBOX, doc: inbox, role: 'writer' }),
    home.client.join({ room: INBOX, doc: seenInbox, role: 'reader' }),
  ];
  let count = 0;
  const trace: string[] = [];
  const faults: readonly (readonly [string, () => void])[] = [
    ['publish', () => publishOne(journal, (1 + die(200)) * 1024, ++count)],
    ['publish', () => publishOne(journal, 64, ++count)],
    ['decide', () => void inbox.getMap('decisions').set(`w:${++count}`, new Uint8Array(100))],
    ['prune', () => inbox.getMap('decisions').delete([...inbox.getMap('decisions').keys()][0] ?? '')],
    ['break', () => relay.network.drop()],
    ['restart', () => relay.restart(CLOSES[die(CLOSES.length)])],
    ['outage', () => void (relay.network.reachable = false)],
    ['back', () => void (relay.network.reachable = true)],
    ['wipe', () => wipe(relay)],
    ['refuse', () => void (relay.answer = () => new Response('', { status: 503 }))],
    ['serve', () => void (relay.answer = () => undefined)],
  ];
  for (let step = 0; step < STEPS; step++) {
    const [name, run] = faults[die(faults.length)] ?? ['nothing', () => undefined];
    trace.push(name);
    run();
    await home.pass(die(4) * 500, 500);
  }
  relay.network.reachable = true;
  relay.answer = () => undefined;
  await home.pass(200_000, 1000);
  const why = `seed ${seed}: ${trace.join(' ')}`;
  expect(
    [publication, ...links].map((link) => wordOf(link.state())),
    why,
  ).toEqual(Array(4).fill('synced'));
  await publication.durable();
  await links[1]?.durable();
  const written = wordsOf(journal);
  expect(wordsOf(relay.room(LEDGER)), why).toEqual(written);
  expect(wordsOf(ledger), why).toEqual(written);
  expect([...seenInbox.getMap('decisions').keys()].toSorted(), why).toEqual(
    [...inbox.getMap('decisions').keys()].toSorted(),
  );
  expect([...home.faults, ...device.faults], why).toEqual([]);
});

/** As a ledger changes: what is new takes the place of what was, in one transaction. */
function publishOne(journal: Y.Doc, length: number, value: number): void {
  const records = journal.getArray<Uint8Array>('records');
  journal.transact(() => {
    if (records.length > 8) records.delete(0, 1);
    records.push([new Uint8Array(length).fill(value)]);
  });
}

/** Records by what tells them apart, so that a difference can be read. */
function wordsOf(doc: Y.Doc): string[] {
  const records = doc.getArray<Uint8Array>('records').toArray();
  return records.map((record) => `${record.length} of ${record[0] ?? 'nothing'}`);
}

function wipe(relay: ScriptedRelay): void {
  relay.rooms.clear();
  relay.restart();
}
