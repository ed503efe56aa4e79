import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Report } from './figure.ts';

const PANEL = join(import.meta.dirname, '..', '..', 'dist', 'panel');
const GOAL_BYTES = 1_000_000;

/** What a phone that was never here loads before it shows the queue: the page, and the ledger as a snapshot. */
export function coldStart(report: Report, ledger: Uint8Array): void {
  const page = readdirSync(PANEL, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { name, parentPath }) => sum + gzipSync(readFileSync(join(parentPath, name))).length, 0);
  const ours = page + ledger.length;
  report({
    bench: 'sync',
    figure: 'cold start of a phone: page as gzip, and the ledger',
    unit: 'bytes',
    ours,
    beside: ledger.length,
    besideName: 'the ledger alone',
    goal: `<= ${GOAL_BYTES}`,
    holds: ours <= GOAL_BYTES,
  });
}
