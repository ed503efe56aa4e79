import { describe, expect, test } from 'vitest';
import { cappedRoster } from '../../src/cli/home/capped-roster.ts';
import { NOTHING_PUBLISHED } from '../../src/cli/home/book-state.ts';
import { deviceIdOf } from '../../src/access/home-id.ts';
import { HomeBook, type BookChange } from '../../src/cli/home/home-book.ts';
import { watchIdle } from '../../src/cli/home/idle-watch.ts';
import type { WorkspaceRecord } from '../../src/cli/state/workspace-place.ts';
import type { Journal } from '../../src/authority/ports.ts';
import { CountersignError } from '../../src/base/errors.ts';
import { nodeCrypto, nodeSigner } from '../../src/crypto/node.ts';
import type { Agreement } from '../../src/crypto/ports.ts';
import { openKeys } from '../../src/doc/keys.ts';
import { openGrant } from '../../src/access/grant.ts';
import { digestFrom } from '../../src/model/digest.ts';
import { workspaceId, type DeviceId } from '../../src/model/ids.ts';
import { FakeClock, memoryJournal, seededRandom } from '../../src/testing/index.ts';
import { openHead } from '../../src/access/head.ts';

const signer = nodeSigner(new Uint8Array(32).fill(1));
const device = nodeSigner(new Uint8Array(32).fill(2)).publicKey;
const id = deviceIdOf(nodeCrypto.sha256, device);
const WORKSPACE: WorkspaceRecord = {
  id: workspaceId(new Uint8Array(16)),
  path: '/w',
  dev: '1',
  ino: '2',
  born: '3',
  fence: 1,
};

function open(journal = memoryJournal(), key = signer, clock = new FakeClock()): Promise<HomeBook> {
  return HomeBook.open({
    journal,
    crypto: nodeCrypto,
    signer: key,
    clock,
    random: seededRandom(1),
    onFatal: () => undefined,
  });
}

describe("the home's own book", () => {
  test('enrols a device with a humble right, and changes it only when told', async () => {
    const journal = memoryJournal();
    const book = await open(journal);
    await book.admit({ publicKey: device, nickname: 'command line', right: undefined });
    expect(book.device(id)?.right).toBe('approve-reversible');
    const number = book.number();
    await book.admit({ publicKey: device, nickname: 'command line', right: undefined });
    expect(book.number()).toBe(number);
    await book.admit({ publicKey: device, nickname: 'command line', right: 'approve-all' });
    expect([book.number(), book.device(id)?.right]).toEqual([number + 1, 'approve-all']);
    const kinds = journal.rows(1, 100).map(({ kind }) => kind);
    expect(kinds).toEqual(['opened', 'started', 'device-added', 'device-right']);
  });

  test('reads the same roster and workspaces again, under a higher head number, and for its own key only', async () => {
    const journal = memoryJournal();
    const first = await open(journal);
    await first.admit({ publicKey: device, nickname: 'command line', right: 'reject-only' });
    await first.keepWorkspace(WORKSPACE, 'new');
    const head = openHead(nodeCrypto.verify, signer.publicKey, { home: first.id, number: 1 }, first.head);
    expect(head.ok && head.value.workspaces.map((one) => [one.id, one.fence])).toEqual([[WORKSPACE.id, 1]]);

    const second = await open(journal);
    expect([second.device(id)?.right, second.workspaces]).toEqual(['reject-only', [WORKSPACE]]);
    const known = { home: first.id, number: head.ok ? head.value.number + 1 : 0 };
    expect(openHead(nodeCrypto.verify, signer.publicKey, known, second.head).ok).toBe(true);
    expect(openHead(nodeCrypto.verify, signer.publicKey, known, first.head).ok).toBe(false);
    await expect(open(journal, nodeSigner(new Uint8Array(32).fill(9)))).rejects.toThrow(/another home/);
  });
});

