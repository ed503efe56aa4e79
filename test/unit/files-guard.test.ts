import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/canonical-json.ts';
import { CountersignError } from '../../src/base/errors.ts';
import { FilesLab, filesLab, snapshot } from '../support/files-lab.ts';
import { spellingsInside, spellingsOutside } from '../support/spellings.ts';
import { tempDir } from '../support/temp-dir.ts';

const SECRET = 'secret state';

const WRITES: readonly (readonly [string, (path: string) => JsonObject])[] = [
  ['write_file', (path) => ({ path, content: 'x' })],
  ['edit_file', (path) => ({ path, edits: [{ oldText: SECRET, newText: 'x' }] })],
  ['create_directory', (path) => ({ path })],
  ['delete_file', (path) => ({ path, recursive: true })],
  ['move_file', (path) => ({ source: path, destination: 'stolen' })],
  ['move_file', (path) => ({ source: 'a.txt', destination: path })],
];
const READS: readonly (readonly [string, (path: string) => JsonObject])[] = [
  ['read_text_file', (path) => ({ path })],
  ['read_media_file', (path) => ({ path })],
  ['list_directory', (path) => ({ path })],
  ['directory_tree', (path) => ({ path })],
  ['get_file_info', (path) => ({ path })],
  ['search_files', (path) => ({ path, pattern: '**' })],
  ['grep_files', (path) => ({ path, pattern: 'secret' })],
  ['diff_pending', (path) => ({ path })],
];

/** Every tool refuses the path, and says why in one sentence. */
async function expectRefused(lab: FilesLab, path: string): Promise<void> {
  for (const [tool, args] of WRITES) {
    const error = await lab.call(tool, args(path)).catch((thrown: unknown) => thrown);
    expect(error, `${tool} ${JSON.stringify(path)}`).toBeInstanceOf(CountersignError);
  }
  for (const [tool, args] of READS) {
    const answer = await lab.text(tool, args(path)).catch((thrown: unknown) => thrown);
    if (answer === 'Nothing is pending.') continue;
    expect(answer, `${tool} ${JSON.stringify(path)}`).toBeInstanceOf(CountersignError);
    expect((answer as Error).message).toMatch(/^[^]{1,400}\.$/u);
  }
  expect(await lab.text('read_multiple_files', { paths: [path] })).toContain(': Error - ');
  expect(lab.overlay.size).toBe(0);
}

describe('[T6] the state folder is out of reach', () => {
  test('under 200 spellings when it lies inside the workspace', async () => {
    const root = join(await tempDir('files'), 'work');
    const state = join(root, '.state-\u00e9');
    fs.mkdirSync(join(state, 'sub'), { recursive: true });
    fs.writeFileSync(join(state, 'journal.db'), SECRET);
    const lab = new FilesLab(root, state);
    lab.put('a.txt', 'a');
    lab.put('src/in/b.txt', 'b');
    const before = snapshot(root);
    const spellings = spellingsInside('.state-\u00e9', 'journal.db').concat(spellingsInside('.state-\u00e9', 'sub'));
    expect(spellings.length).toBeGreaterThanOrEqual(200);
    for (const path of spellings) await expectRefused(lab, path);
    expect(snapshot(root)).toEqual(before);
    for (const tool of ['directory_tree', 'list_directory'])
      expect(await lab.text(tool, { path: '.' })).not.toContain('state');
    expect(await lab.text('search_files', { path: '.', pattern: '**' })).not.toContain('state');
    expect(await lab.text('grep_files', { pattern: 'secret' })).toBe('No matches found');
  });

  test('under 100 spellings and through links when it lies outside', async () => {
    const lab = await filesLab({ 'a.txt': 'a', 'src/in/b.txt': 'b' });
    fs.symlinkSync(lab.state, lab.at('link'));
    fs.symlinkSync(join(lab.state, 'journal.db'), lab.at('file-link'));
    fs.symlinkSync('../state', lab.at('src/relative'));
    fs.symlinkSync('link', lab.at('chain'));
    fs.symlinkSync('/proc/self/root', lab.at('root'));
    fs.symlinkSync('..', lab.at('up'));
    fs.linkSync(join(lab.state, 'journal.db'), lab.at('hard'));
    const before = [snapshot(lab.root), snapshot(lab.state)];
    const links = ['link', 'chain', 'up/state', `root${lab.state}`].flatMap((path) => [path, `${path}/journal.db`]);
    const spellings = [
      ...spellingsOutside(lab.root, lab.state, 'journal.db'),
      ...links,
      'file-link',
      'src/relative/journal.db',
    ];
    expect(spellings.length).toBeGreaterThanOrEqual(100);
    for (const path of spellings) await expectRefused(lab, path);
    await expect(lab.call('write_file', { path: 'hard', content: 'x' })).rejects.toThrow('own state');
    await expect(lab.text('read_text_file', { path: 'hard' })).rejects.toThrow('own state');
    await expect(lab.text('read_media_file', { path: 'hard' })).rejects.toThrow('own state');
    expect(await lab.text('grep_files', { pattern: 'secret' })).toBe('No matches found');
    expect([snapshot(lab.root), snapshot(lab.state)]).toEqual(before);
  });

  test('also when it is renamed into the workspace later, or did not exist at first', async () => {
    const base = await tempDir('files');
    const lab = new FilesLab(join(base, 'work'), join(base, 'state'));
    lab.put('a.txt', 'a');
    fs.mkdirSync(lab.state);
    fs.writeFileSync(join(lab.state, 'journal.db'), SECRET);
    await lab.text('list_directory', { path: '.' });
    fs.renameSync(lab.state, lab.at('innocent'));
    await expectRefused(lab, 'innocent/journal.db');
    expect(await lab.text('grep_files', { pattern: 'secret' })).toBe('No matches found');
  });
});

