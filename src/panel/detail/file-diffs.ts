import { useEffect, useState } from 'react';
import { messageOf } from '../../base/errors.ts';
import { changesOfEffect, type PathVersion } from '../../model/file-changes.ts';
import type { FileDiff, FileSide } from '../../model/file-diff.ts';
import { readEffect } from '../../model/file-effect.ts';
import type { Detail } from '../../replica/types.ts';
import type { Differ } from './differ.ts';
import { netChanges, type NetChange } from './net-changes.ts';

type CardDetail = Detail & { readonly type: 'card' };

/** What the steps of a row do to files; `null` for what is no change to files, a sentence for one nobody here knows. */
export function fileChangesOf(details: readonly CardDetail[]): readonly NetChange[] | string | null {
  if (!details.every(({ content }) => content.kind.tag.startsWith('file.'))) return null;
  const effects = details.map(({ content }) => readEffect(content.effect));
  const changes = [];
  for (const effect of effects) {
    if (!effect.ok) return 'This panel does not know this kind of change; it may need an update.';
    changes.push(changesOfEffect(effect.value));
  }
  return netChanges(changes);
}

export type FileView =
  | { readonly type: 'loading'; readonly change: NetChange }
  | { readonly type: 'lost'; readonly change: NetChange; readonly why: string }
  | { readonly type: 'diff'; readonly change: NetChange; readonly diff: FileDiff };

/** The differences of these files, each as soon as its bytes are here. */
export function useFileDiffs(
  changes: readonly NetChange[],
  details: readonly CardDetail[],
  differ: Differ,
): readonly FileView[] {
  const [found, setFound] = useState<ReadonlyMap<NetChange, FileView>>(new Map());
  useEffect(() => {
    let current = true;
    setFound(new Map());
    for (const change of changes) {
      differenceOf(change, details, differ).then(
        (view) => current && setFound((before) => new Map(before).set(change, view)),
        // Bytes the relay has not got: said at the file, the others are shown.
        (cause: unknown) =>
          current && setFound((before) => new Map(before).set(change, { type: 'lost', change, why: messageOf(cause) })),
      );
    }
    return () => {
      current = false;
    };
  }, [changes, details, differ]);
  return changes.map((change) => found.get(change) ?? { type: 'loading', change });
}

async function differenceOf(change: NetChange, details: readonly CardDetail[], differ: Differ): Promise<FileView> {
  if (!hasBytes(change.before) && !hasBytes(change.after))
    return { type: 'diff', change, diff: { notes: notesOf(change), hunks: [], added: 0, removed: 0 } };
  const [before, after] = await Promise.all([sideOf(change.before, details), sideOf(change.after, details)]);
  const diff = await differ({ path: change.path, from: change.from, before, after });
  return { type: 'diff', change, diff };
}

function hasBytes(version: PathVersion | null): boolean {
  return version?.type === 'file' && version.content !== null;
}

/** The replica checks bytes against their hash; any step that names them can be asked for them. */
async function sideOf(version: PathVersion | null, details: readonly CardDetail[]): Promise<FileSide | null> {
  if (version?.type !== 'file' || version.content === null) return null;
  const { $blob: hash } = version.content;
  const owner = details.find(({ content }) => JSON.stringify(content.effect).includes(hash)) ?? details.at(-1);
  return owner === undefined ? null : { bytes: await owner.blob(hash), mode: version.mode };
}

function notesOf({ after, before, from, path }: NetChange): readonly string[] {
  const folder = (after ?? before)?.type === 'dir';
  const what = folder ? 'folder' : 'file';
  if (before === null) return [`new ${what}`];
  if (after === null) return [`${what} deleted`];
  return from !== null && from !== path ? [`${what} moved, content unchanged`] : ['unchanged'];
}
