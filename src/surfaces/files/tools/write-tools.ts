import * as z from 'zod';
import { FILE_LIMITS } from '../limits.ts';
import { defineTool } from './define.ts';

const path = z.string().describe('Path in the workspace, relative to its folder or absolute.');
/** Text with half a surrogate pair has no UTF-8 form: other bytes would be written than the agent sent. */
const text = z.string().refine((value) => value.isWellFormed(), 'holds half a surrogate pair');
const WRITES = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false } as const;

export const writeFileTool = defineTool({
  name: 'write_file',
  title: 'Write File',
  description:
    'Create a file, or replace everything in one that exists, with the given text. The folder must exist. ' +
    'Prefer edit_file for small changes of a file.',
  annotations: { ...WRITES, idempotentHint: true },
  schema: z.strictObject({ path, content: text.describe('The whole new text, written exactly as given.') }),
});

export const editFileTool = defineTool({
  name: 'edit_file',
  title: 'Edit File',
  description:
    'Replace passages of a text file. Each oldText must occur exactly once, as it stands in the file; indentation may ' +
    'differ if the lines are the same otherwise. Edits are made one after the other. Answers with a unified diff. ' +
    'Line endings and a byte order mark stay as they are.',
  annotations: WRITES,
  schema: z.strictObject({
    path,
    edits: z
      .array(
        z.strictObject({
          oldText: text.describe('The passage to replace, quoted from the file.'),
          newText: text.describe('What stands there afterwards.'),
        }),
      )
      .min(1)
      .max(FILE_LIMITS.editsMax),
    dryRun: z.boolean().default(false).describe('Only show the diff, change nothing.'),
  }),
});

export const createDirectoryTool = defineTool({
  name: 'create_directory',
  title: 'Create Directory',
  description: 'Create a directory, with all directories missing on the way to it. One that exists is left as it is.',
  annotations: { ...WRITES, destructiveHint: false, idempotentHint: true },
  schema: z.strictObject({ path }),
});

export const moveFileTool = defineTool({
  name: 'move_file',
  title: 'Move File',
  description:
    'Move or rename a file, or a directory with all that is in it. The destination must not exist, its directory must.',
  annotations: WRITES,
  schema: z.strictObject({
    source: z.string().describe('What to move.'),
    destination: z.string().describe('Its new path, with its new name.'),
  }),
});

export const deleteFileTool = defineTool({
  name: 'delete_file',
  title: 'Delete File',
  description: 'Delete a file or an empty directory; with recursive, a directory and all that is in it.',
  annotations: WRITES,
  schema: z.strictObject({
    path,
    recursive: z
      .boolean()
      .default(false)
      .describe(`Delete a directory with its contents, at most ${FILE_LIMITS.treeEntriesMax} files and directories.`),
  }),
});
