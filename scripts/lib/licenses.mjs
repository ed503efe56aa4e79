// The terms of packages whose code the build puts into files of ours.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The terms of every package whose code was put in, which ask to go where the code goes.
 *
 * @param {readonly string[]} inputs absolute paths of what was put in
 */
export function licensesOf(inputs) {
  const folders = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []);
  return [...new Set(folders)]
    .toSorted()
    .map((path) => {
      const { license, name, version } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
      const file = readdirSync(path).find((entry) => /^licen[cs]e/i.test(entry));
      const terms = file === undefined ? `License: ${license}` : readFileSync(join(path, file), 'utf8').trim();
      return `${name} ${version}\n\n${terms}\n`;
    })
    .join('\n---\n\n');
}
