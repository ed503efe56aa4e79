import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AgentPort } from '../../src/model/agent-port.ts';
import type { RunningHome } from '../../src/cli/home/start-home.ts';
import { cliLab, type CliLab } from '../support/cli-lab.ts';

/** A real repository with a branch beside main, in which the first file begins with another line. */
async function repository(files: number): Promise<CliLab & { git(...args: readonly string[]): void }> {
  const lab = await cliLab();
  const git = (...args: readonly string[]): void => {
    const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'commit.gpgsign=false'];
    execFileSync('git', [...who, ...args], { cwd: lab.workspace, stdio: 'pipe' });
  };
  git('init', '-q', '-b', 'main');
  for (let n = 1; n <= files; n++) await writeFile(join(lab.workspace, `f${n}.ts`), 'one\n\ntwo\n\nthree\n');
  git('add', '.');
  git('commit', '-q', '-m', 'main');
  git('checkout', '-q', '-b', 'topic');
  await writeFile(join(lab.workspace, 'f1.ts'), 'zero\none\n\ntwo\n\nthree\n');
  git('commit', '-q', '-a', '-m', 'topic');
  git('checkout', '-q', 'main');
  return { ...lab, git };
}

const edit = (agent: AgentPort, n: number) =>
  agent.call({
    tool: 'edit_file',
    arguments: { path: `f${n}.ts`, edits: [{ oldText: 'two', newText: 'TWO' }] },
    callId: null,
  });

/** Waits until an approved action has ended. */
async function ended(home: RunningHome, seq: number): Promise<unknown> {
  const port = home.home.ownerPort();
  const workspace = (await port.status()).workspaces[0]?.id;
  if (workspace === undefined) throw new Error('a folder is guarded');
  for (;;) {
    const row = (await port.queue({ workspace, all: true })).find((each) => each.seq === seq);
    if (row === undefined || (row.state !== 'approved' && row.state !== 'applying')) return row?.state;
    await port.waitForChange({ workspace, known: { [row.id]: row.state }, timeoutMs: 20_000 });
  }
}

const states = async ({ run }: CliLab): Promise<readonly unknown[]> =>
  (await run('queue', '--all', '--json')).json.map(({ state }) => state);

test('[GM-4] [GM-5] a person switches branches under what waits: one block, and all of it merged, looked at and applied', async () => {
  const lab = await repository(3);
  const home = await lab.home();
  await lab.guard(home);
  const agent = await lab.agent(home);
  for (const n of [1, 2, 3]) await edit(agent, n);
  lab.git('checkout', '-q', 'topic');
  expect((await lab.run('approve', '--all')).code).toBe(0);
  const queue = await lab.run('queue');
  const said = 'This was made on main, and your files are on topic now.';
  expect(queue.out[0]).toContain(said);
  expect(queue.out.join('\n')).toContain('countersign resolve --moved merge');
  expect((await lab.run('status')).out.join('\n')).toContain(said);
  expect((await lab.run('status', '--json')).json[0]).toMatchObject({ workspaces: [{ moved: { why: said } }] });
  expect(await states(lab)).toEqual(['approved', 'approved', 'approved']);

  const merged = await lab.run('resolve', '--moved', 'merge');
  expect([merged.code, merged.out.length]).toEqual([0, 6]);
  expect(await states(lab)).toEqual(['pending', 'pending', 'pending']);
  expect((await lab.run('queue')).out.join('\n')).not.toContain('--moved');
  expect((await lab.run('approve', '--all', '--wait', 'applied')).code).toBe(0);
  expect(await readFile(join(lab.workspace, 'f1.ts'), 'utf8')).toBe('zero\none\n\nTWO\n\nthree\n');
  expect(await readFile(join(lab.workspace, 'f3.ts'), 'utf8')).toBe('one\n\nTWO\n\nthree\n');
});

test('[GM-4] a person who switches back finds what they approved applied, and hold sets aside what was made there', async () => {
  const lab = await repository(3);
  const home = await lab.home();
  await lab.guard(home);
  const agent = await lab.agent(home);
  await edit(agent, 1);
  await edit(agent, 2);
  lab.git('checkout', '-q', 'topic');
  expect((await lab.run('approve', '1')).code).toBe(0);
  lab.git('checkout', '-q', 'main');
  expect((await lab.run('queue')).out.join('\n')).not.toContain('--moved');
  expect(await ended(home, 1)).toBe('applied');
  expect(await states(lab)).toEqual(['applied', 'pending']);
  lab.git('stash', '-q');
  lab.git('checkout', '-q', 'topic');
  await edit(agent, 3);
  expect((await lab.run('hold', '--moved')).code).toBe(0);
  expect((await lab.run('approve', '3', '--wait', 'applied')).code).toBe(0);
  expect(await states(lab)).toEqual(['applied', 'held', 'applied']);
});

test('[GM-4] a person’s formatter runs over thirty files: one question, not thirty', async () => {
  const lab = await repository(30);
  const home = await lab.home();
  await lab.guard(home);
  const agent = await lab.agent(home);
  for (let n = 1; n <= 30; n++) await edit(agent, n);
  for (let n = 1; n <= 30; n++) await writeFile(join(lab.workspace, `f${n}.ts`), 'one;\n\ntwo\n\nthree\n');
  expect((await lab.run('approve', '--all')).code).toBe(0);
  const first = await lab.run('approve', '1', '--wait', 'applied');
  expect([first.code, first.err.join(' ')], 'it waits, and says why').toEqual([
    1,
    expect.stringContaining('30 of the files changed at once.'),
  ]);
  const { out } = await lab.run('queue');
  expect(out[0]).toContain('30 of the files changed at once.');
  expect(new Set(await states(lab))).toEqual(new Set(['approved']));
  expect((await lab.run('resolve', '--moved', 'merge')).code).toBe(0);
  expect((await lab.run('approve', '--all', '--wait', 'applied')).code).toBe(0);
  expect(await readFile(join(lab.workspace, 'f30.ts'), 'utf8')).toBe('one;\n\nTWO\n\nthree\n');
});

test('[GM-4] a switch while no home runs is said by the command line, and met by the next home', async () => {
  const lab = await repository(2);
  const home = await lab.home();
  await lab.guard(home);
  await edit(await lab.agent(home), 1);
  home.stop();
  await home.ended;
  lab.git('checkout', '-q', 'topic');
  expect((await lab.run('queue')).out[0]).toContain('your files are on topic now');
  expect((await lab.run('approve', '1')).code).toBe(0);
  const again = await lab.home();
  await lab.guard(again);
  expect(await states(lab)).toEqual(['approved']);
  lab.git('checkout', '-q', 'main');
  await lab.run('status');
  expect(await ended(again, 1)).toBe('applied');
});
