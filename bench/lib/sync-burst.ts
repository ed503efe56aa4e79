import { p50, type Report } from './figure.ts';
import { openPair, type Pair } from './sync-pair.ts';
import { TITLES, type Side, type SideName } from './sync-side.ts';

const ROUNDS = 5;
const UPDATES = 4_000;
/** Sent before the event loop gets its turn, so that both ends of the socket move. */
const AT_ONCE = 50;
const ROOM = 1;

/** Changes as fast as a socket takes them, until the reader has the last one. */
export async function bursts(report: Report, sides: readonly Side[]): Promise<void> {
  const rates = new Map<SideName, number[]>(sides.map(({ name }) => [name, []]));
  const pairs: Pair[] = [];
  for (const side of sides) pairs.push(await openPair(side, ROOM));
  for (let round = -1; round < ROUNDS; round++) {
    for (const [at] of pairs.entries()) {
      const pair = pairs[(at + round + pairs.length) % pairs.length];
      if (pair === undefined) continue;
      const rate = await burst(pair);
      if (round >= 0) rates.get(pair.side.name)?.push(rate);
    }
  }
  for (const pair of pairs) await pair.close();
  const ours = p50(rates.get('ours') ?? []);
  for (const beside of sides.map(({ name }) => name).filter((name) => name !== 'ours')) {
    const theirs = p50(rates.get(beside) ?? []);
    const goal = beside === 'stock' ? { goal: '>= 1', holds: ours >= theirs } : { goal: 'none', holds: true };
    report({
      bench: 'sync',
      figure: `burst of ${UPDATES} updates`,
      unit: 'per s',
      ours,
      beside: theirs,
      besideName: TITLES[beside],
      ...goal,
    });
  }
}

async function burst({ arrived, ledger, send, sent }: Pair): Promise<number> {
  const updates = Array.from({ length: UPDATES }, () => ledger.next());
  const startedAtNs = process.hrtime.bigint();
  const all = arrived(sent() + UPDATES);
  for (const [i, update] of updates.entries()) {
    send(update);
    if (i % AT_ONCE === AT_ONCE - 1) await new Promise((resolve) => setImmediate(resolve));
  }
  await all;
  return UPDATES / (Number(process.hrtime.bigint() - startedAtNs) / 1e9);
}
