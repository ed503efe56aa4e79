import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stdioAgent } from '../support/agent.ts';
import { cli, up } from '../support/cli.ts';
import { tempDir } from '../support/temp-dir.ts';

async function place() {
  const dir = await tempDir();
  const workspace = join(dir, 'project');
  await mkdir(workspace);
  await writeFile(join(workspace, 'a.txt'), 'one\n');
  const state = join(dir, 'state');
  const at = ['--workspace', workspace, '--state', state] as const;
  return {
    workspace,
    state,
    run: (...args: readonly string[]) => cli(...args, ...at),
    file: (name: string) => readFile(join(workspace, name), 'utf8'),
  };
}

describe('the command line, from a proposal to the file', () => {
  test('shows, approves, rejects and reverts what an agent proposed', async () => {
    const { file, run, state, workspace } = await place();
    await up(workspace, state, '--port', '0');
    const agent = await stdioAgent(workspace, state);
    await agent.call('write_file', { path: 'a.txt', content: 'two\n' });
    await agent.call('write_file', { path: 'b.txt', content: 'new\n' });
    await agent.call('write_file', { path: 'c.txt', content: 'no\n' });
    expect(await file('a.txt')).toBe('one\n');

    const { json: rows } = await run('queue', '--json');
    expect(rows.map(({ seq, state: now, kind }) => [seq, now, kind])).toEqual([
      [1, 'pending', 'file.write'],
      [2, 'pending', 'file.write'],
      [3, 'pending', 'file.write'],
    ]);
    const shown = await run('show', '1');
    expect(shown.out).toMatch(/-one\n[^]*\+two/);

    const behind = await run('approve', '2', '--wait', 'applied', '--json');
    expect([behind.code, behind.json[0]?.['result'], behind.json[0]?.['waitsFor']]).toEqual([
      1,
      'received',
      [rows[0]?.['id']],
    ]);

    const unknown = await run('approve', '99', '1', '--wait', 'applied', '--json');
    expect(unknown.code).toBe(1);
    expect(unknown.json.map(({ id, result }) => [id, result])).toEqual([
      ['99', 'refused'],
      [rows[0]?.['id'], 'received'],
    ]);
    expect(await file('a.txt')).toBe('two\n');

    const rejected = await run('reject', '3', '--reason', 'not this', '--json');
    expect([rejected.code, rejected.json[0]?.['result']]).toEqual([0, 'received']);
    expect((await run('reject', '3')).err).toMatch(/#3 reject: refused \(It is already rejected/);

    const reverted = await run('revert', '1', '--wait', 'applied', '--json');
    expect([reverted.code, reverted.json[0]?.['state']]).toEqual([0, 'reverted']);
    expect([await file('a.txt'), await file('b.txt')]).toEqual(['one\n', 'new\n']);

    const verified = await run('audit', 'verify', '--json');
    expect([verified.code, verified.json.at(-1)]).toEqual([
      0,
      expect.objectContaining({ event: 'verified', result: 'ok' }),
    ]);
    await agent.close();
    expect((await run('down')).code).toBe(0);
  });
});
