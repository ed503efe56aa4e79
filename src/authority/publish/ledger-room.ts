import { CountersignError } from '../../base/errors.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { LedgerAuthor, type LedgerChange } from '../../doc/ledger-author.ts';
import type { KeyRing } from '../../doc/keys.ts';
import { DOC_SCHEMA } from '../../doc/schema.ts';
import { wholeOf } from '../../doc/stored.ts';
import { roomName } from '../../sync/room.ts';
import type { Core } from '../core.ts';
import { PUBLISH_LIMITS } from './limits.ts';

/** Where the ledger lives, as the journal keeps it. */
export interface RoomRecord {
  readonly fence: number;
  /** Rooms are counted under their fence and never used again. */
  readonly n: number;
  readonly keyGen: number;
  /** A room is written in one version of its records; a newer runtime begins another. */
  readonly schema: number;
}

/** Numbers above it fit into a room's name, and are never reached by counting. */
const DICE_FROM = 5_000_000_000;

const SNAPSHOT = 'ledger/0';
const ROOM_KEY = 'room';
const updateKey = (n: number): string => `ledger/${n}`;

/**
 * One incarnation of the ledger: its author, and what is stored of it. A change is staged together with its update, so
 * that nothing of it exists unless all of it is durable.
 */
export class LedgerRoom {
  readonly record: RoomRecord;
  readonly name: string;
  /** The key everything in it is sealed with; a room never changes it. */
  readonly keys: KeyRing;
  readonly #core: Core;
  readonly #author: LedgerAuthor;
  /** Updates that are stored beside the snapshot. */
  #updates: number;
  #updateBytes: number;

  private constructor(
    core: Core,
    at: { readonly record: RoomRecord; readonly keys: KeyRing; readonly author: LedgerAuthor },
    stored: { readonly updates: number; readonly bytes: number },
  ) {
    this.#core = core;
    this.record = at.record;
    this.keys = at.keys;
    this.name = nameOf(core, at.record);
    this.#author = at.author;
    this.#updates = stored.updates;
    this.#updateBytes = stored.bytes;
  }

  /** A room that nobody wrote before; nothing of it is stored until `storeWhole`. */
  static fresh(core: Core, keys: KeyRing): LedgerRoom {
    const before = storedRoom(core);
    const { fence } = core.options;
    const n = before?.fence === fence ? before.n + 1 : 1;
    const record = { fence, n, keyGen: keys.newest.gen, schema: DOC_SCHEMA };
    const author = LedgerAuthor.fresh(authorOptions(core, record, keys));
    // How many updates are stored of the room before may be unknown: what is damaged cannot be listed.
    return new LedgerRoom(core, { record, keys, author }, { updates: PUBLISH_LIMITS.updatesMax, bytes: 0 });
  }

  /**
   * A room of which nothing is ever stored, for a journal that cannot be written. Nothing can be counted there, so its
   * number comes from the dice, far above any that is counted.
   */
  static unstored(core: Core, keys: KeyRing): LedgerRoom {
    const n = DICE_FROM + new DataView(core.random.bytes(4).buffer).getUint32(0);
    const record = { fence: core.options.fence, n, keyGen: keys.newest.gen, schema: DOC_SCHEMA };
    const author = LedgerAuthor.fresh(authorOptions(core, record, keys));
    return new LedgerRoom(core, { record, keys, author }, { updates: 0, bytes: 0 });
  }

  /** The room as it was left; an error says why another one must be opened. */
  static restore(core: Core, keys: KeyRing): Result<LedgerRoom> {
    const record = storedRoom(core);
    if (record === undefined) return err('Nothing was published yet.');
    if (record.fence !== core.options.fence) return err('The workspace stands at another fence.');
    if (record.keyGen !== keys.newest.gen) return err('The content key is another one.');
    if (record.schema !== DOC_SCHEMA) return err('The room is written in another version.');
    const parts = storedParts(core);
    if (!parts.ok) return parts;
    const whole = wholeOf(parts.value);
    if (!whole.ok) return whole;
    const author = LedgerAuthor.restore(authorOptions(core, record, keys), whole.value);
    if (!author.ok) return author;
    const updates = parts.value.slice(1);
    const bytes = updates.reduce((sum, { length }) => sum + length, 0);
    return ok(new LedgerRoom(core, { record, keys, author: author.value }, { updates: updates.length, bytes }));
  }

  /** How the head calls it. */
  get part(): string {
    return partOf(this.record);
  }

  get author(): LedgerAuthor {
    return this.#author;
  }

  /** Makes a change, and stages what makes it durable. Throws: `bad-input`, and the ledger is as it was. */
  change(change: LedgerChange): Uint8Array {
    const update = this.#author.change(change);
    this.#updates += 1;
    this.#updateBytes += update.length;
    const due = this.#updateBytes > Math.max(PUBLISH_LIMITS.updateBytesMax, this.#author.bytes);
    if (due || this.#updates >= PUBLISH_LIMITS.updatesMax) this.storeWhole();
    else this.#core.store.putUpdate(updateKey(this.#updates), this.#updates, update);
    return update;
  }

  /** A change of a room that nobody knows yet: stored whole when it is complete. Throws: as `change`. */
  write(change: LedgerChange): void {
    this.#author.change(change);
  }

  /** Stages the document as it is, in place of everything that was stored of this or an earlier room. */
  storeWhole(): void {
    const { store } = this.#core;
    for (let n = 1; n <= this.#updates; n++) store.drop('doc', updateKey(n));
    store.putUpdate(SNAPSHOT, 0, this.#author.state());
    store.put('meta', ROOM_KEY, 0, false, this.record);
    this.#updates = 0;
    this.#updateBytes = 0;
  }

  state(): Uint8Array {
    return this.#author.state();
  }
}

function storedRoom(core: Core): RoomRecord | undefined {
  // reason: written by `storeWhole` only
  return core.store.record('meta', ROOM_KEY) as RoomRecord | undefined;
}

/** The snapshot first, then the updates in their order. A damaged one is an error, not the end of the journal. */
function storedParts(core: Core): Result<readonly Uint8Array[]> {
  const limit = PUBLISH_LIMITS.updatesMax + 2;
  try {
    const records = core.options.journal.recordsBefore('doc', Number.MAX_SAFE_INTEGER, limit);
    if (records.at(-1)?.key !== SNAPSHOT) return err('The stored ledger has no beginning.');
    return ok(records.toReversed().map(({ value }) => value));
  } catch (error) {
    if (!CountersignError.is(error) || error.code !== 'quarantined') throw error;
    return err(error.message);
  }
}

function nameOf(core: Core, record: RoomRecord): string {
  const { home, workspace } = core.options;
  return roomName({ kind: 'ledger', home, workspace, room: partOf(record) });
}

function partOf({ fence, n }: RoomRecord): string {
  return `${fence}.${n}`;
}

function authorOptions(core: Core, record: RoomRecord, keys: KeyRing): Parameters<typeof LedgerAuthor.fresh>[0] {
  const { crypto, home, signer, workspace } = core.options;
  return { crypto, signer, random: core.random, place: { home, workspace, name: nameOf(core, record) }, keys };
}
