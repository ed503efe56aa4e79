import { assert } from '../base/assert.ts';
import type { EpochMs } from '../base/clock.ts';
import type { Seen } from '../model/decision.ts';
import { digestFrom } from '../model/digest.ts';
import type { JournalRow } from '../model/event.ts';
import type { Digest } from '../model/ids.ts';
import type { SignedText } from '../model/signed-text.ts';
import { GENESIS_ROOT } from '../trust/audit.ts';
import { signCheckpoint } from '../trust/checkpoint.ts';
import { signHeartbeat } from '../trust/heartbeat.ts';
import {
  appendLeaf,
  EMPTY_RANGE,
  leafHash,
  rangeFromJson,
  rangeRoot,
  rangeToJson,
  type MerkleRange,
} from '../trust/merkle.ts';
import type { Core } from './core.ts';
import { AUTHORITY_LIMITS } from './options.ts';

/** Heartbeats one run of a home may make: twelve days at one a millisecond. The next run's numbers begin above them. */
const BEATS_PER_RUN = 2 ** 30;

/** The run of a home that made the heartbeat of this number. */
export function runOf(counter: number): number {
  return Math.floor(counter / BEATS_PER_RUN);
}

/** What the authority signs about its own log: heartbeats at any time, checkpoints every thousand entries. */
export class Witness {
  readonly #core: Core;
  readonly #run: number;
  #beats = 0;
  #range: MerkleRange;
  /** The chain root after the rows of the range. */
  #root: Uint8Array = GENESIS_ROOT;
  /** Entries under the newest checkpoint. */
  #checkpointed: number;
  /** Signed, and durable with the row that holds it. */
  #signed: Checkpointed | null = null;
  #newest: Checkpointed | null;

  constructor(core: Core) {
    this.#core = core;
    // reason: written below only
    this.#run = ((core.store.record('meta', 'run') as number | undefined) ?? 0) + 1;
    core.store.put('meta', 'run', 0, false, this.#run);
    const stored = core.store.record('meta', 'merkle');
    const range = stored === undefined ? undefined : rangeFromJson(stored);
    this.#range = range?.ok === true ? range.value : EMPTY_RANGE;
    this.#checkpointed = this.#range.size;
    const { journal } = core.options;
    this.#newest = storedCheckpoint(core, this.#range);
    // What was stored after the last checkpoint: at most as much as lies between two.
    if (journal.health.state !== 'quarantined') this.take(journal.rows(this.#range.size + 1, journal.head().seq));
  }

  /** Rows that are durable now, in their order. */
  take(rows: readonly JournalRow[]): void {
    const { sha256 } = this.#core.options.crypto;
    for (const row of rows) {
      assert(row.seq === this.#range.size + 1, 'the witness takes every row once');
      this.#range = appendLeaf(sha256, this.#range, leafHash(sha256, row.audit));
      this.#root = row.root;
      if (row.kind === 'checkpointed' && this.#signed !== null) this.#newest = this.#signed;
    }
  }

  /** The newest checkpoint that is durable. */
  get newest(): Checkpointed | null {
    return this.#newest;
  }

  heartbeat(): SignedText {
    return signedBeat(this.#core, this.seen());
  }

  /** What a heartbeat of now says. */
  seen(): Seen {
    return beat(this.#core, this.#run * BEATS_PER_RUN + ++this.#beats, this.#core.nowMs());
  }

  /** Is a checkpoint due? Asked after every commit. */
  get due(): boolean {
    return this.#range.size - this.#checkpointed >= AUTHORITY_LIMITS.checkpointEvery;
  }

  /** The disk was full: a checkpoint that was only staged never was, and is due again. */
  lost(): void {
    this.#signed = null;
    this.#checkpointed = this.#newest?.size ?? 0;
  }

  /** Stages a signed checkpoint over every row taken so far; it is stored with the next commit. */
  checkpoint(): void {
    const core = this.#core;
    const { crypto, home, workspace, signer } = core.options;
    const { size } = this.#range;
    if (size === this.#checkpointed) return;
    this.#checkpointed = size;
    const tree = digestFrom(rangeRoot(crypto.sha256, this.#range));
    const root = digestFrom(this.#root);
    const signed = signCheckpoint(signer, { v: 1, home, workspace, size, root, tree, atMs: core.nowMs() });
    this.#signed = { size, root, tree };
    core.store.put('meta', 'merkle', 0, false, rangeToJson(this.#range));
    core.store.stage({ kind: 'checkpointed', size, tree, signed });
  }
}

/** The last that the runtime of a journal could have said before it ended, for who reads the journal in its place. */
export function lastHeartbeat(core: Core): SignedText {
  const { journal } = core.options;
  // reason: written by `Witness` only
  const run = (core.store.record('meta', 'run') as number | undefined) ?? 1;
  const [newest] = journal.rows(journal.head().seq, 1);
  return signedBeat(core, beat(core, (run + 1) * BEATS_PER_RUN - 1, newest?.atMs ?? 0));
}

function beat({ options }: Core, counter: number, atMs: EpochMs): Seen {
  const { root, seq } = options.journal.head();
  return { counter, atMs, size: seq, root: digestFrom(root) };
}

function signedBeat({ options }: Core, seen: Seen): SignedText {
  const { home, signer, workspace } = options;
  return signHeartbeat(signer, { v: 1, home, workspace, ...seen });
}

/** What the head says of a checkpoint. */
export interface Checkpointed {
  readonly size: number;
  readonly root: Digest;
  readonly tree: Digest;
}

function storedCheckpoint(core: Core, range: MerkleRange): Checkpointed | null {
  const { crypto, journal } = core.options;
  if (range.size === 0 || journal.health.state === 'quarantined') return null;
  const [row] = journal.rows(range.size, 1);
  if (row === undefined) return null;
  return { size: range.size, root: digestFrom(row.root), tree: digestFrom(rangeRoot(crypto.sha256, range)) };
}
