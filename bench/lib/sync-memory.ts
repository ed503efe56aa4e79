import type { Report } from './figure.ts';
import { joined, openPair } from './sync-pair.ts';
import { startSide, TITLES, type SideName } from './sync-side.ts';

const TRAFFIC_BYTES = 300_000_000;
/** A hundred of them are a state that still goes in one message. */
const UPDATE_BYTES = 4 * 1024;
/** Sent before the other reader must have caught up: only who stopped reading falls behind. */
const AT_ONCE = 128;
const ROOM = 0;

interface Memory {
  readonly peak: number;
  /** Above what the process had when nobody had come yet. */
  readonly growth: number;
}

/** Memory of the server while one device has stopped reading and 300 MB go through its room. */
export async function slowReaders(report: Report, folder: (name: string) => string): Promise<void> {
  const ours = await memoryOf('ours', folder('ours-slow'));
  for (const beside of ['stock', 'hocuspocus'] as const) {
    const theirs = await memoryOf(beside, folder(`${beside}-slow`));
    const figure = { bench: 'sync', unit: 'MB', besideName: TITLES[beside] };
    const holds = ours.peak <= 0.3 * theirs.peak;
    const goal = beside === 'stock' ? { goal: '<= 0.3', holds } : { goal: 'none', holds: true };
    report({
      ...figure,
      figure: `peak memory with a paused reader and ${TRAFFIC_BYTES / 1e6} MB of traffic`,
      ours: ours.peak / 1e6,
      beside: theirs.peak / 1e6,
      ...goal,
    });
    report({
      ...figure,
      figure: 'of which it grew since it started',
      ours: ours.growth / 1e6,
      beside: theirs.growth / 1e6,
      goal: 'none',
      holds: true,
    });
  }
}

/** The highest resident memory seen, looked at between every two handfuls of updates. */
async function memoryOf(name: SideName, folder: string): Promise<Memory> {
  const side = await startSide(name, folder, 1);
  try {
    const before = await side.memoryBytes();
    const pair = await openPair(side, ROOM, UPDATE_BYTES);
    const asleep = await joined(side, 'device', ROOM);
    asleep.pause();
    let peak = 0;
    for (let sentBytes = 0; sentBytes < TRAFFIC_BYTES;) {
      for (let i = 0; i < AT_ONCE; i++) {
        const update = pair.ledger.next();
        pair.send(update);
        sentBytes += update.length;
      }
      await pair.arrived(pair.sent());
      peak = Math.max(peak, await side.memoryBytes());
    }
    await asleep.close();
    await pair.close();
    return { peak, growth: peak - before };
  } finally {
    await side.end();
  }
}
