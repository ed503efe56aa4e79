import { rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CountersignError } from '../../src/base/errors.ts';
import { toHex, utf8 } from '../../src/base/bytes.ts';
import type { Journal } from '../../src/authority/ports.ts';
import { HEAD_RECORD_BYTES } from '../../src/journal/sqlite/head-record.ts';
import { JOURNAL_LIMITS } from '../../src/journal/sqlite/limits.ts';
import { openSqliteJournal } from '../../src/journal/sqlite/open.ts';
import { verifySqliteJournal } from '../../src/journal/sqlite/index.ts';
import { blobOf } from '../contract/journal-rows.ts';
import { changed, imageOf, restore, without, xored, type Image } from './journal-image.ts';
import { folderForTest } from './journal-ports.ts';
import { stepOf } from './journal-steps.ts';

const SEED = 20260802;
/** More for a night: `DAMAGE_RUNS=10000 npx vitest run test/integration/journal-damage.test.ts`. */
const RUNS = Number(process.env['DAMAGE_RUNS'] ?? 400);
const STEPS = 90;
const limits = { ...JOURNAL_LIMITS, chunkBytes: 16 * 1024, tailRows: 30, walPages: 60, flushesPerTidy: 1 };

interface Reference {
  /** One history as a crash leaves it, most of it in the WAL, and as a shutdown does, all in the database file. */
  readonly images: { readonly crashed: Image; readonly closed: Image };
  readonly content: Content;
}

async function reference(): Promise<Reference> {
  const dir = folderForTest();
  const journal = openSqliteJournal({ dir }, { limits });
  for (let n = 0; n < STEPS; n += 1) await journal.commit(stepOf(journal.head()).batch);
  const crashed = imageOf(dir);
  const content = contentOf(journal);
  await journal.close();
  return { images: { crashed, closed: imageOf(dir) }, content };
}

/** Everything a journal answers. `firm` is checked at every opening; of `history` an index may hide entries. */
interface Content {
  readonly firm: string;
  readonly history: readonly (readonly string[])[];
}

function contentOf(journal: Journal): Content {
  const blobs = Array.from({ length: STEPS }, (_, n) => journal.blob(blobOf(utf8(`blob ${n + 1}`)).hash));
  return {
    firm: text([journal.head(), journal.rows(1, 1_000), journal.liveRecords('action')]),
    history: [
      journal.rowsOf(3, 100).map(text),
      journal.recordsBefore('action', Infinity, 100).map(text),
      blobs.filter((bytes) => bytes !== undefined).map(text),
    ],
  };
}

function text(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => (member instanceof Uint8Array ? toHex(member) : member));
}

function compared(found: Content, content: Content): 'equal' | 'less' | 'different' {
  if (found.firm !== content.firm) return 'different';
  if (text(found.history) === text(content.history)) return 'equal';
  const known = found.history.every((part, at) => part.every((entry) => content.history[at]?.includes(entry)));
  return known ? 'less' : 'different';
}

type Answer =
  | { readonly answer: 'quarantined' | 'equal' | 'less' | 'different' }
  | { readonly answer: 'error'; readonly code: string };

/** What someone who opens this image is told. */
async function answerFor(image: Image, dir: string, content: Content): Promise<Answer> {
  rmSync(dir, { recursive: true, force: true });
  restore(image, dir);
  let journal: Journal | undefined;
  try {
    journal = openSqliteJournal({ dir, readOnly: true }, { limits });
    if (journal.health.state === 'quarantined') return { answer: 'quarantined' };
    // Only the newest flush may be unwitnessed; anything more is a loss that has to be noticed.
    if (journal.health.state === 'ahead') expect(journal.health.witnessed).toBe(STEPS - 1);
    return { answer: compared(contentOf(journal), content) };
  } catch (cause) {
    if (!CountersignError.is(cause)) throw cause;
    return { answer: 'error', code: cause.code };
  } finally {
    await journal?.close();
  }
}

