import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SourceFile } from './layer-rules.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What a checkout holds besides the project's own files. */
const NOT_OURS = /^(\.git|node_modules|dist|coverage|\.build-.*|.*\.tgz)$/;

/** Paths of the project's own files below a folder, from the root, with `/`, sorted. No git needed. */
export function ownFiles(folder = ''): readonly string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => !NOT_OURS.test(entry.name))
    .flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      return entry.isDirectory() ? ownFiles(path) : entry.isFile() ? [path] : [];
    })
    .toSorted();
}

export function readOwn(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The product's own code. */
export function productSources(): readonly SourceFile[] {
  return [...ownFiles('src'), ...ownFiles('sync-server')]
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => ({ path, text: readOwn(path) }));
}

/** The tests whose titles prove rules; the checks test the repository, not the product. */
export function testSources(): readonly SourceFile[] {
  return ownFiles('test')
    .filter((path) => /\.(test|proof)\.ts$/.test(path) && !path.startsWith('test/checks/'))
    .map((path) => ({ path, text: readOwn(path) }));
}
