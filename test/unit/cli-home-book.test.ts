import { describe, expect, test } from 'vitest';
import { cappedRoster } from '../../src/cli/home/capped-roster.ts';
import { deviceIdOf, HomeBook } from '../../src/cli/home/home-book.ts';
import { watchIdle } from '../../src/cli/home/idle-watch.ts';
import type { WorkspaceRecord } from '../../src/cli/state/workspace-place.ts';
import { nodeCrypto, nodeSigner } from '../../src/crypto/node.ts';
import { workspaceId } from '../../src/model/ids.ts';
import { FakeClock, memoryJournal, seededRandom } from '../../src/testing/index.ts';
import { openHead } from '../../src/access/head.ts';

const signer = nodeSigner(new Uint8Array(32).fill(1));
const device = nodeSigner(new Uint8Array(32).fill(2)).publicKey;
const id = deviceIdOf(nodeCrypto, device);
const WORKSPACE: WorkspaceRecord = {
  id: workspaceId(new Uint8Array(16)),
  path: '/w',
  dev: '1',
  ino: '2',
  born: '3',
  fence: 1,
};

function open(journal = memoryJournal(), key = signer): Promise<HomeBook> {
  return HomeBook.open({
    journal,
    crypto: nodeCrypto,
    signer: key,
    clock: new FakeClock(),
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
