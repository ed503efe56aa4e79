import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { textOf, utf8 } from '../../base/bytes.ts';
import { canonicalText } from '../../base/canonical-json.ts';
import { CountersignError, messageOf } from '../../base/errors.ts';
import type { Sha256 } from '../../crypto/ports.ts';
import { nodeCrypto } from '../../crypto/node.ts';
import { breakAt, EMPTY_HEAD, type ChainHead } from '../chain.ts';
import { recordChecksum } from './checksum.ts';
import { nodeDatabase, openingError, openReader, saysDamaged } from './database.ts';
import { nodeDisk } from './disk.ts';
import { attemptName, type Attempt } from './doubtful.ts';
import { HEAD_FILE, NEXT_HEAD_FILE } from './head-files.ts';
import { headRecordOf, type HeadRecord } from './head-record.ts';
import { HeadLogWriter } from './head-writer.ts';
import { DATABASE_FILE, inspect } from './inspect.ts';
import { JOURNAL_LIMITS } from './limits.ts';
import { Reads } from './reads.ts';
import { SCHEMA } from './schema.ts';
import { EMPTY_TALLY, plus, sameSum } from './tally.ts';

/** Why a journal was in quarantine, and what only its head log knew. Kept until the journal itself says so. */
export interface Left {
  readonly why: string;
  readonly doubtful: readonly Attempt[];
}

const LEFT_FILE = 'left-quarantine.json';
/** The head log as it was, kept to be looked at; one folder a time that quarantine was left. */
const ASIDE = /^set-aside-(\d+)$/u;
const ANEW = 'head-anew';
const PAGE_ROWS = 1_000;

/**
 * Has the journal go on from what its database holds: the head log is made anew from the rows, the old one set aside.
 * What only the old one knew is written down first, so that no crash forgets it. Only for a database that is whole.
 *
 * Throws: `denied` for a journal that is not in quarantine; `quarantined` when the database itself is damaged, which
 * only a backup mends; what the disk throws.
 */
export function leaveQuarantine({
  dir,
  sha256 = nodeCrypto.sha256,
}: {
  readonly dir: string;
  readonly sha256?: Sha256;
}): Left {
  const options = { folder: dir, disk: nodeDisk, database: nodeDatabase, schema: SCHEMA, limits: JOURNAL_LIMITS };
  const finding = inspect({ ...options, sha256, readOnly: false });
  if (finding.type !== 'unfit') throw new CountersignError('denied', 'The journal is not in quarantine.');
  const damaged = finding.readable ? undefined : finding.health.why;
  const records = damaged === undefined ? recordsOf(dir, sha256) : damaged;
  if (typeof records === 'string')
    throw new CountersignError(
      'quarantined',
      `The database itself is damaged, so that nothing can go on from it; put a backup of ${dir} back. ${records}`,
    );
  const before = leftQuarantine(dir);
  const doubtful = [...(before?.doubtful ?? []), ...finding.health.doubtful];
  const left: Left = {
    why: finding.health.why,
    doubtful: [...new Map(doubtful.map((one) => [attemptName(one), one])).values()],
  };
  writeLeft(dir, left);
  replaceHeadLog(dir, records);
  return left;
}

/** What is still to be written into the journal after quarantine was left; `undefined` when nothing is. */
export function leftQuarantine(dir: string): Left | undefined {
  const bytes = nodeDisk.read(join(dir, LEFT_FILE));
  // reason: written by `writeLeft` only, into a folder that only its owner may write in
  return bytes === undefined ? undefined : (JSON.parse(textOf(bytes) ?? '') as Left);
}

/** The journal says it itself now. */
export function forgetLeft(dir: string): void {
  nodeDisk.remove(join(dir, LEFT_FILE));
  nodeDisk.syncFolder(dir);
}

function writeLeft(dir: string, left: Left): void {
  const file = nodeDisk.open(join(dir, `${LEFT_FILE}.new`), 'create');
  try {
    file.write(utf8(canonicalText(left)), 0);
    file.sync();
  } finally {
    file.close();
  }
  nodeDisk.rename(join(dir, `${LEFT_FILE}.new`), join(dir, LEFT_FILE));
  nodeDisk.syncFolder(dir);
}

/** Witnesses for every row of a database that is whole; a sentence for one that is not. */
function recordsOf(dir: string, sha256: Sha256): readonly HeadRecord[] | string {
  let database: Database | undefined;
  try {
    database = openReader(nodeDatabase, join(dir, DATABASE_FILE));
    database.exec('BEGIN');
    const integrity = database.pragma('integrity_check', { simple: true });
    if (integrity !== 'ok') return String(integrity);
    const reads = new Reads(database, sha256);
    const records: HeadRecord[] = [];
    let end: ChainHead = EMPTY_HEAD;
    for (let rows = reads.rows(1, PAGE_ROWS); rows.length > 0; rows = reads.rows(end.seq + 1, PAGE_ROWS)) {
      for (const row of rows) {
        const why = breakAt(sha256, end, row);
        if (why !== undefined) return `Row ${row.seq}: ${why}.`;
        records.push(headRecordOf(row, end.root));
        end = row;
      }
    }
    return recordsMissing(reads) ?? records;
  } catch (cause) {
    if (saysDamaged(cause) || (CountersignError.is(cause) && cause.code === 'quarantined')) return messageOf(cause);
    throw openingError(cause);
  } finally {
    database?.close();
  }
}

function recordsMissing(reads: Reads): string | undefined {
  let { live, rest } = EMPTY_TALLY;
  for (const record of reads.allRecords()) {
    if (record.live) live = plus(live, recordChecksum(record));
    else rest = plus(rest, recordChecksum(record));
  }
  const tally = reads.tally();
  return sameSum(live, tally.live) && sameSum(rest, tally.rest) ? undefined : 'Records are missing.';
}

/** A crash in between leaves a head log that is missing, which is a quarantine that can be left again. */
function replaceHeadLog(dir: string, records: readonly HeadRecord[]): void {
  const anew = join(dir, ANEW);
  nodeDisk.makeFolder(anew);
  for (const name of nodeDisk.list(anew)) nodeDisk.remove(join(anew, name));
  const writer = HeadLogWriter.create({ disk: nodeDisk, folder: anew, limits: JOURNAL_LIMITS });
  for (let at = 0; at < records.length; at += PAGE_ROWS) {
    const page = records.slice(at, at + PAGE_ROWS);
    writer.prepare(page.at(-1)?.seq ?? 0, { settled: true, lean: false });
    writer.append(page);
  }
  writer.close();
  const aside = join(dir, `set-aside-${nextAside(dir)}`);
  nodeDisk.makeFolder(aside);
  const isHeadLog = (name: string): boolean =>
    name === NEXT_HEAD_FILE || name === HEAD_FILE || /^head-\d+\.log$/u.test(name);
  for (const name of nodeDisk.list(dir)) if (isHeadLog(name)) nodeDisk.rename(join(dir, name), join(aside, name));
  nodeDisk.syncFolder(aside);
  // The one that grows comes last: until it is there the head log is missing, never shorter than it was.
  const made = nodeDisk.list(anew).toSorted((a, b) => Number(a === HEAD_FILE) - Number(b === HEAD_FILE));
  for (const name of made) nodeDisk.rename(join(anew, name), join(dir, name));
  nodeDisk.syncFolder(dir);
}

function nextAside(dir: string): number {
  const numbers = nodeDisk.list(dir).map((name) => Number(ASIDE.exec(name)?.[1] ?? 0));
  return Math.max(0, ...numbers) + 1;
}
