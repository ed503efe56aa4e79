import { open, readFile, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CountersignError } from '../../base/errors.ts';
import { codeOf, wordsOf } from './node-errors.ts';

/** The one line that was kept at this path; `undefined` when none was. */
export async function readSetting(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new CountersignError('denied', `${path} cannot be read: ${wordsOf(error)}.`, { cause: error });
  }
}

/**
 * Keeps one line, 0600, durable when it returns: a reader meets the old line or the new one, also after a crash.
 *
 * Throws: `full` when the disk is.
 */
export async function keepSetting(path: string, line: string): Promise<void> {
  const draft = `${path}.${process.pid}.draft`;
  try {
    await writeDurably(draft, `${line}\n`);
    await rename(draft, path);
    await syncFolder(dirname(path));
  } catch (cause) {
    await forgetSetting(draft);
    const code = codeOf(cause) === 'ENOSPC' ? 'full' : 'denied';
    throw new CountersignError(code, `${path} cannot be written: ${wordsOf(cause)}.`, { cause });
  }
}

export async function forgetSetting(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes a name durable. A no-op on Windows, whose folders cannot be opened. */
async function syncFolder(dir: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(dir, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
