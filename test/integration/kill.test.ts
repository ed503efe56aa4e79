import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stdioAgent } from '../support/agent.ts';
import { cli, up, type Up } from '../support/cli.ts';
import { tempDir } from '../support/temp-dir.ts';

const FILES = 24;
const ROUNDS = 3;

interface Place {
  readonly workspace: string;
  readonly state: string;
  readonly at: readonly string[];
}

async function place(): Promise<Place> {
  const dir = await tempDir();
  const workspace = join(dir, 'project');
  const state = join(dir, 'state');
  await mkdir(workspace);
  for (let i = 0; i < FILES; i++) await writeFile(join(workspace, name(i)), `file ${i}\n`);
  return { workspace, state, at: ['--workspace', workspace, '--state', state] };
}

const name = (i: number): string => `f${i}.txt`;

async function texts({ workspace }: Place): Promise<readonly string[]> {
  return Promise.all(Array.from({ length: FILES }, (_, i) => readFile(join(workspace, name(i)), 'utf8')));
}

async function killed({ child, ended }: Up): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}

/** Looks again and again, at the pace of the looking itself, until it is so. */
async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
  }
}

async function queue(spot: Place, ...more: readonly string[]): Promise<readonly Record<string, unknown>[]> {
  return (await cli('queue', '--json', ...more, ...spot.at)).json;
}

describe('kill -9', () => {
  test('[F1] at any point of the drain: after the restart everything is applied, and nothing twice', async () => {
    const spot = await place();
    let home = await up(spot.workspace, spot.state, '--port', '0');
    const agent = await stdioAgent(spot.workspace, spot.state);
    // Two appends a file: a second time would show in the text.
    for (let i = 0; i < FILES; i++) {
      await agent.call('edit_file', {
        path: name(i),
        edits: [{ oldText: `file ${i}\n`, newText: `file ${i}\nonce\n` }],
      });
    }
    await agent.close();
    for (let round = 1; round <= ROUNDS; round++) {
      const decided = cli('approve', '--through', String(round * (FILES / ROUNDS)), '--json', ...spot.at);
      // Killed while files are changing, or just before or after: whatever the first file of the round shows.
      await until(async () =>
        (await texts(spot))[(round - 1) * (FILES / ROUNDS)]?.endsWith('once\n') === true ? true : undefined,
      );
      await killed(home);
      await decided;
      home = await up(spot.workspace, spot.state, '--port', '0');
      await until(async () => {
        const rows = await queue(spot);
        return rows.some(({ state }) => state === 'approved' || state === 'applying') ? undefined : true;
      });
      // A decision that was cut off before its receipt is in the outbox, and was sent again by `up`.
      const shown = await texts(spot);
      expect(shown.map((text) => text.split('once').length - 1)).toEqual(
        Array.from({ length: FILES }, (_, i) => (i < round * (FILES / ROUNDS) ? 1 : 0)),
      );
    }
    expect((await queue(spot, '--all')).map(({ state }) => state)).toEqual(
      Array.from({ length: FILES }, () => 'applied'),
    );
    const verified = await cli('audit', 'verify', '--json', ...spot.at);
    expect(verified.json.at(-1)).toMatchObject({ event: 'verified', result: 'ok' });
    await killed(home);
  });

  test('[F1] at any point of a proposal: what was answered is in the queue, and no file was touched', async () => {
    const spot = await place();
    const before = await texts(spot);
    const answered = new Set<string>();
    for (let round = 0; round < 3; round++) {
      const home = await up(spot.workspace, spot.state, '--port', '0');
      const agent = await stdioAgent(spot.workspace, spot.state);
      const writing = Promise.all(
        Array.from({ length: FILES }, async (_, i) => {
          const path = `new-${round}-${i}.txt`;
          const [line] = await agent.call('write_file', { path, content: `${path}\n` });
          if (line?.startsWith('Queued') === true) answered.add(path);
        }),
      );
      const enough = answered.size + 5;
      await until(async () => {
        await new Promise((resolve) => void setImmediate(resolve));
        return answered.size >= enough ? true : undefined;
      });
      await killed(home);
      await writing;
      await agent.close();
    }
    const home = await up(spot.workspace, spot.state, '--port', '0');
    const targets = new Set((await queue(spot)).map(({ target }) => target));
    expect([...answered].filter((path) => !targets.has(path))).toEqual([]);
    expect(await texts(spot)).toEqual(before);
    await killed(home);
  });

  test('[DC-6] a decision made while the runtime is down is saved, and honoured once', async () => {
    const spot = await place();
    const first = await up(spot.workspace, spot.state, '--port', '0');
    const agent = await stdioAgent(spot.workspace, spot.state);
    await agent.call('write_file', { path: name(0), content: 'approved\n' });
    await agent.call('write_file', { path: name(1), content: 'rejected\n' });
    await agent.close();
    // Approved, and behind #1: a reject that was saved meanwhile must still come in time.
    await cli('approve', '2', '--json', ...spot.at);
    await killed(first);

    const saved = await cli('approve', '1', '--json', ...spot.at);
    expect([saved.code, saved.json[0]?.['result']]).toEqual([0, 'saved']);
    expect((await cli('reject', '2', '--json', ...spot.at)).json[0]?.['result']).toBe('saved');
    expect((await texts(spot))[0]).toBe('file 0\n');

    const second = await up(spot.workspace, spot.state, '--port', '0');
    await until(async () => ((await texts(spot))[0] === 'approved\n' ? true : undefined));
    expect((await queue(spot, '--all')).map(({ state }) => state)).toEqual(['applied', 'rejected']);
    await killed(second);
    await writeFile(join(spot.workspace, name(0)), 'mine again\n');
    const third = await up(spot.workspace, spot.state, '--port', '0');
    expect((await queue(spot, '--all')).map(({ state }) => state)).toEqual(['applied', 'rejected']);
    expect((await texts(spot))[0]).toBe('mine again\n');
    await killed(third);
  });
});
