import { posix } from 'node:path';
import { CountersignError } from '../../base/errors.ts';
import { FILE_LIMITS } from './limits.ts';
import { isOwnTempName } from './temp-name.ts';
import { namesOf, type RelativePath } from './resource.ts';

/** Invisible characters that some file systems ignore in names, so that two spellings open one file. */
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;
const CONTROL = /\p{Cc}/u;

/**
 * One form for all spellings that any common file system takes for the same name: case, composition,
 * ignored characters, trailing dots and spaces, streams. For refusing only; never used to open a file.
 */
export function folded(path: string): string {
  const names = path.split('/').map((name) => {
    const plain = name.normalize('NFKC').replaceAll(IGNORABLE, '').toUpperCase().toLowerCase().normalize('NFKC');
    return plain.replace(/:.*$/u, '').replace(/[. ]+$/u, '');
  });
  return names.filter((name) => name !== '').join('/');
}

/**
 * The path inside `root` that an agent's text means: relative, or absolute and lexically inside.
 *
 * Throws: `bad-input` for what cannot be a path, `denied` for what leaves the workspace or has a spelling that means
 * different files to different systems; `undefined` when it is absolute and only the disk knows whether it is inside.
 */
export function relativePath(text: string, root: string, field: string): RelativePath | undefined {
  checkText(text, field);
  if (!text.startsWith('/')) return checkNames(posix.normalize(text), text, field);
  if (/^\/+(?:proc|dev)(?:\/|$)/iu.test(text)) throw denied(field, text, 'goes through a system folder');
  const whole = posix.normalize(text);
  const inside = root === '/' || whole === root || whole === `${root}/` || whole.startsWith(`${root}/`);
  return inside
    ? checkNames(posix.normalize(whole.slice(root.length).replace(/^\/+/u, '') || '.'), text, field)
    : undefined;
}

/** Checks a normalised relative path name by name. */
export function checkNames(path: string, text: string, field: string): RelativePath {
  if (path === '..' || path.startsWith('../')) throw outside(field, text);
  const trimmed = path.replace(/\/+$/u, '');
  const relative = trimmed === '.' ? '' : trimmed;
  for (const name of namesOf(relative)) checkName(name, text, field);
  return relative;
}

export function outside(field: string, text: string): CountersignError {
  return denied(field, text, 'lies outside the workspace');
}

function checkText(text: string, field: string): void {
  if (text === '') throw new CountersignError('bad-input', `${field}: is empty; use . for the workspace folder.`);
  if (!text.isWellFormed()) throw new CountersignError('bad-input', `${field}: holds half a surrogate pair.`);
  if (CONTROL.test(text)) throw denied(field, text, 'holds a control character');
  if (/^[a-z][a-z\d+.-]*:\/\//iu.test(text)) throw denied(field, text, 'is a URL; give a path');
  if (text.includes('\\')) throw denied(field, text, 'holds a backslash; names are separated with /');
  if (text === '~' || text.startsWith('~/'))
    throw denied(field, text, 'starts in the home folder; give a path inside the workspace');
  if (Buffer.byteLength(text) > FILE_LIMITS.pathBytesMax)
    throw new CountersignError('bad-input', `${field}: is longer than ${FILE_LIMITS.pathBytesMax} bytes.`);
  // Seen before `..` is resolved: `secret./../x` must not pass because the odd name is gone afterwards.
  for (const name of text.split('/')) {
    if (name !== '.' && name !== '..' && /[. ]$/u.test(name))
      throw denied(field, text, 'has a name that ends in a dot or a space, which some systems ignore');
  }
}

function checkName(name: string, text: string, field: string): void {
  if (Buffer.byteLength(name) > FILE_LIMITS.nameBytesMax)
    throw new CountersignError('bad-input', `${field}: has a name longer than ${FILE_LIMITS.nameBytesMax} bytes.`);
  if (isOwnTempName(name)) throw denied(field, text, 'names a temporary file of Countersign');
}

function denied(field: string, text: string, why: string): CountersignError {
  return new CountersignError('denied', `${field}: ${brief(text)} ${why}.`);
}

/** A path as it is quoted in an error: visible escapes, never longer than a line. */
function brief(text: string): string {
  const visible = JSON.stringify(text);
  return visible.length <= 200 ? visible : `${visible.slice(0, 197)}…"`;
}
