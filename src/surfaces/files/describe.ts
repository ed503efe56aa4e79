import type { JsonObject } from '../../base/canonical-json.ts';
import { CountersignError } from '../../base/errors.ts';
import type { Described } from '../../authority/ports.ts';
import type { BlobRef, Precondition, Verdict } from '../../model/content.ts';
import type { OverlayWriter } from '../../overlay/types.ts';
import type { NothingEffect } from '../../model/file-effect.ts';
import type { FileEntry } from './entry.ts';
import { mustBeFolder } from './fingerprint.ts';
import { FILE_LIMITS } from './limits.ts';
import { parentOf, resourceOf, shown, type RelativePath } from './resource.ts';
import { bytesOf, locate, type World } from './world.ts';

/** A world whose overlay can also be written: for describing and simulating one action. */
export interface WritableWorld extends World {
  readonly view: OverlayWriter;
}

/** What every change of files has in common: compare-and-set, in the session's lane, and it can be put back. */
export function change(of: {
  readonly effect: JsonObject;
  readonly preconditions: readonly Precondition[];
  readonly writes: readonly RelativePath[];
  readonly verdict: Verdict;
  readonly reversibleWhy: string;
}): Described {
  return {
    effect: of.effect,
    preconditions: of.preconditions,
    writes: of.writes.map(resourceOf),
    effectClass: 'E1',
    reversible: true,
    reversibleWhy: of.reversibleWhy,
    awaitDecision: false,
    verdict: of.verdict,
    lane: null,
    unchanged: false,
  };
}

/** A call that finds everything as it wants it. */
export function nothingToDo(path: RelativePath, says: string): Described {
  const effect: NothingEffect = { op: 'nothing', path, says };
  return {
    ...change({
      effect,
      preconditions: [],
      writes: [],
      verdict: { autoApprovable: true, reason: 'It changes nothing.' },
      reversibleWhy: 'It changes nothing.',
    }),
    unchanged: true,
  };
}

/**
 * The folder in which something is to be made.
 *
 * Throws: `bad-input` when it is missing.
 */
export function parentFor(world: World, path: RelativePath): Precondition {
  const parent = parentOf(path);
  const { entry } = locate(world, parent, 'refuse');
  if (entry.type === 'absent')
    throw new CountersignError(
      'bad-input',
      `The parent directory ${shown(parent)} does not exist; make it with create_directory first.`,
    );
  if (entry.type !== 'dir') throw new CountersignError('bad-input', `${shown(parent)} is a file, not a directory.`);
  return mustBeFolder(parent);
}

/** Stores the bytes of a file that an effect replaces or removes, so that it can be merged and put back. */
export function keep(world: WritableWorld, path: RelativePath, file: FileEntry): BlobRef {
  checkSize(path, file.bytes);
  if (file.content.at === 'blob') return { $blob: file.content.sha256, bytes: file.bytes };
  const bytes = bytesOf(world, path, file, FILE_LIMITS.fileBytesMax);
  return { $blob: world.view.putBlob(bytes), bytes: bytes.length };
}

/** Throws `full` for a file of which no copy can be kept. */
export function checkSize(path: RelativePath, bytes: number): void {
  if (bytes > FILE_LIMITS.fileBytesMax)
    throw new CountersignError(
      'full',
      `${path} has ${bytes} bytes; changes of files over ${FILE_LIMITS.fileBytesMax} bytes cannot be reviewed and put back.`,
    );
}
