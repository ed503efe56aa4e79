import { cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import type { RunningHome } from '../../src/cli/home/start-home.ts';
import { HEAD_RECORD_BYTES } from '../../src/journal/sqlite/head-record.ts';
import { verifySqliteJournal } from '../../src/journal/sqlite/index.ts';
import { leaveQuarantine } from '../../src/journal/sqlite/leave-quarantine.ts';
import { cliLab, type CliLab } from '../support/cli-lab.ts';

async function end(home: RunningHome): Promise<void> {
  home.stop();
  await home.ended;
}

async function journalDir({ state }: CliLab): Promise<string> {
  const [found] = await readdir(join(state, 'workspaces'));
  return join(state, 'workspaces', found ?? '');
}

/**
 * A person's backup of the database, put back over the newer one and without its head log: since then `#1` was applied,
 * `#2` was approved and waits, `#4` was made.
 */
async function putBack(): Promise<CliLab & { readonly journal: string }> {
  const lab = await cliLab();
  const first = await lab.home();
  await lab.guard(first);
  const agent = await lab.agent(first);
  for (const name of ['a', 'b', 'c']) await lab.write(agent, `${name}.txt`, `${name}\n`);
  expect((await lab.run('approve', '3')).code).toBe(0);
  await agent.close();
  await end(first);
  const journal = await journalDir(lab);
  await cp(join(journal, 'journal.db'), join(lab.dir, 'backup.db'));
  const second = await lab.home();
  await lab.guard(second);
  expect((await lab.run('approve', '1', '--wait', 'applied')).code).toBe(0);
  await lab.write(await lab.agent(second), 'd.txt', 'd\n');
  await end(second);
  await cp(join(lab.dir, 'backup.db'), join(journal, 'journal.db'));
  for (const name of ['journal.db-wal', 'journal.db-shm']) await rm(join(journal, name), { force: true });
  return { ...lab, journal };
}

test('[EF-7] quarantine is shown with what is in doubt, and left by a person with every right: asked again, and in doubt', async () => {
  const lab = await putBack();
  const home = await lab.home({ cliRight: 'approve-all' });
  const before = await lab.guard(home);
  expect(before.quarantine).toContain('The head log knows row');
  const shown = await lab.run('quarantine', 'show');
  expect(shown.out.join('\n')).toContain('#1, attempt 1: Write a.txt');
  expect((await lab.run('quarantine', 'show', '--json')).json[0]).toMatchObject({
    doubtful: [{ seq: 1, attempt: 1, known: { state: 'pending' } }],
  });

  const left = await lab.run('quarantine', 'leave', '--json');
  expect([left.code, left.err]).toEqual([0, []]);
  expect(left.json[0]).toMatchObject({ quarantine: null, fence: before.fence + 1 });
  const rows = (await lab.run('queue', '--all', '--json')).json;
  expect(rows.map(({ attention, seq, state }) => [seq, state, (attention as { kind?: string } | null)?.kind])).toEqual([
    [1, 'in-doubt', undefined],
    [2, 'pending', 'stale'],
    [3, 'pending', 'stale'],
  ]);
  expect((await lab.run('quarantine', 'show')).out).toEqual(['There is no quarantine here.']);
  expect(verifySqliteJournal({ dir: lab.journal }).faults).toEqual([]);
  expect(await readdir(lab.journal)).toContain('set-aside-1');

  expect((await lab.run('settle', '1', 'happened')).code).toBe(0);
  expect((await lab.run('approve', '--all', '--wait', 'applied')).code).toBe(0);
  expect(await readFile(join(lab.workspace, 'b.txt'), 'utf8')).toBe('b\n');
  await end(home);
  const again = await lab.home();
  expect(await lab.guard(again), 'a restart raises no fence').toMatchObject({
    quarantine: null,
    fence: before.fence + 1,
  });
});

test('[EF-7] without every right nothing is left, and an agent cannot have it', async () => {
  const lab = await putBack();
  const home = await lab.home();
  await lab.guard(home);
  const refused = await lab.run('quarantine', 'leave');
  expect([refused.code, refused.err.join(' ')]).toEqual([1, expect.stringContaining('approve-all')]);
  await end(home);
  const withAll = await lab.home({ cliRight: 'approve-all' });
  await lab.guard(withAll);
  await lab.agent(withAll);
  const live = await lab.run('quarantine', 'leave');
  expect([live.code, live.err.join(' ')]).toEqual([1, expect.stringContaining('session is live')]);
  expect((await lab.guard(withAll)).quarantine).not.toBeNull();
});

test('[EF-7] a crash after the head log was made anew still puts in doubt what only the old one knew', async () => {
  const lab = await putBack();
  expect(leaveQuarantine({ dir: lab.journal }).doubtful).toEqual([{ actionSeq: 1, attempt: 1 }]);
  const home = await lab.home();
  expect(await lab.guard(home)).toMatchObject({ quarantine: null, fence: 2 });
  expect((await lab.run('queue', '--json')).json.map(({ state }) => state)).toEqual(['in-doubt', 'pending', 'pending']);
});

test('[EF-7] a crash between the old head log and the new one is a quarantine that is left again, and forgets nothing', async () => {
  const lab = await putBack();
  leaveQuarantine({ dir: lab.journal });
  await rm(join(lab.journal, 'head.log'));
  expect(leaveQuarantine({ dir: lab.journal }).doubtful).toContainEqual({ actionSeq: 1, attempt: 1 });
  const home = await lab.home();
  await lab.guard(home);
  expect((await lab.run('queue', '--json')).json[0]).toMatchObject({ seq: 1, state: 'in-doubt' });
});

test('[EF-7] where only the witness is damaged nothing is in doubt: the rows know what became of everything', async () => {
  const lab = await cliLab();
  const first = await lab.home();
  await lab.guard(first);
  const agent = await lab.agent(first);
  for (const name of ['a', 'b', 'c']) await lab.write(agent, `${name}.txt`, `${name}\n`);
  expect((await lab.run('approve', '1', '2', '--wait', 'applied')).code).toBe(0);
  expect((await lab.run('revert', '1', '--wait', 'applied')).code).toBe(0);
  await agent.close();
  await end(first);
  const headLog = join(await journalDir(lab), 'head.log');
  const bytes = await readFile(headLog);
  // In the middle of what it has witnessed, before anything had begun.
  bytes.fill(0xff, HEAD_RECORD_BYTES * 2, HEAD_RECORD_BYTES * 2 + 8);
  await writeFile(headLog, bytes);

  const home = await lab.home({ cliRight: 'approve-all' });
  expect((await lab.guard(home)).quarantine).toContain('The head log is damaged at row');
  expect((await lab.run('quarantine', 'show', '--json')).json[0]).toMatchObject({ doubtful: [] });
  expect((await lab.run('quarantine', 'leave')).code).toBe(0);
  expect((await lab.run('queue', '--all', '--json')).json.map(({ state }) => state)).toEqual([
    'reverted',
    'applied',
    'pending',
  ]);
});

test('[EF-7] a database that is damaged itself stays in quarantine, and says that only a backup helps', async () => {
  const lab = await putBack();
  const database = new Sqlite(join(lab.journal, 'journal.db'));
  database.prepare('DELETE FROM rows WHERE seq = 3').run();
  database.close();
  const home = await lab.home({ cliRight: 'approve-all' });
  await lab.guard(home);
  const refused = await lab.run('quarantine', 'leave');
  expect([refused.code, refused.err.join(' ')]).toEqual([1, expect.stringContaining('put a backup')]);
  expect((await lab.guard(home)).quarantine).not.toBeNull();
});

test('[EF-3] up --adopt raises the fence once, and a restart does not', async () => {
  const lab = await cliLab();
  const first = await lab.home();
  expect(await lab.guard(first)).toMatchObject({ fence: 1 });
  const agent = await lab.agent(first);
  await lab.write(agent, 'a.txt', 'a\n');
  await lab.write(agent, 'b.txt', 'b\n');
  expect((await lab.run('approve', '2')).code).toBe(0);
  await end(first);
  await rename(lab.workspace, `${lab.workspace}-before`);
  await cp(`${lab.workspace}-before`, lab.workspace, { recursive: true });
  const second = await lab.home();
  await expect(lab.guard(second)).rejects.toMatchObject({ code: 'denied' });
  const adopt = { dir: lab.workspace, adopt: true, exclusive: false };
  expect(await second.home.openWorkspace(adopt)).toMatchObject({ fence: 2 });
  const rows = (await lab.run('queue', '--json')).json;
  expect(rows.map(({ attention, state }) => [state, (attention as { kind?: string } | null)?.kind])).toEqual([
    ['pending', 'stale'],
    ['pending', 'stale'],
  ]);
  await end(second);
  const third = await lab.home();
  expect(await third.home.openWorkspace(adopt), 'it is the folder that is guarded').toMatchObject({ fence: 2 });
});
