import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, npm, run } from './run.mjs';

const LOCK = join(ROOT, 'package-lock.json');
/** npm writes this file last, so an interrupted installation has none. */
const INSTALLED = join(ROOT, 'node_modules', '.package-lock.json');
const STAMP = join(ROOT, 'node_modules', '.countersign-set-up');

/**
 * Installs what the lockfile names, unless that is what stands in node_modules already.
 *
 * @returns {boolean} false when the installation failed
 */
export function setUp() {
  const wanted = fingerprint();
  if (isInstalled(wanted)) return true;
  console.error('Installing what package-lock.json names (once).');
  const { program, leading } = npm();
  // Development packages are wanted even where NODE_ENV says production: they build the program.
  if (!run(program, [...leading, 'ci', '--include=dev', '--no-audit', '--no-fund'])) {
    console.error('The set-up failed: npm ci could not install the dependencies.');
    return false;
  }
  writeFileSync(STAMP, wanted);
  return true;
}

/** @param {string} wanted */
function isInstalled(wanted) {
  if (!existsSync(INSTALLED)) return false;
  if (existsSync(STAMP)) return readFileSync(STAMP, 'utf8') === wanted;
  // Somebody ran npm ci themselves: believe it unless the lockfile has changed since.
  if (statSync(LOCK).mtimeMs > statSync(INSTALLED).mtimeMs) return false;
  writeFileSync(STAMP, wanted);
  return true;
}

/** What an installation depends on: the lockfile, and the binary interface native modules are built for. */
function fingerprint() {
  const lock = createHash('sha256').update(readFileSync(LOCK)).digest('hex');
  return `${lock} ${process.platform} ${process.arch} ${process.versions.modules}\n`;
}
