import { existsSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stdioAgent } from '../support/agent.ts';
import { cli, up, type Up } from '../support/cli.ts';
import { deviceFrom } from '../support/home-device.ts';
import { relayProcess } from '../support/home-relay-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import type { Snapshot } from '../../src/replica/index.ts';

async function place() {
  const dir = await tempDir();
  const workspace = join(dir, 'project');
  const state = join(dir, 'state');
  await mkdir(workspace);
  const at = ['--workspace', workspace, '--state', state] as const;
  return {
    dir,
    workspace,
    state,
    up: (...more: readonly string[]) => up(workspace, state, ...more),
    run: ([command = '', ...rest]: readonly string[]) => cli(command, ...rest, ...at),
    /** Queues a file a call, in order, and leaves. */
    async write(...paths: readonly string[]) {
      const agent = await stdioAgent(workspace, state);
      for (const path of paths) await agent.call('write_file', { path, content: path });
      await agent.close();
    },
  };
}

const open = (count: number) => (snapshot: Snapshot) => {
  const [workspace] = snapshot.workspaces;
  return workspace?.open.length === count && workspace.open.every(({ card }) => card === 'here');
};
const settled = (count: number) => (snapshot: Snapshot) => snapshot.workspaces[0]?.settled.length === count;
const idle = ({ outgoing }: Snapshot) => outgoing.length === 0;
const sent = ({ outgoing }: Snapshot) => outgoing.length > 0 && outgoing.every(({ state }) => state === 'sent');

async function kill(home: Up): Promise<void> {
  home.child.kill('SIGKILL');
  await home.ended;
}

async function stop(home: Up): Promise<void> {
  home.child.kill('SIGTERM');
  expect((await home.ended).code).toBe(0);
}

describe('a home with its own relay', () => {
  test('[DC-6] is killed and comes back: the same port, and the device goes on', async () => {
    const lab = await place();
    const first = await lab.up();
    await lab.write('a', 'b');
    const device = await deviceFrom(String(first.ready['panelUrl']));
    await device.sees('two open', open(2));
    await kill(first);
    await device.sees('the relay gone', ({ connection }) => connection.state !== 'online');
    await device.decide('approve', [1]);
    expect(device.replica.snapshot().outgoing.map(({ state }) => state)).toEqual(['saved']);

    const second = await lab.up();
    expect(second.ready['relayUrl']).toBe(first.ready['relayUrl']);
    device.replica.reconnect();
    await device.sees('#1 applied', (snapshot) => settled(1)(snapshot) && idle(snapshot));
    expect(await readFile(join(lab.workspace, 'a'), 'utf8')).toBe('a');
    expect(existsSync(join(lab.workspace, 'b'))).toBe(false);
    const json = (await lab.run(['status', '--json'])).json[0];
    expect(json?.['devices']).toMatchObject([{ self: true }, { online: true, nickname: 'test browser' }]);
    await stop(second);
  });
});

describe('a home with a relay elsewhere', () => {
  /** A home that was started once with its own relay, and now has one that stays while it sleeps. */
  async function elsewhere() {
    const lab = await place();
    const first = await lab.up();
    const panel = new URL(String(first.ready['panelUrl'])).origin;
    await stop(first);
    const home = String(first.ready['homeId']);
    const args = ['--home', home, '--origin', panel];
    const relay = await relayProcess({ dir: lab.dir, port: 0, args });
    const running = await lab.up('--relay', relay.url);
    expect(running.ready['relayUrl']).toBe(relay.url);
    await lab.write('a', 'b');
    const device = await deviceFrom(String(running.ready['panelUrl']));
    await device.sees('two open', open(2));
    return { ...lab, relay, relayArgs: args, running, device };
  }

  test('[DC-6] that sleeps: a decision waits at the relay and is taken at the next start', async () => {
    const { device, run, running, up: again, workspace } = await elsewhere();
    await stop(running);
    await device.decide('approve', [1, 2]);
    await device.sees('sent', sent);
    expect(existsSync(join(workspace, 'a'))).toBe(false);
    // Not said again: it is remembered.
    const second = await again();
    await device.sees('both applied', (snapshot) => settled(2)(snapshot) && idle(snapshot));
    expect(await readFile(join(workspace, 'b'), 'utf8')).toBe('b');
    expect((await run(['status', '--json'])).json[0]).toMatchObject({
      relay: { embedded: false, connected: true, trouble: null },
    });
    await stop(second);
  });

  test('[DC-3] a reject made while it slept wins over an approve that was saved before on the command line', async () => {
    const { device, run, running, up: again, workspace } = await elsewhere();
    await stop(running);
    const saved = await run(['approve', '1', '2', '--json']);
    expect(saved.json.map(({ result }) => result)).toEqual(['saved', 'saved']);
    await device.decide('reject', [1], 'No.');
    await device.sees('sent', sent);
    const second = await again();
    await device.sees('both settled', (snapshot) => settled(2)(snapshot) && idle(snapshot));
    expect([device.action(1).record.state, device.action(2).record.state]).toEqual(['rejected', 'applied']);
    expect(existsSync(join(workspace, 'a'))).toBe(false);
    await stop(second);
  });

  test('[F4] the relay is killed and its store wiped: everything is there again, and decisions go on', async () => {
    const { device, dir, relay, relayArgs, running, workspace } = await elsewhere();
    await relay.kill();
    await device.decide('approve', [1]);
    await rm(join(dir, 'relay-data'), { recursive: true });
    const wiped = await relayProcess({ dir, port: relay.port, args: relayArgs });
    device.replica.reconnect();
    await device.sees('#1 applied', (snapshot) => settled(1)(snapshot) && idle(snapshot));
    expect(await readFile(join(workspace, 'a'), 'utf8')).toBe('a');
    const fresh = await deviceFrom(
      String((await cli('panel', '--json', '--state', join(dir, 'state'))).json[0]?.['url']),
    );
    await fresh.sees('one open', open(1));
    await stop(running);
    await wiped.kill();
  });

  test('a relay that is not there keeps nobody from working', async () => {
    const lab = await place();
    const home = await lab.up('--relay', 'ws://localhost:1');
    await lab.write('a');
    const approved = await lab.run(['approve', '1', '--wait', 'applied', '--json']);
    expect(approved.json[0]).toMatchObject({ result: 'received', state: 'applied' });
    expect((await lab.run(['status', '--json'])).json[0]).toMatchObject({
      relay: { embedded: false, connected: false, trouble: expect.any(String) },
    });
    await stop(home);
    const back = await lab.up('--relay', 'embedded');
    expect(back.ready['relayUrl']).toMatch(/^ws:\/\/localhost:\d+$/);
    await stop(back);
  });
});

describe('[DC-10] what an agent is given', () => {
  test('a home in the background tells its link to who started it, and to no file', async () => {
    const lab = await place();
    const { json } = await lab.run(['up', '--detach', '--json']);
    expect(json[0]?.['panelUrl']).toMatch(/#b=[\w-]{22}$/);
    expect(await readFile(join(lab.state, 'home.log'), 'utf8')).not.toContain('#b=');
    await lab.run(['down']);
  });

  test('holds no link: not the answers, not the log of the home that it started', async () => {
    const lab = await place();
    const agent = await stdioAgent(lab.workspace, lab.state);
    const said = [await agent.call('write_file', { path: 'a', content: 'a' }), await agent.call('queue_status', {})];
    const log = await readFile(join(lab.state, 'home.log'), 'utf8');
    expect(log).toContain('Guarding');
    expect(JSON.stringify(said) + log).not.toMatch(/#b=/);
    await agent.close();
    await cli('down', '--state', lab.state);
  });
});
