import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A word that stands nowhere by chance, to be planted in a secret and looked for everywhere else. */
export function canary(name: string): string {
  return `canary-${name}-${randomBytes(6).toString('hex')}`;
}

/** Every way in which the word may lie in bytes: as text, as wide text, in hexadecimal, in base64 wherever it begins. */
export function canFind(bytes: Uint8Array, word: string): boolean {
  const where = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return spellings(Buffer.from(word)).some((spelled) => where.includes(spelled));
}

function spellings(word: Buffer): readonly (string | Buffer)[] {
  const hex = word.toString('hex');
  const wide = Buffer.from(word.toString('utf8'), 'utf16le');
  return [word, wide, hex, hex.toUpperCase(), ...[0, 1, 2].flatMap((shift) => inBase64(word, shift))];
}

/** The digits that are the same whatever stands around the word. */
function inBase64(word: Buffer, shift: number): readonly string[] {
  const digits = Buffer.concat([Buffer.alloc(shift), word])
    .toString('base64')
    .replaceAll('=', '');
  const certain = digits.slice(Math.ceil((shift * 8) / 6), -1);
  return [certain, certain.replaceAll('+', '-').replaceAll('/', '_')];
}

/** All files below a folder, as bytes. */
export async function bytesBelow(
  folder: string,
): Promise<readonly { readonly path: string; readonly bytes: Buffer }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(paths.map(async (path) => ({ path, bytes: await readFile(path) })));
}