test('the command line may not do everything while an agent that is not contained is live', async () => {
  const book = await open();
  await book.admit({ publicKey: device, nickname: 'command line', right: 'approve-all' });
  let live = false;
  const roster = cappedRoster(book, id, () => live);
  expect(roster.device(id)?.right).toBe('approve-all');
  live = true;
  expect(roster.device(id)?.right).toBe('approve-reversible');
  await book.admit({ publicKey: device, nickname: 'command line', right: 'view' });
  expect(roster.device(id)?.right).toBe('view');
});

test('a home that nobody uses ends after its time, counted from the last use', () => {
  const clock = new FakeClock();
  let busy = true;
  let ended = 0;
  watchIdle({ clock, idleMs: 60_000, busy: () => busy, onIdle: () => (ended += 1) });
  clock.advance(600_000);
  busy = false;
  clock.advance(50_000);
  expect(ended).toBe(0);
  busy = true;
  clock.advance(10_000);
  busy = false;
  clock.advance(59_000);
  expect(ended).toBe(0);
  clock.advance(60_000);
  expect(ended).toBe(1);
});

describe('content keys', () => {
  const box = nodeCrypto.agreement(new Uint8Array(32).fill(5));
  const other = { key: nodeSigner(new Uint8Array(32).fill(6)), box: nodeCrypto.agreement(new Uint8Array(32).fill(7)) };
  const otherId = deviceIdOf(nodeCrypto.sha256, other.key.publicKey);
  const second: WorkspaceRecord = { ...WORKSPACE, id: workspaceId(new Uint8Array(16).fill(1)), path: '/v' };

  function headOf(book: HomeBook) {
    const head = openHead(nodeCrypto.verify, signer.publicKey, { home: book.id, number: 1 }, book.head);
    if (!head.ok) throw new Error(head.error);
    return head.value;
  }

  async function readable(book: HomeBook, who: DeviceId, own: Agreement): Promise<readonly (readonly number[])[]> {
    const rings = headOf(book).workspaces.map((each) =>
      openKeys(nodeCrypto, own, { home: book.id, device: who }, each),
    );
    return (await Promise.all(rings)).map((ring) => (ring.ok ? ring.value.all.map(({ gen }) => gen) : []));
  }

  async function paired(journal = memoryJournal()): Promise<HomeBook> {
    const book = await open(journal);
    await book.keepWorkspace(WORKSPACE, 'new');
    await book.admit({ publicKey: device, boxKey: box.publicKey, nickname: 'phone', right: 'approve-all' });
    await book.admit({
      publicKey: other.key.publicKey,
      boxKey: other.box.publicKey,
      nickname: 'tablet',
      right: 'reject-only',
    });
    await book.keepWorkspace(second, 'new');
    return book;
  }

  test('every device of the roster opens the key of every workspace, whichever came first', async () => {
    const book = await paired();
    expect(await readable(book, id, box)).toEqual([[1], [1]]);
    expect(await readable(book, otherId, other.box)).toEqual([[1], [1]]);
    expect(await readable(book, id, other.box), 'a box is for one key').toEqual([[], []]);
    const given = headOf(book).workspaces[0]?.boxes;
    await book.admit({ publicKey: device, nickname: 'phone', right: 'reject-only' });
    expect(headOf(book).workspaces[0]?.boxes, 'what is boxed stays boxed').toEqual(given);
  });

  test('[DC-8] a removed device is in no head, has no key of what comes, and everybody else reads on', async () => {
    const journal = memoryJournal();
    const book = await paired(journal);
    const before = headOf(book);
    const changes: BookChange[] = [];
    book.subscribe((change) => changes.push(change));
    await book.revoke(otherId);
    const head = headOf(book);
    expect(head.roster.map((entry) => entry.device)).toEqual([id]);
    expect([head.rosterNumber - before.rosterNumber, head.workspaces.map(({ keyGen }) => keyGen)]).toEqual([1, [2, 2]]);
    expect(await readable(book, otherId, other.box)).toEqual([[], []]);
    expect(await readable(book, id, box)).toEqual([
      [2, 1],
      [2, 1],
    ]);
    expect(changes).toEqual([{ roster: true, keys: true }]);
    expect(book.device(otherId)?.revoked).toBe(true);
    expect(() => book.grantFor(otherId)).toThrow(/no such device/);
    await expect(
      book.admit({ publicKey: other.key.publicKey, nickname: 'tablet', right: 'view' }),
      'a removed key stays removed',
    ).rejects.toMatchObject({ code: 'denied' });

    const again = await open(journal);
    expect(again.keysOf(second.id).secrets).toEqual(book.keysOf(second.id).secrets);
    expect(await readable(again, id, box)).toEqual([
      [2, 1],
      [2, 1],
    ]);
    expect([again.number(), again.device(otherId)?.revoked]).toEqual([book.number(), true]);
  });

  test('a grant says what the roster says, signed by the home', async () => {
    const book = await paired();
    const grant = openGrant(nodeCrypto.verify, signer.publicKey, book.id, book.grantFor(id));
    expect(grant).toMatchObject({ ok: true, value: { device: id, right: 'approve-all', number: book.number() } });
  });

  test('what authorities publish is gathered into one head, and stays while nobody guards the folder', async () => {
    const journal = memoryJournal();
    const clock = new FakeClock();
    const book = await open(journal, signer, clock);
    await book.keepWorkspace(WORKSPACE, 'new');
    const { number } = headOf(book);
    for (let n = 1; n <= 40; n++) book.publish(WORKSPACE.id, { ...NOTHING_PUBLISHED, room: `1.${n}` });
    clock.advance(1_000);
    await book.close();
    expect([headOf(book).number - number, headOf(book).workspaces[0]?.room]).toEqual([1, '1.40']);
  });

  test('[DC-5] what authorities said last is in a head before the home ends', async () => {
    const book = await open(memoryJournal());
    await book.keepWorkspace(WORKSPACE, 'new');
    const { number } = headOf(book);
    const heartbeat = { counter: 7, atMs: 5, size: 1, root: digestFrom(new Uint8Array(32)) };
    book.publish(WORKSPACE.id, { ...NOTHING_PUBLISHED, room: '1.1', heartbeat });
    await book.tellNews();
    expect([headOf(book).number - number, headOf(book).workspaces[0]?.heartbeat]).toEqual([1, heartbeat]);
    await book.tellNews();
    expect(headOf(book).number - number, 'nothing is new').toBe(1);
  });

  test('[F2] a head that a full disk refuses is not the newest one, and comes when there is space', async () => {
    const inner = memoryJournal();
    const clock = new FakeClock();
    let full = false;
    const commit: Journal['commit'] = (batch) =>
      full ? Promise.reject(new CountersignError('full', 'The disk is full.')) : inner.commit(batch);
    const journal: Journal = new Proxy(inner, {
      get: (of, name) => {
        const value: unknown = Reflect.get(of, name);
        if (name === 'commit') return commit;
        return typeof value === 'function' ? value.bind(of) : value;
      },
    });
    const book = await open(journal, signer, clock);
    await book.keepWorkspace(WORKSPACE, 'new');
    const { head } = book;
    full = true;
    book.publish(WORKSPACE.id, { ...NOTHING_PUBLISHED, room: '1.1' });
    clock.advance(1_000);
    await expect(
      book.admit({ publicKey: device, nickname: 'phone', right: 'view' }),
      'nothing of it counts',
    ).rejects.toMatchObject({ code: 'full' });
    expect([book.head, book.device(id)]).toEqual([head, undefined]);
    full = false;
    clock.advance(10_000);
    await new Promise((resolve) => void setImmediate(resolve));
    expect(headOf(book).workspaces[0]?.room).toBe('1.1');
  });
});
