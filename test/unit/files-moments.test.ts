import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/canonical-json.ts';
import { nodeDisk, type Disk } from '../../src/surfaces/files/disk.ts';
import { filesLab, snapshot, type FilesLab } from '../support/files-lab.ts';

type Call = 'fsyncSync' | 'renameSync' | 'linkSync';

/** The real disk, on which somebody else does something right before the first call of a kind. */
function meddledDisk(call: Call): { readonly disk: Disk; meddle: () => void } {
  const meddler = { disk: { ...nodeDisk }, meddle: (): void => undefined };
  const real = nodeDisk[call] as (...args: readonly unknown[]) => void;
  const meddled = (...args: readonly unknown[]): void => {
    const { meddle } = meddler;
    meddler.meddle = () => undefined;
    meddle();
    real(...args);
  };
  Object.assign(meddler.disk, { [call]: meddled });
  return meddler;
}

const OVERWRITE: JsonObject = { path: 'd/x', content: 'new' };

describe('[T7] [T8] somebody acts in the middle of an apply: it fails and theirs stays', () => {
  test.each<[string, Call, string, JsonObject, (lab: FilesLab) => void]>([
    ['the file is changed', 'fsyncSync', 'write_file', OVERWRITE, (lab) => fs.writeFileSync(lab.at('d/x'), 'theirs')],
    ['the file is replaced by the same', 'fsyncSync', 'write_file', OVERWRITE, (lab) => replace(lab, 'd/x')],
    [
      'the folder is moved away',
      'fsyncSync',
      'write_file',
      OVERWRITE,
      (lab) => fs.renameSync(lab.at('d'), lab.at('e')),
    ],
    ['the folder becomes a link', 'fsyncSync', 'write_file', OVERWRITE, (lab) => relink(lab, 'd')],
    ['the name is taken', 'fsyncSync', 'write_file', { path: 'd/n', content: '' }, (lab) => lab.put('d/n', 'theirs')],
    [
      'the name is taken at the last moment',
      'linkSync',
      'write_file',
      { path: 'd/n', content: '' },
      (lab) => lab.put('d/n', 'theirs'),
    ],
    [
      'the name is taken by a folder',
      'fsyncSync',
      'create_directory',
      { path: 'd/n' },
      (lab) => lab.put('d/n/m', 'theirs'),
    ],
    [
      'what is deleted is changed',
      'renameSync',
      'delete_file',
      { path: 'd/x' },
      (lab) => fs.writeFileSync(lab.at('d/x'), 'theirs'),
    ],
    [
      'what is deleted has grown',
      'renameSync',
      'delete_file',
      { path: 'd', recursive: true },
      (lab) => lab.put('d/y', 'theirs'),
    ],
    [
      'the destination is taken',
      'linkSync',
      'move_file',
      { source: 'd/x', destination: 'y' },
      (lab) => lab.put('y', 'theirs'),
    ],
  ])('%s', async (_, call, tool, args, meddle) => {
    const meddler = meddledDisk(call);
    const lab = await filesLab({ 'd/x': 'old' }, { disk: meddler.disk });
    const action = await lab.call(tool, args);
    let theirs: unknown;
    meddler.meddle = () => {
      meddle(lab);
      // What the attempt has under its own name at that moment is gone in the end.
      theirs = withoutTemps(everything(lab));
    };
    expect(await lab.applyBlindly(action)).toMatchObject({ type: 'failed' });
    expect(everything(lab)).toEqual(theirs);
  });

  test('a file system without hard links still never overwrites what it sees', async () => {
    const none = Object.assign(new Error('no links here'), { code: 'EPERM' });
    const disk: Disk = {
      ...nodeDisk,
      linkSync: () => {
        throw none;
      },
    };
    const lab = await filesLab({ a: 'a' }, { disk });
    for (const [tool, args] of [
      ['write_file', { path: 'n', content: 'n' }],
      ['move_file', { source: 'a', destination: 'b' }],
      ['delete_file', { path: 'b' }],
    ] as const) {
      const action = await lab.call(tool, args);
      const before = lab.disk();
      expect(await lab.apply(action)).toMatchObject({ type: 'applied' });
      expect(await lab.revert(action)).toEqual({ type: 'reverted' });
      expect(lab.disk()).toEqual(before);
      expect(await lab.applyBlindly(action)).toMatchObject({ type: 'applied' });
    }
    const late = await lab.call('write_file', { path: 'late', content: '' });
    lab.put('late', 'theirs');
    expect(await lab.applyBlindly(late)).toMatchObject({ type: 'failed' });
  });

  test.each(['ENOSPC', 'EIO'])(
    '[LC-3] %s while the new bytes are written is a failure that leaves nothing',
    async (code) => {
      const broken = Object.assign(new Error(code), { code });
      const disk: Disk = {
        ...nodeDisk,
        writeSync: () => {
          throw broken;
        },
      };
      const lab = await filesLab({ 'd/x': 'old' }, { disk });
      const action = await lab.call('write_file', OVERWRITE);
      const before = everything(lab);
      expect(await lab.applyBlindly(action)).toMatchObject({ type: 'failed', why: expect.stringContaining(code) });
      expect(everything(lab)).toEqual(before);
    },
  );

  test('[LC-3] an error at the one call that shows the effect is a doubt, unless it says that nothing was done', async () => {
    for (const [code, type] of [
      ['EIO', 'in-doubt'],
      ['EACCES', 'failed'],
    ] as const) {
      const broken = Object.assign(new Error(code), { code });
      const lab = await filesLab(
        { 'd/x': 'old' },
        {
          disk: {
            ...nodeDisk,
            renameSync: () => {
              throw broken;
            },
          },
        },
      );
      expect(await lab.applyBlindly(await lab.call('write_file', OVERWRITE))).toMatchObject({ type });
    }
  });
});

