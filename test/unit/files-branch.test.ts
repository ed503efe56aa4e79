import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { branchName, branchOf } from '../../src/surfaces/files/branch.ts';
import { filesLab } from '../support/files-lab.ts';
import { tempDir } from '../support/temp-dir.ts';

const COMMIT = '0123456789abcdef0123456789abcdef01234567';

/** A folder with files of git's own, as given. */
async function folder(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await tempDir();
  for (const [path, text] of Object.entries(files)) {
    fs.mkdirSync(join(root, path, '..'), { recursive: true });
    fs.writeFileSync(join(root, path), text);
  }
  return root;
}

describe('the branch a folder is on', () => {
  test.each([
    ['a branch', { '.git/HEAD': 'ref: refs/heads/main\n' }, 'refs/heads/main'],
    ['a branch with folders', { '.git/HEAD': 'ref: refs/heads/a/b-c\n' }, 'refs/heads/a/b-c'],
    ['no branch', { '.git/HEAD': `${COMMIT}\n` }, `detached:${COMMIT}`],
    [
      'a commit of 64 digits',
      { '.git/HEAD': `${COMMIT}${COMMIT.slice(16)}\n` },
      `detached:${COMMIT}${COMMIT.slice(16)}`,
    ],
    ['outside of git', { 'a.txt': 'x' }, undefined],
    ['a git folder without HEAD', { '.git/config': '' }, undefined],
    ['the newer storage, where HEAD says nothing', { '.git/HEAD': 'ref: refs/heads/.invalid\n' }, undefined],
    ['something else', { '.git/HEAD': 'what is this' }, undefined],
    ['more than a name', { '.git/HEAD': `ref: refs/heads/${'x'.repeat(20_000)}\n` }, undefined],
    ['a name that is no line', { '.git/HEAD': 'ref: refs/heads/a\u0007b\n' }, undefined],
    [
      'a worktree',
      { '.git': 'gitdir: away/.git/worktrees/w\n', 'away/.git/worktrees/w/HEAD': 'ref: refs/heads/w\n' },
      'refs/heads/w',
    ],
    ['a .git file that says nothing', { '.git': 'gitdir' }, undefined],
  ])('[GM-5] %s', async (_, files, expected) => {
    expect(branchOf(await folder(files))).toBe(expected);
  });

  test('[GM-5] of a folder inside a repository it is the repository’s', async () => {
    const root = await folder({ '.git/HEAD': 'ref: refs/heads/main\n', 'a/b/c.txt': 'x' });
    expect(branchOf(join(root, 'a', 'b'))).toBe('refs/heads/main');
  });

  test('[GM-5] a link for a HEAD, as old repositories have it, is read as a name and not followed', async () => {
    const root = await folder({ '.git/refs/heads/main': `${COMMIT}\n` });
    fs.symlinkSync('refs/heads/main', join(root, '.git', 'HEAD'));
    expect(branchOf(root)).toBe('refs/heads/main');
  });

  test('[GM-5] a HEAD that is no file holds nobody up', async () => {
    const root = await folder({ '.git/config': '' });
    execFileSync('mkfifo', [join(root, '.git', 'HEAD')]);
    expect(branchOf(root)).toBeUndefined();
  });

  test('[GM-5] people read a branch’s own name', () => {
    expect(branchName('refs/heads/a/b')).toBe('a/b');
    expect(branchName(`detached:${COMMIT}`)).toBe('commit 0123456789ab');
  });
});

describe('an action on a branch', () => {
  test('[GM-5] records it, is not ready on another one, and is another action when it is made anew there', async () => {
    const lab = await filesLab({ 'a.txt': 'one\n', '.git/HEAD': 'ref: refs/heads/main\n' });
    const action = await lab.call('write_file', { path: 'a.txt', content: 'two\n' });
    expect(action.content.preconditions).toContainEqual({ resource: 'git:HEAD', expect: 'refs/heads/main' });
    expect(await action.surface.look?.(lab.context(action))).toEqual({ type: 'ready' });
    lab.put('.git/HEAD', 'ref: refs/heads/topic\n');
    const why = 'It was made on main, and the folder is on topic now.';
    expect(await action.surface.look?.(lab.context(action))).toEqual({ type: 'moved', why });
    const { answer, action: anew } = await lab.reissue(action);
    expect(answer).toMatchObject({ type: 'reissued', why });
    expect(anew.content.effect).toEqual(action.content.effect);
    expect(anew.content.preconditions).toContainEqual({ resource: 'git:HEAD', expect: 'refs/heads/topic' });
    expect(await lab.apply(anew)).toMatchObject({ type: 'applied' });
    expect(lab.bytes('a.txt')).toBe('two\n');
  });

  test('[GM-5] a delete and a folder are of their branch, too, and are made anew on another', async () => {
    const lab = await filesLab({ 'd/a.txt': 'one\n', '.git/HEAD': 'ref: refs/heads/main\n' });
    const actions = [
      await lab.call('delete_file', { path: 'd', recursive: true }),
      await lab.call('create_directory', { path: 'e/f' }),
    ];
    lab.put('.git/HEAD', `${COMMIT}\n`);
    for (const action of actions) {
      const { answer } = await lab.reissue(action);
      expect(answer).toMatchObject({ type: 'reissued', why: expect.stringContaining('made on main') });
    }
  });

  test('[GM-5] outside of git nothing is recorded', async () => {
    const lab = await filesLab({ 'a.txt': 'one\n' });
    const { content } = await lab.call('write_file', { path: 'a.txt', content: 'two\n' });
    expect(content.preconditions.map(({ resource }) => resource)).toEqual(['file:a.txt']);
  });

  test('[GM-5] git’s own files are read and never written', async () => {
    const lab = await filesLab({ 'a.txt': 'one\n', '.git/HEAD': 'ref: refs/heads/main\n' });
    const before = fs.statSync(lab.at('.git'), { bigint: true });
    await lab.apply(await lab.call('write_file', { path: 'a.txt', content: 'two\n' }));
    const after = fs.statSync(lab.at('.git'), { bigint: true });
    expect([after.mtimeNs, fs.readdirSync(lab.at('.git'))]).toEqual([before.mtimeNs, ['HEAD']]);
  });
});
