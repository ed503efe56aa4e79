import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { filesLab } from '../support/files-lab.ts';

const why = async (promise: Promise<unknown>): Promise<string> => {
  try {
    await promise;
  } catch (error) {
    return (error as Error).message;
  }
  return 'it was accepted';
};

describe('changes wait, and are seen', () => {
  test('[SM-9] a write changes nothing on disk and is read back byte-exact', async () => {
    const lab = await filesLab({ 'src/a.ts': 'one\n' });
    const before = lab.disk();
    const action = await lab.call('write_file', { path: 'src/b.ts', content: '\uFEFFtwo\r\n' });
    expect(action.says).toBe('Successfully wrote to src/b.ts');
    expect(lab.disk()).toEqual(before);
    expect(await lab.text('read_text_file', { path: 'src/b.ts' })).toBe('\uFEFFtwo\r\n');
    expect(await lab.text('list_directory', { path: 'src' })).toBe('[FILE] a.ts\n[FILE] b.ts');
    expect(await lab.apply(action)).toMatchObject({ type: 'applied', drift: null });
    expect(fs.readFileSync(lab.at('src/b.ts'), 'utf8')).toBe('\uFEFFtwo\r\n');
    expect(fs.statSync(lab.at('src/b.ts')).mode & 0o7777).toBe(0o644);
  });

  test('absolute paths name the same file', async () => {
    const lab = await filesLab({ 'a.txt': 'one\n' });
    await lab.call('write_file', { path: lab.at('a.txt'), content: 'two\n' });
    expect(await lab.text('read_text_file', { path: `${lab.root}//./a.txt` })).toBe('two\n');
  });

  test('an overwrite keeps permissions and goes into its own precondition', async () => {
    const lab = await filesLab();
    lab.put('run', 'old\n', 0o755);
    const action = await lab.call('write_file', { path: 'run', content: 'new\n' });
    expect(action.content.preconditions).toEqual([
      { resource: 'file:run', expect: expect.stringMatching(/^file:[0-9a-f]{64}:755$/u) },
    ]);
    expect(action.described.verdict).toEqual({ autoApprovable: false, reason: 'The file is executable.' });
    await lab.apply(action);
    expect(fs.statSync(lab.at('run')).mode & 0o7777).toBe(0o755);
  });

  test('[SM-6] needs the action whose version it replaces, and the one that made its folder, and no other', async () => {
    const lab = await filesLab({ 'a.txt': 'one\n' });
    const folder = await lab.call('create_directory', { path: 'x/y' });
    const other = await lab.call('write_file', { path: 'a.txt', content: 'two\n' });
    const inside = await lab.call('write_file', { path: 'x/y/b.txt', content: 'b\n' });
    const edit = await lab.call('edit_file', { path: 'x/y/b.txt', edits: [{ oldText: 'b', newText: 'c' }] });
    expect([...other.needs]).toEqual([]);
    expect([...inside.needs]).toEqual([folder.id]);
    expect(new Set(edit.needs)).toEqual(new Set([folder.id, inside.id]));
  });

  test('[CP-2] what changes nothing makes no action', async () => {
    const lab = await filesLab({ 'a.txt': 'one\n', 'd/e/f': '' });
    for (const call of [
      await lab.call('write_file', { path: 'a.txt', content: 'one\n' }),
      await lab.call('create_directory', { path: 'd/e' }),
      await lab.call('edit_file', { path: 'a.txt', edits: [{ oldText: 'one', newText: 'two' }], dryRun: true }),
    ]) {
      expect(call.described.unchanged).toBe(true);
    }
    expect(lab.overlay.size).toBe(0);
    expect(await lab.text('read_text_file', { path: 'a.txt' })).toBe('one\n');
  });
});

