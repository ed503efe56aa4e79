import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';
import type { Mutant, Patch } from './mutant.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** They judge what the product did: a bug planted in what they know would make them blind to it. */
const JUDGES =
  /^test\/simulation\/(?:invariants\/|(?:chronicle|expected|healing|judge|left-over)\.ts$|net\/(?:check|truth)\.ts$)/;

/** What a judge asks the product about itself: it is judged by what it answers. */
const ASKED: ReadonlySet<string> = new Set(['src/model/ruling.ts']);

/** Beside the planted form of a file, for judges. */
const AS_IT_IS = '?as-it-is';

/** Plants a bug while the simulator is bundled. Judges keep the sources as they are. */
export function plant(mutant: Mutant): Plugin {
  const files = new Map(mutant.patches.map(({ file }) => [join(ROOT, file), file]));
  return {
    name: `plant ${mutant.name}`,
    setup(building) {
      building.onResolve({ filter: /^\..*\.ts$/ }, ({ path, importer, resolveDir }) => {
        const file = files.get(resolve(resolveDir, path));
        const judged = file !== undefined && !ASKED.has(file) && JUDGES.test(relative(ROOT, importer));
        return judged ? { path: join(ROOT, file), suffix: AS_IT_IS } : undefined;
      });
      building.onLoad({ filter: /\.ts$/ }, ({ path, suffix }) => {
        const file = suffix === AS_IT_IS ? undefined : files.get(path);
        if (file === undefined) return undefined;
        return { contents: patched(mutant, file, readFileSync(path, 'utf8')), loader: 'ts' };
      });
    },
  };
}

/** The source with the bug in it. Throws: a patch that does not fit exactly once, which names the mutant. */
function patched(mutant: Mutant, file: string, source: string): string {
  return mutant.patches
    .filter((patch) => patch.file === file)
    .reduce((text, patch) => once(mutant, text, patch), source);
}

function once(mutant: Mutant, source: string, { file, find, replace }: Patch): string {
  const at = source.indexOf(find);
  if (at === -1 || source.indexOf(find, at + 1) !== -1)
    throw new Error(
      `The planted bug "${mutant.name}" does not fit: ${file} has ${at === -1 ? 'no' : 'more than one'} place that says ${JSON.stringify(find.slice(0, 80))}. Fit its patch to the source.`,
    );
  return source.slice(0, at) + replace + source.slice(at + find.length);
}

/** Every file as it would be with the bug in it; for who wants to know that all patches fit. */
export function plantedSources(mutant: Mutant): readonly string[] {
  return [...new Set(mutant.patches.map(({ file }) => file))].map((file) =>
    patched(mutant, file, readFileSync(join(ROOT, file), 'utf8')),
  );
}
