import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bundled } from '../support/bundle.ts';
import { cli, up } from '../support/cli.ts';
import { cliLab } from '../support/cli-lab.ts';

/** A port of this machine on which something else listens until the test is over. */
async function takenPort(): Promise<number> {
  const other = createServer();
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const address = other.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe('a home and its folders', () => {
  test('[F5] [DR-7] of 20 homes at once on one workspace one guards it, and the others name it', async () => {
    const lab = await cliLab();
    const homes = await Promise.all(
      Array.from({ length: 20 }, (_, index) => lab.home({ state: join(lab.dir, `state-${index}`) })),
    );
    const results = await Promise.allSettled(homes.map((home) => lab.guard(home)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const winner = homes[results.findIndex(({ status }) => status === 'fulfilled')]?.home.status();
    const sentences = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
    expect(new Set(sentences)).toEqual(
      new Set([
        `CountersignError: ${lab.workspace} is guarded by home ${winner?.homeId} (process ${process.pid}, state ${winner?.stateDir}).`,
      ]),
    );
  });

  test('[DR-7] a second home on one state folder does not start', async () => {
    const lab = await cliLab();
    await lab.home();
    await expect(lab.home()).rejects.toThrow(/is guarded by home/);
  });

  test('a folder inside or around a guarded one is refused, by its own home and by another', async () => {
    const lab = await cliLab();
    await mkdir(join(lab.workspace, 'inner', 'deep'), { recursive: true });
    const home = await lab.home();
    await lab.guard(home, join(lab.workspace, 'inner'));
    const other = await lab.home({ state: join(lab.dir, 'other') });
    for (const asked of [home, other]) {
      await expect(lab.guard(asked, lab.workspace)).rejects.toThrow(/lies around .*inner/);
      await expect(lab.guard(asked, join(lab.workspace, 'inner', 'deep'))).rejects.toThrow(/lies inside .*inner/);
    }
    expect(home.home.status().workspaces).toHaveLength(1);
    expect(other.home.status().workspaces).toEqual([]);
  });

  test('the same folder by another name is the same workspace', async () => {
    const lab = await cliLab();
    const home = await lab.home();
    await symlink(lab.workspace, join(lab.dir, 'link'));
    const first = await lab.guard(home);
    expect((await lab.guard(home, join(lab.dir, 'link'))).id).toBe(first.id);
  });

  test('[F5] a moved folder goes on; a copy in its place is refused until it is adopted, at a new fence', async () => {
    const lab = await cliLab();
    const first = await lab.home();
    const before = await lab.guard(first);
    await lab.write(await lab.agent(first), 'a', 'text');
    await lab.run('approve', '1');
    first.stop();
    await first.ended;
    await cp(lab.workspace, join(lab.dir, 'copy'), { recursive: true });
    await rename(lab.workspace, join(lab.dir, 'moved'));

    const second = await lab.home();
    expect(await lab.guard(second, join(lab.dir, 'moved'))).toMatchObject({ id: before.id, fence: 1 });
    second.stop();
    await second.ended;
    await rm(join(lab.dir, 'moved'), { recursive: true });
    await rename(join(lab.dir, 'copy'), join(lab.dir, 'moved'));

    const third = await lab.home();
    const place = { dir: join(lab.dir, 'moved'), exclusive: false };
    await expect(third.home.openWorkspace({ ...place, adopt: false })).rejects.toThrow(/copied or replaced.*--adopt/);
    expect(await third.home.openWorkspace({ ...place, adopt: true })).toMatchObject({ id: before.id, fence: 2 });
  });
});

describe('what cannot be guarded', () => {
  test('is refused with one sentence and exit code 1, and leaves nothing behind', async () => {
    const lab = await cliLab();
    await writeFile(join(lab.dir, 'file'), '');
    const cases: [string, readonly string[], RegExp][] = [
      ['missing', ['--workspace', join(lab.dir, 'gone')], /gone cannot be used: it does not exist/],
      ['no folder', ['--workspace', join(lab.dir, 'file')], /file is not a folder/],
      ['holds the state', ['--workspace', lab.dir], /holds the state folder/],
      ['in the state', ['--state', lab.dir], /lies in the state folder/],
    ];
    const before = await readdir(lab.dir);
    for (const [name, args, why] of cases) {
      const { code, err } = await lab.run('up', ...args);
      expect([name, code, err.length]).toEqual([name, 1, 1]);
      expect(err[0]).toMatch(why);
    }
    expect(await readdir(lab.dir)).toEqual(before);
  });
});

describe('what a home cannot use', () => {
  test('a port in use is refused before anything is written', async () => {
    const lab = await cliLab();
    const port = await takenPort();
    const { code, err } = await lab.run('up', '--port', String(port));
    expect([code, err]).toEqual([1, [expect.stringMatching(new RegExp(`Port ${port} is in use by another program`))]]);
    expect(await readdir(lab.state)).not.toContain('home');
  });

  test('[F10] a journal of a newer version is refused and not changed', async () => {
    const lab = await cliLab();
    const first = await lab.home();
    const { id } = await lab.guard(first);
    first.stop();
    await first.ended;
    const path = join(lab.state, 'workspaces', id, 'journal.db');
    const database = new Database(path);
    database.pragma('user_version = 99');
    database.close();
    const second = await lab.home();
    await expect(lab.guard(second)).rejects.toThrow(/version 99/);
    expect(second.home.status().workspaces).toEqual([]);
    second.stop();
    await second.ended;
    expect((await lab.run('queue')).err).toEqual([expect.stringMatching(/version 99/)]);
  });

  test('[F10] journals of an older version are named while nothing runs, and renewed by the next start', async () => {
    const lab = await cliLab();
    const first = await lab.home();
    const { id } = await lab.guard(first);
    await lab.write(await lab.agent(first), 'a', 'text');
    first.stop();
    await first.ended;
    const folders = [join(lab.state, 'home'), join(lab.state, 'workspaces', id)];
    for (const folder of folders) {
      const database = new Database(join(folder, 'journal.db'));
      database.pragma('user_version = 1');
      database.close();
    }
    for (const command of [['queue'], ['audit', 'verify'], ['approve', '1']])
      expect((await lab.run(...command)).err).toEqual([expect.stringMatching(/older version: start the runtime once/)]);
    const second = await lab.home();
    expect(await lab.guard(second)).toMatchObject({ id, fence: 1 });
    for (const folder of folders) expect(await readdir(folder)).toContain('journal.v1.backup.db');
    expect((await lab.run('approve', '1', '--wait', 'applied')).code).toBe(0);
    expect((await lab.run('audit', 'verify')).out).toEqual([expect.stringMatching(/entries: ok/)]);
  });

  test('a state folder that others can read is refused', async () => {
    const lab = await cliLab();
    const first = await lab.home();
    first.stop();
    await first.ended;
    await chmod(lab.state, 0o755);
    for (const command of ['up', 'queue', 'status', 'where']) {
      const { code, err } = await lab.run(command);
      expect([command, code, err]).toEqual([command, 1, [expect.stringMatching(/open to others \(mode 755\)/)]]);
    }
  });
});

describe('as processes', () => {
  test('[F5] up, join, a stopped holder, a killed one, down', async () => {
    const lab = await cliLab();
    const first = await up(lab.workspace, lab.state, '--port', '0');
    expect(first.ready).toMatchObject({
      event: 'ready',
      panelUrl: expect.stringMatching(/^http:\/\/localhost:\d+\/#b=[\w-]{22}$/),
      relayUrl: expect.stringMatching(/^ws:\/\/localhost:\d+$/),
      pid: first.child.pid,
    });

    await mkdir(join(lab.dir, 'more'));
    const joined = await cli('up', '--json', '--workspace', join(lab.dir, 'more'), '--state', lab.state);
    expect([joined.code, joined.json[0]]).toEqual([
      0,
      expect.objectContaining({ event: 'ready', pid: first.child.pid }),
    ]);
    expect((await lab.run('status', '--json')).json[0]?.['workspaces']).toHaveLength(2);

    first.child.kill('SIGSTOP');
    const refused = await cli('up', '--workspace', lab.workspace, '--state', join(lab.dir, 'other'), '--port', '0');
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringMatching(/another home that does not answer \(it may be stopped\)/),
    ]);
    first.child.kill('SIGKILL');
    await first.ended;

    const second = await up(lab.workspace, lab.state, '--port', '0');
    second.child.kill('SIGTERM');
    expect((await second.ended).code).toBe(0);
  });

  test('a home started in the background serves until it is told to end', async () => {
    const lab = await cliLab();
    onTestFinished(async () => void (await lab.run('down')));
    const { code, json } = await cli(
      'up',
      '--detach',
      '--json',
      '--workspace',
      lab.workspace,
      '--state',
      lab.state,
      '--port',
      '0',
    );
    expect([code, json[0]?.['event']]).toEqual([0, 'ready']);
    const down = await lab.run('down', '--json');
    expect(down.json).toEqual([{ event: 'down', pid: json[0]?.['pid'] }]);
    const port = await takenPort();
    const place = ['--workspace', lab.workspace, '--state', lab.state] as const;
    const failed = await cli('up', '--detach', '--port', String(port), ...place);
    expect([failed.code, failed.err]).toEqual([1, expect.stringMatching(/The home did not start: Port \d+ is in use/)]);
  });

  test('[DC-2] 20 processes that decide at once get 20 numbers without a gap', async () => {
    const lab = await cliLab();
    const { script } = await bundled({ script: './save-decision.ts' });
    const children = Array.from({ length: 20 }, () =>
      spawn(process.execPath, [script, join(lab.dir, 'device.db')], {
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    );
    const numbers = await Promise.all(
      children.map(async (child) => {
        let out = '';
        child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
        await once(child, 'close');
        return Number(out);
      }),
    );
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });
});
