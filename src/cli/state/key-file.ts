import { constants } from 'node:fs';
import { link, open, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CountersignError } from '../../base/errors.ts';
import { textOf, toHex, utf8 } from '../../base/bytes.ts';
import type { Random } from '../../base/random.ts';
import { codeOf } from './node-errors.ts';

/** Bytes of an Ed25519 seed, and of a door's token before it is written as text. */
const SECRET_BYTES = 32;
/** Drafts this process has made, so that no two have one name. */
let drafts = 0;

/** The secret in a 0600 file, made on first use. Processes that race for the first use all get the same one. */
export async function secretFile(path: string, random: Random): Promise<Uint8Array> {
  const bytes = await privateFile(path, () => random.bytes(SECRET_BYTES));
  if (bytes.length === SECRET_BYTES) return bytes;
  throw new CountersignError('storage', `The key file ${path} is damaged: it holds ${bytes.length} bytes, not 32.`);
}

/** A secret as text, for a person or a program to hand on: 64 hexadecimal digits and a newline. */
export async function tokenFile(path: string, random: Random): Promise<string> {
  const text = textOf(await privateFile(path, () => utf8(`${toHex(random.bytes(SECRET_BYTES))}\n`)))?.trim() ?? '';
  if (/^[0-9a-f]{64}$/.test(text)) return text;
  throw new CountersignError('storage', `The token file ${path} is damaged; remove it to get a new one.`);
}

async function privateFile(path: string, make: () => Uint8Array): Promise<Uint8Array> {
  const found = await readPrivate(path);
  if (found !== undefined) return found;
  await writeOnce(path, make());
  const made = await readPrivate(path);
  if (made === undefined) throw new CountersignError('storage', `${path} vanished while it was being made.`);
  return made;
}

/** Throws `denied` for a file that others can read or that is no plain file. */
async function readPrivate(path: string): Promise<Uint8Array | undefined> {
  let file;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new CountersignError('denied', `The key file ${path} cannot be read (${codeOf(error) ?? 'unknown'}).`, {
      cause: error,
    });
  }
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new CountersignError('denied', `The key file ${path} is not a plain file.`);
    if (process.getuid !== undefined && (stat.uid !== process.getuid() || (stat.mode & 0o077) !== 0)) {
      throw new CountersignError('denied', `The key file ${path} is open to others; run: chmod 600 ${path}`);
    }
    return new Uint8Array(await file.readFile());
  } finally {
    await file.close();
  }
}

/**
 * Durable before it is visible: `link` gives the name only to a whole file, and only if nobody has it yet, so that
 * no reader meets half a key and no second writer replaces the first one's.
 */
async function writeOnce(path: string, bytes: Uint8Array): Promise<void> {
  const draft = `${path}.${process.pid}.${drafts++}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await link(draft, path);
  } catch (error) {
    // Another process was first: its key is the key.
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    await unlink(draft);
  }
  await syncDir(dirname(path));
}

/** Makes a name durable. A no-op on Windows, whose folders cannot be opened. */
async function syncDir(dir: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(dir, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
