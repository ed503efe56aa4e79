import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { CountersignError, messageOf } from '../../base/errors.ts';
import type { Sha256 } from '../../crypto/ports.ts';
import type { JournalHealth } from '../../authority/ports.ts';
import { breakAt, EMPTY_HEAD, type ChainHead } from '../chain.ts';
import { openReader, saysDamaged, type OpenDatabase } from './database.ts';
import type { Disk } from './disk.ts';
import { intentsAfter, openIntents } from './doubtful.ts';
import { readAllSegments, readNewestSegment, type NewestSegment } from './head-files.ts';
import { mismatch, type HeadRecord } from './head-record.ts';
import { recordsOf, type HeadSegment } from './head-segment.ts';
import type { JournalLimits } from './limits.ts';
import { Reads } from './reads.ts';
import { APPLICATION_ID, schemaText, versionOf, type Schema } from './schema.ts';
import { sameSum, sumOf } from './tally.ts';
import type { JournalRow } from '../../model/event.ts';

export const DATABASE_FILE = 'journal.db';

export interface InspectOptions {
  readonly folder: string;
  readonly disk: Disk;
  readonly database: OpenDatabase;
  readonly schema: Schema;
  readonly sha256: Sha256;
  readonly limits: JournalLimits;
  readonly readOnly: boolean;
}

/** What a look at the files found. Nothing was changed by it. */
export type Finding =
  | { readonly type: 'fresh' }
  | { readonly type: 'older'; readonly version: number }
  | {
      readonly type: 'fit';
      readonly health: Fit;
      readonly newest: NewestSegment;
      readonly last: HeadRecord | undefined;
    }
  | { readonly type: 'unfit'; readonly health: Quarantined; readonly readable: boolean };

type Quarantined = Extract<JournalHealth, { state: 'quarantined' }>;
type Fit = Exclude<JournalHealth, Quarantined>;

/** Why a journal is unfit. `trusted`: the newest row that database and head log agree on. */
class Unfit extends Error {
  readonly trusted: number | undefined;

  constructor(why: string, trusted?: number) {
    super(why);
    this.trusted = trusted;
  }
}

/**
 * Compares head log and database (EF-7).
 *
 * Throws: `too-new` for the journal of a newer version; SQLite's or Node's errors when the disk cannot be read.
 */
export function inspect(options: InspectOptions): Finding {
  const { disk, folder } = options;
  // The head log comes first: the database commits before its head record is written, so it can only have more.
  const newest = readNewestSegment(disk, folder);
  let readable = false;
  let database: Database | undefined;
  try {
    if ((disk.sizeOf(join(folder, DATABASE_FILE)) ?? 0) === 0) return withoutDatabase(newest);
    database = openReader(options.database, join(folder, DATABASE_FILE));
    database.exec('BEGIN');
    const answer = versionOfOurs(database, options.schema);
    if (answer === 'empty') return withoutDatabase(newest);
    if (answer < options.schema.version) return { type: 'older', version: answer };
    if (schemaText(database) !== expectedSchema(options))
      throw new Unfit('The tables of the database are not the ones it was made with.');
    const reads = new Reads(database, options.sha256);
    readable = true;
    return compare(reads, newest, options);
  } catch (cause) {
    return { type: 'unfit', readable, health: quarantined(cause, options) };
  } finally {
    database?.close();
  }
}

function withoutDatabase(newest: NewestSegment | undefined): Finding {
  if (newest === undefined || (newest.segment.whole.length === 0 && newest.fullFiles === 0)) return { type: 'fresh' };
  throw new Unfit('The head log has records, but the database is missing.');
}

function versionOfOurs(database: Database, schema: Schema): number | 'empty' {
  const version = versionOf(database);
  const ours = database.pragma('application_id', { simple: true }) === APPLICATION_ID;
  if (!ours && version === 0 && schemaText(database) === '') return 'empty';
  if (!ours) throw new Unfit('The database was not made by Countersign.');
  if (version > schema.version)
    throw new CountersignError(
      'too-new',
      `The journal has version ${version} and this Countersign knows versions up to ${schema.version}: use a newer one.`,
    );
  const oldest = Math.min(schema.version, ...schema.migrations.map((migration) => migration.from));
  if (version < oldest) throw new Unfit(`The database says it has version ${version}, which never existed.`);
  return version;
}

