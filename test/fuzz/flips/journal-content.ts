import { createHash, type Hash } from 'node:crypto';
import type { Journal, JournalRecord, RecordTable } from '../../../src/authority/ports.ts';
import type { JournalRow } from '../../../src/model/event.ts';
import type { Digest } from '../../../src/model/ids.ts';

const TABLES: readonly RecordTable[] = [
  'action',
  'stance',
  'receipt',
  'session',
  'sighting',
  'notice',
  'device',
  'meta',
];
/** More rows and records than any history here has. */
const ALL = 100_000;
/** Actions whose own history is asked for. */
const ACTIONS = 12;

/**
 * Everything a journal answers, as one sum of what is checked at every opening, and one of its history: of that a
 * damaged index may hide a part and a lost page bring back an old one, and verification names it.
 */
export interface JournalContent {
  readonly firm: string;
  readonly history: string;
  /**
   * Changes of published documents, newest first. They carry what is true and are not it, and have no witness: a crash
   * may take the newest, and then the room is begun anew.
   */
  readonly documents: readonly string[];
}

/** Documents that one commit can change: a ledger and a tile. */
const UNWITNESSED_MAX = 2;

export function contentOf(journal: Journal, blobs: readonly Digest[]): JournalContent {
  const firm = createHash('sha256');
  const { root, seq } = journal.head();
  firm.update(`${seq}`).update(root);
  for (const row of journal.rows(1, ALL)) addRow(firm, row);
  for (const table of TABLES) for (const record of journal.liveRecords(table)) addRecord(firm, record);
  const history = createHash('sha256');
  for (const table of TABLES)
    for (const record of journal.recordsBefore(table, Infinity, ALL)) addRecord(history, record);
  for (let action = 1; action <= ACTIONS; action += 1)
    for (const row of journal.rowsOf(action * 7, ALL)) addRow(history.update(`|${action}`), row);
  for (const hash of blobs) if (journal.blob(hash) !== undefined) history.update(`|blob ${hash}`);
  const documents = journal.recordsBefore('doc', Infinity, ALL).map(nameOfRecord);
  return { firm: firm.digest('hex'), history: history.digest('hex'), documents };
}

/**
 * `different`: what a start vouches for is not what was written. `unvouched`: what is settled is hidden, or as it once
 * was, because a page was lost; a start does not read all of it, and verification has to name it.
 */
export type Compared = 'equal' | 'unvouched' | 'different';

export function compared(found: JournalContent, reference: JournalContent): Compared {
  if (found.firm !== reference.firm) return 'different';
  const lost = reference.documents.length - found.documents.length;
  const documents = reference.documents.slice(Math.max(0, lost));
  const same = found.history === reference.history && found.documents.join() === documents.join();
  if (same && lost >= 0 && lost <= UNWITNESSED_MAX) return 'equal';
  return 'unvouched';
}

function addRow(hash: Hash, row: JournalRow): void {
  hash.update(`|${row.seq} ${row.atMs} ${row.kind} ${row.actionSeq} ${row.attempt} ${row.event.length}`);
  hash.update(row.event).update(row.audit).update(row.eventHash).update(row.root);
}

function addRecord(hash: Hash, record: JournalRecord): void {
  hash.update(`|${record.table} ${record.key} ${record.order} ${record.live} ${record.value.length}`);
  hash.update(record.value);
}

function nameOfRecord(record: JournalRecord): string {
  const hash = createHash('sha256');
  addRecord(hash, record);
  return hash.digest('base64');
}
