import { join } from 'node:path';
import type { Disk } from './disk.ts';
import { readSegment, type HeadSegment } from './head-segment.ts';

/** The file that grows, the one that is about to replace it, and the full ones: `head-0001.log`, `head-0002.log` … */
export const HEAD_FILE = 'head.log';
export const NEXT_HEAD_FILE = 'head.next';
const FULL_HEAD_FILE = /^head-(\d{4,})\.log$/;

export function fullHeadFile(number: number): string {
  return `head-${String(number).padStart(4, '0')}.log`;
}

/** Full files in the order they were written. */
function fullHeadFiles(disk: Disk, folder: string): readonly { readonly name: string; readonly number: number }[] {
  return disk
    .list(folder)
    .flatMap((name) => {
      const number = FULL_HEAD_FILE.exec(name)?.[1];
      return number === undefined ? [] : [{ name, number: Number(number) }];
    })
    .toSorted((a, b) => a.number - b.number);
}

/** The newest segment. `interrupted`: a crash fell between the two renames that open a new one. */
export interface NewestSegment {
  readonly segment: HeadSegment;
  readonly interrupted: boolean;
  readonly fullFiles: number;
}

/** `undefined` when there is no head log. Reads one file, however long the history is. */
export function readNewestSegment(disk: Disk, folder: string): NewestSegment | undefined {
  // The first name is tried again last: a writer may have renamed between the first two looks.
  for (const name of [HEAD_FILE, NEXT_HEAD_FILE, HEAD_FILE]) {
    const bytes = disk.read(join(folder, name));
    if (bytes === undefined) continue;
    const fullFiles = fullHeadFiles(disk, folder).at(-1)?.number ?? 0;
    const segment = readSegment(bytes, fullFiles === 0 ? 'first' : 'later');
    return { segment, interrupted: name === NEXT_HEAD_FILE, fullFiles };
  }
  return undefined;
}

/** All segments, oldest first, with their file names. For verification and quarantine. */
export function readAllSegments(
  disk: Disk,
  folder: string,
): readonly { readonly name: string; readonly segment: HeadSegment }[] {
  const newest = disk.sizeOf(join(folder, HEAD_FILE)) === undefined ? NEXT_HEAD_FILE : HEAD_FILE;
  const full = fullHeadFiles(disk, folder);
  return [...full.map((file) => file.name), newest].flatMap((name, index) => {
    const bytes = disk.read(join(folder, name));
    return bytes === undefined ? [] : [{ name, segment: readSegment(bytes, index === 0 ? 'first' : 'later') }];
  });
}
