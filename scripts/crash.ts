// Crash proofs with real processes: `npm run crash -- faults [--only NAME] [--case PATTERN] [--stride N] [--plant BUG]`
// kills and lies to the product at every call that changes a disk; `npm run crash -- kills [--cycles N] [--seed N]` kills
// it at random.
import { parseArgs } from 'node:util';
import { openBench } from '../test/crash/bench-place.ts';
import { enumerate, type Enumeration } from '../test/crash/enumerate.ts';
import { killLoop, type Killed } from '../test/crash/kill-loop.ts';
import { chosenScenarios } from '../test/crash/scenarios.ts';
import { builtPrograms } from '../test/support/crash-build.ts';
import { PLANTS } from '../test/support/crash-plants.ts';
import { straceVersion, SYSCALLS, type Fault } from '../test/support/crash-strace.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', default: '' },
    case: { type: 'string', default: '' },
    stride: { type: 'string', default: '1' },
    plant: { type: 'string' },
    cycles: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '2' },
  },
});

function lineOf({ beside, doubts, points, scenario, tried, wrong }: Enumeration): string {
  const counts = SYSCALLS.flatMap((name) => {
    const count = points.filter(({ syscall }) => syscall === name).length;
    return count === 0 ? [] : [`${name} 1..${count}`];
  });
  const faults = (['KILL', 'EIO', 'ENOSPC'] as const satisfies readonly Fault[]).map(
    (fault) => `${fault} ${tried[fault]}`,
  );
  return `${scenario.name.padEnd(34)} ${counts.join(' ')}  ${faults.join('  ')}  in doubt ${doubts}${beside === 0 ? '' : `  beside ${beside}`}  wrong ${wrong.length}`;
}

async function strike(): Promise<boolean> {
  const version = straceVersion();
  if (version === undefined) {
    console.error('STRACE IS MISSING OR MAY NOT TRACE HERE: no fault was injected, and nothing is proved.');
    return false;
  }
  const plant = PLANTS.find((each) => each === values.plant);
  const programs = await builtPrograms();
  const benches = await Promise.all(Array.from({ length: Number(values.jobs) }, () => openBench(programs)));
  const totals = { KILL: 0, EIO: 0, ENOSPC: 0 };
  let wrong = 0;
  try {
    for (const scenario of chosenScenarios(values.only)) {
      const tools = {
        cases: new RegExp(values.case),
        stride: Number(values.stride),
        ...(plant === undefined ? {} : { plant }),
      };
      const found = await enumerate(scenario, benches, tools);
      console.log(lineOf(found));
      for (const line of found.wrong) console.log(`  ${line}`);
      wrong += found.wrong.length;
      for (const fault of ['KILL', 'EIO', 'ENOSPC'] as const) totals[fault] += found.tried[fault];
    }
  } finally {
    for (const bench of benches) bench.close();
  }
  console.log(`crash points: KILL ${totals.KILL}, EIO ${totals.EIO}, ENOSPC ${totals.ENOSPC}, wrong ${wrong}`);
  return wrong === 0 && totals.KILL > 0;
}

async function kills(): Promise<boolean> {
  const plant = PLANTS.find((each) => each === values.plant);
  const programs = await builtPrograms();
  const jobs = Number(values.jobs);
  const seed = Number(values.seed);
  const benches = await Promise.all(Array.from({ length: jobs }, () => openBench(programs)));
  try {
    const each = { every: 50, ...(plant === undefined ? {} : { plant }) };
    const cycles = Math.ceil(Number(values.cycles) / jobs);
    const found = await Promise.all(
      benches.map((bench, job) => killLoop(bench, { ...each, cycles, seed: seed * jobs + job })),
    );
    const sum = (of: (killed: Killed) => number): number => found.reduce((total, one) => total + of(one), 0);
    const wrong = found.flatMap((one) => one.wrong);
    for (const line of wrong) console.log(`  ${line}`);
    console.log(
      `kill -9 with seed ${seed}: ${sum((one) => one.cycles)} cycles, ${sum((one) => one.answers)} answers, ` +
        `${sum((one) => one.actions)} actions, ${sum((one) => one.doubts)} in doubt, ${wrong.length} wrong`,
    );
    return wrong.length === 0;
  } finally {
    for (const bench of benches) bench.close();
  }
}

const proved = positionals.length === 0 || positionals.includes('faults') ? await strike() : true;
const held = positionals.length === 0 || positionals.includes('kills') ? await kills() : true;
process.exit(proved && held ? 0 : 1);
