// The command line as few files: what a start costs is mostly how many files it reads.
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from './run.mjs';

/** Where the compiler put the command line's modules, and where its program lies instead of them. */
const FOLDER = join('src', 'cli');

/**
 * Puts the command line together: one file that every command needs, and others that a command loads when it is run.
 * Names stay, so that a report of a bug can be read.
 *
 * @param {string} outDir what the compiler made; nothing there imports the modules that go
 */
export async function buildPrograms(outDir) {
  rmSync(join(outDir, FOLDER), { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: {
      main: join(FOLDER, 'main.ts'),
      // A thread of its own, started by its address: beside whatever file starts it.
      'sqlite-thread': join('sync-server', 'storage', 'sqlite-thread.ts'),
    },
    outdir: join(outDir, FOLDER),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: ['better-sqlite3'],
    // Packages that are no modules ask for Node's own with `require`.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    metafile: true,
    logLevel: 'warning',
  });
  writeFileSync(join(outDir, FOLDER, 'LICENSES.txt'), licensesOf(Object.keys(metafile.inputs)));
}

/**
 * The terms of every package whose code was put in, which ask to go where the code goes.
 *
 * @param {readonly string[]} inputs paths from the repository's root
 */
function licensesOf(inputs) {
  const folders = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []);
  return [...new Set(folders)]
    .toSorted()
    .map((folder) => {
      const path = join(ROOT, folder);
      const { license, name, version } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
      const file = readdirSync(path).find((entry) => /^licen[cs]e/i.test(entry));
      const terms = file === undefined ? `License: ${license}` : readFileSync(join(path, file), 'utf8').trim();
      return `${name} ${version}\n\n${terms}\n`;
    })
    .join('\n---\n\n');
}
