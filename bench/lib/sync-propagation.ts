import { p50, p99, timedUs, type Report } from './figure.ts';
import { openPair, type Pair } from './sync-pair.ts';
import { TITLES, type Side, type SideName } from './sync-side.ts';

const ROUNDS = 15;
const PER_ROUND = 60;
const ROOM = 0;

/** One small change after the other: from the writer's `send` until the reader has it. */
export async function propagation(report: Report, sides: readonly Side[]): Promise<void> {
  const samples = new Map<SideName, number[]>(sides.map(({ name }) => [name, []]));
  const pairs: Pair[] = [];
  for (const side of sides) pairs.push(await openPair(side, ROOM));
  // One round nobody counts: every process has compiled what it runs.
  for (let round = -1; round < ROUNDS; round++) {
    for (const [at] of pairs.entries()) {
      // Who goes first takes turns.
      const pair = pairs[(at + round + pairs.length) % pairs.length];
      if (pair === undefined) continue;
      const took = await oneRound(pair);
      if (round >= 0) samples.get(pair.side.name)?.push(...took);
    }
  }
  for (const pair of pairs) await pair.close();
  const of = (name: SideName) => samples.get(name) ?? [];
  for (const beside of sides.map(({ name }) => name).filter((name) => name !== 'ours')) {
    const figure = { bench: 'sync', unit: 'us', besideName: TITLES[beside] };
    const ours = p50(of('ours'));
    const theirs = p50(of(beside));
    const goal = beside === 'stock' ? { goal: '<= 1.3', holds: ours <= 1.3 * theirs } : { goal: 'none', holds: true };
    report({ ...figure, figure: 'propagation p50', ours, beside: theirs, ...goal });
    report({
      ...figure,
      figure: 'propagation p99',
      ours: p99(of('ours')),
      beside: p99(of(beside)),
      goal: 'none',
      holds: true,
    });
  }
}

async function oneRound({ ledger, reader, send }: Pair): Promise<readonly number[]> {
  const took: number[] = [];
  for (let i = 0; i < PER_ROUND; i++) {
    const update = ledger.next();
    took.push(
      await timedUs(async () => {
        const arrived = reader.next('update');
        send(update);
        await arrived;
      }),
    );
  }
  return took;
}
