import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type BuildOptions } from 'esbuild';
import { whenProcessEnds } from './process-end.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Below `node_modules`, so that the native module is found from there. */
const FOLDER = join(ROOT, 'node_modules', '.cache', 'bundled');

/** `module`: as the product is built · `script`: for `crash-start.ts`, which keeps what V8 compiled. */
type BundleForm = 'module' | 'script';

const FORMS: Readonly<Record<BundleForm, BuildOptions>> = {
  module: {
    format: 'esm',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  },
  // Smaller, for it is read and compiled at every start; names stay, for they are in messages.
  script: {
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    minifySyntax: true,
    minifyWhitespace: true,
    define: { 'import.meta.url': 'importMetaUrl', 'import.meta.dirname': '__dirname' },
    banner: { js: "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;" },
  },
};

/** Programs, named from this folder, each as one plain file: a start from TypeScript costs a second and thousands of calls. */
export async function bundled<Name extends string>(
  programs: Readonly<Record<Name, string>>,
  form: BundleForm = 'module',
): Promise<Readonly<Record<Name, string>>> {
  // Its own folder for whoever builds: two runs at once do not write under each other's children.
  const own = join(FOLDER, String(process.pid));
  const outdir = join(own, form);
  mkdirSync(outdir, { recursive: true });
  whenProcessEnds(() => rmSync(own, { recursive: true, force: true }));
  // Code that starts a thread looks for it beside itself, and knows by its own name that it is built.
  if (form === 'module') writeFileSync(join(outdir, 'package.json'), '{"type":"module"}');
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
    ...FORMS[form],
  });
  const extension = form === 'script' ? 'cjs' : 'js';
  // reason: the same names, each with its file
  return Object.fromEntries(entries.map(([name]) => [name, join(outdir, `${name}.${extension}`)])) as Record<
    Name,
    string
  >;
}
