/**
 * Starts a bundled script with what V8 compiled in an earlier run of it, and keeps that where there is none: compiling it
 * anew is half of what a start costs, and the crash proofs start thousands of times. `node start.cjs PROGRAM ARGUMENT …`
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Script } from 'node:vm';
import { assert } from '../../src/base/assert.ts';

process.argv.splice(1, 1);
const [, program = ''] = process.argv;
const kept = `${program}.kept`;
const known = existsSync(kept);
// Plain ASCII, as the bundler writes it.
const source = readFileSync(program, 'latin1');
const script = new Script(`(function (require, exports, module, __filename, __dirname) {${source}\n})`, {
  filename: program,
  ...(known ? { cachedData: readFileSync(kept) } : {}),
});
assert(script.cachedDataRejected !== true, 'what V8 kept is of this very program');
// Under a name of its own first: others start at the same time.
if (!known)
  process.on('exit', () => {
    const made = `${kept}-${process.pid}`;
    writeFileSync(made, script.createCachedData());
    renameSync(made, kept);
  });
const module = { exports: {} };
// reason: the function that the text above is
const run = script.runInThisContext() as (...given: readonly unknown[]) => void;
run(createRequire(program), module.exports, module, program, dirname(program));
