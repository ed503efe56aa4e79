import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, run, tool } from './run.mjs';

const DIST = join(ROOT, 'dist');
const STAMP = join(DIST, '.stamp');
const BIN = join('src', 'cli', 'main.js');
/** Processes of their own: the bundlers are asynchronous, and this build is one step after another. */
const PANEL_STEP = join(ROOT, 'scripts', 'build-panel.mjs');
const PROGRAMS_STEP = join(ROOT, 'scripts', 'build-programs.mjs');

/** What the output depends on. */
const SOURCES = [
  'src',
  'sync-server',
  'tsconfig.json',
  'tsconfig.build.json',
  'package.json',
  'package-lock.json',
  'scripts/lib/build-panel.mjs',
  'scripts/lib/build-programs.mjs',
];

/** @returns {boolean} false when the sources do not compile */
export function buildIfStale() {
  return isFresh() || build();
}

/**
 * Compiles into a new folder and puts it in place whole, so that `dist` never holds half a build or the output of a
 * deleted file, and a failed build leaves the last good one.
 *
 * @returns {boolean}
 */
export function build() {
  const stamp = fingerprint();
  const fresh = join(ROOT, `.build-${process.pid}`);
  const old = `${fresh}-old`;
  try {
    if (!run(tool('tsc'), ['-p', 'tsconfig.build.json', '--outDir', fresh])) {
      console.error('The build failed: the sources do not compile.');
      return false;
    }
    if (!run(process.execPath, [PANEL_STEP, join(fresh, 'panel')])) {
      console.error('The build failed: the panel could not be put together.');
      return false;
    }
    if (!run(process.execPath, [PROGRAMS_STEP, fresh])) {
      console.error('The build failed: the command line could not be put together.');
      return false;
    }
    const bin = join(fresh, BIN);
    if (existsSync(bin)) chmodSync(bin, 0o755);
    writeFileSync(join(fresh, '.stamp'), stamp);
    if (existsSync(DIST)) renameSync(DIST, old);
    renameSync(fresh, DIST);
    return true;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
    rmSync(old, { recursive: true, force: true });
  }
}

/** Whether `dist` is what the sources say. */
export function isFresh() {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === fingerprint();
}

/** A hash of every source file. Times of change are not asked: a checkout or a copy sets them at will. */
function fingerprint() {
  const hash = createHash('sha256');
  for (const source of SOURCES) addTo(hash, source);
  return hash.digest('hex');
}

/**
 * @param {import('node:crypto').Hash} hash
 * @param {string} path
 */
function addTo(hash, path) {
  const entries = readFolder(join(ROOT, path));
  if (entries === undefined) {
    hash.update(`${path}\0`).update(readFileSync(join(ROOT, path)));
    return;
  }
  for (const entry of entries) addTo(hash, join(path, entry));
}

/**
 * @param {string} path
 * @returns {readonly string[] | undefined} undefined for a file
 */
function readFolder(path) {
  try {
    return readdirSync(path).toSorted();
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOTDIR') return undefined;
    throw cause;
  }
}
