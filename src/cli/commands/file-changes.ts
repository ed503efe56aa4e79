import { CountersignError } from '../../base/errors.ts';
import { nodeCrypto } from '../../crypto/node.ts';
import type { ActionContent } from '../../model/content.ts';
import { digestFrom } from '../../model/digest.ts';
import type { Digest } from '../../model/ids.ts';
import { changesOf, type PathVersion } from '../../model/file-changes.ts';
import type { FileChange, FileSide } from '../../model/file-diff.ts';

/** Fetches bytes by hash, wherever they are stored. */
export type Fetch = (hash: Digest) => Promise<Uint8Array>;

/**
 * The files whose bytes an action changes, before and after, as the surface would apply it. Folders and moves are
 * left to the card, which says all there is of them.
 */
export async function fileChanges(content: ActionContent, fetch: Fetch): Promise<readonly FileChange[]> {
  if (!content.kind.tag.startsWith('file.')) return [];
  const changes = changesOf(content.effect).filter(({ before, after }) => hasBytes(before) || hasBytes(after));
  return Promise.all(
    changes.map(async ({ path, from, before, after }) => ({
      path,
      from,
      before: await sideOf(before, fetch),
      after: await sideOf(after, fetch),
    })),
  );
}

function hasBytes(version: PathVersion | null): boolean {
  return version?.type === 'file' && version.content !== null;
}

/** What a person reviews is what was countersigned: bytes that are not what their hash says are never shown. */
async function sideOf(version: PathVersion | null, fetch: Fetch): Promise<FileSide | null> {
  if (version?.type !== 'file' || version.content === null) return null;
  const { $blob: hash } = version.content;
  const bytes = await fetch(hash);
  const found = digestFrom(nodeCrypto.sha256(bytes));
  if (found !== hash) {
    throw new CountersignError(
      'storage',
      `Stored bytes are damaged: ${found.slice(0, 12)}… in place of ${hash.slice(0, 12)}….`,
    );
  }
  return { bytes, mode: version.mode };
}
