import { posix } from 'node:path';
import * as z from 'zod';
import type { ReadTool } from '../../../authority/ports.ts';
import { compileGlob } from '../glob.ts';
import { FILE_LIMITS } from '../limits.ts';
import { textResult } from '../simulate.ts';
import type { FilesContext } from '../context.ts';
import { walk, walkBudget } from '../walk.ts';
import { defineTool } from './define.ts';
import { findFolder, READS, readTool } from './read-tool.ts';

const searchFiles = defineTool({
  name: 'search_files',
  title: 'Search Files',
  description:
    'Find files and directories below a directory by a glob on their path from there: *.ts for names directly in it, ' +
    '**/*.ts at any depth. Answers with absolute paths, one a line.',
  annotations: READS,
  schema: z.strictObject({
    path: z.string().describe('Where to search.'),
    pattern: z.string().describe('A glob: * ? ** [a-z] {one,two}.'),
    excludePatterns: z
      .array(z.string())
      .max(100)
      .default([])
      .describe('Globs of what to leave out, with its contents.'),
  }),
});

export function searchTool(context: FilesContext): ReadTool {
  return readTool(context, searchFiles, async (world, args) => {
    const top = findFolder(world, args.path, 'path');
    const wanted = compileGlob(args.pattern, 'pattern');
    const excludes = args.excludePatterns.map((glob, index) => compileGlob(glob, `excludePatterns[${index}]`));
    const below = top.path === '' ? 0 : top.path.length + 1;
    const budget = walkBudget();
    const found: string[] = [];
    for await (const met of walk(world, top, budget, ({ path }) => excludes.some((test) => test(path.slice(below))))) {
      if (!wanted(met.path.slice(below))) continue;
      if (found.length === FILE_LIMITS.answerEntriesMax) {
        budget.cut = true;
        break;
      }
      found.push(posix.join(world.ground.root, met.path));
    }
    const answer = found.length > 0 ? found.join('\n') : 'No matches found';
    return budget.cut
      ? textResult(answer, 'There is more than could be searched; give a smaller directory.')
      : textResult(answer);
  });
}
