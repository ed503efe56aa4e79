import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { filesLab } from '../support/files-lab.ts';

describe('reads', () => {
  test('every tool of the reference server is there, and those of ours', async () => {
    const lab = await filesLab();
    expect(lab.tools.toSorted()).toEqual(
      [
        'read_text_file',
        'read_media_file',
        'read_multiple_files',
        'write_file',
        'edit_file',
        'create_directory',
        'list_directory',
        'directory_tree',
        'move_file',
        'search_files',
        'get_file_info',
        'delete_file',
        'grep_files',
        'diff_pending',
      ].toSorted(),
    );
  });

  test('[SM-2] head and tail are exact parts of the text', async () => {
    const lab = await filesLab({ 'a.txt': 'one\r\ntwo\nthree' });
    expect(await lab.text('read_text_file', { path: 'a.txt', head: 1 })).toBe('one\r\n');
    expect(await lab.text('read_text_file', { path: 'a.txt', tail: 2 })).toBe('two\nthree');
    expect(await lab.text('read_text_file', { path: 'a.txt', head: 9 })).toBe('one\r\ntwo\nthree');
    await expect(lab.text('read_text_file', { path: 'a.txt', head: 1, tail: 1 })).rejects.toThrow(
      'head: cannot be given together with tail.',
    );
    await expect(lab.text('read_text_file', { path: '.' })).rejects.toThrow(
      'path: . is no regular file that could be read.',
    );
  });

  test('text that is not UTF-8 is shown as far as it can be, and said to be so', async () => {
    const lab = await filesLab();
    lab.put('latin', Uint8Array.of(0x61, 0xe9, 0x62));
    const { content } = await lab.read('read_text_file', { path: 'latin' });
    expect(content).toEqual([
      { type: 'text', text: 'a\uFFFDb' },
      { type: 'text', text: expect.stringContaining('not valid UTF-8') },
    ]);
  });

  test('media are blocks of their kind, everything else a resource', async () => {
    const lab = await filesLab({ 'a.PNG': 'png', 'b.mp3': 'mp3', 'c d.bin': 'bin' });
    const block = async (path: string): Promise<unknown> => (await lab.read('read_media_file', { path })).content[0];
    expect(await block('a.PNG')).toEqual({ type: 'image', data: 'cG5n', mimeType: 'image/png' });
    expect(await block('b.mp3')).toEqual({ type: 'audio', data: 'bXAz', mimeType: 'audio/mpeg' });
    expect(await block('c d.bin')).toEqual({
      type: 'resource',
      resource: { uri: `file://${lab.root}/c%20d.bin`, mimeType: 'application/octet-stream', blob: 'Ymlu' },
    });
  });

  test('several files are answered together, failures among them', async () => {
    const lab = await filesLab({ 'a.txt': 'a\n', 'b.txt': 'b' });
    expect(await lab.text('read_multiple_files', { paths: ['a.txt', 'no.txt', 'b.txt'] })).toBe(
      'a.txt:\na\n\n\n---\nno.txt: Error - path: no.txt does not exist.\n---\nb.txt:\nb\n',
    );
  });

  test('a tree leaves out what it is told to', async () => {
    const lab = await filesLab({ 'src/a.ts': '', 'src/deep/b.ts': '', 'node_modules/x/y': '', 'c.md': '' });
    await lab.call('delete_file', { path: 'c.md' });
    const tree = await lab.text('directory_tree', { path: '.', excludePatterns: ['node_modules', '**/*.md'] });
    expect(JSON.parse(tree)).toEqual([
      {
        name: 'src',
        type: 'directory',
        children: [
          { name: 'a.ts', type: 'file' },
          { name: 'deep', type: 'directory', children: [{ name: 'b.ts', type: 'file' }] },
        ],
      },
    ]);
    expect(tree.startsWith('[\n  {\n    "name"')).toBe(true);
  });

  test('information about what is pending, as far as it is known', async () => {
    const lab = await filesLab({ 'a.txt': 'one' });
    const info = await lab.text('get_file_info', { path: 'a.txt' });
    expect(info).toMatch(
      /^size: 3\ncreated: \d{4}-.*\nmodified: .*\naccessed: .*\nisDirectory: false\nisFile: true\npermissions: 644$/u,
    );
    await lab.call('write_file', { path: 'b.txt', content: 'four' });
    expect(await lab.text('get_file_info', { path: 'b.txt' })).toBe(
      'size: 4\ncreated: not applied yet\nmodified: not applied yet\naccessed: not applied yet\nisDirectory: false\nisFile: true\npermissions: 644',
    );
  });

  test('a search answers with absolute paths', async () => {
    const lab = await filesLab({ 'src/a.ts': '', 'src/b/c.test.ts': '', 'x.ts': '' });
    await lab.call('move_file', { source: 'x.ts', destination: 'src/x.ts' });
    expect(await lab.text('search_files', { path: 'src', pattern: '**/*.ts', excludePatterns: ['**/*.test.ts'] })).toBe(
      `${lab.at('src/a.ts')}\n${lab.at('src/x.ts')}`,
    );
    expect(await lab.text('search_files', { path: '.', pattern: '*.ts' })).toBe('No matches found');
  });
});

