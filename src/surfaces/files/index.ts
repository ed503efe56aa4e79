import { isAbsolute } from 'node:path';
import { assert } from '../../base/assert.ts';
import type { SurfacePack } from '../../authority/ports.ts';
import { branchOf } from './branch.ts';
import { filesGround } from './moved-ground.ts';
import type { FilesContext } from './context.ts';
import { deniedFolders } from './denied.ts';
import { HAS_FD_PATHS, nodeDisk, type Disk } from './disk.ts';
import { diskGround } from './ground.ts';
import { fileSurfaces } from './surfaces.ts';
import { diffPendingTool } from './tools/diff-pending.ts';
import { grepTool } from './tools/grep.ts';
import { listTools } from './tools/list.ts';
import { readMediaTool } from './tools/read-media.ts';
import { readTextTools } from './tools/read-text.ts';
import { searchTool } from './tools/search.ts';

export { FILE_LIMITS } from './limits.ts';

export interface FilesOptions {
  /** The workspace folder: absolute, and its real path. */
  readonly root: string;
  /** Folders no agent may reach under any name, such as Countersign's own state. They need not exist yet. */
  readonly denied?: readonly string[];
  /** The system calls that effects are made of; `node:fs` unless a test places a crash between them. */
  readonly disk?: Disk;
  /**
   * Walk and hold folders by descriptor, so that no link is ever followed and no folder is swapped unseen. Where a
   * system cannot (no `/proc`), each folder is looked at before and after instead, which leaves a short window.
   */
  readonly viaDescriptors?: boolean;
}

/** The files of one workspace as a world for agents: five kinds of change, and reads that see what is pending. */
export function filesPack(options: FilesOptions): SurfacePack {
  const { root } = options;
  assert(isAbsolute(root), 'the workspace folder is an absolute path');
  const context: FilesContext = {
    ground: diskGround(root),
    denied: deniedFolders(root, options.denied ?? []),
    branch: () => branchOf(root),
    site: { root, disk: options.disk ?? nodeDisk, viaDescriptors: options.viaDescriptors ?? HAS_FD_PATHS },
  };
  return {
    name: 'files',
    surfaces: fileSurfaces(context),
    ground: filesGround(context),
    reads: [
      ...readTextTools(context),
      readMediaTool(context),
      ...listTools(context),
      searchTool(context),
      grepTool(context),
      diffPendingTool(context),
    ],
  };
}
