// The command line as few files: what a start costs is mostly how many files it reads.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { licensesOf } from './licenses.mjs';
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
  writeFileSync(
    join(outDir, FOLDER, 'LICENSES.txt'),
    licensesOf(Object.keys(metafile.inputs).map((path) => join(ROOT, path))),
  );
}
