import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { CountersignError, messageOf } from '../../base/errors.ts';
import type { Sha256 } from '../../crypto/ports.ts';
import { nodeCrypto } from '../../crypto/node.ts';
import type { Digest } from '../../model/ids.ts';
import { breakAt, EMPTY_HEAD, type ChainHead } from '../chain.ts';
import { recordChecksum } from './checksum.ts';
import { nodeDatabase, openingError, openReader, saysDamaged } from './database.ts';
import { nodeDisk } from './disk.ts';
import { mismatch, type HeadRecord } from './head-record.ts';
import { DATABASE_FILE } from './inspect.ts';
import { Reads } from './reads.ts';
import { EMPTY_TALLY, plus, sameSum } from './tally.ts';
import { allHeadRecords } from './verify-head-log.ts';

export interface JournalReport {
  readonly rows: number;
  /** One sentence for each thing that is wrong; empty when everything is as it was written. */
  readonly faults: readonly string[];
}

/** Rows read at a time: bounds memory, not speed. */
const PAGE_ROWS = 1_000;

/**
 * Reads everything: every row and its chain, every record, blob and head record, and SQLite's own integrity check.
 * Works beside a running writer, whose newest rows may then be unwitnessed for a moment.
 *
 * Throws: `not-found`, `busy`, `denied` or `storage` when it cannot be read.
 */
export function verifySqliteJournal(options: { readonly dir: string; readonly sha256?: Sha256 }): JournalReport {
  const sha256 = options.sha256 ?? nodeCrypto.sha256;
  const path = join(options.dir, DATABASE_FILE);
  if (nodeDisk.sizeOf(path) === undefined)
    throw new CountersignError('not-found', `There is no journal in ${options.dir}.`);
  const head = allHeadRecords(options.dir, nodeDisk);
  const faults = [...head.faults];
  const witnessed = new Map(head.records.map((record) => [record.seq, record]));
  let end: ChainHead = EMPTY_HEAD;
  let database: Database | undefined;
  try {
    database = openReader(nodeDatabase, path);
    database.exec('BEGIN');
    const integrity = database.pragma('integrity_check', { simple: true });
    if (integrity !== 'ok') faults.push(`The database is damaged: ${String(integrity)}.`);
    const reads = new Reads(database, sha256);
    for (let rows = reads.rows(1, PAGE_ROWS); rows.length > 0; rows = reads.rows(end.seq + 1, PAGE_ROWS)) {
      for (const row of rows) {
        const record = witnessed.get(row.seq);
        const why = breakAt(sha256, end, row) ?? (record && mismatch(record, row));
        if (why !== undefined) faults.push(`Row ${row.seq}: ${why}.`);
        end = row;
      }
    }
    faults.push(...witnessFaults(reads, options.dir, head.records), ...recordFaults(reads), ...blobFaults(reads));
  } catch (cause) {
    if (!saysDamaged(cause) && !(CountersignError.is(cause) && cause.code === 'quarantined')) throw openingError(cause);
    faults.push(saysDamaged(cause) ? `The database is damaged: ${messageOf(cause)}.` : messageOf(cause));
  } finally {
    database?.close();
  }
  const newest = head.records.at(-1)?.seq ?? 0;
  if (newest > end.seq) faults.push(`The head log knows row ${newest}, but the database ends at row ${end.seq}.`);
  return { rows: end.seq, faults };
}

/** A head log that was cut off looks whole; the database knows how far it went before the last flush. */
function witnessFaults(reads: Reads, dir: string, records: readonly HeadRecord[]): readonly string[] {
  const { witnessed } = reads.tally();
  const ends = (all: readonly HeadRecord[]): number => all.at(-1)?.seq ?? 0;
  // A running writer may have gone on since its head log was read.
  const newest = witnessed <= ends(records) ? ends(records) : ends(allHeadRecords(dir, nodeDisk).records);
  return newest < witnessed ? [`The head log ends at row ${newest}, but once knew row ${witnessed}.`] : [];
}

function recordFaults(reads: Reads): readonly string[] {
  let { live, rest } = EMPTY_TALLY;
  for (const record of reads.allRecords()) {
    if (record.live) live = plus(live, recordChecksum(record));
    else rest = plus(rest, recordChecksum(record));
  }
  const tally = reads.tally();
  return sameSum(live, tally.live) && sameSum(rest, tally.rest) ? [] : ['Records are missing from the database.'];
}

function blobFaults(reads: Reads): readonly string[] {
  for (const hash of reads.allBlobHashes()) {
    // reason: a key of the table, made of 32 bytes
    if (reads.blob(hash as Digest) === undefined) return [`Blob ${hash} cannot be found by its name.`];
  }
  return [];
}
