import { CountersignError, messageOf } from '../../base/errors.ts';
import type { Result } from '../../base/result.ts';
import { fromHex } from '../../base/bytes.ts';
import { GENESIS_ROOT } from '../../trust/audit.ts';
import { createLogVerifier, type LogEnd, type LogFault, type LogVerifier } from '../../trust/verify-log.ts';
import type { TileReader } from '../../doc/tile.ts';
import type { Core } from '../core.ts';
import { REPLICA_LIMITS } from '../limits.ts';
import type { AuditVerdict } from '../types.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { entryOf, TamperedError, type Tiles } from './tiles.ts';

/**
 * All of a log, from its first entry to the newest end that the home has signed, checked on this device: the signed
 * lists of tiles and their chain up to the head, the hash of every tile, the chain of every entry, and everything this
 * device has ever seen signed of it: heartbeats, checkpoints, heads. One tile is in memory at a time.
 */
export async function verifyAudit(
  core: Core,
  workspace: Workspace,
  tiles: Tiles,
  onProgress: (done: number, of: number) => void,
): Promise<AuditVerdict> {
  const end = endOf(workspace);
  const verifier = createLogVerifier(core.crypto.sha256, workspace.witnesses.ends());
  const walk = new Walk(core, verifier, end.size, onProgress);
  const verdict = await verdictOf(walk, tiles, end);
  if (verdict.result === 'fork') core.alarms.raise({ kind: 'fork', workspace: workspace.id, sentence: verdict.why });
  if (verdict.result === 'tampered')
    core.alarms.raise({
      kind: 'damaged',
      workspace: workspace.id,
      sentence: `The audit log is damaged. ${verdict.why}`,
    });
  return verdict;
}

function endOf({ witnesses }: Workspace): LogEnd {
  const newest = witnesses.newest;
  const root = newest === undefined ? undefined : fromHex(newest.root);
  return newest === undefined || root === undefined ? { size: 0, root: GENESIS_ROOT } : { size: newest.size, root };
}

async function verdictOf(walk: Walk, tiles: Tiles, end: LogEnd): Promise<AuditVerdict> {
  try {
    for (const tile of await tiles.list()) {
      if (walk.isOver) break;
      await walk.take(await tiles.read(tile), tile.to);
    }
    const open = tiles.open;
    await open?.reaches(end.size);
    if (open !== undefined && !walk.isOver) await walk.take(open.reader, open.last);
    return walk.conclude(end);
  } catch (thrown) {
    if (thrown instanceof TamperedError) return { result: 'tampered', entries: walk.done, why: thrown.message };
    // The relay has lost a tile, or cannot be reached: what was checked is sound.
    if (CountersignError.is(thrown)) return { result: 'incomplete', entries: walk.done, why: messageOf(thrown) };
    throw thrown;
  }
}

/** Feeds entries to the verifier in order, in slices, so that nothing blocks longer than one. */
class Walk {
  readonly #core: Core;
  readonly #verifier: LogVerifier;
  readonly #size: number;
  readonly #onProgress: (done: number, of: number) => void;
  #fault: LogFault | undefined;
  #sliceEndMs = 0;
  done = 0;

  constructor(core: Core, verifier: LogVerifier, size: number, onProgress: (done: number, of: number) => void) {
    this.#core = core;
    this.#verifier = verifier;
    this.#size = size;
    this.#onProgress = onProgress;
  }

  get isOver(): boolean {
    return this.#fault !== undefined || this.done >= this.#size;
  }

  /** Entries after those that were taken, up to `to`. What nobody has signed yet is left for the next time. */
  async take(reader: TileReader, to: number): Promise<void> {
    while (!this.isOver && this.done < to) {
      const seq = this.done + 1;
      this.#note(this.#verifier.take({ seq, event: null, audit: entryOf(reader, seq), root: null }));
      if (this.#fault === undefined) this.done = seq;
      await this.#breathe();
    }
    this.#onProgress(this.done, this.#size);
  }

  conclude(end: LogEnd): AuditVerdict {
    if (this.#fault === undefined) this.#note(this.#verifier.end(end));
    if (this.#fault === undefined) return { result: 'ok', entries: this.done };
    return { result: this.#fault.fault, entries: this.done, why: this.#fault.why };
  }

  #note(result: Result<void, LogFault>): void {
    if (!result.ok) this.#fault = result.error;
  }

  async #breathe(): Promise<void> {
    const { clock } = this.#core;
    if (this.done % REPLICA_LIMITS.verifiedInSliceMax !== 0 && clock.nowMs() < this.#sliceEndMs) return;
    this.#onProgress(this.done, this.#size);
    await new Promise<void>((resolve) => clock.soon(resolve));
    this.#sliceEndMs = clock.nowMs() + REPLICA_LIMITS.sliceMs;
  }
}