const TARGETS = [
  ['crashed', 'journal.db'],
  ['crashed', 'journal.db-wal'],
  ['crashed', 'head.log'],
  ['closed', 'journal.db'],
] as const;
type Damage = (bytes: Uint8Array) => Uint8Array;
/** A fraction of a file, evenly: fast-check's own love for small numbers would spend the damage on the headers. */
const place = fc.noBias(fc.nat({ max: 2 ** 30 - 1 })).map((part) => part / 2 ** 30);
const flip = fc.tuple(place, fc.integer({ min: 0, max: 7 })).map(
  ([at, bit]): Damage =>
    (bytes) =>
      xored(bytes, Math.floor(at * bytes.length), 1 << bit),
);
const cut = place.map(
  (at): Damage =>
    (bytes) =>
      bytes.slice(0, Math.floor(at * bytes.length)),
);
const blank = fc.tuple(place, fc.constantFrom(512, 4096)).map(
  ([at, size]): Damage =>
    (bytes) =>
      bytes.fill(0, Math.floor((at * bytes.length) / size) * size).slice(),
);
const wiped = fc.tuple(place, fc.constantFrom(512, 4096)).map(([at, size]): Damage => {
  return (bytes) => {
    const start = Math.floor((at * bytes.length) / size) * size;
    return bytes.fill(0, start, start + size);
  };
});
const damage = fc.tuple(
  fc.constantFrom(...TARGETS),
  fc.oneof({ weight: 6, arbitrary: flip }, cut, blank, { weight: 2, arbitrary: wiped }),
);

/**
 * Goal: damage is noticed or harmless. An opened journal never says something else than was written; a damaged index
 * can hide an old record, a blob or a row of an action's history, and then verification names it.
 * Method: flip bits, cut files, wipe sectors of one known history; open, read everything, compare.
 */
test('[F3] damage to database, WAL or head log is noticed or harmless', async () => {
  const { images, content } = await reference();
  const dir = join(folderForTest(), 'copy');
  for (const image of Object.values(images)) expect(await answerFor(image, dir, content)).toEqual({ answer: 'equal' });
  const tally = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(damage, async ([[state, file], change]) => {
      const found = await answerFor(changed(images[state], file, change), dir, content);
      const key = `${state} ${file} ${found.answer}`;
      tally.set(key, (tally.get(key) ?? 0) + 1);
      expect(found.answer).not.toBe('different');
      if (found.answer === 'error') expect(['quarantined', 'too-new', 'not-found']).toContain(found.code);
      if (found.answer === 'less') expect(verifySqliteJournal({ dir }).faults).not.toEqual([]);
    }),
    { numRuns: RUNS, seed: SEED },
  );
  // The net has caught something everywhere, and has let harmless damage pass.
  const caught = TARGETS.map(([state, file]) => tally.get(`${state} ${file} quarantined`) ?? 0);
  expect(Math.min(...caught)).toBeGreaterThan(0);
  expect(tally.get('crashed head.log equal') ?? 0).toBeGreaterThan(0);
});

test('[F3] of a database that SQLite cannot read, a person is told in a sentence what is damaged', async () => {
  const { images } = await reference();
  const dir = join(folderForTest(), 'copy');
  restore(
    changed(images.closed, 'journal.db', (bytes) => bytes.slice(0, bytes.length / 2)),
    dir,
  );
  const journal = openSqliteJournal({ dir, readOnly: true }, { limits });
  expect(journal.health).toMatchObject({
    state: 'quarantined',
    why: expect.stringMatching(/^The database is damaged: /),
  });
  await journal.close();
  expect(verifySqliteJournal({ dir }).faults[0]).toEqual(expect.stringMatching(/^The database is damaged: /));
});

test('[EF-7] [T21] verification names a head log that is gone, or ends before what the database knows was witnessed', async () => {
  const { images } = await reference();
  const shorter = (records: number): Image =>
    changed(images.closed, 'head.log', (bytes) => bytes.slice(0, records * HEAD_RECORD_BYTES));
  for (const image of [without(images.closed, 'head.log'), shorter(0), shorter(STEPS - 2)]) {
    const dir = join(folderForTest(), 'copy');
    restore(image, dir);
    expect(verifySqliteJournal({ dir }).faults).toEqual([
      expect.stringMatching(/^The head log ends at row \d+, but once knew row 8\d\.$/),
    ]);
  }
  const dir = join(folderForTest(), 'copy');
  restore(shorter(STEPS), dir);
  expect(verifySqliteJournal({ dir }).faults).toEqual([]);
});
