import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
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
});