describe('paths', () => {
  test.each([
    ['', 'path: is empty; use . for the workspace folder.'],
    ['../x', 'path: "../x" lies outside the workspace.'],
    ['/etc/passwd', 'path: "/etc/passwd" lies outside the workspace.'],
    ['/proc/self/environ', 'path: "/proc/self/environ" goes through a system folder.'],
    ['a\\b', 'path: "a\\\\b" holds a backslash; names are separated with /.'],
    ['a\u0000b', 'path: "a\\u0000b" holds a control character.'],
    ['~/x', 'path: "~/x" starts in the home folder; give a path inside the workspace.'],
    ['x./../a.txt', 'path: "x./../a.txt" has a name that ends in a dot or a space, which some systems ignore.'],
    ['\ud800', 'path: holds half a surrogate pair.'],
    ['x'.repeat(256), 'path: has a name longer than 255 bytes.'],
    ['x/'.repeat(2100), 'path: is longer than 4095 bytes.'],
    [
      '.countersign-aaaaaaaaaaaaaaaa.tmp',
      'path: ".countersign-aaaaaaaaaaaaaaaa.tmp" names a temporary file of Countersign.',
    ],
    ['none', 'path: none does not exist.'],
  ])('path %# is refused with its reason', async (path, sentence) => {
    const lab = await filesLab({ 'a.txt': 'a' });
    await expect(lab.text('read_text_file', { path })).rejects.toThrow(expect.objectContaining({ message: sentence }));
  });

  test('a read follows links that stay inside, to what is pending there', async () => {
    const lab = await filesLab({ 'real/a.txt': 'old\n' });
    fs.symlinkSync('real', lab.at('link'));
    fs.symlinkSync(lab.at('real/a.txt'), lab.at('absolute'));
    fs.symlinkSync('real/later.txt', lab.at('dangling'));
    await lab.call('write_file', { path: 'real/a.txt', content: 'new\n' });
    await lab.call('write_file', { path: 'real/later.txt', content: 'later\n' });
    expect(await lab.text('read_text_file', { path: 'link/a.txt' })).toBe('new\n');
    expect(await lab.text('read_text_file', { path: 'absolute' })).toBe('new\n');
    expect(await lab.text('read_text_file', { path: 'dangling' })).toBe('later\n');
  });

  test('a loop of links ends', async () => {
    const lab = await filesLab();
    fs.symlinkSync('b', lab.at('a'));
    fs.symlinkSync('a', lab.at('b'));
    await expect(lab.text('read_text_file', { path: 'a' })).rejects.toThrow('more than 40 symbolic links');
  });

  test('the workspace under another name is the workspace', async () => {
    const lab = await filesLab({ 'a.txt': 'a\n' });
    const alias = join(lab.root, '..', 'alias');
    fs.symlinkSync(lab.root, alias);
    expect(await lab.text('read_text_file', { path: `${alias}/a.txt` })).toBe('a\n');
    await expect(lab.text('read_text_file', { path: `${alias}/../state/journal.db` })).rejects.toThrow('outside');
  });

  test('a FIFO is refused at once', async () => {
    const lab = await filesLab();
    const { execFileSync } = await import('node:child_process');
    execFileSync('mkfifo', [lab.at('pipe')]);
    await expect(lab.text('read_text_file', { path: 'pipe' })).rejects.toThrow('no regular file');
    await expect(lab.call('write_file', { path: 'pipe', content: '' })).rejects.toThrow('no regular file');
    await expect(lab.call('delete_file', { path: '.', recursive: true })).rejects.toThrow('cannot be changed');
  });
});