describe('what cannot be done is said, and nothing is queued', () => {
  test.each([
    [
      'write_file',
      { path: 'no/such/a.txt', content: '' },
      'The parent directory no/such does not exist; make it with create_directory first.',
    ],
    ['write_file', { path: 'src', content: '' }, 'src is a directory, not a file.'],
    ['write_file', { path: 'src/a.ts/b', content: '' }, 'src/a.ts is a file, not a directory.'],
    ['write_file', { path: 'x', content: 5 }, 'content: expected a string, got a number.'],
    ['write_file', { path: 'x' }, 'content: is missing; expected a string.'],
    ['write_file', { path: 'x', content: '', mode: 5 }, 'mode: write_file has no such argument.'],
    ['write_file', { path: 'x', content: '\uD800' }, 'content: holds half a surrogate pair.'],
    ['edit_file', { path: 'src/a.ts', edits: [{ oldText: 'a' }] }, 'edits[0].newText: is missing; expected a string.'],
    ['edit_file', { path: 'src/no.ts', edits: [{ oldText: 'a', newText: '' }] }, 'path: src/no.ts does not exist.'],
    [
      'edit_file',
      { path: 'src/a.ts', edits: [{ oldText: 'zzz', newText: '' }] },
      'edits[0].oldText: not found in src/a.ts; read the file and quote its lines exactly.',
    ],
    [
      'edit_file',
      { path: 'src/a.ts', edits: [{ oldText: 'same', newText: '' }] },
      'edits[0].oldText: matches more than one place in src/a.ts (lines 2, 3); quote more lines around it.',
    ],
    [
      'edit_file',
      { path: 'bin', edits: [{ oldText: 'a', newText: '' }] },
      'path: bin is not UTF-8 text, so it cannot be edited by text.',
    ],
    ['move_file', { source: 'src', destination: 'src/in' }, 'destination: src/in lies in src itself.'],
    ['move_file', { source: 'src/a.ts', destination: 'bin' }, 'destination: bin exists already.'],
    ['move_file', { source: 'no', destination: 'b' }, 'source: no does not exist.'],
    ['delete_file', { path: 'src' }, 'path: src is not empty; say recursive: true to delete all that is in it.'],
    ['delete_file', { path: 'no' }, 'path: no does not exist.'],
    ['delete_file', { path: '.' }, 'path: the workspace folder itself cannot be changed.'],
    ['create_directory', { path: 'bin/x' }, 'path: bin is a file, not a directory.'],
    [
      'write_file',
      { path: '.git/hooks/x', content: '' },
      "path: .git/hooks/x lies in Git's own folder; use git to change it.",
    ],
    ['delete_file', { path: 'a/.GIT' }, "path: a/.GIT lies in Git's own folder; use git to change it."],
  ])('%s %j', async (tool, args, sentence) => {
    const lab = await filesLab({ 'src/a.ts': 'one\nsame\nsame\n', bin: '' });
    lab.put('bin', Uint8Array.of(0xff, 0xfe, 0x41));
    expect(await why(lab.call(tool, args))).toBe(sentence);
    expect(lab.overlay.size).toBe(0);
  });

  test('hard links, links and special files are left alone', async () => {
    const lab = await filesLab({ 'a.txt': 'one\n' });
    fs.linkSync(lab.at('a.txt'), lab.at('b.txt'));
    fs.symlinkSync('a.txt', lab.at('link'));
    fs.mkdirSync(lab.at('real'));
    fs.symlinkSync('real', lab.at('dir-link'));
    expect(await why(lab.call('write_file', { path: 'a.txt', content: '' }))).toContain(
      'has another name (a hard link)',
    );
    expect(await why(lab.call('write_file', { path: 'link', content: '' }))).toContain('link is a symbolic link');
    expect(await why(lab.call('delete_file', { path: 'link' }))).toContain('link is a symbolic link');
    expect(await why(lab.call('write_file', { path: 'dir-link/x', content: '' }))).toContain(
      'changes never go through one',
    );
  });

  test('a file too large to keep is refused with its bound', async () => {
    const lab = await filesLab();
    fs.writeFileSync(lab.at('big'), '');
    fs.truncateSync(lab.at('big'), 16 * 1024 * 1024 + 1);
    expect(await why(lab.call('write_file', { path: 'big', content: '' }))).toContain('over 16777216 bytes');
    const moved = await lab.call('move_file', { source: 'big', destination: 'bigger' });
    expect(await lab.apply(moved)).toMatchObject({ type: 'applied' });
  });
});

describe('edits', () => {
  test('[SM-2] line endings and a byte order mark stay, and new lines get the ending of the file', async () => {
    const lab = await filesLab({ 'a.txt': '\uFEFFone\r\ntwo\r\nthree' });
    const action = await lab.call('edit_file', {
      path: 'a.txt',
      edits: [{ oldText: 'one\ntwo', newText: 'one\nand\ntwo' }],
    });
    expect(await lab.text('read_text_file', { path: 'a.txt' })).toBe('\uFEFFone\r\nand\r\ntwo\r\nthree');
    expect(action.says).toMatch(
      /^```diff\nIndex: a.txt\n=+\n--- a.txt\toriginal\n\+\+\+ a.txt\tmodified\n@@[^]*\+and\r\n[^]*```\n\n$/u,
    );
  });

  test('indentation may differ when the lines are the same otherwise', async () => {
    const lab = await filesLab({ 'a.py': 'def f():\n\tif x:\n\t\treturn 1\n\treturn 2\n' });
    await lab.call('edit_file', {
      path: 'a.py',
      edits: [{ oldText: 'if x:\n  return 1', newText: 'if y:\n  return 3' }],
    });
    expect(await lab.text('read_text_file', { path: 'a.py' })).toBe('def f():\n\tif y:\n\t  return 3\n\treturn 2\n');
  });

  test('edits are made one after the other, and replacement text is never interpreted', async () => {
    const lab = await filesLab({ 'a.txt': 'x\n' });
    await lab.call('edit_file', {
      path: 'a.txt',
      edits: [
        { oldText: 'x', newText: "$& $' y" },
        { oldText: 'y', newText: 'z' },
      ],
    });
    expect(await lab.text('read_text_file', { path: 'a.txt' })).toBe("$& $' z\n");
  });

  test('a fence is longer than any run of backticks in the diff', async () => {
    const lab = await filesLab({ 'a.md': '````\n' });
    const { says } = await lab.call('edit_file', { path: 'a.md', edits: [{ oldText: '````', newText: '`````' }] });
    expect(says.startsWith('``````diff\n')).toBe(true);
  });
});
