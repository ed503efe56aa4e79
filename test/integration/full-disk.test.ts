import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stdioAgent } from '../support/agent.ts';
import { cli, up } from '../support/cli.ts';
import { smallDisk } from '../support/small-disk.ts';
import { tempDir } from '../support/temp-dir.ts';

test('[F2] on a full disk a home refuses and goes on serving, a decision is visibly not saved, and space heals it', async () => {
  const disk = await smallDisk(6);
  // Without it, test/unit/authority/full-disk.test.ts proves the same rules on a disk that only says it is full.
  if (disk === undefined) return;
  const workspace = join(await tempDir(), 'project');
  await mkdir(workspace);
  const at = ['--workspace', workspace, '--state', join(disk.folder, 'state')] as const;
  await up(workspace, join(disk.folder, 'state'), '--port', '0');
  const agent = await stdioAgent(workspace, join(disk.folder, 'state'));
  const write = async (name: string, bytes: number) => {
    const lines = await agent.call('write_file', { path: name, content: name.padEnd(bytes, '.') });
    return lines[0] ?? '';
  };

  const answers: string[] = [];
  do answers.push(await write(`f${answers.length}.txt`, 200_000));
  while (answers.at(-1)?.startsWith('Queued') === true);
  const queued = answers.length - 1;
  expect(queued).toBeGreaterThan(2);
  expect(answers.at(-1)).toMatch(/The disk is full: nothing was queued/);
  expect((await cli('queue', '--json', ...at)).json).toHaveLength(queued);
  // Whatever is left goes to small files, until not even a decision fits.
  while ((await write(`s${answers.length}.txt`, 20)).startsWith('Queued')) answers.push('small');

  const refused = await cli('approve', '--all', ...at);
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('is full')]);
  expect(refused.err).not.toContain('    at ');
  expect(await readdir(workspace)).toEqual([]);

  disk.resize(40);
  const open = (await cli('queue', '--json', ...at)).json.length;
  expect((await cli('approve', '--all', '--wait', 'applied', ...at)).code).toBe(0);
  expect(await readdir(workspace)).toHaveLength(open);
  expect((await cli('audit', 'verify', '--json', ...at)).json.at(-1)).toMatchObject({ result: 'ok' });
});
