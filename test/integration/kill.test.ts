import { readFileSync, watch } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { casePlace, type CasePlace } from '../support/case-place.ts';
import type { Up } from '../support/cli.ts';

const FILES = 24;
const ROUNDS = 3;

async function withFiles(): Promise<CasePlace> {
  const place = await casePlace();
  for (let i = 0; i < FILES; i++) await writeFile(join(place.workspace, name(i)), `file ${i}\n`);
  return place;
}

const name = (i: number): string => `f${i}.txt`;

async function texts(place: CasePlace): Promise<readonly (string | null)[]> {
  return Promise.all(Array.from({ length: FILES }, (_, i) => place.text(name(i))));
}

async function killed({ child, ended }: Up): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}

/** Waits until a file ends with this line, as soon as the folder says that it changed. */
function shows({ workspace }: CasePlace, file: string, line: string): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!readFileSync(join(workspace, file), 'utf8').endsWith(`${line}\n`)) return;
      watcher.close();
      resolve();
    };
    const watcher = watch(workspace, look);
    look();
  });
}

const states = async (place: CasePlace) => (await place.queue()).map(({ state }) => state);

/** A promise, and what keeps it. */
function pledge(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((keep) => (resolve = keep));
  return { promise, resolve };
}

describe('kill -9', () => {
  test('[F1] at any point of the drain: after the restart everything is applied, and nothing twice', async () => {
    const place = await withFiles();
    let home = await place.start('files');
    const agent = await place.agent();
    // Two appends a file: a second time would show in the text.
    for (let i = 0; i < FILES; i++) {
      await agent.call('edit_file', {
        path: name(i),
        edits: [{ oldText: `file ${i}\n`, newText: `file ${i}\nonce\n` }],
      });
    }
    await agent.close();
    for (let round = 1; round <= ROUNDS; round++) {
      const through = round * (FILES / ROUNDS);
      const decided = place.run('approve', '--through', String(through), '--json');
      // Killed while files are changing: the first of the round just did.
      await shows(place, name(through - FILES / ROUNDS), 'once');
      await killed(home);
      await decided;
      home = await place.start('files');
      // A decision that was cut off before its receipt is in the outbox, and is sent again by `up`.
      await place.until(...Array.from({ length: FILES }, (_, i) => (i < through ? 'applied' : 'pending')));
      const shown = await texts(place);
      expect(shown.map((text) => (text?.split('once').length ?? 0) - 1)).toEqual(
        Array.from({ length: FILES }, (_, i) => (i < through ? 1 : 0)),
      );
    }
    const verified = await place.run('audit', 'verify', '--json');
    expect(verified.json.at(-1)).toMatchObject({ event: 'verified', result: 'ok' });
    await killed(home);
  });

  test('[F1] at any point of a proposal: what was answered is in the queue, and no file was touched', async () => {
    const place = await withFiles();
    const before = await texts(place);
    const answered = new Set<string>();
    for (let round = 0; round < 3; round++) {
      const home = await place.start('files');
      const agent = await place.agent();
      const enough = answered.size + 5;
      const { promise: some, resolve: answer } = pledge();
      const writing = Promise.all(
        Array.from({ length: FILES }, async (_, i) => {
          const path = `new-${round}-${i}.txt`;
          const [line] = await agent.call('write_file', { path, content: `${path}\n` });
          if (line?.startsWith('Queued') === true) answered.add(path);
          if (answered.size >= enough) answer();
        }),
      );
      await some;
      await killed(home);
      await writing;
      await agent.close();
    }
    const home = await place.start('files');
    const targets = new Set((await place.queue()).map(({ target }) => target));
    expect([...answered].filter((path) => !targets.has(path))).toEqual([]);
    expect(await texts(place)).toEqual(before);
    await killed(home);
  });

  test('[DC-6] a decision made while the runtime is down is saved, and honoured once', async () => {
    const place = await withFiles();
    const first = await place.start('files');
    const agent = await place.agent();
    await agent.call('write_file', { path: name(0), content: 'approved\n' });
    await agent.call('write_file', { path: name(1), content: 'rejected\n' });
    await agent.close();
    // Approved, and behind #1: a reject that was saved meanwhile must still come in time.
    await place.run('approve', '2', '--json');
    await killed(first);

    const saved = await place.run('approve', '1', '--json');
    expect([saved.code, saved.json[0]?.['result']]).toEqual([0, 'saved']);
    expect((await place.run('reject', '2', '--json')).json[0]?.['result']).toBe('saved');
    expect(await place.text(name(0))).toBe('file 0\n');

    const second = await place.start('files');
    await place.until('applied', 'rejected');
    expect(await place.text(name(0))).toBe('approved\n');
    await killed(second);
    await writeFile(join(place.workspace, name(0)), 'mine again\n');
    const third = await place.start('files');
    expect(await states(place)).toEqual(['applied', 'rejected']);
    expect(await place.text(name(0))).toBe('mine again\n');
    await killed(third);
  });
});
