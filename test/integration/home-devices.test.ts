import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Snapshot } from '../../src/replica/index.ts';
import { cliLab } from '../support/cli-lab.ts';
import { deviceFrom } from '../support/home-device.ts';

describe('a device, the relay in the home, and the runtime', () => {
  test('[DR-3] sees the queue, approves, and what it approved is applied', async () => {
    const lab = await cliLab();
    const home = await lab.home();
    await lab.guard(home);
    const agent = await lab.agent(home);
    await lab.write(agent, 'a.txt', 'one');
    await lab.write(agent, 'b.txt', 'two');
    const device = await deviceFrom((await home.home.ownerPort().panelLink({ by: 'panel' })).url);
    await device.sees(
      'both actions',
      ({ workspaces }) =>
        workspaces[0]?.open.every(({ card }) => card === 'here') === true && workspaces[0].open.length === 2,
    );
    await device.decide('approve', [1]);
    await device.sees(
      '#1 applied',
      ({ workspaces }) => workspaces[0]?.settled.some(({ record }) => record.state === 'applied') === true,
    );
    expect(await readFile(join(lab.workspace, 'a.txt'), 'utf8')).toBe('one');
    await device.decide('reject', [2], 'not this one');
    await device.sees(
      'nothing open',
      ({ outgoing, workspaces }) => workspaces[0]?.open.length === 0 && outgoing.length === 0,
    );
    expect(device.action(2).record.state).toBe('rejected');
  });

  test('[DC-8] one that is revoked is shut out at once, what it approved and had not begun is dropped, and the others go on', async () => {
    const lab = await cliLab();
    const home = await lab.home({ cliRight: 'approve-all' });
    await lab.guard(home);
    const agent = await lab.agent(home);
    for (const path of ['a.txt', 'b.txt', 'c.txt']) await lab.write(agent, path, path);
    await agent.close();
    const link = async () => (await home.home.ownerPort().panelLink({ by: 'panel' })).url;
    const lost = await deviceFrom(await link(), 'lost phone');
    const kept = await deviceFrom(await link(), 'laptop');
    const open = (count: number) => (snapshot: Snapshot) =>
      snapshot.workspaces[0]?.open.length === count && snapshot.workspaces[0].open.every(({ card }) => card === 'here');
    for (const device of [lost, kept]) await device.sees('three open', open(3));
    // It waits behind #1, so it has not begun when its device goes.
    await lost.decide('approve', [2]);
    await kept.sees('#2 approved', () => kept.action(2).record.state === 'approved');
    const { device: id } = lost.replica;
    expect((await lab.run('devices', 'revoke', id)).code).toBe(0);
    await lost.sees('that it was removed', ({ alarms }) => alarms.some(({ kind }) => kind === 'revoked'));
    await kept.sees('#2 undecided again', () => kept.action(2).record.state === 'pending');
    await kept.decide('approve', [1]);
    await kept.sees('#1 applied', ({ workspaces }) => workspaces[0]?.settled.length === 1);
    expect(existsSync(join(lab.workspace, 'b.txt'))).toBe(false);
    await kept.decide('approve', [2, 3]);
    await kept.sees(
      'all applied',
      ({ outgoing, workspaces }) => workspaces[0]?.settled.length === 3 && outgoing.length === 0,
    );
  });

  test('[DC-3] a reject on one device is seen on the other, and beats an approve of the command line', async () => {
    const lab = await cliLab();
    const home = await lab.home();
    await lab.guard(home);
    const agent = await lab.agent(home);
    for (const path of ['a.txt', 'b.txt']) await lab.write(agent, path, path);
    const link = async () => (await home.home.ownerPort().panelLink({ by: 'panel' })).url;
    const [phone, laptop] = [await deviceFrom(await link(), 'phone'), await deviceFrom(await link(), 'laptop')];
    for (const device of [phone, laptop])
      await device.sees('two open', ({ workspaces }) => workspaces[0]?.open.length === 2);
    // Behind the undecided #1 the approval of #2 waits, so that the reject comes in time.
    await lab.run('approve', '2');
    await phone.decide('reject', [2], 'Not this.');
    await laptop.sees('#2 rejected', ({ workspaces }) => workspaces[0]?.settled.length === 1);
    expect(laptop.action(2).record.state).toBe('rejected');
    await lab.run('approve', '1', '--wait', 'applied');
    await phone.sees('#1 applied', ({ workspaces }) => workspaces[0]?.settled.length === 2);
    expect([existsSync(join(lab.workspace, 'a.txt')), existsSync(join(lab.workspace, 'b.txt'))]).toEqual([true, false]);
  });

  test('a window that is closed and opened again is the same device', async () => {
    const lab = await cliLab();
    const home = await lab.home();
    await lab.guard(home);
    const agent = await lab.agent(home);
    await lab.write(agent, 'a.txt', 'a');
    const before = await deviceFrom((await home.home.ownerPort().panelLink({ by: 'panel' })).url);
    await before.sees('one open', ({ workspaces }) => workspaces[0]?.open[0]?.card === 'here');
    const after = await before.reopen();
    await after.sees('one open', ({ workspaces }) => workspaces[0]?.open[0]?.card === 'here');
    expect(after.replica.device).toBe(before.replica.device);
    await after.decide('approve', [1]);
    await after.sees(
      'it applied',
      ({ outgoing, workspaces }) => workspaces[0]?.settled.length === 1 && outgoing.length === 0,
    );
    expect(await home.home.ownerPort().devices()).toHaveLength(2);
  });

  test('[F4] a damaged store of the relay keeps no home from starting, and the device goes on', async () => {
    const lab = await cliLab();
    const first = await lab.home({ port: undefined });
    await lab.guard(first);
    await lab.write(await lab.agent(first), 'a.txt', 'a');
    const device = await deviceFrom((await first.home.ownerPort().panelLink({ by: 'panel' })).url);
    await device.sees('one open', ({ workspaces }) => workspaces[0]?.open[0]?.card === 'here');
    first.stop();
    await first.ended;
    await device.decide('approve', [1]);
    const kept = join(lab.state, 'relay');
    for (const file of await readdir(kept)) await writeFile(join(kept, file), 'no database, only words '.repeat(500));
    const second = await lab.home({ port: undefined });
    await lab.guard(second);
    device.replica.reconnect();
    await device.sees(
      'it applied',
      ({ outgoing, workspaces }) => workspaces[0]?.settled.length === 1 && outgoing.length === 0,
    );
    expect(await readdir(lab.state)).toContain('relay.damaged');
  });
});
