import { z } from 'zod';
import { assert } from '../../base/assert.ts';
import type { JsonObject } from '../../base/canonical-json.ts';
import { parseDigest, type Digest } from '../../model/ids.ts';

/**
 * What `apply` gets and a person countersigns. Paths are relative. `entries` name the thing itself first
 * (`path: ''`), then what lies in it, folders before their contents.
 */
export type Effect = WriteEffect | MkdirEffect | MoveEffect | DeleteEffect | NothingEffect;

/** Create or replace one file. */
export type WriteEffect = Readonly<z.infer<typeof writeEffect>>;
/** Make folders, the outermost first. */
export type MkdirEffect = Readonly<z.infer<typeof mkdirEffect>>;
export type MoveEffect = Readonly<z.infer<typeof moveEffect>>;
export type DeleteEffect = Readonly<z.infer<typeof deleteEffect>>;
/** A call that changes nothing; `says` is its answer. */
export type NothingEffect = Readonly<z.infer<typeof nothingEffect>>;

/** A file with both its bytes and its permissions fixed. */
export type KeptFile = Readonly<z.infer<typeof keptFile>>;
export type KeptEntry = Readonly<z.infer<typeof keptEntry>>;
export type MovedEntry = Readonly<z.infer<typeof movedEntry>>;

const digest = z.custom<Digest>((value) => parseDigest(value).ok);
const mode = z.number().int().min(0).max(0o7777);
const blobRef = z.object({ $blob: digest, bytes: z.number().int().min(0) });
const keptFile = z.object({ type: z.literal('file'), content: blobRef, mode });
const folder = z.object({ type: z.literal('dir'), mode });
const keptEntry = z.discriminatedUnion('type', [
  keptFile.extend({ path: z.string() }),
  folder.extend({ path: z.string() }),
]);
const movedEntry = z.discriminatedUnion('type', [
  z.object({ type: z.literal('file'), path: z.string(), sha256: digest, bytes: z.number().int().min(0), mode }),
  folder.extend({ path: z.string() }),
]);
const writeEffect = z.object({
  op: z.literal('write'),
  path: z.string(),
  before: z.discriminatedUnion('type', [keptFile, z.object({ type: z.literal('absent') })]),
  after: keptFile,
});
const mkdirEffect = z.object({ op: z.literal('mkdir'), path: z.string(), paths: z.array(z.string()).min(1), mode });
const moveEffect = z.object({
  op: z.literal('move'),
  from: z.string(),
  to: z.string(),
  entries: z.array(movedEntry).min(1),
});
const deleteEffect = z.object({ op: z.literal('delete'), path: z.string(), entries: z.array(keptEntry).min(1) });
const nothingEffect = z.object({ op: z.literal('nothing'), path: z.string(), says: z.string() });
const effect = z.discriminatedUnion('op', [writeEffect, mkdirEffect, moveEffect, deleteEffect, nothingEffect]);

/** Reads an effect back from the journal. One that is none of ours is a bug: its digest was checked. */
export function effectOf(value: JsonObject): Effect {
  const parsed = effect.safeParse(value);
  assert(parsed.success, 'a journalled effect of the files surface has its normal form');
  return parsed.data;
}
