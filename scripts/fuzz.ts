/**
 * Deep proofs over generated input: `npm run fuzz -- flips|malformed|properties [--seed N] [--count N]`. Without a seed
 * the dice choose one; the last line says what was tried, and a failure how to try it again.
 */
import { parseArgs, inspect } from 'node:util';
import { runFlips } from '../test/fuzz/flips/flips.ts';
import { runMalformed } from '../test/fuzz/malformed/malformed.ts';
import { runProperties } from '../test/fuzz/properties.ts';

interface Proof {
  readonly count: number;
  /** Answers the summary. Throws when something is wrong. */
  run(options: Options): Promise<Outcome>;
}

interface Options {
  readonly seed: number;
  readonly count: number;
  /** Number of the first input, and the one target they go to: a failure names both. */
  readonly from: number;
  readonly only: string | undefined;
}

interface Outcome {
  readonly summary: string;
  /** One line for each input that did harm. */
  readonly wrong: readonly string[];
}

const say = (line: string): void => console.log(line);

const PROOFS: Readonly<Record<string, Proof>> = {
  flips: {
    count: 10_000,
    async run(options) {
      const { count, tally, wrong } = await runFlips({ ...options, onProgress: say });
      for (const [what, times] of tally) say(`${what} ${times}`);
      const [equal, quarantined, named] = [count('equal'), count('quarantined'), count('named')];
      const verdicts = `equal ${equal}, quarantined ${quarantined}, named ${named}, wrong ${wrong.length}`;
      return { summary: `flips ${options.count}: ${verdicts}`, wrong };
    },
  },
  malformed: {
    count: 1_000_000,
    async run({ only, ...options }) {
      const chosen = only === undefined ? {} : { only };
      const { inputs, wrong } = await runMalformed({ ...options, ...chosen, onProgress: say });
      return { summary: `malformed inputs ${inputs}: harm done by ${wrong.length}`, wrong };
    },
  },
  properties: {
    count: 1_000_000,
    run: async (options) => ({
      summary: `property runs ${runProperties({ ...options, onProgress: say })}: every law holds`,
      wrong: [],
    }),
  },
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    count: { type: 'string' },
    from: { type: 'string', default: '0' },
    only: { type: 'string' },
  },
});
const [name = ''] = positionals;
const proof = Object.hasOwn(PROOFS, name) ? PROOFS[name] : undefined;
if (proof === undefined) {
  say(`usage: npm run fuzz -- ${Object.keys(PROOFS).join('|')} [--seed N] [--count N]`);
  process.exit(2);
}
const options: Options = {
  seed: Number(values.seed ?? 1 + Math.floor(Math.random() * 1_000_000)),
  count: Number(values.count ?? proof.count),
  from: Number(values.from),
  only: values.only,
};
const again = `npm run fuzz -- ${name} --seed ${options.seed}`;
const beganMs = Date.now();
const { summary, wrong } = await outcomeOf(proof);
for (const line of wrong.slice(0, 20)) say(`wrong: ${again} ${line.slice(0, 4_000)}`);
const same = `--from ${options.from} --count ${options.count}${values.only === undefined ? '' : ` --only "${values.only}"`}`;
say(`${summary} (${Math.round((Date.now() - beganMs) / 1000)} s; again: ${again} ${same})`);
process.exit(wrong.length === 0 ? 0 : 1);

async function outcomeOf(chosen: Proof): Promise<Outcome> {
  try {
    return await chosen.run(options);
  } catch (thrown) {
    // Whatever it was, it is what this looks for.
    return { summary: `${name} failed`, wrong: [`--count ${options.count}: ${inspect(thrown)}`] };
  }
}