describe('grep', () => {
  test('lines, context, groups, pending changes, and neither binary nor Git files', async () => {
    const lab = await filesLab({
      'a.txt': 'x\nneedle 1\nx\nx\nx\nneedle 2\r\n',
      '.git/config': 'needle',
      'b/c.md': 'Needle',
    });
    lab.put('bin', 'needle\0');
    await lab.call('write_file', { path: 'new.txt', content: 'needle 3' });
    expect(await lab.text('grep_files', { pattern: 'needle' })).toBe(
      'a.txt:2:needle 1\na.txt:6:needle 2\nnew.txt:1:needle 3',
    );
    expect(await lab.text('grep_files', { pattern: '^needle', path: 'a.txt', context: 1 })).toBe(
      'a.txt-1-x\na.txt:2:needle 1\na.txt-3-x\n--\na.txt-5-x\na.txt:6:needle 2',
    );
    expect(await lab.text('grep_files', { pattern: 'NEEDLE', ignoreCase: true, glob: '*.md' })).toBe('b/c.md:1:Needle');
    expect(await lab.text('grep_files', { pattern: 'needle', maxMatches: 1 })).toBe(
      'a.txt:2:needle 1\n~~\nStopped after 1 matches.',
    );
    expect(await lab.text('grep_files', { pattern: 'nothing' })).toBe('No matches found');
  });

  test('a pattern that cannot be understood is named, and none costs more than its length', async () => {
    const lab = await filesLab({ 'a.txt': `${'a'.repeat(50_000)}b\n` });
    await expect(lab.text('grep_files', { pattern: '(' })).rejects.toThrow(/^pattern: cannot be understood \(.*\)\.$/u);
    await expect(lab.text('grep_files', { pattern: String.raw`(a)\1` })).rejects.toThrow(
      'pattern: cannot be understood',
    );
    expect(await lab.text('grep_files', { pattern: '(a+)+$' })).toBe('No matches found');
    expect(await lab.text('search_files', { path: '.', pattern: `${'*a'.repeat(100)}c` })).toBe('No matches found');
  });
});

describe('diff of what is pending', () => {
  test('shows every file from disk to overlay, and nothing once applied', async () => {
    const lab = await filesLab({ 'a.txt': 'one\n', 'old/b.txt': 'b\n', 'c.txt': 'c\n' });
    lab.put('bin', '\0');
    const actions = [
      await lab.call('edit_file', { path: 'a.txt', edits: [{ oldText: 'one', newText: 'two' }] }),
      await lab.call('move_file', { source: 'old', destination: 'new' }),
      await lab.call('delete_file', { path: 'c.txt' }),
      await lab.call('write_file', { path: 'bin', content: 'text' }),
    ];
    const diff = await lab.text('diff_pending', {});
    expect(diff).toBe(
      [
        '--- a/a.txt',
        '+++ b/a.txt',
        '@@ -1,1 +1,1 @@',
        '-one',
        '+two',
        'Binary files a/bin and b/bin differ',
        '--- a/c.txt',
        '+++ /dev/null',
        '@@ -1,1 +0,0 @@',
        '-c',
        '--- /dev/null',
        '+++ b/new/b.txt',
        '@@ -0,0 +1,1 @@',
        '+b',
        '--- a/old/b.txt',
        '+++ /dev/null',
        '@@ -1,1 +0,0 @@',
        '-b',
        '',
      ].join('\n'),
    );
    expect(await lab.text('diff_pending', { path: 'c.txt' })).toContain('-c');
    for (const action of actions) await lab.apply(action);
    expect(await lab.text('diff_pending', {})).toBe('Nothing is pending.');
  });

  test('finds one changed file deep in folders that are otherwise on disk', async () => {
    const lab = await filesLab({ 'a/b/c/d/e.txt': 'one\n', 'a/b/x.txt': '' });
    await lab.call('write_file', { path: 'a/b/c/d/e.txt', content: 'two\n' });
    expect(await lab.text('diff_pending', { path: 'a' })).toContain('+++ b/a/b/c/d/e.txt');
    expect(await lab.text('diff_pending', { path: 'a/b/x.txt' })).toBe('Nothing is pending.');
  });
});

test('[CP-3] a move of more than 2,000 entries is refused with its bound', async () => {
  const lab = await filesLab();
  fs.mkdirSync(lab.at('many'));
  for (let n = 0; n < 2_000; n++) fs.writeFileSync(lab.at(`many/${n}`), '');
  await expect(lab.call('move_file', { source: 'many', destination: 'other' })).rejects.toThrow(
    'many holds more than 2000 files and folders; take it in smaller parts.',
  );
  fs.rmSync(lab.at('many/0'));
  const action = await lab.call('move_file', { source: 'many', destination: 'other' });
  expect(await lab.apply(action)).toMatchObject({ type: 'applied' });
});
