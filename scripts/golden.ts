import { writeFileSync } from 'node:fs';
import { GOLDEN, render } from '../test/support/wire/build.ts';

/**
 * Freezes the bytes of a format: `npx tsx scripts/golden.ts NAME…`, every format that has no file without names.
 * It never overwrites: whoever changes a frozen format deletes its file first, and means it.
 */
const folder = new URL('../test/golden/wire/', import.meta.url);
const asked = process.argv.slice(2);
let failed = false;
for (const name of asked.length > 0 ? asked : Object.keys(GOLDEN)) {
  const build = GOLDEN[name];
  if (build === undefined) {
    console.error(`${name}: no such format; there are ${Object.keys(GOLDEN).join(', ')}.`);
    failed = true;
    continue;
  }
  try {
    writeFileSync(new URL(`${name}.json`, folder), render(await build()), { flag: 'wx' });
    console.log(`${name}: frozen.`);
  } catch (thrown) {
    // Only a file that is there is expected; anything else is for whoever runs this.
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST')) throw thrown;
    console.error(`${name}: is frozen already and stays as it is.`);
    failed ||= asked.length > 0;
  }
}
process.exitCode = failed ? 1 : 0;
