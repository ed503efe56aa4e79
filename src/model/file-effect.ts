import { assert } from '../base/assert.ts';
import type { Json, JsonObject } from '../base/canonical-json.ts';
import type { Result } from '../base/result.ts';
import { jsonObject, list, oneOf, parsed, read, record, text, whole, wrong, type Reader } from '../base/shape.ts';
import { parseDigest, type Digest } from './ids.ts';

/**
 * What `apply` gets and a person countersigns of a change to files. Paths are relative. `entries` name the thing
 * itself first (`path: ''`), then what lies in it, folders before their contents. Types rather than interfaces: an
 * effect is plain JSON, which only a type can be.
 */
export type Effect = WriteEffect | MkdirEffect | MoveEffect | DeleteEffect | NothingEffect;

/** Create or replace one file. */
export type WriteEffect = {
  readonly op: 'write';
  readonly path: string;
  readonly before: KeptFile | { readonly type: 'absent' };
  readonly after: KeptFile;
};
/** Make folders, the outermost first. */
export type MkdirEffect = {
  readonly op: 'mkdir';
  readonly path: string;
  readonly paths: readonly string[];
  readonly mode: number;
};
export type MoveEffect = {
  readonly op: 'move';
  readonly from: string;
  readonly to: string;
  readonly entries: readonly MovedEntry[];
};
export type DeleteEffect = {
  readonly op: 'delete';
  readonly path: string;
  readonly entries: readonly KeptEntry[];
};
/** A call that changes nothing; `says` is its answer. */
export type NothingEffect = {
  readonly op: 'nothing';
  readonly path: string;
  readonly says: string;
};

/** A file with both its bytes and its permissions fixed. */
export type KeptFile = {
  readonly type: 'file';
  readonly content: { readonly $blob: Digest; readonly bytes: number };
  readonly mode: number;
};
type KeptFolder = {
  readonly type: 'dir';
  readonly mode: number;
};
export type KeptEntry = (KeptFile & { readonly path: string }) | (KeptFolder & { readonly path: string });
export type MovedEntry =
  | {
      readonly type: 'file';
      readonly path: string;
      readonly sha256: Digest;
      readonly bytes: number;
      readonly mode: number;
    }
  | (KeptFolder & { readonly path: string });

const FILE_EFFECT_LIMITS = {
  /** Files and folders one effect may name: five times what the files surface proposes. */
  entriesMax: 10_000,
  /** UTF-8 bytes of one path: a path as long as a system takes, with one more below it. */
  pathBytesMax: 2 * 4_096,
  /** UTF-8 bytes of the answer of a call that changes nothing. */
  saysBytesMax: 64 * 1024,
} as const;

/** Reads an effect back from the journal. One that is none of ours is a bug: its digest was checked. */
export function effectOf(value: JsonObject): Effect {
  const effect = readEffect(value);
  assert(effect.ok, 'a journalled effect of the files surface has its normal form');
  return effect.value;
}

/** The same for who cannot know that the runtime is of its own version: a sentence where it is none that we know. */
export function readEffect(value: JsonObject): Result<Effect> {
  return read(effect, value);
}

const path = text({ bytesMax: FILE_EFFECT_LIMITS.pathBytesMax });
const entries = { max: FILE_EFFECT_LIMITS.entriesMax, min: 1 } as const;
const mode: Reader<number> = (value, at) => {
  const bits = whole(0)(value, at);
  return bits <= 0o7777 ? bits : wrong(at, 'must be permission bits');
};
const digest = parsed(parseDigest);
const blobRef = record({ $blob: digest, bytes: whole(0) });
const keptFile = record({ type: oneOf('file'), content: blobRef, mode });
const keptEntry = either<KeptEntry>('type', {
  file: record({ type: oneOf('file'), path, content: blobRef, mode }),
  dir: record({ type: oneOf('dir'), path, mode }),
});
const movedEntry = either<MovedEntry>('type', {
  file: record({ type: oneOf('file'), path, sha256: digest, bytes: whole(0), mode }),
  dir: record({ type: oneOf('dir'), path, mode }),
});
const effect = either<Effect>('op', {
  write: record({
    op: oneOf('write'),
    path,
    before: either<WriteEffect['before']>('type', { file: keptFile, absent: record({ type: oneOf('absent') }) }),
    after: keptFile,
  }),
  mkdir: record({ op: oneOf('mkdir'), path, paths: list(path, entries), mode }),
  move: record({ op: oneOf('move'), from: path, to: path, entries: list(movedEntry, entries) }),
  delete: record({ op: oneOf('delete'), path, entries: list(keptEntry, entries) }),
  nothing: record({ op: oneOf('nothing'), path, says: text({ bytesMax: FILE_EFFECT_LIMITS.saysBytesMax }) }),
});

/** One of several shapes, told apart by the member `tag`. */
function either<T>(tag: string, shapes: Readonly<Record<string, Reader<T>>>): Reader<T> {
  const readers = new Map(Object.entries(shapes));
  return (value: Json, at: string) => {
    const word = jsonObject(value, at)[tag];
    const reader = typeof word === 'string' ? readers.get(word) : undefined;
    return reader === undefined ? wrong(at, `has no known ${tag}`) : reader(value, at);
  };
}
