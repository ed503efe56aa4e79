import { expect, test } from 'vitest';
import { signHead, type Head } from '../../src/access/head.ts';
import { deviceIdOf, homeIdOf } from '../../src/access/home-id.ts';
import { toHex } from '../../src/base/bytes.ts';
import { CountersignError } from '../../src/base/errors.ts';
import { nodeCrypto, nodeSigner } from '../../src/crypto/node.ts';
import { Alarms } from '../../src/replica/alarms.ts';
import type { Core } from '../../src/replica/core.ts';
import { HeadKeeper } from '../../src/replica/head/head-keeper.ts';
import { memoryStorage } from '../../src/replica/index.ts';
import type { ReplicaStorage } from '../../src/replica/ports.ts';
import type { OpenedHead } from '../../src/sync/contract.ts';

const HOME = nodeSigner(new Uint8Array(32).fill(61));
const DEVICE = nodeSigner(new Uint8Array(32).fill(62));
const home = homeIdOf(nodeCrypto.sha256, HOME.publicKey);
const device = deviceIdOf(nodeCrypto.sha256, DEVICE.publicKey);

function headOf(number: number): OpenedHead {
  const member = { device, publicKey: toHex(DEVICE.publicKey), boxKey: null, right: 'view', addedEntry: 0 } as const;
  const head: Head = { v: 1, home, number, atMs: 1, roster: [member], rosterNumber: 1, workspaces: [] };
  return { head, signed: signHead(HOME, head) };
}

/** One window's keeper; `relay` is what a relay answers when it is asked. */
function windowOver(storage: ReplicaStorage, relay: () => OpenedHead) {
  const alarms = new Alarms(() => undefined);
  const tasks: Promise<void>[] = [];
  const parts = {
    home,
    homeKey: HOME.publicKey,
    device,
    crypto: nodeCrypto,
    storage,
    alarms,
    client: { head: { refresh: async () => relay() } },
    run: (task: () => Promise<void>) => void tasks.push(task()),
  };
  const keeper = new HeadKeeper(parts as unknown as Core, () => undefined); // reason: the parts that a keeper uses
  return { keeper, alarms, idle: () => Promise.all(tasks) };
}

test('[T9] a head that was overtaken by a newer one in another window is no relay that goes back', async () => {
  const storage = memoryStorage();
  const one = windowOver(storage, () => headOf(7));
  const two = windowOver(storage, () => headOf(7));
  await two.keeper.take(headOf(4).signed);
  await one.keeper.take(headOf(7).signed);
  // The second one is handed 5, finds what the first has kept, and is then handed 6, which is still on its way.
  await two.keeper.take(headOf(5).signed);
  expect(two.keeper.head?.number).toBe(7);
  await two.keeper.take(headOf(6).signed);
  await two.idle();
  expect(two.alarms.list()).toEqual([]);
});

test('[T9] a relay that answers with an older head than this device has seen goes back', async () => {
  const { alarms, idle, keeper } = windowOver(memoryStorage(), () => headOf(6));
  await keeper.take(headOf(7).signed);
  await keeper.take(headOf(6).signed);
  await idle();
  expect(alarms.list()).toMatchObject([{ kind: 'rollback', workspace: null }]);
  expect(keeper.head?.number).toBe(7);
});

test('[T9] a relay that cannot be asked has not gone back', async () => {
  const { alarms, idle, keeper } = windowOver(memoryStorage(), () => {
    throw new CountersignError('closed', 'The relay cannot be reached.');
  });
  await keeper.take(headOf(7).signed);
  await keeper.take(headOf(6).signed);
  await idle();
  expect(alarms.list()).toEqual([]);
});
