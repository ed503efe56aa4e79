/**
 * Deep proofs over generated input: `npm run fuzz -- flips|malformed|properties [--seed N] [--count N]`. Without a seed
 * the dice choose one; the last line says what was tried, and a failure how to try it again.
 */
import { parseArgs, inspect } from 'node:util';
import { runProperties } from '../test/fuzz/properties.ts';

interface Proof {
  readonly count: number;
  /** Answers the summary. Throws when something is wrong. */
  run(options: { readonly seed: number; readonly count: number }): Promise<string>;
}

const say = (line: string): void => console.log(line);

const PROOFS: Readonly<Record<string, Proof>> = {
  properties: {
    count: 1_000_000,
    run: async (options) => `property runs ${runProperties({ ...options, onProgress: say })}: every law holds`,
  },
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, count: { type: 'string' } },
});
const [name = ''] = positionals;
const proof = Object.hasOwn(PROOFS, name) ? PROOFS[name] : undefined;
if (proof === undefined) {
  say(`usage: npm run fuzz -- ${Object.keys(PROOFS).join('|')} [--seed N] [--count N]`);
  process.exit(2);
}
const seed = Number(values.seed ?? 1 + Math.floor(Math.random() * 1_000_000));
const count = Number(values.count ?? proof.count);
const again = `npm run fuzz -- ${name} --seed ${seed} --count ${count}`;
const beganMs = Date.now();
try {
  const summary = await proof.run({ seed, count });
  say(`${summary} (${Math.round((Date.now() - beganMs) / 1000)} s; again: ${again})`);
} catch (thrown) {
  // Whatever it was, it is what this looks for.
  say(`${inspect(thrown)}\nfailed; again: ${again}`);
  process.exit(1);
}
