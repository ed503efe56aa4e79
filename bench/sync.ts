import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildIfStale } from '../scripts/lib/build.mjs';
import type { Report } from './lib/figure.ts';
import { endToEnd } from './lib/sync-end-to-end.ts';
import { coldStart } from './lib/sync-cold-start.ts';
import { bursts } from './lib/sync-burst.ts';
import { acknowledgements } from './lib/sync-durable.ts';
import { ledgerGrowth } from './lib/sync-ledger.ts';
import { slowReaders } from './lib/sync-memory.ts';
import { propagation } from './lib/sync-propagation.ts';
import { reconnects } from './lib/sync-reconnect.ts';
import { SIDES, startSide, type Side } from './lib/sync-side.ts';

/** One for each measurement, so that none starts from the documents of another. */
const ROOMS = 3;

/** What going through our relay costs beside servers that store nothing, each in a process of its own, in turns. */
export async function run(report: Report): Promise<void> {
  if (!buildIfStale()) throw new Error('there is no relay to measure: the build failed');
  // The disk that counts is the one people keep their work on, not a memory file system.
  const place = realpathSync(mkdtempSync(join(process.cwd(), 'node_modules', '.bench-')));
  const folder = (name: string): string => {
    const made = join(place, name);
    mkdirSync(made);
    return made;
  };
  try {
    const sides: Side[] = [];
    for (const name of SIDES) sides.push(await startSide(name, folder(name), ROOMS));
    try {
      await propagation(report, sides);
      await bursts(report, sides);
      await acknowledgements(report, sides, folder('append'));
    } finally {
      for (const side of sides) await side.end();
    }
    await reconnects(report, folder);
    await slowReaders(report, folder);
    await endToEnd(report, folder('end-to-end'));
    coldStart(report, ledgerGrowth(report));
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}
