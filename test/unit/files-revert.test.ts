import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/canonical-json.ts';
import { filesLab, snapshot, type FilesLab, type LabAction } from '../support/files-lab.ts';

async function applied(tool: string, args: JsonObject): Promise<{ lab: FilesLab; action: LabAction }> {
  const lab = await filesLab({ 'a.txt': 'one\n', 'd/x': 'x', 'd/e/y': 'y' });
  const action = await lab.call(tool, args);
  expect(await lab.apply(action)).toMatchObject({ type: 'applied' });
  return { lab, action };
}

describe('[CA-3] a revert touches only what is still as the action left it', () => {
  test.each<[string, string, JsonObject, (lab: FilesLab) => void, string]>([
    [
      'changed bytes',
      'write_file',
      { path: 'a.txt', content: 'two' },
      (lab) => lab.put('a.txt', 'three'),
      'a.txt holds other bytes than expected.',
    ],
    [
      'changed permissions',
      'write_file',
      { path: 'a.txt', content: 'two' },
      (lab) => fs.chmodSync(lab.at('a.txt'), 0o600),
      'a.txt has permissions 600, not 644.',
    ],
    [
      'gone',
      'write_file',
      { path: 'a.txt', content: 'two' },
      (lab) => fs.rmSync(lab.at('a.txt')),
      'a.txt no longer exists.',
    ],
    [
      'a new file was changed',
      'write_file',
      { path: 'n', content: '' },
      (lab) => lab.put('n', 'x'),
      'n holds other bytes than expected.',
    ],
    [
      'a new folder is in use',
      'create_directory',
      { path: 'n/m' },
      (lab) => lab.put('n/m/x', ''),
      'n/m/x was not there before.',
    ],
    [
      'the old name is taken',
      'move_file',
      { source: 'a.txt', destination: 'b' },
      (lab) => lab.put('a.txt', ''),
      'a.txt exists now.',
    ],
    [
      'the moved file was changed',
      'move_file',
      { source: 'a.txt', destination: 'b' },
      (lab) => lab.put('b', ''),
      'b holds other bytes than expected.',
    ],
    [
      'something is there again',
      'delete_file',
      { path: 'a.txt' },
      (lab) => lab.put('a.txt', 'new'),
      'a.txt exists now.',
    ],
    [
      'a tree is there again',
      'delete_file',
      { path: 'd', recursive: true },
      (lab) => lab.put('d/x', 'x'),
      'd exists now.',
    ],
    [
      'now a link',
      'write_file',
      { path: 'a.txt', content: 'two' },
      (lab) => relink(lab, 'a.txt'),
      'a.txt is not a regular file now.',
    ],
    [
      'its folder is now a link',
      'write_file',
      { path: 'd/x', content: 'z' },
      (lab) => relink(lab, 'd'),
      'd is now a symbolic link or no folder; nothing is changed through it.',
    ],
  ])('%s', async (_, tool, args, meddle, why) => {
    const { lab, action } = await applied(tool, args);
    meddle(lab);
    const before = snapshot(join(lab.root, '..'));
    expect(await lab.canRevert(action)).toEqual({ feasible: false, why });
    expect(await lab.revert(action)).toEqual({ type: 'refused', why, canRetry: false });
    expect(snapshot(join(lab.root, '..'))).toEqual(before);
  });

  test('what is already as it was before counts as reverted', async () => {
    const { lab, action } = await applied('write_file', { path: 'a.txt', content: 'two' });
    lab.put('a.txt', 'one\n');
    expect(await lab.canRevert(action)).toEqual({ feasible: true, why: 'It is already as it was before.' });
    expect(await lab.revert(action)).toEqual({ type: 'reverted' });
  });
});

describe('[T8] a stale apply is refused at the last moment', () => {
  test.each<[string, (lab: FilesLab) => void]>([
    ['a link in its place', (lab) => relink(lab, 'd/x')],
    ['a link on the way', (lab) => relink(lab, 'd')],
    ['a hard link', (lab) => fs.linkSync(lab.at('d/x'), lab.at('d/second'))],
    ['a folder', (lab) => (fs.rmSync(lab.at('d/x')), fs.mkdirSync(lab.at('d/x')))],
  ])('%s', async (_, meddle) => {
    const lab = await filesLab({ 'd/x': 'x' });
    const action = await lab.call('write_file', { path: 'd/x', content: 'y' });
    meddle(lab);
    const before = snapshot(join(lab.root, '..'));
    expect(await lab.applyBlindly(action)).toMatchObject({ type: 'failed' });
    expect(await action.surface.look?.(lab.context(action))).toMatchObject({ type: 'moved' });
    expect(snapshot(join(lab.root, '..'))).toEqual(before);
  });

  test('[LC-3] a probe that finds neither state says so and guesses nothing', async () => {
    const lab = await filesLab({ 'a.txt': 'one\n' });
    const action = await lab.call('write_file', { path: 'a.txt', content: 'two' });
    lab.put('a.txt', 'three');
    expect(await lab.probe(action)).toEqual({
      answer: 'unknown',
      why: 'It is neither as it was before the change nor as the change would leave it.',
    });
  });
});

/** The same thing behind a symbolic link. */
function relink(lab: FilesLab, path: string): void {
  const away = join(lab.root, '..', 'away');
  fs.renameSync(lab.at(path), away);
  fs.symlinkSync(away, lab.at(path));
}
