import * as z from 'zod';
import type { ReadTool } from '../../../authority/ports.ts';
import { equalBytes } from '../../../base/bytes.ts';
import { CountersignError } from '../../../base/errors.ts';
import { FILE_LIMITS } from '../limits.ts';
import { versionDiff, type Side } from '../line-diff.ts';
import { namesOf, pathOf, resourceOf, type RelativePath } from '../resource.ts';
import { textResult } from '../simulate.ts';
import type { FilesContext } from '../context.ts';
import { bytesOf, locate, NOTHING_PENDING, type Located, type World } from '../world.ts';
import { isGitFolder, readablePath } from '../guard.ts';
import { defineTool } from './define.ts';
import { READS, readTool } from './read-tool.ts';

const diffPending = defineTool({
  name: 'diff_pending',
  title: 'Diff of Pending Changes',
  description:
    'A unified diff from the files on disk to the files as you see them: everything of this session that still waits ' +
    'for a decision.',
  annotations: READS,
  schema: z.strictObject({ path: z.string().default('.').describe('Only this file, or what lies in this directory.') }),
});

export function diffPendingTool(context: FilesContext): ReadTool {
  return readTool(context, diffPending, async (world, args) => {
    const { path } = locate(world, readablePath(world.ground, args.path, 'path'), 'follow');
    const parts: string[] = [];
    let chars = 0;
    for (const changed of changedBelow(world, path)) {
      const part = difference(world, changed);
      chars += part.length;
      if (chars > FILE_LIMITS.answerCharsMax) break;
      if (part !== '') parts.push(part);
    }
    const answer = parts.length > 0 ? parts.join('') : 'Nothing is pending.';
    return chars > FILE_LIMITS.answerCharsMax
      ? textResult(answer, 'There is more than is shown; give a smaller path.')
      : textResult(answer);
  });
}

/** Files under a path that a pending effect made, replaced or removed. */
function changedBelow(world: World, path: RelativePath): readonly RelativePath[] {
  return [...world.view.below(resourceOf(path)).keys()]
    .map(pathOf)
    .filter((each) => each !== '' && !namesOf(each).some(isGitFolder));
}

function difference(world: World, path: RelativePath): string {
  const before = sideOf({ ...world, view: NOTHING_PENDING }, path);
  const after = sideOf(world, path);
  if (before === after || (before !== undefined && after !== undefined && equalBytes(before, after))) return '';
  return versionDiff(path, before, after);
}

/** Bytes of a file; `undefined` for everything else, which a text diff cannot show. */
function sideOf(world: World, path: RelativePath): Side {
  const located = lookAt(world, path);
  if (located?.entry.type !== 'file') return undefined;
  return bytesOf(world, path, located.entry, FILE_LIMITS.moveBytesMax);
}

function lookAt(world: World, path: RelativePath): Located | undefined {
  try {
    return locate(world, path, 'refuse');
  } catch (error) {
    // Denied, or behind a link: nothing can be pending there.
    if (CountersignError.is(error) && error.code === 'denied') return undefined;
    throw error;
  }
}
