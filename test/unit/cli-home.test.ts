import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { lockFolder, takenSentence, type Holder, type Locked } from '../../src/cli/home/lock.ts';
import { foreignNeighbour } from '../../src/cli/home/neighbours.ts';
import { networkFileSystem, parseMacMounts, parseMountInfo, type FileSystems } from '../../src/cli/home/network-fs.ts';
import { identify } from '../../src/cli/state/workspace-place.ts';
import { tempDir } from '../support/temp-dir.ts';

const self = (root: string): Holder => ({ homeId: 'h-me', pid: process.pid, stateDir: '/state', root });

async function hold(dir: string): Promise<Locked> {
  const folder = await identify(dir);
  const locked = await lockFolder('workspace', folder, self(folder.path));
  if (locked.type === 'held') onTestFinished(() => locked.lock.release());
  return locked;
}

describe('the workspace lock', () => {
  test('[DR-7] of 20 at once one holds it, and the others can name it', async () => {
    const dir = await tempDir();
    const all = await Promise.all(Array.from({ length: 20 }, () => hold(dir)));
    expect(all.filter(({ type }) => type === 'held')).toHaveLength(1);
    const taken = all.flatMap((one) => (one.type === 'taken' ? [one.holder] : []));
    expect(taken).toEqual(Array.from({ length: 19 }, () => self(dir)));
  });

  test('[DR-7] is free again after a release', async () => {
    const folder = await identify(await tempDir());
    for (let round = 0; round < 3; round++) {
      const locked = await lockFolder('workspace', folder, self(folder.path));
      if (locked.type !== 'held') throw new Error('the lock is not free');
      await locked.lock.release();
    }
  });

  test('[DR-7] a stopped holder still holds, and a killed one does not', async () => {
    const dir = await tempDir();
    const folder = await identify(dir);
    const name = `\0countersign-workspace-${folder.dev}-${folder.ino}`.padEnd(108, '\0');
    if (process.platform !== 'linux') return;
    const program = `require('net').createServer((s) => s.end('?')).listen(${JSON.stringify(name)}, () => console.log('up'))`;
    const child = spawn(process.execPath, ['-e', program]);
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    child.kill('SIGSTOP');
    const refused = await hold(dir);
    expect(refused).toEqual({ type: 'taken', holder: null });
    expect(takenSentence(dir, null)).toMatch(/does not answer/);
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    expect((await hold(dir)).type).toBe('held');
  });

  test('[DR-7] a workspace inside or around another home’s is found', async () => {
    const dir = await tempDir();
    await mkdir(join(dir, 'a', 'b', 'c'), { recursive: true });
    await hold(join(dir, 'a', 'b'));
    expect(await foreignNeighbour(await identify(join(dir, 'a', 'b', 'c')))).toMatch(
      /inside .*\/a\/b, which home h-me/,
    );
    if (process.platform === 'linux') expect(await foreignNeighbour(await identify(join(dir, 'a')))).toMatch(/around/);
    await mkdir(join(dir, 'bc'));
    expect(await foreignNeighbour(await identify(join(dir, 'bc')))).toBeUndefined();
  });
});

describe('network file systems', () => {
  const systems = (type: number, mounts: readonly [string, string][] = []): FileSystems => ({
    type: () => Promise.resolve(type),
    mounts: () => Promise.resolve(mounts.map(([point, kind]) => ({ point, type: kind }))),
  });

  test.each<[string, FileSystems, string | undefined]>([
    ['nfs by number', systems(0x6969), 'nfs'],
    ['cifs by a negative number', systems(0xff534d42 | 0), 'cifs'],
    ['ext4', systems(0xef53, [['/', 'ext4']]), undefined],
    [
      'sshfs by its mount',
      systems(0x65735546, [
        ['/', 'ext4'],
        ['/w', 'fuse.sshfs'],
      ]),
      'fuse.sshfs',
    ],
    [
      'a local disk mounted below a share',
      systems(0xef53, [
        ['/', 'nfs4'],
        ['/w', 'ext4'],
      ]),
      undefined,
    ],
    [
      'a share mounted beside it',
      systems(0xef53, [
        ['/', 'ext4'],
        ['/wide', 'nfs'],
      ]),
      undefined,
    ],
  ])('[F5] %s', async (_, machine, expected) => {
    expect(await networkFileSystem('/w/project', machine)).toBe(expected);
  });

  test('mount tables are read', () => {
    const info =
      '36 35 0:1 / /mnt/a\\040b rw,noatime shared:1 - nfs4 host:/x rw\n22 1 8:1 / / rw - ext4 /dev/sda1 rw\n';
    expect(parseMountInfo(info)).toEqual([
      { point: '/mnt/a b', type: 'nfs4' },
      { point: '/', type: 'ext4' },
    ]);
    expect(parseMacMounts('//me@host/share on /Volumes/my share (smbfs, nodev)\n')).toEqual([
      { point: '/Volumes/my share', type: 'smbfs' },
    ]);
  });

  test('this machine’s own tables can be read', async () => {
    expect(await networkFileSystem('/')).toBeUndefined();
  });
});
