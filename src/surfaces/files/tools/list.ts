import * as z from 'zod';
import type { ReadTool } from '../../../authority/ports.ts';
import { CountersignError } from '../../../base/errors.ts';
import type { Entry } from '../entry.ts';
import { compileGlob, type PathTest } from '../glob.ts';
import { FILE_LIMITS } from '../limits.ts';
import { textResult } from '../simulate.ts';
import type { FilesContext } from '../context.ts';
import { walk, walkBudget } from '../walk.ts';
import { listOf, type Located, type World } from '../world.ts';
import { defineTool } from './define.ts';
import { find, findFolder, READS, readTool } from './read-tool.ts';

const listDirectory = defineTool({
  name: 'list_directory',
  title: 'List Directory',
  description: 'List what a directory holds, one name a line after [FILE] or [DIR], with pending changes.',
  annotations: READS,
  schema: z.strictObject({ path: z.string() }),
});

const directoryTree = defineTool({
  name: 'directory_tree',
  title: 'Directory Tree',
  description:
    'Show a directory with everything below it as JSON: name, type (file or directory), and children of directories.',
  annotations: READS,
  schema: z.strictObject({
    path: z.string(),
    excludePatterns: z
      .array(z.string())
      .max(100)
      .default([])
      .describe('Globs on paths below the directory; one without * leaves out that name wherever it occurs.'),
  }),
});

const getFileInfo = defineTool({
  name: 'get_file_info',
  title: 'Get File Info',
  description: 'Size, times, type and permissions of a file or directory. Times of pending changes are not known yet.',
  annotations: READS,
  schema: z.strictObject({ path: z.string() }),
});

export function listTools(context: FilesContext): readonly ReadTool[] {
  return [
    readTool(context, listDirectory, (world, args) => {
      const names = listOf(world, findFolder(world, args.path, 'path'));
      return textResult(names.map(({ name, folder }) => `${folder ? '[DIR]' : '[FILE]'} ${name}`).join('\n'));
    }),
    readTool(context, directoryTree, async (world, args) => {
      const tree = await treeBelow(world, findFolder(world, args.path, 'path'), args.excludePatterns);
      return textResult(JSON.stringify(tree, null, 2));
    }),
    readTool(context, getFileInfo, (world, args) =>
      textResult(infoLines(find(world, args.path, 'path').entry).join('\n')),
    ),
  ];
}

interface TreeEntry {
  readonly name: string;
  readonly type: 'file' | 'directory';
  readonly children?: TreeEntry[];
}

async function treeBelow(
  world: World,
  top: Located,
  excludePatterns: readonly string[],
): Promise<readonly TreeEntry[]> {
  const excludes = excludePatterns.flatMap((pattern, index) => excludeTests(pattern, `excludePatterns[${index}]`));
  const children = new Map<string, TreeEntry[]>([[top.path, []]]);
  const budget = { ...walkBudget(), entries: FILE_LIMITS.answerEntriesMax };
  const below = top.path === '' ? 0 : top.path.length + 1;
  const isExcluded = (path: string): boolean => excludes.some((test) => test(path.slice(below)));
  for await (const met of walk(world, top, budget, ({ path }) => isExcluded(path))) {
    const entry: TreeEntry = met.folder
      ? { name: met.name, type: 'directory', children: [] }
      : { name: met.name, type: 'file' };
    if (entry.children !== undefined) children.set(met.path, entry.children);
    children.get(met.parent.path)?.push(entry);
  }
  if (budget.cut)
    throw new CountersignError(
      'full',
      `path: holds more than ${FILE_LIMITS.answerEntriesMax} entries; give a smaller directory or excludePatterns.`,
    );
  return children.get(top.path) ?? [];
}

function excludeTests(pattern: string, field: string): readonly PathTest[] {
  const wider = pattern.includes('*') ? [] : [`**/${pattern}`, `**/${pattern}/**`];
  return [pattern, ...wider].map((each) => compileGlob(each, field));
}

function infoLines(entry: Entry): readonly string[] {
  const stat = entry.type === 'absent' ? undefined : entry.stat;
  const times = stat?.times();
  return [
    // What a file system calls the size of a folder tells an agent nothing, and a pending one has none.
    `size: ${entry.type === 'file' ? entry.bytes : 0}`,
    `created: ${timeText(times?.created)}`,
    `modified: ${timeText(times?.modified)}`,
    `accessed: ${timeText(times?.accessed)}`,
    `isDirectory: ${entry.type === 'dir'}`,
    `isFile: ${entry.type === 'file'}`,
    `permissions: ${('mode' in entry ? entry.mode : (stat?.mode ?? 0)).toString(8).padStart(3, '0').slice(-3)}`,
  ];
}

function timeText(date: Date | undefined): string {
  return date?.toISOString() ?? 'not applied yet';
}
