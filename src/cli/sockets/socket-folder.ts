import { createHash } from 'node:crypto';
import { lstat, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CountersignError } from '../../base/errors.ts';
import { makePrivateDir } from '../state/folder.ts';
import { codeOf, wordsOf } from '../state/node-errors.ts';
import { SOCKET_LIMITS } from './limits.ts';

/** The two sockets of a home. */
export type DoorName = 'agent' | 'owner';

/** Names the folder that was chosen, inside the state folder: a client may have another environment than the home. */
const POINTER = 'sockets-at';
const LONGEST_DOOR: DoorName = 'agent';

/**
 * Makes the folder for a home's sockets and answers it: `doorsDir` in the state folder, or a short one of ours in one
 * of `runtimeDirs` (best first) where that path is too long for a socket.
 *
 * Writes: the folder, 0700, and in `doorsDir` the pointer that `findSocketFolder` reads.
 * Throws: `denied` when what stands there is not a folder of ours that nobody else can enter.
 */
export async function makeSocketFolder(doorsDir: string, runtimeDirs: readonly string[]): Promise<string> {
  await makePrivateDir(doorsDir);
  const folder = choose(doorsDir, runtimeDirs);
  await makeFolder(folder);
  await assertOurs(folder);
  const pointer = join(doorsDir, POINTER);
  const draft = `${pointer}.new`;
  await writeFile(draft, `${folder}\n`, { mode: 0o600 });
  await rename(draft, pointer);
  return folder;
}

/** The folder that a home with these doors last used; `undefined` when there never was one, or it is gone. */
export async function findSocketFolder(doorsDir: string): Promise<string | undefined> {
  const folder = await readPointer(join(doorsDir, POINTER));
  if (folder === undefined) return undefined;
  try {
    await assertOurs(folder);
  } catch (thrown) {
    // A runtime folder is emptied at logout: no folder is no home. Anything else that stands there is not ours.
    if (codeOf(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
  return folder;
}

/** The path of a door's socket. Throws: `bad-input` for one that some systems would cut. */
export function socketPath(folder: string, door: DoorName): string {
  const path = join(folder, `${door}.sock`);
  const bytes = Buffer.byteLength(path);
  if (bytes <= SOCKET_LIMITS.pathBytesMax) return path;
  const message = `The path of a socket may have ${SOCKET_LIMITS.pathBytesMax} bytes at most; ${path} has ${bytes}.`;
  throw new CountersignError('bad-input', message);
}

function choose(doorsDir: string, runtimeDirs: readonly string[]): string {
  const hash = createHash('sha256').update(doorsDir).digest('hex').slice(0, 16);
  const short = runtimeDirs.map((dir) => join(dir, `countersign-${process.getuid?.() ?? 0}-${hash}`));
  const folder = [doorsDir, ...short].find(
    (dir) => Buffer.byteLength(join(dir, `${LONGEST_DOOR}.sock`)) <= SOCKET_LIMITS.pathBytesMax,
  );
  if (folder !== undefined) return folder;
  throw new CountersignError(
    'bad-input',
    `No path for the sockets of ${doorsDir} is short enough; use a shorter --state.`,
  );
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new CountersignError('denied', `${folder} cannot be made: ${wordsOf(cause)}.`, { cause });
  }
}

/** A folder in a shared place may have been put there by somebody else: it must be ours, and closed to others. */
async function assertOurs(folder: string): Promise<void> {
  const stats = await lstat(folder);
  const ours = process.getuid === undefined || (stats.uid === process.getuid() && (stats.mode & 0o077) === 0);
  if (stats.isDirectory() && ours) return;
  const message = `${folder} must be a folder of yours that nobody else can enter (0700); remove it and start again.`;
  throw new CountersignError('denied', message);
}

async function readPointer(path: string): Promise<string | undefined> {
  try {
    const folder = (await readFile(path, 'utf8')).trimEnd();
    return folder === '' ? undefined : folder;
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw new CountersignError('denied', `${path} cannot be used: ${wordsOf(cause)}.`, { cause });
  }
}
