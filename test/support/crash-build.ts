import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Below `node_modules`, so that the native module is found from there. */
const FOLDER = join(ROOT, 'node_modules', '.cache', 'crash');

export interface Programs {
  readonly child: string;
  readonly sink: string;
  readonly loop: string;
}

/** Each program as one plain file: a start from TypeScript costs a second and thousands of calls. */
export async function builtPrograms(): Promise<Programs> {
  // Its own folder for whoever builds: two runs at once do not write under each other's children.
  const outdir = join(FOLDER, String(process.pid));
  mkdirSync(outdir, { recursive: true });
  process.on('exit', () => rmSync(outdir, { recursive: true, force: true }));
  await build({
    entryPoints: {
      child: fileURLToPath(new URL('./crash-child.ts', import.meta.url)),
      sink: fileURLToPath(new URL('./crash-sink.ts', import.meta.url)),
      loop: fileURLToPath(new URL('./crash-loop-child.ts', import.meta.url)),
    },
    outdir,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    outExtension: { '.js': '.mjs' },
    external: ['better-sqlite3'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'error',
  });
  return { child: join(outdir, 'child.mjs'), sink: join(outdir, 'sink.mjs'), loop: join(outdir, 'loop.mjs') };
}