function expectedSchema(options: InspectOptions): string {
  const model = options.database(':memory:', {});
  try {
    model.exec(options.schema.ddl);
    return schemaText(model);
  } finally {
    model.close();
  }
}

function compare(reads: Reads, found: NewestSegment | undefined, options: InspectOptions): Finding {
  const rows = tailOf(reads, options);
  const head = rows.at(-1) ?? EMPTY_HEAD;
  const tally = reads.tally();
  if (!sameSum(sumOf(reads.allLive()), tally.live)) throw new Unfit('Live records are missing from the database.');
  if (found === undefined) {
    if (head.seq === 0) return { type: 'fresh' };
    throw new Unfit('The head log is missing.');
  }
  const known = found.segment.whole.at(-1) ?? 0;
  if (known > head.seq)
    throw new Unfit(`The head log knows row ${known}, but the database ends at row ${head.seq}.`, head.seq);
  // A reader beside a running writer needs a second look: what was witnessed meanwhile is in the tally already.
  const newest = options.readOnly ? (readNewestSegment(options.disk, options.folder) ?? found) : found;
  const { segment } = newest;
  if (segment.broken !== undefined) throw new Unfit(`The head log is damaged: ${segment.broken}.`);
  agree(rows, segment);
  const witnessed = witnessedOf(newest, head.seq);
  const lost = [...segment.holes, ...segment.traces].find((seq) => seq <= tally.witnessed);
  // The rows are whole, and they know what became of everything: only the witness is missing.
  if (lost !== undefined) throw new Unfit(`The head log is damaged at row ${lost}.`, head.seq);
  if (witnessed < tally.witnessed)
    throw new Unfit(`The head log ends at row ${witnessed}, but once knew row ${tally.witnessed}.`, witnessed);
  const health: Fit = witnessed < head.seq ? { state: 'ahead', witnessed } : { state: 'sound' };
  return { type: 'fit', health, newest, last: lastWhole(newest, head.seq) };
}

/**
 * The newest row of which the head log has any trace. A torn record counts for a row the database has: an intent
 * that may have been witnessed may have begun. What lies past the database's end was never written by us.
 */
function witnessedOf({ segment }: NewestSegment, end: number): number {
  const whole = segment.whole.findLast((seq) => seq <= end) ?? 0;
  return segment.traces.findLast((seq) => seq <= end) ?? whole;
}

/** The record before the first hole: from there on the writer writes anew. */
function lastWhole({ segment }: NewestSegment, end: number): HeadRecord | undefined {
  const until = segment.holes[0] ?? end + 1;
  const seq = segment.whole.findLast((found) => found < until && found <= end);
  return seq === undefined ? undefined : segment.record(seq);
}

/** The newest rows, their chain checked. */
function tailOf(reads: Reads, { sha256, limits }: InspectOptions): readonly JournalRow[] {
  const end = reads.head().seq;
  const from = Math.max(end - limits.tailRows, 0);
  let before: ChainHead = EMPTY_HEAD;
  const rows = reads.rows(Math.max(from, 1), limits.tailRows + 1);
  for (const row of rows) {
    const broken = row.seq === from ? undefined : breakAt(sha256, before, row);
    if (broken !== undefined) throw new Unfit(`The database is damaged: ${broken}.`, row.seq - 1);
    before = row;
  }
  return rows;
}

function agree(rows: readonly JournalRow[], segment: HeadSegment): void {
  for (const row of rows) {
    const record = segment.record(row.seq);
    const why = record && mismatch(record, row);
    if (why !== undefined) throw new Unfit(`The journal is damaged: ${why}.`, row.seq - 1);
  }
}

/** The finding for what `inspect` caught; rethrows what says nothing about the files. */
function quarantined(cause: unknown, { disk, folder }: InspectOptions): Quarantined {
  const damaged = CountersignError.is(cause) ? cause.code === 'quarantined' : saysDamaged(cause);
  if (!(cause instanceof Unfit) && !damaged) throw cause;
  const records = readAllSegments(disk, folder).flatMap(({ segment }) => recordsOf(segment));
  const trusted = cause instanceof Unfit ? cause.trusted : undefined;
  return {
    state: 'quarantined',
    // SQLite's own words do not say what they are about.
    why: saysDamaged(cause) ? `The database is damaged: ${messageOf(cause)}.` : messageOf(cause),
    doubtful: trusted === undefined ? openIntents(records) : intentsAfter(records, trusted),
  };
}
