import { expect, test } from 'vitest';
import { changesOf } from '../../src/model/file-changes.ts';
import { filesPack } from '../../src/surfaces/files/index.ts';
import { verdictOnText } from '../../src/surfaces/files/verdict.ts';
import { filesLab } from '../support/files-lab.ts';

test.each([
  ['src/app.ts', 0o644, 'text', true],
  ['src/app.ts', 0o755, 'text', false],
  ['src/app.ts', 0o644, '#!/bin/sh', false],
  ['src/app.ts', 0o644, undefined, false],
  ['.github/workflows/ci.yml', 0o644, 'on: push', false],
  ['src/.env', 0o644, 'A=1', false],
  ['web/package.json', 0o644, '{}', false],
  ['MAKEFILE', 0o644, 'all:', false],
  ['vite.config.ts', 0o644, '', false],
  ['bin/build.sh', 0o644, '', false],
])('the verdict on %s, %i, %j is %j', (path, mode, text, autoApprovable) => {
  expect(verdictOnText(path, mode, text)).toMatchObject({ autoApprovable, reason: expect.stringMatching(/.+\.$/u) });
});

test('no move and no delete has a verdict that a rule could use', async () => {
  const lab = await filesLab({ a: '', b: '' });
  expect((await lab.call('move_file', { source: 'a', destination: 'c' })).described.verdict.autoApprovable).toBe(false);
  expect((await lab.call('delete_file', { path: 'b' })).described.verdict.autoApprovable).toBe(false);
});

test('every tool is listed with a schema that takes nothing else, and hints that say what it does', async () => {
  const lab = await filesLab();
  const { surfaces, reads } = filesPack({ root: lab.root, denied: [] });
  for (const { tool } of [...surfaces, ...reads]) {
    expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    expect(tool.description).toMatch(/\.$/u);
    expect(tool.annotations.openWorldHint).toBe(false);
  }
  expect(surfaces.map(({ kind }) => kind.tag)).toEqual([
    'file.write',
    'file.edit',
    'file.mkdir',
    'file.move',
    'file.delete',
  ]);
  expect(surfaces.every(({ tool }) => !tool.annotations.readOnlyHint)).toBe(true);
  expect(reads.every(({ tool }) => tool.annotations.readOnlyHint)).toBe(true);
});

test('every pointer of a card leads somewhere', async () => {
  const lab = await filesLab({ a: 'a', 'd/x': '' });
  for (const action of [
    await lab.call('write_file', { path: 'a', content: 'b' }),
    await lab.call('edit_file', { path: 'a', edits: [{ oldText: 'b', newText: 'c' }] }),
    await lab.call('create_directory', { path: 'n' }),
    await lab.call('move_file', { source: 'd', destination: 'e' }),
    await lab.call('delete_file', { path: 'a' }),
  ]) {
    for (const { pointer } of action.surface.card.fields) {
      const found = pointer
        .split('/')
        .slice(1)
        .reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], action.content);
      expect(found, `${action.content.tool} ${pointer}`).toBeDefined();
    }
  }
});

test('an effect is read as changes, path by path', async () => {
  const lab = await filesLab({ 'd/x': 'x' });
  const move = await lab.call('move_file', { source: 'd', destination: 'e' });
  expect(changesOf(move.content.effect)).toMatchObject([
    { path: 'e', from: 'd', before: { type: 'dir' }, after: { type: 'dir' } },
    { path: 'e/x', from: 'd/x', before: { type: 'file', content: null }, after: { type: 'file', content: null } },
  ]);
  const write = await lab.call('write_file', { path: 'n', content: 'n' });
  expect(changesOf(write.content.effect)).toMatchObject([
    { path: 'n', from: null, before: null, after: { content: { bytes: 1 } } },
  ]);
  const removal = await lab.call('delete_file', { path: 'e', recursive: true });
  expect(changesOf(removal.content.effect)).toMatchObject([
    { path: 'e', before: { type: 'dir' }, after: null },
    { path: 'e/x', before: { type: 'file', content: { bytes: 1 } }, after: null },
  ]);
});
