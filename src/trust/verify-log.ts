import { parseCanonical, type Json } from '../base/canonical-json.ts';
import { equalBytes, toHex } from '../base/bytes.ts';
import { CountersignError } from '../base/errors.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { Sha256 } from '../crypto/ports.ts';
import { chainRoot, GENESIS_ROOT, parseAuditEntry } from './audit.ts';
import { appendLeaf, EMPTY_RANGE, leafHash, rangeRoot, type MerkleRange } from './merkle.ts';

/**
 * What is wrong with a log. `tampered`: bytes are not what their hashes say. `incomplete`: what is there is sound, but
 * rows are missing. `fork`: sound and complete, and not the log that somebody witnessed.
 */
export interface LogFault {
  readonly fault: 'tampered' | 'incomplete' | 'fork';
  /** The first row that cannot be vouched for. */
  readonly seq: number;
  readonly why: string;
}

/** The part of a row that is checked. A device has the audit entries alone: `null` for what the journal keeps beside them. */
export interface LogRow {
  readonly seq: number;
  readonly event: Uint8Array | null;
  readonly audit: Uint8Array;
  readonly root: Uint8Array | null;
}

/** What the log must be after `size` rows, known from elsewhere: the head log, a heartbeat, a checkpoint. */
export interface LogEnd {
  readonly size: number;
  readonly root: Uint8Array;
  /** Merkle root, where it is known. */
  readonly tree?: Uint8Array;
}

/** Checks a log row by row, in memory that does not grow with it. After a fault every answer is that fault. */
export interface LogVerifier {
  take(row: LogRow): Result<void, LogFault>;
  /** Ends the check at what the log's own head says. */
  end(head: LogEnd): Result<void, LogFault>;
}

type Verified = Result<void, LogFault>;
const SOUND: Verified = ok(undefined);

/** `witnessed`: what others saw of this log. Each is checked when the log reaches its size. */
export function createLogVerifier(sha256: Sha256, witnessed: readonly LogEnd[] = []): LogVerifier {
  const pending = witnessed.toSorted((a, b) => a.size - b.size);
  let size = 0;
  let root = GENESIS_ROOT;
  let range: MerkleRange = EMPTY_RANGE;
  let verdict = checkWitnesses();

  function advance(row: LogRow): Verified {
    const checked = checkRow(sha256, { size, root }, row);
    if (!checked.ok) return checked;
    size += 1;
    root = checked.value;
    range = appendLeaf(sha256, range, leafHash(sha256, row.audit));
    return checkWitnesses();
  }

  function checkWitnesses(): Verified {
    for (let next = pending[0]; next !== undefined && next.size <= size; next = pending[0]) {
      pending.shift();
      if (next.size === size && !isAt(next))
        return fault('fork', size, `After ${size} entries somebody witnessed another log.`);
    }
    return SOUND;
  }

  function conclude(head: LogEnd): Verified {
    if (size < head.size) return fault('incomplete', size + 1, `The log ends at ${size}; its head says ${head.size}.`);
    if (size > head.size)
      return fault('tampered', head.size + 1, `The head says ${head.size}; the log goes on to ${size}.`);
    if (!isAt(head)) return fault('tampered', size, 'The head does not have the root of the log.');
    const missing = pending.at(-1);
    if (missing !== undefined)
      return fault('incomplete', size + 1, `The log ends at ${size}; ${missing.size} entries have been witnessed.`);
    return SOUND;
  }

  function isAt(end: LogEnd): boolean {
    return equalBytes(end.root, root) && (end.tree === undefined || equalBytes(end.tree, rangeRoot(sha256, range)));
  }

  return {
    take: (row) => (verdict = verdict.ok ? advance(row) : verdict),
    end: (head) => (verdict = verdict.ok ? conclude(head) : verdict),
  };
}

/** The chain root after the row. */
function checkRow(
  sha256: Sha256,
  before: { readonly size: number; readonly root: Uint8Array },
  row: LogRow,
): Result<Uint8Array, LogFault> {
  const seq = before.size + 1;
  if (row.seq > seq) return fault('incomplete', seq, `Row ${seq} is missing; ${row.seq} comes next.`);
  if (row.seq < seq) return fault('tampered', row.seq, `Row ${row.seq} stands where row ${seq} belongs.`);
  const value = canonicalValue(row.audit);
  const entry = value === undefined ? undefined : parseAuditEntry(value);
  if (entry === undefined || !entry.ok) return fault('tampered', seq, `Row ${seq} holds no audit entry.`);
  if (entry.value.seq !== seq) return fault('tampered', seq, `The audit entry of row ${seq} is of ${entry.value.seq}.`);
  if (entry.value.prev !== toHex(before.root))
    return fault('tampered', seq, `The audit entry of row ${seq} does not follow the one before it.`);
  if (row.event !== null && entry.value.event !== toHex(sha256(row.event)))
    return fault('tampered', seq, `The event of row ${seq} is not the one its audit entry names.`);
  const root = chainRoot(sha256, before.root, row.audit);
  if (row.root !== null && !equalBytes(row.root, root))
    return fault('tampered', seq, `The chain root of row ${seq} does not fit its audit entry.`);
  return ok(root);
}

function canonicalValue(bytes: Uint8Array): Json | undefined {
  try {
    return parseCanonical(bytes);
  } catch (thrown) {
    // Damaged bytes are what this looks for; anything else is a bug.
    if (CountersignError.is(thrown) && thrown.code === 'bad-input') return undefined;
    throw thrown;
  }
}

function fault(kind: LogFault['fault'], seq: number, why: string): { readonly ok: false; readonly error: LogFault } {
  return err({ fault: kind, seq, why });
}
