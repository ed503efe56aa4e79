import { chmod, mkdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findStateFolder, openStateFolder, stateDirOf, type StatePlace } from '../../src/cli/state/folder.ts';
import { secretFile, tokenFile } from '../../src/cli/state/key-file.ts';
import { nesting } from '../../src/cli/state/containment.ts';
import { identify, place, type FolderIdentity, type WorkspaceRecord } from '../../src/cli/state/workspace-place.ts';
import { nodeRandom } from '../../src/crypto/node.ts';
import { workspaceId } from '../../src/model/ids.ts';
import { tempDir } from '../support/temp-dir.ts';

const PLACE: StatePlace = { flag: undefined, env: {}, platform: 'linux', homeDir: '/home/me', cwd: '/here' };

describe('the state folder', () => {
  test.each<[string, Partial<StatePlace>, string]>([
    ['the flag first', { flag: 'mine', env: { COUNTERSIGN_STATE: '/env' } }, '/here/mine'],
    ['the variable next', { env: { COUNTERSIGN_STATE: '/env', XDG_STATE_HOME: '/xdg' } }, '/env'],
    ['the XDG folder', { env: { XDG_STATE_HOME: '/xdg' } }, '/xdg/countersign'],
    ['no relative XDG folder', { env: { XDG_STATE_HOME: 'xdg' } }, '/home/me/.local/state/countersign'],
    ['macOS', { platform: 'darwin' }, '/home/me/Library/Application Support/countersign'],
    ['Windows', { platform: 'win32', env: { LOCALAPPDATA: '/local' } }, '/local/countersign'],
  ])('%s', (_, change, expected) => {
    expect(stateDirOf({ ...PLACE, ...change })).toBe(expected);
  });

  test('is made 0700, and refused when others can read it', async () => {
    const dir = join(await tempDir(), 'a', 'state');
    expect(await findStateFolder(dir)).toBeUndefined();
    await openStateFolder(dir);
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    await writeFile(join(dir, 'x'), '');
    await chmod(dir, 0o750);
    await expect(openStateFolder(dir)).rejects.toThrow(/mode 750.*chmod 700/);
    await expect(findStateFolder(dir)).rejects.toThrow(/mode 750/);
  });

  test('an empty folder made by hand is closed for others', async () => {
    const dir = join(await tempDir(), 'state');
    await mkdir(dir, { mode: 0o755 });
    await openStateFolder(dir);
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
  });
});

describe('key files', () => {
  test('are made once, 0600, the same for all who race for it', async () => {
    const path = join(await tempDir(), 'home.key');
    const seeds = await Promise.all(Array.from({ length: 16 }, () => secretFile(path, nodeRandom)));
    expect(new Set(seeds.map(String)).size).toBe(1);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(new Uint8Array(await readFile(path))).toEqual(seeds[0]);
  });

  test('a token is text, and stays the same', async () => {
    const path = join(await tempDir(), 'agent.token');
    const token = await tokenFile(path, nodeRandom);
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    expect(await tokenFile(path, nodeRandom)).toBe(token);
    await writeFile(path, 'nonsense');
    await expect(tokenFile(path, nodeRandom)).rejects.toThrow(/damaged/);
  });

  test('are refused when open to others, cut short, or links', async () => {
    const dir = await tempDir();
    const path = join(dir, 'home.key');
    await secretFile(path, nodeRandom);
    await symlink(path, join(dir, 'link.key'));
    await expect(secretFile(join(dir, 'link.key'), nodeRandom)).rejects.toThrow(/cannot be read/);
    await chmod(path, 0o640);
    await expect(secretFile(path, nodeRandom)).rejects.toThrow(/chmod 600/);
    await chmod(path, 0o600);
    await writeFile(path, 'short');
    await expect(secretFile(path, nodeRandom)).rejects.toThrow(/damaged/);
  });
});

describe('containment', () => {
  test.each([
    ['/a/b', '/a/b', 'same'],
    ['/a/b/c', '/a/b', 'inside'],
    ['/a', '/a/b', 'around'],
    ['/a/bc', '/a/b', undefined],
    ['/a/..b', '/a', 'inside'],
    ['/', '/a', 'around'],
  ])('%s and %s: %s', (a, b, expected) => {
    expect(nesting(a, b)).toBe(expected);
  });
});

describe('which workspace a folder is', () => {
  const id = workspaceId(new Uint8Array(16));
  const known: WorkspaceRecord = { id, fence: 3, path: '/w', dev: '1', ino: '10', born: '100' };
  const at = (change: Partial<FolderIdentity>): FolderIdentity => ({
    path: '/w',
    dev: '1',
    ino: '10',
    born: '100',
    ...change,
  });

  test.each<[string, FolderIdentity, string]>([
    ['the same folder', at({}), 'same'],
    ['the same folder after a reboot gave its disk another number', at({ dev: '7' }), 'same'],
    ['a moved folder', at({ path: '/v' }), 'moved'],
    ['another folder that got a removed one’s inode', at({ path: '/v', born: '200' }), 'new'],
    ['another folder', at({ path: '/v', ino: '11' }), 'new'],
    ['a copy in its place', at({ ino: '11', born: '200' }), 'refused'],
  ])('%s', (_, found, expected) => {
    expect(place([known], found, { adopt: false }).type).toBe(expected);
  });

  test('adopting goes on with a new fence', () => {
    const placed = place([known], at({ ino: '11', born: '200' }), { adopt: true });
    expect(placed).toEqual({ type: 'adopted', record: { ...known, ino: '11', born: '200', fence: 4 } });
  });

  test('a real folder keeps its identity when it moves, and a copy does not', async () => {
    const dir = await tempDir();
    const path = join(dir, 'project');
    await mkdir(path);
    const before = await identify(path);
    await rename(path, join(dir, 'renamed'));
    const after = await identify(join(dir, 'renamed'));
    expect(place([{ ...before, id, fence: 1 }], after, { adopt: false }).type).toBe('moved');
    await mkdir(path);
    expect(place([{ ...before, id, fence: 1 }], await identify(path), { adopt: false }).type).toBe('refused');
    await rm(path, { recursive: true });
  });

  test('what is no folder is refused with one sentence', async () => {
    const dir = await tempDir();
    await writeFile(join(dir, 'file'), '');
    await expect(identify(join(dir, 'gone'))).rejects.toThrow(/does not exist\.$/);
    await expect(identify(join(dir, 'file'))).rejects.toThrow(/is not a folder/);
  });
});
