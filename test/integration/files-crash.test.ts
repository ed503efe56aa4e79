import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/canonical-json.ts';
import { crashingDisk, type CrashingDisk } from '../support/crashing-disk.ts';
import { MEMORY_FOLDER } from '../support/memory-folder.ts';
import { filesLab, snapshot, type FilesLab, type LabAction } from '../support/files-lab.ts';

/** More than any effect here takes. */
const STEPS_MAX = 400;

const EFFECTS: readonly (readonly [string, string, JsonObject])[] = [
  ['create', 'write_file', { path: 'src/new.ts', content: 'new\n' }],
  ['overwrite', 'write_file', { path: 'src/a.ts', content: 'other\n' }],
  ['edit', 'edit_file', { path: 'src/a.ts', edits: [{ oldText: 'one', newText: 'two' }] }],
  ['mkdir', 'create_directory', { path: 'x/y/z' }],
  ['move a file', 'move_file', { source: 'src/a.ts', destination: 'lib/b.ts' }],
  ['move a folder', 'move_file', { source: 'src', destination: 'lib/src' }],
  ['delete a file', 'delete_file', { path: 'src/a.ts' }],
  ['delete a tree', 'delete_file', { path: 'src', recursive: true }],
];

async function start(
  tool: string,
  args: JsonObject,
): Promise<{ lab: FilesLab; crash: CrashingDisk; action: LabAction }> {
  const crash = crashingDisk();
  const lab = await filesLab(
    { 'src/a.ts': 'one\n', 'src/in/c.ts': 'c\n', 'lib/keep.ts': '' },
    {
      disk: crash.disk,
      parent: MEMORY_FOLDER,
    },
  );
  lab.put('src/in/run', '#!/bin/sh\n', 0o755);
  return { lab, crash, action: await lab.call(tool, args) };
}

/** The disk as it is, and as it is once the action is applied. */
async function states(tool: string, args: JsonObject): Promise<{ before: unknown; after: unknown; steps: number }> {
  const { lab, crash, action } = await start(tool, args);
  const before = lab.disk();
  crash.arm(STEPS_MAX);
  expect(await lab.applyBlindly(action)).toMatchObject({ type: 'applied' });
  let steps = 0;
  // How many steps it takes: the first count that it survives.
  for (; ; steps++) {
    const again = await start(tool, args);
    again.crash.arm(steps);
    await again.lab.applyBlindly(again.action);
    if (!again.crash.dead) break;
  }
  return { before, after: lab.disk(), steps };
}

describe.each(EFFECTS)('%s', (_, tool, args) => {
  test('[F1] killed before any system call of the apply, a probe says what happened, and a redo ends applied', async () => {
    const { before, after, steps } = await states(tool, args);
    expect(steps).toBeGreaterThan(3);
    const answers = new Set<string>();
    for (let step = 0; step < steps; step++) {
      const { lab, crash, action } = await start(tool, args);
      crash.arm(step);
      const outcome = await lab.applyBlindly(action);
      expect(crash.dead, `step ${step}`).toBe(true);
      const left = lab.disk();
      crash.arm(undefined);
      // LC-3: what the dying process would have called failed must be a disk on which nothing changed.
      const probed = await lab.probe(action);
      answers.add(probed.answer);
      if (probed.answer === 'applied') expect(lab.disk(), `step ${step}`).toEqual(after);
      else
        expect({ ...probed, disk: lab.disk() }, `step ${step}`).toMatchObject({ answer: 'not-applied', disk: before });
      if (outcome.type === 'failed') expect(withoutTemps(left), `step ${step}`).toEqual(before);
      if (probed.answer === 'not-applied') expect(await lab.applyBlindly(action)).toMatchObject({ type: 'applied' });
      expect(await lab.probe(action)).toMatchObject({ answer: 'applied' });
      expect(lab.disk(), `step ${step}`).toEqual(after);
    }
    expect(answers).toContain('not-applied');
  });

  // With a probe first, as after a restart, and without, as when a person asks again.
  test.each(['probe', 'ask'])(
    '[F1] killed before any system call of the revert, %s again ends reverted',
    async (next) => {
      for (let step = 0; step < STEPS_MAX; step++) {
        const { lab, crash, action } = await start(tool, args);
        const before = lab.disk();
        await lab.applyBlindly(action);
        const after = lab.disk();
        crash.arm(step);
        await lab.revert(action);
        if (!crash.dead) {
          expect(lab.disk()).toEqual(before);
          expect(step).toBeGreaterThan(3);
          return;
        }
        crash.arm(undefined);
        if (next === 'probe') {
          // Applied means that the revert has not happened.
          const probed = await lab.probe(action, 2);
          expect(lab.disk(), `step ${step}: ${probed.answer}`).toEqual(probed.answer === 'applied' ? after : before);
          expect(['applied', 'not-applied']).toContain(probed.answer);
        }
        expect(await lab.revert(action)).toEqual({ type: 'reverted' });
        expect(lab.disk(), `step ${step}`).toEqual(before);
      }
      expect.unreachable('a revert takes fewer steps');
    },
  );
});

test('[F1] the disk named the state folder and nothing else was touched', async () => {
  const { lab, action } = await start('delete_file', { path: 'src', recursive: true });
  const state = snapshot(lab.state);
  await lab.applyBlindly(action);
  await lab.revert(action);
  expect(snapshot(lab.state)).toEqual(state);
});

/** The disk without what an attempt leaves under its own temporary name. */
function withoutTemps(disk: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(disk).filter(([path]) => !path.includes('.countersign-')));
}
