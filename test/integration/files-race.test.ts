import fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/canonical-json.ts';
import { nodeDisk, type Disk } from '../../src/surfaces/files/disk.ts';
import { filesLab, snapshot, type FilesLab } from '../support/files-lab.ts';
import { flipper } from '../support/flipper.ts';

/** `RACE_TRIES=200000` for the long run. */
const TRIES = Number(process.env['RACE_TRIES'] ?? 2_500);

/** Durability is not what is tested here, and waiting for the disk would hide the race. */
const FAST: Disk = { ...nodeDisk, fsyncSync: () => undefined };

/** There and back again, so that an effect can be tried any number of times. */
const PAIRS: readonly (readonly [string, readonly [string, JsonObject], readonly [string, JsonObject]])[] = [
  ['overwrite', ['write_file', { path: 'dir/x', content: 'two' }], ['write_file', { path: 'dir/x', content: 'one' }]],
  ['create and delete', ['write_file', { path: 'dir/new', content: 'new' }], ['delete_file', { path: 'dir/new' }]],
  [
    'mkdir and delete',
    ['create_directory', { path: 'dir/sub/in' }],
    ['delete_file', { path: 'dir/sub', recursive: true }],
  ],
  [
    'move in and out',
    ['move_file', { source: 'y', destination: 'dir/y' }],
    ['move_file', { source: 'dir/y', destination: 'y' }],
  ],
];

/**
 * Goal: whoever swaps a folder for a link to another place, no effect ever lands in that place.
 * Method: a thread swaps as fast as it can while effects are applied; the outside looks just like the inside, so that
 * checks of hashes cannot save an effect that followed the link. The way through must be open and shut often enough.
 */
test.each(PAIRS)('[T7] %s against a flipping link: no escape', async (_, there, back) => {
  const { lab, outside } = await labWithOutside();
  const actions = [await lab.call(...there), await lab.call(...back)] as const;
  const before = snapshot(outside);
  const flips = await flipper(lab.at('dir'), outside);
  const counts = { applied: 0, failed: 0, 'in-doubt': 0 };
  let turn = 0;
  try {
    for (let attempt = 1; attempt <= TRIES; attempt++) {
      const { type } = await lab.applyBlindly(actions[turn % 2 === 0 ? 0 : 1], attempt);
      counts[type]++;
      // A try that landed in the parked folder is known to nobody; then the other direction goes on.
      if (type !== 'failed' || attempt % 20 === 0) turn++;
      expect(snapshot(outside)).toEqual(before);
    }
  } finally {
    await flips.stop();
  }
  expect(snapshot(outside)).toEqual(before);
  expect(flips.flips).toBeGreaterThan(100);
  expect(counts.applied, JSON.stringify(counts)).toBeGreaterThan(20);
  expect(counts.failed, JSON.stringify(counts)).toBeGreaterThan(20);
});

test('[T7] a read against a flipping link never shows what lies outside', async () => {
  const { lab, outside } = await labWithOutside();
  fs.writeFileSync(join(outside, 'x'), 'secret');
  const flips = await flipper(lab.at('dir'), outside);
  const seen = new Set<string>();
  try {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      seen.add(await lab.text('read_multiple_files', { paths: ['dir/x'] }));
      seen.add(await lab.text('grep_files', { pattern: 'e' }));
    }
  } finally {
    await flips.stop();
  }
  expect([...seen].join('\n')).not.toContain('secret');
  expect(seen).toContain('dir/x:\none\n');
  expect(seen.size).toBeGreaterThan(2);
});

test('[T7] the same harness catches an apply that checks first and then goes by path', async () => {
  const { lab, outside } = await labWithOutside();
  const before = snapshot(outside);
  const flips = await flipper(lab.at('dir'), outside);
  let escapes = 0;
  try {
    for (let attempt = 0; attempt < TRIES * 4 && escapes === 0; attempt++) {
      naiveWrite(lab.at('dir'), `text ${attempt}`);
      if (JSON.stringify(snapshot(outside)) !== JSON.stringify(before)) escapes++;
    }
  } finally {
    await flips.stop();
  }
  expect(escapes).toBe(1);
});

/** Looks that the folder is no link, then writes by name: what a careful author writes who does not know better. */
function naiveWrite(folder: string, text: string): void {
  try {
    if (!fs.lstatSync(folder).isDirectory()) return;
    fs.writeFileSync(join(folder, 'x'), text);
  } catch (error) {
    // In the middle of a swap there is no such folder.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}

async function labWithOutside(): Promise<{ lab: FilesLab; outside: string }> {
  const lab = await filesLab({ 'dir/x': 'one', y: 'y' }, { disk: FAST });
  const outside = join(lab.root, '..', 'outside');
  fs.mkdirSync(outside);
  fs.writeFileSync(join(outside, 'x'), 'one');
  return { lab, outside };
}
