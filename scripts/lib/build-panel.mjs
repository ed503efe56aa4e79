// The panel's files: one page, its code and its styles. The same sources make the same bytes.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { licensesOf } from './licenses.mjs';
import { ROOT } from './run.mjs';

const PANEL = join(ROOT, 'src', 'panel');

/** What stands beside the page under a name that stays: programs a browser starts by it. */
const PROGRAMS = ['service-worker', 'diff-worker'];

/**
 * Builds the panel into a folder that is emptied first.
 *
 * @param {string} outDir
 * @returns {Promise<{ readonly name: string, readonly bytes: number, readonly gzipBytes: number, readonly first: boolean }[]>}
 *   what was made; `first`: code that a page needs before it shows anything
 */
export async function buildPanel(outDir) {
  const made = await buildFrom({ root: PANEL, publicDir: join(PANEL, 'static'), outDir, programs: PROGRAMS });
  const first = codeOfPage(made);
  const files = filesIn(outDir);
  listForOffline(outDir, files);
  // For who has the package: no page asks for it.
  const modules = made.flatMap((chunk) => chunk.moduleIds.filter((id) => id.startsWith('/')));
  writeFileSync(join(outDir, 'LICENSES.txt'), licensesOf(modules));
  return files.map((name) => ({ ...sizeOf(outDir, name), first: first.has(name) }));
}

/**
 * Builds another page of the repository the way the panel is built; for tests, whose page has another replica.
 *
 * @param {{ readonly root: string, readonly outDir: string }} options `root`: the folder of its `index.html`, absolute
 */
export async function buildPage({ outDir, root }) {
  await buildFrom({ root, publicDir: false, outDir, programs: ['diff-worker'] });
}

/**
 * @param {{ root: string, publicDir: string | false, outDir: string, programs: readonly string[] }} options
 * @returns {Promise<readonly Chunk[]>}
 */
async function buildFrom({ outDir, programs, publicDir, root }) {
  const made = await build({
    ...COMMON,
    root,
    publicDir,
    build: {
      ...COMMON.build,
      outDir,
      emptyOutDir: true,
      rolldownOptions: {
        input: [join(root, 'index.html'), ...programs.map((name) => join(PANEL, `${name}.ts`))],
        output: {
          entryFileNames: ({ name }) => (programs.includes(name) ? '[name].js' : 'assets/[name]-[hash].js'),
          chunkFileNames: 'assets/[name]-[hash].js',
          assetFileNames: 'assets/[name]-[hash][extname]',
        },
      },
    },
  });
  if (!('output' in made)) throw new Error('One build makes one output.');
  return made.output.filter((file) => file.type === 'chunk');
}

/**
 * What the page's own script imports, and what that imports: all of it runs before anything is shown.
 *
 * @param {readonly Chunk[]} made
 */
function codeOfPage(made) {
  const page = made.filter(({ isEntry, facadeModuleId }) => isEntry && facadeModuleId?.endsWith('.html') === true);
  const names = new Set(page.map(({ fileName }) => fileName));
  // A set goes on with what is added to it meanwhile.
  for (const name of names)
    for (const imported of made.find(({ fileName }) => fileName === name)?.imports ?? []) names.add(imported);
  return names;
}

/** @typedef {import('vite').Rolldown.OutputChunk} Chunk */

/** @satisfies {import('vite').InlineConfig} */
const COMMON = {
  configFile: false,
  logLevel: 'warn',
  base: './',
  // Nothing of the machine that builds gets into what is built.
  envDir: false,
  define: { 'process.env.NODE_ENV': JSON.stringify('production') },
  // Whatever NODE_ENV says where it is built: a test runner's would make calls that the packed React has not got.
  oxc: { jsx: { runtime: 'automatic', development: false } },
  build: {
    target: 'es2023',
    sourcemap: false,
    reportCompressedSize: false,
    // One page whose code is kept whole for offline. Only the gate comes before the rest, so that it shows at once.
    chunkSizeWarningLimit: 1_000,
    // No inline script may run under the page's policy, and every browser meant here preloads modules by itself.
    modulePreload: false,
    assetsInlineLimit: 0,
  },
};

/**
 * Tells the service worker what to keep for a page without a network: every file, and a name for exactly these bytes.
 *
 * @param {string} outDir
 * @param {readonly string[]} files
 */
function listForOffline(outDir, files) {
  const worker = join(outDir, 'service-worker.js');
  const kept = files.filter((name) => name !== 'service-worker.js');
  const hash = createHash('sha256');
  for (const name of kept) hash.update(`${name}\0`).update(readFileSync(join(outDir, name)));
  const list = JSON.stringify({ version: hash.digest('hex').slice(0, 16), files: kept });
  const text = readFileSync(worker, 'utf8');
  const placed = text.replace(/["'`]__OFFLINE_LIST__["'`]/, () => JSON.stringify(list));
  if (placed === text) throw new Error('The service worker has no place for its list of files.');
  writeFileSync(worker, placed);
}

/**
 * @param {string} folder
 * @param {string} [below]
 * @returns {string[]}
 */
function filesIn(folder, below = '') {
  return readdirSync(join(folder, below), { withFileTypes: true })
    .flatMap((entry) => {
      const name = below === '' ? entry.name : `${below}/${entry.name}`;
      return entry.isDirectory() ? filesIn(folder, name) : [name];
    })
    .toSorted();
}

/**
 * @param {string} outDir
 * @param {string} name
 */
function sizeOf(outDir, name) {
  const bytes = readFileSync(join(outDir, name));
  return { name, bytes: bytes.length, gzipBytes: gzipSync(bytes, { level: 9 }).length };
}
