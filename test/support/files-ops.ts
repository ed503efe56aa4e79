import * as fc from 'fast-check';
import type { JsonObject } from '../../src/base/canonical-json.ts';
import { CountersignError } from '../../src/base/errors.ts';
import type { FilesLab, LabAction } from './files-lab.ts';

/** One tool call of a generated session. */
export interface Op {
  readonly tool: string;
  readonly args: JsonObject;
}

// Few and short, so that calls meet each other's effects: chains of moves, folders made anew, edits of what was moved.
const name = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('a', 'b') },
  { weight: 1, arbitrary: fc.constantFrom('c.txt', '.d') },
);
const path = fc.oneof(
  { weight: 3, arbitrary: name },
  { weight: 2, arbitrary: fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/')) },
);
const line = fc.constantFrom('one', 'two', 'three', 'e', '', '\u00e9\u{1f600}', '  in');
const ending = fc.constantFrom('\n', '\r\n');
const text = fc
  .tuple(fc.array(line, { maxLength: 5 }), ending, fc.boolean(), fc.boolean())
  .map(([lines, end, bom, last]) => (bom ? '\uFEFF' : '') + lines.join(end) + (last ? end : ''));

const op: fc.Arbitrary<Op> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ path, content: text }).map((args) => ({ tool: 'write_file', args })) },
  {
    weight: 2,
    arbitrary: fc.record({ path, oldText: line, newText: text }).map(({ path: at, oldText, newText }) => ({
      tool: 'edit_file',
      args: { path: at, edits: [{ oldText, newText }] },
    })),
  },
  { weight: 2, arbitrary: path.map((at) => ({ tool: 'create_directory', args: { path: at } })) },
  { weight: 3, arbitrary: fc.record({ source: path, destination: path }).map((args) => ({ tool: 'move_file', args })) },
  { weight: 2, arbitrary: path.map((at) => ({ tool: 'delete_file', args: { path: at, recursive: true } })) },
);

/** A tree on disk: paths that end in `/` are folders. */
export const trees: fc.Arbitrary<readonly (readonly [string, string])[]> = fc.array(
  fc.tuple(path, fc.oneof({ weight: 3, arbitrary: text }, { weight: 1, arbitrary: fc.constantFrom('\0\u00ff', '/') })),
  { maxLength: 8 },
);

export const sessions: fc.Arbitrary<readonly Op[]> = fc.array(op, { minLength: 1, maxLength: 14 });

/** Makes a generated tree; what does not fit (a file where a folder is) is left out. */
export function plant(lab: FilesLab, tree: readonly (readonly [string, string])[]): void {
  for (const [index, [at, content]] of tree.entries()) {
    try {
      if (content === '/') lab.put(`${at}/.d`, '');
      else
        lab.put(
          at,
          Buffer.from(content, content.startsWith('\0') ? 'latin1' : 'utf8'),
          index % 3 === 0 ? 0o755 : 0o600,
        );
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
    }
  }
}

/** Proposes in order; what the surface refuses is left out. */
export async function propose(lab: FilesLab, session: readonly Op[]): Promise<LabAction[]> {
  const actions: LabAction[] = [];
  for (const { tool, args } of session) {
    try {
      const action = await lab.call(tool, args);
      if (!action.described.unchanged) actions.push(action);
    } catch (error) {
      if (!CountersignError.is(error) || error.effect !== 'none') throw error;
    }
  }
  return actions;
}

/** All that the read tools show of the workspace, times left out. */
export async function observe(
  lab: FilesLab,
  from: 'overlay' | 'ground' = 'overlay',
): Promise<Readonly<Record<string, string>>> {
  const seen: Record<string, string> = {};
  const note = async (tool: string, args: JsonObject): Promise<string> =>
    (seen[`${tool} ${JSON.stringify(args)}`] = await lab.text(tool, args, from));
  await note('directory_tree', { path: '.' });
  await note('directory_tree', { path: '.', excludePatterns: ['a', '**/c.*'] });
  await note('grep_files', { pattern: 'e$', context: 1 });
  await note('search_files', { path: '.', pattern: '**/c*' });
  const all = await note('search_files', { path: '.', pattern: '**' });
  for (const absolute of all === 'No matches found' ? [] : all.split('\n')) {
    const at = absolute.slice(lab.root.length + 1);
    const info = (await lab.text('get_file_info', { path: at }, from)).replaceAll(
      /^(?:created|modified|accessed): .*\n/gmu,
      '',
    );
    seen[`info ${at}`] = info;
    if (info.includes('isDirectory: true')) await note('list_directory', { path: at });
    else await note('read_media_file', { path: at });
  }
  return seen;
}
