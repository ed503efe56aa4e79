// npm run sim:mutants [-- --only NAME] [--from SEED] [--jobs 2]
// Plants one bug after the other into the sources while the simulator is bundled. Each must be found: a check of the
// simulator fails within the bug's seeds, and the same seed passes without the bug.
import { parseArgs } from 'node:util';
import { hunt, type Hunted } from '../test/simulation/mutants/hunt.ts';
import { MUTANTS } from '../test/simulation/mutants/planted/index.ts';
import { bundleWorker } from '../test/simulation/workers.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    from: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '2' },
  },
});
const { only } = values;
const chosen = MUTANTS.filter(({ name }) => only === undefined || name.includes(only));
if (chosen.length === 0) throw new Error(`No planted bug is called like "${only ?? ''}".`);

const sound = await bundleWorker();
const waiting = [...chosen];
const hunted: Hunted[] = [];
const begunMs = performance.now();
try {
  await Promise.all(Array.from({ length: Number(values.jobs) }, () => huntThem()));
} finally {
  sound.remove();
}
const found = hunted.filter(({ find }) => find !== undefined);
for (const { mutant } of hunted.filter(({ find }) => find === undefined))
  console.log(`SURVIVED: ${mutant.name} (${mutant.rules.join(', ')}). ${mutant.breaks}`);
const steps = hunted.reduce((sum, one) => sum + one.steps, 0);
console.log(`${steps} steps in ${((performance.now() - begunMs) / 1_000).toFixed(0)} s`);
console.log(`planted bugs found: ${found.length}/${chosen.length}`);
process.exitCode = found.length === chosen.length ? 0 : 1;

async function huntThem(): Promise<void> {
  for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
    const beganMs = performance.now();
    const one = await hunt(mutant, { from: Number(values.from), sound: sound.path });
    hunted.push(one);
    console.log(lineOf(one, performance.now() - beganMs));
  }
}

function lineOf({ mutant, find, seeds, threw, unfair }: Hunted, ms: number): string {
  const effort = `${seeds} seed${seeds === 1 ? '' : 's'}${threw > 0 ? `, ${threw} threw` : ''}, ${(ms / 1_000).toFixed(1)} s`;
  if (find === undefined) return `not found: ${mutant.name} (${effort}) ${unfair ?? ''}`;
  return `found: ${mutant.name} (${effort}) by ${find.what}: ${find.why} [seed ${find.seed}, step ${find.step}]`;
}
