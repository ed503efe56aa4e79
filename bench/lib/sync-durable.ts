import { p50, p99, timedUs, type Report } from './figure.ts';
import { bareAppends } from './sync-append.ts';
import { openPair } from './sync-pair.ts';
import type { Side } from './sync-side.ts';

const ROUNDS = 15;
const PER_ROUND = 40;
const ROOM = 2;

/** From a change's `send` until the relay's word that it is on the disk, beside what the disk itself asks for. */
export async function acknowledgements(report: Report, sides: readonly Side[], folder: string): Promise<void> {
  const side = sides.find(({ name }) => name === 'ours');
  if (side === undefined) throw new Error('only our relay acknowledges');
  const pair = await openPair(side, ROOM);
  const ours: number[] = [];
  const bare: number[] = [];
  let bytes = 0;
  for (let round = -1; round < ROUNDS; round++) {
    for (let i = 0; i < PER_ROUND; i++) {
      const update = pair.ledger.next();
      bytes = update.length;
      const tookUs = await timedUs(async () => {
        pair.send(update);
        await pair.writer.durable(pair.sent());
      });
      if (round >= 0) ours.push(tookUs);
    }
    if (round >= 0) bare.push(...bareAppends({ dir: folder, count: PER_ROUND, bytes }));
  }
  await pair.close();
  const figure = { bench: 'sync', unit: 'us', besideName: `append and fdatasync of ${bytes} bytes`, goal: 'none' };
  report({ ...figure, figure: 'durable acknowledgement p50', ours: p50(ours), beside: p50(bare), holds: true });
  report({ ...figure, figure: 'durable acknowledgement p99', ours: p99(ours), beside: p99(bare), holds: true });
}
