import type { Database } from 'better-sqlite3';
import { canonicalBytes, parseCanonical } from '../../base/canonical-json.ts';
import { nodeCrypto } from '../../crypto/node.ts';
import type { JournalRecord } from '../../authority/ports.ts';
import { Reads } from './reads.ts';
import { Store } from './store.ts';

/** What this step reads of an action as version 1 wrote it. */
interface Old {
  readonly id: string;
  readonly seq: number;
  readonly state: string;
  readonly needs: readonly string[];
  readonly attempts: number;
  /** Of what is rejected. */
  readonly afterDidNot?: boolean;
}

type Applied = Pick<Old, 'id' | 'seq' | 'needs'>;

/** The effect is in the world, and may be taken back. */
const STANDING: ReadonlySet<string> = new Set(['applied', 'reverting', 'revert-in-doubt']);

/** Right before its end it had failed, or was not applied: it had not been tried again. */
const UNAPPLIED: ReadonlySet<string> = new Set(['failed', 'not-applied']);

/**
 * From version 1 to 2. What is new are event kinds and records that 1 has none of. One of them has to be made: a revert
 * asks which applied actions need one (CA-4), and version 1 kept that in each of them only. And of what was tried again
 * and then rejected, version 1 did not keep that an attempt had been given up: late evidence of it would go unheard
 * (EF-6). Frozen, like what it reads.
 */
export function migrateV1(database: Database): void {
  const reads = new Reads(database, nodeCrypto.sha256);
  const standing: Applied[] = [];
  const rejected: JournalRecord[] = [];
  for (const record of reads.allRecords()) {
    if (record.table !== 'action') continue;
    const { afterDidNot, attempts, id, needs, seq, state } = oldOf(record);
    if (STANDING.has(state)) standing.push({ id, needs, seq });
    if (state === 'rejected' && attempts > 0 && afterDidNot === false) rejected.push(record);
  }
  const triedAgain = rejected.filter((record) => wasTriedAgain(reads, record));
  const store = new Store(database, reads.tally());
  store.add([...edgesOf(standing.toSorted((a, b) => a.seq - b.seq)), ...triedAgain.map(givenUp)]);
}

function oldOf({ value }: JournalRecord): Old {
  // reason: the record's sum is right, and version 1 wrote nothing else here
  return parseCanonical(value) as unknown as Old;
}

function wasTriedAgain(reads: Reads, record: JournalRecord): boolean {
  const [before, end] = reads.rowsOf(oldOf(record).seq, 2);
  return before !== undefined && end?.kind === 'rejected' && !UNAPPLIED.has(before.kind);
}

function givenUp(record: JournalRecord): JournalRecord {
  return { ...record, value: canonicalBytes({ ...oldOf(record), afterDidNot: true }) };
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

function recordOf(key: string, order: number, value: Readonly<Record<string, string | null>>): JournalRecord {
  return { table: 'meta', key, order, live: false, value: canonicalBytes(value) };
}
