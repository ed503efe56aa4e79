import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { cliLab, type CliLab } from '../support/cli-lab.ts';

/** A workspace with a decided action, at rest. */
async function atRest(): Promise<{ readonly lab: CliLab; readonly journal: string }> {
  const lab = await cliLab();
  const id = await session(lab, 'a', 'approve');
  return { lab, journal: join(lab.state, 'workspaces', id) };
}

/** A home comes, an agent writes one file, this device decides on it, the home ends. */
async function session(lab: CliLab, name: string, decision: 'approve' | 'hold'): Promise<string> {
  const home = await lab.home();
  const { id } = await lab.guard(home);
  await lab.write(await lab.agent(home), name, `${name}\n`);
  const waiting = (await lab.run('queue', '--json')).json.find(({ state }) => state === 'pending');
  await lab.run(decision, String(waiting?.['seq']), ...(decision === 'approve' ? ['--wait', 'applied'] : []));
  home.stop();
  await home.ended;
  return id;
}

async function verify(lab: CliLab): Promise<readonly [number, unknown]> {
  const { code, json } = await lab.run('audit', 'verify', '--json');
  expect(json.at(-1)).toMatchObject({ event: 'verified', entries: expect.any(Number) });
  return [code, json.at(-1)?.['result']];
}

describe('audit verify', () => {
  test('[T21] says ok of what is as it was written, and tampered of one changed byte', async () => {
    const { journal, lab } = await atRest();
    expect(await verify(lab)).toEqual([0, 'ok']);
    const database = new Database(join(journal, 'journal.db'));
    const { event } = database.prepare('SELECT event FROM rows WHERE seq = 3').get() as { event: Buffer }; // reason: one column
    event[10] = (event[10] ?? 0) ^ 1;
    database.prepare('UPDATE rows SET event = ? WHERE seq = 3').run(event);
    database.close();
    expect(await verify(lab)).toEqual([10, 'tampered']);
  });

  test('[T21] says incomplete of an older copy, and fork when that copy went on another way', async () => {
    const { journal, lab } = await atRest();
    await cp(journal, join(lab.dir, 'older'), { recursive: true });
    await session(lab, 'b', 'approve');
    expect(await verify(lab)).toEqual([0, 'ok']);
    await rm(journal, { recursive: true });
    await cp(join(lab.dir, 'older'), journal, { recursive: true });
    expect(await verify(lab)).toEqual([11, 'incomplete']);
    for (const name of ['c', 'd', 'e']) await session(lab, name, 'hold');
    expect(await verify(lab)).toEqual([12, 'fork']);
  });

  test('[T21] says tampered of a log that another home signed', async () => {
    const { journal, lab } = await atRest();
    const other = await lab.home({ state: join(lab.dir, 'other') });
    const { id } = await lab.guard(other);
    other.stop();
    await other.ended;
    await rm(journal, { recursive: true });
    await cp(join(lab.dir, 'other', 'workspaces', id), journal, { recursive: true });
    expect(await verify(lab)).toEqual([10, 'tampered']);
  });
});
