import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { assert } from '../../base/assert.ts';
import { CountersignError } from '../../base/errors.ts';
import type { Decision } from '../../model/decision.ts';
import { parseDigest, parseWorkspaceId, type Digest, type WorkspaceId } from '../../model/ids.ts';
import type { SignedText } from '../../model/signed-text.ts';
import { makePrivateDir } from '../state/folder.ts';
import type { DecisionDraft } from '../../model/decision-drafts.ts';

/** Raised when the tables change; an older program refuses a newer store. */
const VERSION = 1;
/** Milliseconds a command waits for others that save at the same moment. */
const BUSY_MS_MAX = 20_000;

/** A decision on its way: saved on this device → sent → received by the runtime (DC-6). */
export interface OutboxEntry extends SignedText {
  readonly workspace: WorkspaceId;
  readonly n: number;
  readonly state: 'saved' | 'sent' | 'received';
}

export interface SealedDecision extends SignedText {
  readonly hash: Digest;
}

/**
 * The decisions of this device, kept until the runtime's receipt is held, and for good after that. Every process of
 * this user's command line shares the one store; numbers are given out inside the transaction that saves (DC-2).
 */
export class Outbox {
  readonly #db: Database.Database;

  private constructor(db: Database.Database) {
    this.#db = db;
  }

  /** Throws `too-new` for the store of a newer version, `storage` when it cannot be made to write through. */
  static async open(path: string): Promise<Outbox> {
    await makePrivateDir(dirname(path));
    closeSync(openSync(path, 'a', 0o600));
    const db = new Database(path, { timeout: BUSY_MS_MAX });
    try {
      prepare(db, path);
    } catch (error) {
      db.close();
      throw error;
    }
    return new Outbox(db);
  }

  /**
   * Numbers, signs and stores the drafts of one gesture, all or none. Durable when it returns.
   *
   * Throws: `full`, and whatever `seal` throws; nothing is stored then.
   */
  save(
    drafts: readonly DecisionDraft[],
    batchId: string,
    seal: (decision: Decision) => SealedDecision,
  ): readonly OutboxEntry[] {
    const insert = this.#db.prepare(
      `INSERT INTO decision (workspace, n, hash, payload, signature, state) VALUES (?, ?, ?, ?, ?, 'saved')`,
    );
    const work = this.#db.transaction(() =>
      drafts.map((draft, index): OutboxEntry => {
        const { n, hash } = this.#newest(draft.workspace);
        const batch = drafts.length === 1 ? {} : { batch: { id: batchId, index, of: drafts.length } };
        const sealed = seal({ ...draft, n: n + 1, prev: hash, ...batch });
        insert.run(draft.workspace, n + 1, sealed.hash, sealed.payload, sealed.signature);
        return {
          workspace: draft.workspace,
          n: n + 1,
          state: 'saved',
          payload: sealed.payload,
          signature: sealed.signature,
        };
      }),
    );
    try {
      return work.immediate();
    } catch (cause) {
      if (!isFull(cause)) throw cause;
      const why = 'The disk of the state folder is full: the decision was not saved. Free some space and decide again.';
      throw new CountersignError('full', why, { cause });
    }
  }

  /** Every decision ever made here for this workspace, in order. */
  all(workspace: WorkspaceId): readonly OutboxEntry[] {
    // reason: the table's own columns
    return (this.#db.prepare(`SELECT * FROM decision WHERE workspace = ? ORDER BY n`).all(workspace) as Row[]).map(
      entryOf,
    );
  }

  /** What the runtime has not yet said it holds, in order. */
  unreceived(workspace: WorkspaceId): readonly OutboxEntry[] {
    const rows = this.#db
      .prepare(`SELECT * FROM decision WHERE workspace = ? AND state <> 'received' ORDER BY n`)
      .all(workspace);
    // reason: the table's own columns
    return (rows as Row[]).map(entryOf);
  }

  /** Workspaces with decisions on the way. */
  waitingWorkspaces(): readonly WorkspaceId[] {
    const rows = this.#db.prepare(`SELECT DISTINCT workspace FROM decision WHERE state <> 'received'`).pluck().all();
    return rows.flatMap((text) => {
      const id = parseWorkspaceId(text);
      return id.ok ? [id.value] : [];
    });
  }

  markSent(entries: readonly OutboxEntry[]): void {
    const update = this.#db.prepare(
      `UPDATE decision SET state = 'sent' WHERE workspace = ? AND n = ? AND state = 'saved'`,
    );
    note(() =>
      this.#db.transaction(() => entries.forEach((entry) => update.run(entry.workspace, entry.n))).immediate(),
    );
  }

  /** Keeps the receipt; from now on the decision is not sent again. */
  markReceived(entry: Pick<OutboxEntry, 'workspace' | 'n'>, receipt: SignedText): void {
    const update = this.#db.prepare(
      `UPDATE decision SET state = 'received', receipt = ?, receipt_signature = ? WHERE workspace = ? AND n = ?`,
    );
    note(() => {
      const { changes } = update.run(receipt.payload, receipt.signature, entry.workspace, entry.n);
      assert(changes === 1, 'a receipt is for a decision that was saved');
    });
  }

  receiptOf(entry: Pick<OutboxEntry, 'workspace' | 'n'>): SignedText | undefined {
    const row = this.#db
      .prepare(
        `SELECT receipt AS payload, receipt_signature AS signature FROM decision WHERE workspace = ? AND n = ? AND state = 'received'`,
      )
      .get(entry.workspace, entry.n);
    // reason: both columns are written together by markReceived
    return row as SignedText | undefined;
  }

  close(): void {
    this.#db.close();
  }

  #newest(workspace: WorkspaceId): { readonly n: number; readonly hash: Digest | null } {
    const row = this.#db
      .prepare(`SELECT n, hash FROM decision WHERE workspace = ? ORDER BY n DESC LIMIT 1`)
      .get(workspace);
    if (row === undefined) return { n: 0, hash: null };
    // reason: the table's own columns
    const { n, hash } = row as Row;
    const digest = parseDigest(hash);
    assert(digest.ok, 'the outbox keeps digests');
    return { n, hash: digest.value };
  }
}

