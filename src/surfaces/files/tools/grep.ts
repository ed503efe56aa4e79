import * as z from 'zod';
import type { ReadTool } from '../../../authority/ports.ts';
import { CountersignError } from '../../../base/errors.ts';
import { compileGlob, compilePattern, type PathTest } from '../glob.ts';
import { isGitFolder } from '../guard.ts';
import { FILE_LIMITS } from '../limits.ts';
import { textResult } from '../simulate.ts';
import type { FilesContext } from '../context.ts';
import { linesOf } from '../text-edit.ts';
import { entered, walk, walkBudget } from '../walk.ts';
import { bytesOf, type Located, type World } from '../world.ts';
import { defineTool } from './define.ts';
import { find, READS, readTool } from './read-tool.ts';

const grepFiles = defineTool({
  name: 'grep_files',
  title: 'Search in Files',
  description:
    'Find lines by a regular expression (RE2: no look-around, no back-references) in text files, pending changes included. ' +
    "Answers path:line:text, context lines as path-line-text. Git's own folder and binary files are left out.",
  annotations: READS,
  schema: z.strictObject({
    pattern: z.string().min(1).describe('The regular expression.'),
    path: z.string().default('.').describe('A directory to search, or one file.'),
    glob: z.string().optional().describe('Only files whose path below the directory, or whose name, matches.'),
    context: z.number().int().min(0).max(FILE_LIMITS.grepContextMax).default(0).describe('Lines to show around each.'),
    ignoreCase: z.boolean().default(false),
    maxMatches: z.number().int().min(1).max(FILE_LIMITS.grepMatchesMax).default(FILE_LIMITS.grepMatchesDefault),
  }),
});

type GrepArgs = ReturnType<typeof grepFiles.parse>;

/** What is found so far, and what may still be looked at. */
interface Haul {
  readonly lines: string[];
  matches: number;
  chars: number;
  bytes: number;
  stopped: string | undefined;
}

export function grepTool(context: FilesContext): ReadTool {
  return readTool(context, grepFiles, async (world, args) => {
    const top = find(world, args.path, 'path');
    const test = compilePattern(args.pattern, 'pattern', { ignoreCase: args.ignoreCase });
    const haul: Haul = { lines: [], matches: 0, chars: 0, bytes: 0, stopped: undefined };
    if (top.entry.type === 'dir') await grepFolder(world, top, test, args, haul);
    else grepFile(world, top, test, args, haul);
    const answer = haul.lines.length > 0 ? haul.lines.join('\n') : 'No matches found';
    return haul.stopped === undefined ? textResult(answer) : textResult(answer, haul.stopped);
  });
}

async function grepFolder(world: World, top: Located, test: PathTest, args: GrepArgs, haul: Haul): Promise<void> {
  const wanted = args.glob === undefined ? () => true : compileGlob(args.glob, 'glob');
  const below = top.path === '' ? 0 : top.path.length + 1;
  const budget = walkBudget();
  for await (const met of walk(world, top, budget, ({ name }) => isGitFolder(name))) {
    if (met.folder || !(wanted(met.path.slice(below)) || wanted(met.name))) continue;
    const located = entered(world, met);
    if (located !== undefined) grepFile(world, located, test, args, haul);
    if (haul.stopped !== undefined) return;
  }
  if (budget.cut) haul.stopped = 'There are more files than could be searched; give a smaller directory or a glob.';
}

function grepFile(world: World, located: Located, test: PathTest, args: GrepArgs, haul: Haul): void {
  const text = searchable(world, located);
  if (text === undefined) return;
  haul.bytes += text.length;
  if (haul.bytes > FILE_LIMITS.grepBytesMax) haul.stopped = 'There is more text than could be searched; give a glob.';
  const lines = linesOf(text).map((line) => line.replace(/\r?\n$/u, ''));
  const hits: number[] = [];
  for (const [index, line] of lines.entries()) {
    if (!test(line)) continue;
    hits.push(index);
    if (++haul.matches < args.maxMatches) continue;
    haul.stopped = `Stopped after ${args.maxMatches} matches.`;
    break;
  }
  show(located.path, lines, hits, args.context, haul);
}

/** Text of a regular, not too large file; bytes that are not UTF-8 do not hide the lines that are. */
function searchable(world: World, { path, entry }: Located): string | undefined {
  if (entry.type !== 'file' || entry.bytes > FILE_LIMITS.grepFileBytesMax) return undefined;
  try {
    const bytes = bytesOf(world, path, entry, FILE_LIMITS.grepFileBytesMax);
    return bytes.includes(0) ? undefined : Buffer.from(bytes).toString('utf8');
  } catch (error) {
    // Gone, replaced or denied since it was listed: the search goes on without it.
    if (CountersignError.is(error) && error.effect === 'none') return undefined;
    throw error;
  }
}

function show(path: string, lines: readonly string[], hits: readonly number[], context: number, haul: Haul): void {
  const hit = new Set(hits);
  let shownTo = -1;
  for (const at of hits) {
    const from = Math.max(at - context, shownTo + 1);
    if (context > 0 && from > shownTo + 1 && haul.lines.length > 0) haul.lines.push('--');
    for (let index = from; index <= Math.min(at + context, lines.length - 1); index++) {
      const mark = hit.has(index) ? ':' : '-';
      push(haul, `${path}${mark}${index + 1}${mark}${cut(lines[index] ?? '')}`);
      shownTo = index;
    }
    if (haul.chars > FILE_LIMITS.answerCharsMax) {
      haul.stopped = 'Stopped: the answer is long enough; ask for fewer lines.';
      return;
    }
  }
}

function push(haul: Haul, line: string): void {
  haul.lines.push(line);
  haul.chars += line.length + 1;
}

function cut(line: string): string {
  return line.length <= FILE_LIMITS.lineCharsMax ? line : `${line.slice(0, FILE_LIMITS.lineCharsMax)}…`;
}
