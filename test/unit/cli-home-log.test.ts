import { expect, test } from 'vitest';
import { openHead, type Head } from '../../src/access/head.ts';
import { PUBLISH_LIMITS } from '../../src/authority/publish/limits.ts';
import { toHex } from '../../src/base/bytes.ts';
import { deviceIdOf } from '../../src/access/home-id.ts';
import { HomeBook } from '../../src/cli/home/home-book.ts';
import { nodeCrypto, nodeSigner } from '../../src/crypto/node.ts';
import { openKeys, type KeyRing } from '../../src/doc/keys.ts';
import { TileReader } from '../../src/doc/tile.ts';
import type { Journal } from '../../src/authority/ports.ts';
import { FakeClock, memoryJournal, seededRandom } from '../../src/testing/index.ts';
import { Kept } from '../support/publish-lab.ts';

const signer = nodeSigner(new Uint8Array(32).fill(1));
const people = [2, 3].map((seed) => {
  const { publicKey } = nodeSigner(new Uint8Array(32).fill(seed));
  const box = nodeCrypto.agreement(new Uint8Array(32).fill(seed + 10));
  return { publicKey, box, id: deviceIdOf(nodeCrypto.sha256, publicKey) };
});
const [ada, bob] = people as [(typeof people)[number], (typeof people)[number]]; // reason: there are two

/** A home's book that publishes its log, as a start makes it. */
async function bookLab(journal: Journal = memoryJournal(), seed = 1) {
  const [clock, outlet, faults] = [new FakeClock(), new Kept(), [] as unknown[]];
  const book = await HomeBook.open({
    journal,
    crypto: nodeCrypto,
    signer,
    clock,
    random: seededRandom(seed),
    onFatal: (error) => void faults.push(error),
  });
  const head = (): Head => {
    const opened = openHead(nodeCrypto.verify, signer.publicKey, { home: book.id, number: 1 }, book.head);
    if (!opened.ok) throw new Error(opened.error);
    return opened.value;
  };
  const keysFor = async ({ box, id }: (typeof people)[number]): Promise<KeyRing | undefined> => {
    const { log } = head();
    if (log === undefined) throw new Error('the head says nothing of the log');
    const opened = await openKeys(nodeCrypto, box, { home: book.id, device: id }, { ...log, id: null });
    return opened.ok ? opened.value : undefined;
  };
  /** What a device reads in the tile that the head names. */
  const read = async (who: (typeof people)[number]): Promise<readonly string[]> => {
    const name = `a/${book.id}/-/${head().log?.tile}`;
    const [doc, keys] = [outlet.rooms.get(name), await keysFor(who)];
    if (doc === undefined || keys === undefined) return [];
    const reader = new TileReader(doc, { crypto: nodeCrypto, name, keys: () => keys });
    return reader.numbers.flatMap((seq) => {
      const entry = reader.entry(seq);
      return entry?.ok === true ? [toHex(entry.value)] : [];
    });
  };
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 30; turn++) {
      await new Promise((resolve) => void setImmediate(resolve));
      clock.advance(10);
    }
  };
  const rows = (): readonly string[] => journal.rows(1, 1_000).map(({ audit }) => toHex(audit));
  const admit = ({ box, publicKey }: (typeof people)[number]) =>
    book.admit({ publicKey, boxKey: box.publicKey, nickname: 'x', right: 'approve-all' });
  return { book, journal, clock, outlet, faults, head, keysFor, read, settled, rows, admit };
}

test('the home’s own log is published for every device of the roster, and the head says where and how far', async () => {
  const lab = await bookLab();
  expect(lab.head().log, 'nothing is published yet').toBeUndefined();
  lab.book.publishLog(lab.outlet);
  await lab.settled();
  await lab.admit(ada);
  await lab.settled();
  const end = lab.journal.head();
  expect(lab.head().log).toMatchObject({ tile: '1.1', keyGen: 1, size: end.seq, root: toHex(end.root) });
  expect(await lab.read(ada)).toEqual(lab.rows());
  expect(await lab.read(bob)).toEqual([]);
  expect(lab.rows()).toHaveLength(3);
  expect(lab.faults).toEqual([]);
});

test('[DC-8] who is removed reads nothing that is written to the home’s log from then on, not even that', async () => {
  const lab = await bookLab();
  lab.book.publishLog(lab.outlet);
  for (const who of people) await lab.admit(who);
  await lab.settled();
  const before = lab.outlet.rooms.get(`a/${lab.book.id}/-/1.1`);
  await lab.book.revoke(bob.id);
  await lab.settled();
  expect(lab.head().log).toMatchObject({ tile: '1.2', keyGen: 2 });
  expect(await lab.keysFor(bob)).toBeUndefined();
  expect((await lab.keysFor(ada))?.all.map(({ gen }) => gen)).toEqual([2, 1]);
  expect(await lab.read(ada)).toEqual(lab.rows());
  expect(before?.getMap('entries').size, 'its removal stands in the next tile alone').toBe(lab.rows().length - 1);
});

test('after a restart it goes on in the same tile; one that the relay damaged is left, once a minute', async () => {
  const first = await bookLab();
  first.book.publishLog(first.outlet);
  await first.admit(ada);
  await first.settled();
  const lab = await bookLab(first.journal, 2);
  expect(lab.head().log?.tile, 'known before it is shown again').toBe('1.1');
  lab.book.publishLog(lab.outlet);
  await lab.settled();
  expect(lab.head().log?.tile).toBe('1.1');
  expect(await lab.read(ada)).toEqual(lab.rows());
  lab.book.logDamaged(`a/${lab.book.id}/-/9.9`);
  await lab.settled();
  expect(lab.head().log?.tile).toBe('1.1');
  lab.book.logDamaged(`a/${lab.book.id}/-/1.1`);
  await lab.settled();
  expect(lab.head().log?.tile).toBe('1.2');
  lab.book.logDamaged(`a/${lab.book.id}/-/1.2`);
  await lab.settled();
  expect(lab.head().log?.tile).toBe('1.2');
  lab.clock.advance(PUBLISH_LIMITS.roomEveryMs);
  await lab.settled();
  expect(lab.head().log?.tile).toBe('1.3');
  expect(await lab.read(ada)).toEqual(lab.rows());
  expect(lab.faults).toEqual([]);
});

test('a book that is closed while its log is being published stores nothing more', async () => {
  const lab = await bookLab();
  lab.book.publishLog(lab.outlet);
  const admitted = lab.admit(ada);
  await lab.book.close();
  await admitted;
  await lab.settled();
  expect(lab.faults).toEqual([]);
});
