import { fromHex } from '../../base/bytes.ts';
import { assert } from '../../base/assert.ts';
import { parseCanonical } from '../../base/canonical-json.ts';
import { CountersignError } from '../../base/errors.ts';
import type { Journal } from '../../authority/ports.ts';
import { nodeCrypto } from '../../crypto/node.ts';
import { openSqliteJournal, verifyHeadLog, verifySqliteJournal } from '../../journal/sqlite/index.ts';
import type { SqliteJournalPorts } from '../../journal/sqlite/open.ts';
import type { JournalEvent } from '../../model/event.ts';
import type { Digest, HomeId, WorkspaceId } from '../../model/ids.ts';
import { openCheckpoint } from '../../trust/checkpoint.ts';
import { createLogVerifier, type LogEnd } from '../../trust/verify-log.ts';

export type AuditResult = 'ok' | 'tampered' | 'incomplete' | 'fork';

export interface AuditVerdict {
  readonly result: AuditResult;
  readonly entries: number;
  /** What is wrong, in a sentence; `null` when nothing is. */
  readonly why: string | null;
}

export interface AuditOptions {
  readonly dir: string;
  readonly home: HomeId;
  readonly workspace: WorkspaceId;
  readonly homeKey: Uint8Array;
  /** What this device has seen of the log, by the home's own signature. */
  readonly witnessed: readonly { readonly size: number; readonly root: Digest }[];
  readonly onProgress: (done: number, total: number) => void;
  /** What the journal takes from its machine. Absent: the machine's own. */
  readonly ports?: SqliteJournalPorts;
}

/** Rows between two looks at the clock of whoever watches. */
const PAGE_ROWS = 1_000;

/**
 * Walks the whole log. Damaged bytes are `tampered`; sound ones that end too early `incomplete`; a sound and complete
 * log that is not the one this device, a checkpoint or the head log knows is a `fork`.
 *
 * Throws: `not-found`, `denied` or `busy` when there is nothing to read.
 */
export async function verifyLog(options: AuditOptions): Promise<AuditVerdict> {
  let journal: Journal;
  try {
    journal = openSqliteJournal({ dir: options.dir, readOnly: true }, options.ports);
  } catch (error) {
    if (CountersignError.is(error) && error.code === 'quarantined')
      return { result: 'tampered', entries: 0, why: error.message };
    throw error;
  }
  try {
    return await walk(journal, options);
  } catch (error) {
    // The journal refuses to hand out a row whose sum is wrong.
    if (!CountersignError.is(error) || error.code !== 'quarantined') throw error;
    return { result: 'tampered', entries: 0, why: error.message };
  } finally {
    await journal.close();
  }
}

async function walk(journal: Journal, options: AuditOptions): Promise<AuditVerdict> {
  const headLog = verifyHeadLog(options.dir);
  const checkpoints = checkpointsOf(journal, options);
  // Read last: a running home goes on writing. What was read before is not ahead of it, and later rows are of the next walk.
  const head = journal.head();
  if (!checkpoints.ok) return { result: 'tampered', entries: head.seq, why: checkpoints.why };
  const { newest } = headLog;
  const seen = options.witnessed.map(({ size, root }) => ({ size, root: bytesOf(root) }));
  const known: readonly LogEnd[] = [
    ...checkpoints.ends,
    ...seen,
    ...(newest === undefined ? [] : [{ size: newest.seq, root: newest.root }]),
  ];
  const verifier = createLogVerifier(nodeCrypto.sha256, known);
  for (let from = 1; from <= head.seq; from += PAGE_ROWS) {
    for (const row of journal.rows(from, PAGE_ROWS)) if (row.seq <= head.seq) verifier.take(row);
    options.onProgress(Math.min(from + PAGE_ROWS - 1, head.seq), head.seq);
    // Between two pages whoever waits for this process may be answered.
    await new Promise<void>((resolve) => void setImmediate(resolve));
  }
  const end = verifier.end({ size: head.seq, root: head.root });
  if (!end.ok) return { result: end.error.fault, entries: head.seq, why: end.error.why };
  const [fault] = [...verifySqliteJournal({ dir: options.dir }).faults, ...headLog.faults];
  return { result: fault === undefined ? 'ok' : 'tampered', entries: head.seq, why: fault ?? null };
}

type Checkpoints =
  | { readonly ok: true; readonly ends: readonly LogEnd[] }
  | { readonly ok: false; readonly why: string };

/** What the home committed itself to along the way, each by its signature. */
function checkpointsOf(journal: Journal, { home, homeKey, workspace }: AuditOptions): Checkpoints {
  const ends: LogEnd[] = [];
  const { seq: last } = journal.head();
  for (let from = 1; from <= last; from += PAGE_ROWS) {
    for (const row of journal.rows(from, PAGE_ROWS)) {
      if (row.kind !== 'checkpointed') continue;
      // reason: read for its signature alone, which is checked next
      const event = parseCanonical(row.event) as unknown as JournalEvent;
      if (event.kind !== 'checkpointed') continue;
      const opened = openCheckpoint(nodeCrypto.verify, homeKey, { home, workspace }, event.signed);
      if (!opened.ok) return { ok: false, why: `The checkpoint in entry ${row.seq} does not hold: ${opened.error}` };
      const { size, root, tree } = opened.value;
      ends.push({ size, root: bytesOf(root), tree: bytesOf(tree) });
    }
  }
  return { ok: true, ends };
}

function bytesOf(digest: Digest): Uint8Array {
  const bytes = fromHex(digest);
  assert(bytes !== undefined, 'a digest is hexadecimal');
  return bytes;
}
