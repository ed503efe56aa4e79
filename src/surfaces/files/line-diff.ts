import { createTwoFilesPatch, FILE_HEADERS_ONLY, INCLUDE_HEADERS } from 'diff';
import { textOf } from '../../base/bytes.ts';
import { FILE_LIMITS } from './limits.ts';

/** One side of a diff; `undefined` is absence. */
export type Side = Uint8Array | undefined;

/** A unified diff with the headers the reference tools print. Line endings are part of the lines. */
export function editDiff(path: string, before: string, after: string): string {
  return patch({ from: path, to: path }, before, after) ?? `${path} differs in too many lines to show.\n`;
}

/** A diff inside a Markdown fence longer than any run of backticks in it. */
export function fenced(diff: string): string {
  let fence = '```';
  while (diff.includes(fence)) fence += '`';
  return `${fence}diff\n${diff}${fence}\n\n`;
}

/** A unified diff of two versions of a file, in git's way of naming absence and binary files. */
export function versionDiff(path: string, before: Side, after: Side): string {
  const from = before === undefined ? '/dev/null' : `a/${path}`;
  const to = after === undefined ? '/dev/null' : `b/${path}`;
  const old = before === undefined ? '' : plainText(before);
  const fresh = after === undefined ? '' : plainText(after);
  if (old === undefined || fresh === undefined) return `Binary files ${from} and ${to} differ\n`;
  const shown = patch({ from, to }, old, fresh);
  return shown ?? `${from} and ${to} differ in too many lines to show.\n`;
}

/** Text that can be shown and edited: valid UTF-8 without NUL. */
export function plainText(bytes: Uint8Array): string | undefined {
  return bytes.includes(0) ? undefined : textOf(bytes);
}

/** `undefined` when the search for a diff is cut off. */
function patch(
  names: { readonly from: string; readonly to: string },
  before: string,
  after: string,
): string | undefined {
  // The bound makes the cost of a hostile pair of texts linear; without it the search is quadratic.
  const maxEditLength = FILE_LIMITS.diffLinesMax;
  const isEdit = names.from === names.to;
  const headerOptions = isEdit ? INCLUDE_HEADERS : FILE_HEADERS_ONLY;
  const [old, fresh] = isEdit ? ['original', 'modified'] : [undefined, undefined];
  return createTwoFilesPatch(names.from, names.to, before, after, old, fresh, { maxEditLength, headerOptions });
}
