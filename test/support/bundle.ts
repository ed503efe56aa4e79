import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { whenProcessEnds } from './process-end.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Below `node_modules`, so that the native module is found from there. */
const FOLDER = join(ROOT, 'node_modules', '.cache', 'bundled');

/** Programs, named from this folder, each as one plain file: a start from TypeScript costs a second and thousands of calls. */
export async function bundled<Name extends string>(
  programs: Readonly<Record<Name, string>>,
): Promise<Readonly<Record<Name, string>>> {
  const outdir = bundledFolder();
  // Code that starts a thread looks for it beside itself, and knows by its own name that it is built.
  writeFileSync(join(outdir, 'package.json'), '{"type":"module"}');
  const entries = Object.entries<string>(programs);
  await build({
    entryPoints: Object.fromEntries(
      entries.map(([name, path]) => [name, fileURLToPath(new URL(path, import.meta.url))]),
    ),
    outdir,
    bundle: true,
    platform: 'node',
    target: 'node20',
    external: ['better-sqlite3'],
    logLevel: 'error',
    format: 'esm',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  // reason: the same names, each with its file
  return Object.fromEntries(entries.map(([name]) => [name, join(outdir, `${name}.js`)])) as Record<Name, string>;
}

/** A folder of its own for whoever builds: two runs at once do not write under each other's children. */
export function bundledFolder(): string {
  const own = join(FOLDER, String(process.pid));
  if (!existsSync(own)) whenProcessEnds(() => rmSync(own, { recursive: true, force: true }));
  mkdirSync(own, { recursive: true });
  return own;
}
