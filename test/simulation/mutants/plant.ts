import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';
import type { Mutant, Patch } from './mutant.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Plants a bug while the simulator is bundled. */
export function plant(mutant: Mutant): Plugin {
  const files = new Map(mutant.patches.map(({ file }) => [join(ROOT, file), file]));
  return {
    name: `plant ${mutant.name}`,
    setup(building) {
      building.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const file = files.get(path);
        if (file === undefined) return undefined;
        return { contents: patched(mutant, file, readFileSync(path, 'utf8')), loader: 'ts' };
      });
    },
  };
}

/** The source with the bug in it. Throws: a patch that does not fit exactly once, which names the mutant. */
export function patched(mutant: Mutant, file: string, source: string): string {
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