describe('pending effects on one another', () => {
  test('[SM-2] a file moved twice is read at every step of the drain', async () => {
    const lab = await filesLab({ a: 'bytes' });
    const moves = [
      await lab.call('move_file', { source: 'a', destination: 'b' }),
      await lab.call('move_file', { source: 'b', destination: 'c' }),
      await lab.call('move_file', { source: 'c', destination: 'd' }),
    ];
    for (const move of moves) {
      expect(await lab.text('read_text_file', { path: 'd' })).toBe('bytes');
      expect(await lab.apply(move)).toMatchObject({ type: 'applied' });
    }
    expect(lab.bytes('d')).toBe('bytes');
  });

  test('[SM-2] a folder made anew where one was moved away is empty', async () => {
    const lab = await filesLab({ 'a/x': 'x', 'a/in/y': 'y' });
    await lab.call('edit_file', { path: 'a/x', edits: [{ oldText: 'x', newText: 'z' }] });
    await lab.call('move_file', { source: 'a', destination: 'b' });
    await lab.call('create_directory', { path: 'a/in' });
    expect(await lab.text('search_files', { path: 'a', pattern: '**' })).toBe(lab.at('a/in'));
    expect(await lab.text('read_text_file', { path: 'b/x' })).toBe('z');
    expect(await lab.text('read_text_file', { path: 'b/in/y' })).toBe('y');
  });

  test('[T7] a link that somebody puts where a folder is pending shows nothing of where it leads', async () => {
    const lab = await filesLab();
    await lab.call('create_directory', { path: 'd' });
    fs.symlinkSync(lab.state, lab.at('d'));
    expect(await lab.text('list_directory', { path: 'd' })).toBe('');
    await expect(lab.text('read_text_file', { path: 'd/journal.db' })).rejects.toThrow(
      'path: d/journal.db does not exist.',
    );
  });
});

function withoutTemps(disk: Readonly<Record<string, string>>): unknown {
  return Object.fromEntries(Object.entries(disk).filter(([path]) => !path.includes('.countersign-')));
}

function everything(lab: FilesLab): Readonly<Record<string, string>> {
  return snapshot(join(lab.root, '..'));
}

function replace(lab: FilesLab, path: string): void {
  fs.copyFileSync(lab.at(path), lab.at('copy'));
  fs.renameSync(lab.at('copy'), lab.at(path));
}

function relink(lab: FilesLab, path: string): void {
  const away = join(lab.root, '..', 'away');
  fs.renameSync(lab.at(path), away);
  fs.symlinkSync(away, lab.at(path));
}