/** Where a decision stands on its way is only noted: on a full disk it is sent once more, and answered the same. */
function note(write: () => void): void {
  try {
    write();
  } catch (cause) {
    if (!isFull(cause)) throw cause;
  }
}

function isFull(cause: unknown): boolean {
  return cause instanceof Database.SqliteError && cause.code === 'SQLITE_FULL';
}

interface Row {
  readonly workspace: WorkspaceId;
  readonly n: number;
  readonly hash: string;
  readonly payload: string;
  readonly signature: string;
  readonly state: OutboxEntry['state'];
}

function entryOf({ workspace, n, payload, signature, state }: Row): OutboxEntry {
  return { workspace, n, payload, signature, state };
}

/**
 * A rollback journal rather than a WAL: commands are short and rare, and EXTRA makes a commit durable with the
 * folder entry of its journal. The level is read back because some builds lower it without a word.
 */
function prepare(db: Database.Database, path: string): void {
  db.pragma('synchronous = EXTRA');
  if (db.pragma('synchronous', { simple: true }) !== 3) {
    throw new CountersignError('storage', `${path} cannot be made to write through to the disk.`);
  }
  const version = db.pragma('user_version', { simple: true });
  if (typeof version !== 'number' || version > VERSION) {
    throw new CountersignError('too-new', `${path} was written by a newer version of Countersign; update this one.`);
  }
  if (version === VERSION) return;
  db.transaction(() => {
    db.exec(`CREATE TABLE IF NOT EXISTS decision (
      workspace TEXT NOT NULL, n INTEGER NOT NULL, hash TEXT NOT NULL, payload TEXT NOT NULL, signature TEXT NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('saved', 'sent', 'received')), receipt TEXT, receipt_signature TEXT,
      PRIMARY KEY (workspace, n)) STRICT, WITHOUT ROWID`);
    db.pragma(`user_version = ${VERSION}`);
  }).immediate();
}
