import { assert } from '../../base/assert.ts';
import type { Json, JsonObject } from '../../base/canonical-json.ts';
import type { BlobRef } from '../../model/content.ts';
import { parseDigest, type Digest } from '../../model/ids.ts';
import type { GroundStat } from './ground.ts';
import type { RelativePath } from './resource.ts';

/** What an agent finds at a path: the newest pending version, else what stands on disk. */
export type Entry =
  | { readonly type: 'absent' }
  | FileEntry
  | { readonly type: 'dir'; readonly mode: number; readonly stat: GroundStat | undefined }
  | { readonly type: 'link' | 'other'; readonly stat: GroundStat };

export interface FileEntry {
  readonly type: 'file';
  readonly mode: number;
  readonly bytes: number;
  readonly content: FileContent;
  /** Present when the file stands on disk as it is. */
  readonly stat: GroundStat | undefined;
}

/**
 * Where a file's bytes are. `moved` bytes are not copied: they lie in the ground at one of `ground`, oldest name
 * first, depending on how many of the pending moves have been applied.
 */
export type FileContent =
  | { readonly at: 'ground' }
  | { readonly at: 'blob'; readonly sha256: Digest }
  | { readonly at: 'moved'; readonly sha256: Digest; readonly ground: readonly RelativePath[] };

/** Most moves of one file that pend at once and are told apart; the oldest names are dropped. */
const NAMES_MAX = 16;

export const ABSENT: Entry = { type: 'absent' };

export function fileLayer(content: BlobRef, mode: number): JsonObject {
  return { type: 'file', content: { $blob: content.$blob, bytes: content.bytes }, mode };
}

export function folderLayer(mode: number): JsonObject {
  return { type: 'dir', mode };
}

export function movedLayer(file: {
  readonly sha256: Digest;
  readonly bytes: number;
  readonly mode: number;
  readonly ground: readonly RelativePath[];
}): JsonObject {
  return {
    type: 'file',
    ground: file.ground.slice(-NAMES_MAX),
    sha256: file.sha256,
    bytes: file.bytes,
    mode: file.mode,
  };
}

/** Reads a layer that `fileLayer`, `folderLayer` or `movedLayer` made, perhaps by an earlier run of the program. */
export function entryOfLayer(value: JsonObject | null): Entry {
  if (value === null) return ABSENT;
  const mode = numberIn(value, 'mode');
  if (value['type'] === 'dir') return { type: 'dir', mode, stat: undefined };
  assert(value['type'] === 'file', 'an overlay layer is a file or a folder');
  const content = value['content'];
  if (isObject(content)) {
    const sha256 = digestIn(content, '$blob');
    return { type: 'file', mode, bytes: numberIn(content, 'bytes'), content: { at: 'blob', sha256 }, stat: undefined };
  }
  const ground = value['ground'];
  assert(Array.isArray(ground), 'a file layer has content, or names in the ground');
  const names = ground.map(String);
  const sha256 = digestIn(value, 'sha256');
  return {
    type: 'file',
    mode,
    bytes: numberIn(value, 'bytes'),
    content: { at: 'moved', sha256, ground: names },
    stat: undefined,
  };
}

export function entryOfStat(stat: GroundStat | undefined): Entry {
  if (stat === undefined) return ABSENT;
  if (stat.kind === 'file') {
    return { type: 'file', mode: stat.mode, bytes: stat.bytes, content: { at: 'ground' }, stat };
  }
  return stat.kind === 'dir' ? { type: 'dir', mode: stat.mode, stat } : { type: stat.kind, stat };
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function numberIn(value: JsonObject, key: string): number {
  const found = value[key];
  assert(typeof found === 'number', `an overlay layer has a number as ${key}`);
  return found;
}

function digestIn(value: JsonObject, key: string): Digest {
  const digest = parseDigest(value[key]);
  assert(digest.ok, `an overlay layer has a digest as ${key}`);
  return digest.value;
}
