// Deep proofs: test files named *.proof.ts, which take minutes and so are no part of npm test. `node scripts/proof.mjs
// [NAME] [--seed N]`: without a seed the dice choose one and it is printed; with it the same faults come again.
import './lib/node-version.mjs';
import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';

const { positionals, values } = parseArgs({ allowPositionals: true, options: { seed: { type: 'string' } } });
const seed = values.seed ?? String(1 + Math.floor(Math.random() * 1_000_000));
process.env['PROOF_SEED'] = seed;
console.log(`Proof with seed ${seed}; again: node scripts/proof.mjs ${[...positionals, '--seed', seed].join(' ')}`);
const vitest = await startVitest('test', positionals, {
  include: ['test/**/*.proof.ts'],
  watch: false,
  fileParallelism: false,
  testTimeout: 8 * 60_000,
});
const files = vitest.state.getFiles();
await vitest.close();
// Nothing found proves nothing.
process.exit(files.length > 0 && files.every(({ result }) => result?.state === 'pass') ? 0 : 1);
