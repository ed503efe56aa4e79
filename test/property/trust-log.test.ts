import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { nodeCrypto } from '../../src/crypto/node.ts';
import { GENESIS_ROOT } from '../../src/trust/audit.ts';
import { makeRow, type LogHead } from '../../src/trust/journal-row.ts';
import { createLogVerifier, type LogRow } from '../../src/trust/verify-log.ts';
import { AT_MS, EVENTS } from '../support/wire/values.ts';
import type { JournalRow } from '../../src/model/event.ts';

/**
 * Goal: whatever somebody without the head does to a log at rest, checking it ends in a fault.
 * Method: flips of single bytes, cuts, swaps and repetitions of rows over one log that holds every kind of event.
 */
const { sha256 } = nodeCrypto;

const LOG = logOfEveryKind();
const HEAD = { size: LOG.length, root: LOG.at(-1)?.root ?? GENESIS_ROOT };

function isSound(rows: readonly LogRow[]): boolean {
  const verifier = createLogVerifier(sha256);
  for (const row of rows) verifier.take(row);
  return verifier.end(HEAD).ok;
}

const indexes = fc.nat({ max: LOG.length - 1 });

test('[T21] any flipped byte is found', () => {
  const flips = fc.record({
    index: indexes,
    part: fc.constantFrom('event', 'audit', 'root'),
    at: fc.nat(),
    mask: fc.integer({ min: 1, max: 255 }),
  });
  fc.assert(
    fc.property(flips, ({ index, part, at, mask }) => {
      const rows = LOG.map((row, i) => {
        if (i !== index) return row;
        const bytes = row[part].slice();
        const place = at % bytes.length;
        bytes[place] = (bytes[place] ?? 0) ^ mask;
        return { ...row, [part]: bytes };
      });
      expect(isSound(rows)).toBe(false);
    }),
    { numRuns: 400 },
  );
});

test('[T21] any cut, swap or repetition of rows is found, also when the rows are numbered anew', () => {
  const renumbered = (rows: readonly LogRow[]): readonly LogRow[] => rows.map((row, i) => ({ ...row, seq: i + 1 }));
  fc.assert(
    fc.property(indexes, indexes, fc.boolean(), (a, b, anew) => {
      fc.pre(a !== b);
      const [from, to] = [Math.min(a, b), Math.max(a, b)];
      const splices: readonly (readonly LogRow[])[] = [
        LOG.toSpliced(from, to - from),
        LOG.with(a, LOG[b] ?? HEADLESS).with(b, LOG[a] ?? HEADLESS),
        LOG.toSpliced(to, 0, LOG[from] ?? HEADLESS),
      ];
      for (const rows of splices) expect(isSound(anew ? renumbered(rows) : rows)).toBe(false);
    }),
    { numRuns: 100 },
  );
  expect(isSound(renumbered(LOG))).toBe(true);
});

const HEADLESS = makeRow(sha256, { seq: 0, root: GENESIS_ROOT }, { body: EVENTS.stopped, atMs: 0, salt: '' });

function logOfEveryKind(): readonly JournalRow[] {
  const rows: JournalRow[] = [];
  for (const body of Object.values(EVENTS)) {
    const head: LogHead = rows.at(-1) ?? { seq: 0, root: GENESIS_ROOT };
    rows.push(makeRow(sha256, head, { body, atMs: AT_MS, salt: 'ab'.repeat(16) }));
  }
  return rows;
}
