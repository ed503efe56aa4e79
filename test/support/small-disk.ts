import { spawnSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { tempDir } from './temp-dir.ts';

// Absolute: a name looked up on the PATH could be anything.
const MOUNT = '/usr/bin/mount';
const UNMOUNT = '/usr/bin/umount';

export interface SmallDisk {
  readonly folder: string;
  resize(megabytes: number): void;
}

/** A file system of its own with this many megabytes; `undefined`, said loudly, where mounting is not permitted. */
export async function smallDisk(megabytes: number): Promise<SmallDisk | undefined> {
  const folder = join(await tempDir(), 'disk');
  await mkdir(folder);
  const mounted = spawnSync(MOUNT, ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
  if (mounted.status !== 0) {
    process.stderr.write('\nNO TMPFS: mount is not permitted here, so a real full disk was not tried\n');
    return undefined;
  }
  onTestFinished(() => void spawnSync(UNMOUNT, ['-l', folder]));
  return {
    folder,
    resize: (to) => void spawnSync(MOUNT, ['-o', `remount,size=${to}m`, folder]),
  };
}
