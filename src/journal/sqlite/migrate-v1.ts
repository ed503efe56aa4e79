import type { Database } from 'better-sqlite3';
import { canonicalBytes, parseCanonical } from '../../base/canonical-json.ts';
import { nodeCrypto } from '../../crypto/node.ts';
import type { JournalRecord } from '../../authority/ports.ts';
import { Reads } from './reads.ts';
import { Store } from './store.ts';

/** What this step reads of an action as version 1 wrote it. */
interface Applied {
  readonly id: string;
  readonly seq: number;
  readonly state: string;
  readonly needs: readonly string[];
}

/** The effect is in the world, and may be taken back. */
const STANDING: ReadonlySet<string> = new Set(['applied', 'reverting', 'revert-in-doubt']);

/**
 * From version 1 to 2. What is new are event kinds and records that 1 has none of. One of them has to be made: a revert
 * asks which applied actions need one (CA-4), and version 1 kept that in each of them only. Frozen, like what it reads.
 */
export function migrateV1(database: Database): void {
  const reads = new Reads(database, nodeCrypto.sha256);
  const standing = [...standingOf(reads.allRecords())].toSorted((a, b) => a.seq - b.seq);
  new Store(database, reads.tally()).add([...edgesOf(standing)]);
}

function* standingOf(records: Iterable<JournalRecord>): Generator<Applied> {
  for (const { table, value } of records) {
    if (table !== 'action') continue;
    // reason: the record's sum is right, and version 1 wrote nothing else here
    const { id, needs, seq, state } = parseCanonical(value) as unknown as Applied;
    if (STANDING.has(state)) yield { id, needs, seq, state };
  }
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
