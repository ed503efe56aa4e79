import type { Outlet } from '../../authority/publish/outlet.ts';
import { Tiles, type TilesRecord } from '../../authority/publish/tiles.ts';
import type { Journal } from '../../authority/ports.ts';
import type { Clock } from '../../base/clock.ts';
import { CountersignError } from '../../base/errors.ts';
import type { Crypto, Signer } from '../../crypto/ports.ts';
import type { KeyRing } from '../../doc/keys.ts';
import type { HomeId } from '../../model/ids.ts';

/** A home is restored with its key or not at all, so its log stands at one fence. */
const FENCE = 1;

export interface HomeLogParts {
  readonly home: HomeId;
  readonly journal: Journal;
  readonly crypto: Crypto;
  readonly signer: Signer;
  readonly clock: Clock;
  readonly keys: () => KeyRing;
  readonly load: () => TilesRecord | undefined;
  /** Resolves when it is durable, and the head says so. */
  readonly save: (record: TilesRecord) => Promise<void>;
  readonly onFatal: (error: unknown) => void;
}

/** The home's own audit log, for every device of the roster: who was admitted, with which right, and what is guarded. */
export class HomeLog {
  readonly #parts: HomeLogParts;
  #tiles: Tiles | undefined;

  constructor(parts: HomeLogParts) {
    this.#parts = parts;
  }

  /** From now on the log is published there. */
  publish(outlet: Outlet): void {
    const { clock, crypto, home, journal, keys, load, save, signer } = this.#parts;
    this.#tiles?.stop();
    this.#tiles = new Tiles({
      crypto,
      signer,
      clock,
      home,
      workspace: null,
      fence: FENCE,
      outlet,
      keys,
      rows: (from, limit) => journal.rows(from, limit),
      size: () => journal.head().seq,
      load,
      save,
      // The head follows from what was saved.
      onChange: () => undefined,
      onDue: () => this.grown(),
    });
    this.grown();
  }

  /** Rows are durable. `rekeyed`: under another content key, so that it goes on in another tile. */
  grown({ rekeyed }: { readonly rekeyed: boolean } = { rekeyed: false }): void {
    if (rekeyed) this.#tiles?.renew();
    this.#tiles?.pump().catch((error: unknown) => {
      // What could not be stored is tried again with the next row; a bug was met by nobody yet.
      if (!CountersignError.is(error)) this.#parts.onFatal(error);
    });
  }

  /** The relay holds something in this tile that was never written here. */
  damaged(room: string): void {
    if (room !== this.#tiles?.room) return;
    this.#tiles.damaged();
    this.grown();
  }

  /** The relay lost what it was given. */
  putAgain(): void {
    this.#tiles?.putAgain();
  }

  stop(): void {
    this.#tiles?.stop();
  }
}

/** How the head calls the open tile. */
export function tileOf(record: TilesRecord | undefined): string | null {
  return record === undefined ? null : `${record.fence}.${record.n}`;
}
