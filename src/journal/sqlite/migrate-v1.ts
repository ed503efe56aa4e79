import type { Database } from 'better-sqlite3';
import { canonicalBytes, parseCanonical, type JsonObject } from '../../base/canonical-json.ts';
import { nodeCrypto } from '../../crypto/node.ts';
import type { JournalRecord } from '../../authority/ports.ts';
import type { JournalRow } from '../../model/event.ts';
import { EVENT_CODES } from './event-codes.ts';
import { Reads } from './reads.ts';
import { Store } from './store.ts';

/** What this step reads of an action as version 1 wrote it. */
interface Old {
  readonly id: string;
  readonly seq: number;
  readonly state: string;
  readonly needs: readonly string[];
  readonly attempts: number;
  readonly content: { readonly effectClass: string };
  /** Of what is rejected. */
  readonly afterDidNot?: boolean;
  /** Of what is applied, or was taken back after that. */
  readonly applied?: { readonly known: string };
}

type Applied = Pick<Old, 'id' | 'seq' | 'needs'>;

/** The effect is in the world, and may be taken back. */
const STANDING: ReadonlySet<string> = new Set(['applied', 'reverting', 'revert-in-doubt']);

/** Right before its end it had failed, or was not applied: it had not been tried again. */
const UNAPPLIED: ReadonlySet<string> = new Set(['failed', 'not-applied']);

/** What a surface can be asked about without comparing only what others may have changed since. */
const ASKED: ReadonlySet<string> = new Set(['E2', 'E3']);

/** More rows than any action has. */
const ROWS_MAX = 2 ** 31 - 1;

/**
 * From version 1 to 2. What is new are event kinds and records that 1 has none of. Some of it has to be made: a revert
 * asks which applied actions need one (CA-4), and version 1 kept that in each of them only. And of what was tried again,
 * it did not keep that an attempt had been given up for lost: late evidence of that one would go unheard, and an approval
 * would do for what may happen twice (EF-6). Nor did it ask again about what is over by a person's word alone. Frozen,
 * like what it reads.
 */
export function migrateV1(database: Database): void {
  const reads = new Reads(database, nodeCrypto.sha256);
  const lost = givenUpIn(database);
  const standing: Applied[] = [];
  const triedAgain: JournalRecord[] = [];
  const byWord: JournalRecord[] = [];
  for (const record of reads.allRecords()) {
    if (record.table !== 'action') continue;
    const old = oldOf(record);
    const { id, needs, seq, state } = old;
    if (STANDING.has(state)) standing.push({ id, needs, seq });
    if (lost.has(seq) || (old.attempts > 0 && old.afterDidNot === false)) triedAgain.push(record);
    if (isByWord(old, () => lost.has(seq) && saidDidNot(reads.rowsOf(seq, ROWS_MAX))))
      byWord.push(recordOf(`settled/${id}`, seq, true));
  }
  const store = new Store(database, reads.tally());
  store.add([
    ...edgesOf(standing.toSorted((a, b) => a.seq - b.seq)),
    ...triedAgain.map((record) => withWhatWasLost(reads, record)),
    ...byWord,
  ]);
}

/** Numbers of the actions of which an attempt was ever given up for lost. */
function givenUpIn(database: Database): ReadonlySet<number> {
  const sql = 'SELECT DISTINCT action_seq FROM rows WHERE kind = ?';
  return new Set(database.prepare<[number], number>(sql).pluck().all(EVENT_CODES['not-applied']));
}

function oldOf({ value }: JournalRecord): Old {
  // reason: the record's sum is right, and version 1 wrote nothing else here
  return parseCanonical(value) as unknown as Old;
}

/** Is a person's word all that is known of it, or will it be when it is rejected now? */
function isByWord({ applied, content, state }: Old, didNot: () => boolean): boolean {
  if (!ASKED.has(content.effectClass) || state === 'reverted') return false;
  return applied === undefined ? didNot() : applied.known === 'settled';
}

function saidDidNot(rows: readonly JournalRow[]): boolean {
  // reason: a row of this kind says it
  return rows.some(
    ({ event, kind }) => kind === 'not-applied' && (parseCanonical(event) as JsonObject)['known'] === 'settled',
  );
}

function withWhatWasLost(reads: Reads, record: JournalRecord): JournalRecord {
  const old = oldOf(record);
  const rows = reads.rowsOf(old.seq, ROWS_MAX);
  const [before, end] = rows.slice(-2);
  const tried = end?.kind === 'rejected' && before !== undefined && !UNAPPLIED.has(before.kind);
  const afterDidNot = tried && old.attempts > 0 ? { afterDidNot: true } : {};
  const value = { ...old, ...afterDidNot, ...(mayHappenTwice(rows) ? { givenUp: true } : {}) };
  return { ...record, value: canonicalBytes(value) };
}

function mayHappenTwice(rows: readonly JournalRow[]): boolean {
  let blind = false;
  for (const { event, kind } of rows) {
    if (kind === 'retried' && blind) return true;
    // reason: a row of this kind says it
    if (kind === 'not-applied') blind = (parseCanonical(event) as JsonObject)['mayHappenTwice'] === true;
  }
  return false;
}

/** A chain for each action that is needed: every edge names the one before it, `needed:` the newest. */
function* edgesOf(standing: readonly Applied[]): Generator<JournalRecord> {
  const newest = new Map<string, Applied>();
  for (const action of standing) {
    for (const need of action.needs) {
      yield recordOf(`needs:${need}/${action.id}`, action.seq, { before: newest.get(need)?.id ?? null });
      newest.set(need, action);
    }
  }
  for (const [need, { id, seq }] of newest) yield recordOf(`needed:${need}`, seq, { newest: id });
}

/** What is live is read at every start. */
function recordOf(key: string, order: number, value: Readonly<Record<string, string | null>> | true): JournalRecord {
  return { table: 'meta', key, order, live: value === true, value: canonicalBytes(value) };
}
