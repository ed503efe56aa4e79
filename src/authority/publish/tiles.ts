import { canonicalText } from '../../base/canonical-json.ts';
import { assert } from '../../base/assert.ts';
import { utf8 } from '../../base/bytes.ts';
import type { Clock } from '../../base/clock.ts';
import type { Crypto, Signer } from '../../crypto/ports.ts';
import type { ContentKey, KeyRing } from '../../doc/keys.ts';
import { manifestHash, signManifest, withTile, type Manifest, type ManifestTile } from '../../doc/manifest.ts';
import { TileAuthor } from '../../doc/tile.ts';
import { digestFrom } from '../../model/digest.ts';
import type { JournalRow } from '../../model/event.ts';
import type { Digest, HomeId, WorkspaceId } from '../../model/ids.ts';
import { roomName } from '../../sync/room.ts';
import { PUBLISH_LIMITS } from './limits.ts';
import type { Outlet } from './outlet.ts';

/** How far a log was published, as its journal keeps it. */
export interface TilesRecord {
  readonly fence: number;
  /** The open tile: its number under the fence, and the key everything in it is sealed with. */
  readonly n: number;
  readonly keyGen: number;
  /** The newest page of full tiles, and its hash; `null` while none is full. */
  readonly page: { readonly manifest: Manifest; readonly hash: Digest } | null;
}

export interface TilesParts {
  readonly crypto: Crypto;
  readonly signer: Signer;
  readonly clock: Clock;
  readonly home: HomeId;
  /** `null`: the home's own log. */
  readonly workspace: WorkspaceId | null;
  readonly fence: number;
  readonly outlet: Outlet;
  readonly keys: () => KeyRing;
  /** Durable rows, and how many there are. */
  readonly rows: (fromSeq: number, limit: number) => readonly JournalRow[];
  readonly size: () => number;
  readonly load: () => TilesRecord | undefined;
  /** Resolves when it is durable. */
  readonly save: (record: TilesRecord) => Promise<void>;
  /** What the head says of it is something else. */
  readonly onChange: () => void;
  /** `pump` has something to do. */
  readonly onDue: () => void;
}

/**
 * Publishes an audit log as tiles. Each is a function of its name, its key and its rows; only how far it came is kept.
 * A name is never used under two keys or fences, and what an abandoned tile held stands again in the next one.
 */
export class Tiles {
  readonly #parts: TilesParts;
  #record: TilesRecord | undefined;
  #tile: TileAuthor | undefined;
  #key: ContentKey | undefined;
  /** The outlet has it. */
  #shown = false;
  #busy = false;
  /** Asked while it was at work: there may be rows that it did not see. */
  #asked = false;
  #renew = false;
  /** By the clock that nobody can set. */
  #damagedMonotonicMs: number | undefined;
  #damageWaits = false;
  #stopped = false;
  #idle: Promise<void> = Promise.resolve();

  constructor(parts: TilesParts) {
    this.#parts = parts;
    this.#record = parts.load();
  }

  /** Name of the open tile; `null` until it was handed over. */
  get tile(): string | null {
    return this.#shown && this.#record !== undefined ? partOf(this.#record) : null;
  }

  get manifestRoot(): Digest | null {
    return this.#record?.page?.hash ?? null;
  }

  /** The whole name of the open tile. */
  get room(): string | null {
    return this.tile === null || this.#record === undefined ? null : this.#name(partOf(this.#record));
  }

  /** Brings the tiles up to the log. Rejects when how far it came could not be stored; asked again, it goes on. */
  pump(): Promise<void> {
    this.#asked = true;
    if (!this.#busy) {
      this.#busy = true;
      this.#idle = this.#runs().finally(() => {
        this.#busy = false;
      });
    }
    return this.#idle;
  }

  /** Goes on in another tile at the next `pump`: there is a new key, or this one was damaged. */
  renew(): void {
    this.#renew = true;
  }

  /** The relay holds something in the open tile that was never written here: another one, but one a minute at most. */
  damaged(): void {
    const { clock, onDue } = this.#parts;
    const nowMs = clock.monotonicMs();
    const waitMs = (this.#damagedMonotonicMs ?? -Infinity) + PUBLISH_LIMITS.roomEveryMs - nowMs;
    if (waitMs <= 0) {
      this.#damagedMonotonicMs = nowMs;
      this.renew();
      return;
    }
    const { tile } = this;
    if (this.#damageWaits) return;
    this.#damageWaits = true;
    clock.after(waitMs, () => {
      this.#damageWaits = false;
      if (this.#stopped || this.tile !== tile) return;
      this.#damagedMonotonicMs = clock.monotonicMs();
      this.renew();
      onDue();
    });
  }

  /** Hands every full tile and page over again: the relay has lost them. */
  putAgain(): void {
    const { page } = this.#record ?? {};
    if (page === undefined || page === null) return;
    this.#putPage(page.manifest, page.hash);
    for (const tile of page.manifest.tiles) this.#putTile(tile);
  }

  stop(): void {
    this.#stopped = true;
  }

  async #runs(): Promise<void> {
    while (this.#asked && !this.#stopped) {
      this.#asked = false;
      await this.#run();
    }
  }

  async #run(): Promise<void> {
    if (this.#tile === undefined || this.#renew) await this.#begin();
    const { rows, size } = this.#parts;
    for (let from = this.#from(); from <= size() && !this.#stopped; from = this.#from()) {
      for (const row of rows(from, Math.min(PUBLISH_LIMITS.rowsPerRead, size() - from + 1))) {
        if (this.#tile?.full === true) await this.#finish();
        if (this.#renew) await this.#begin();
        if (row.seq === this.#from()) this.#append(row);
      }
      // A long log is told in pieces, so that nobody waits for it.
      if (size() - this.#from() > PUBLISH_LIMITS.rowsPerRead) await this.#turn();
    }
    this.#show();
  }

  /** Opens the next tile, under the newest key, when this one cannot go on. */
  async #begin(): Promise<void> {
    const { fence, keys, outlet, save } = this.#parts;
    const before = this.#record;
    const key = keys().newest;
    const goesOn = before?.fence === fence && before.keyGen === key.gen && !this.#renew;
    const room = this.room;
    if (room !== null) outlet.close(room);
    this.#shown = false;
    const n = before?.fence !== fence ? 1 : goesOn ? before.n : before.n + 1;
    const record = { fence, n, keyGen: key.gen, page: before?.page ?? null };
    if (!goesOn) await save(record);
    this.#renew = false;
    this.#record = record;
    this.#open(key);
  }

  #open(key: ContentKey): void {
    assert(this.#record !== undefined, 'a tile has its number before it is opened');
    this.#key = key;
    this.#tile = new TileAuthor({ crypto: this.#parts.crypto, name: this.#name(partOf(this.#record)), key });
  }

  #append(row: JournalRow): void {
    const update = this.#tile?.append(row.seq, row.audit);
    const room = this.room;
    if (room !== null && update !== undefined) this.#parts.outlet.update(room, update);
  }

  #show(): void {
    const { onChange, outlet } = this.#parts;
    if (this.#shown || this.#tile === undefined || this.#record === undefined || this.#stopped) return;
    this.#shown = true;
    outlet.open(this.#name(partOf(this.#record)), this.#tile.state());
    onChange();
  }

  /** A full tile becomes an object that the manifest lists; the log goes on in the next one. */
  async #finish(): Promise<void> {
    const { crypto, home, onChange, outlet, save, signer, workspace } = this.#parts;
    const range = this.#tile?.range;
    assert(this.#record && this.#tile && this.#key && range, 'a full tile has entries');
    const bytes = this.#tile.state();
    const tile = {
      tile: partOf(this.#record),
      ...range,
      sha256: digestFrom(crypto.sha256(bytes)),
      bytes: bytes.length,
    };
    const manifest = withTile(this.#record.page, { home, workspace }, tile);
    const hash = manifestHash(crypto.sha256, signManifest(signer, manifest));
    const room = this.room;
    const record = { ...this.#record, n: this.#record.n + 1, page: { manifest, hash } };
    await save(record);
    this.#putTile(tile);
    this.#putPage(manifest, hash);
    if (room !== null) outlet.close(room);
    const shown = this.#shown;
    this.#record = record;
    this.#shown = false;
    this.#open(this.#key);
    if (shown) this.#show();
    onChange();
  }

  #putTile(tile: ManifestTile): void {
    this.#parts.outlet.put(`t/${this.#folder()}/${tile.tile}`, () => this.#rebuilt(tile));
  }

  #putPage(manifest: Manifest, hash: Digest): void {
    const signed = signManifest(this.#parts.signer, manifest);
    this.#parts.outlet.put(`m/${this.#folder()}/${hash}`, () => utf8(canonicalText(signed)));
  }

  /** The same bytes as when it was full. Which key it was sealed with is not kept: one of them makes these bytes. */
  #rebuilt({ from, sha256, tile, to }: ManifestTile): Uint8Array {
    const { crypto, keys, rows } = this.#parts;
    const entries = rows(from, to - from + 1);
    for (const key of keys().all) {
      const author = new TileAuthor({ crypto, name: this.#name(tile), key });
      for (const { audit, seq } of entries) author.append(seq, audit);
      const bytes = author.state();
      if (digestFrom(crypto.sha256(bytes)) === sha256) return bytes;
    }
    assert(false, `the audit tile ${tile} is a function of its rows`);
  }

  /** The entry that comes next. */
  #from(): number {
    return (this.#tile?.range?.to ?? this.#record?.page?.manifest.tiles.at(-1)?.to ?? 0) + 1;
  }

  #turn(): Promise<void> {
    return new Promise((resolve) => this.#parts.clock.soon(resolve));
  }

  #folder(): string {
    return this.#parts.workspace ?? '-';
  }

  #name(tile: string): string {
    return roomName({ kind: 'tile', home: this.#parts.home, workspace: this.#parts.workspace, tile });
  }
}

function partOf({ fence, n }: TilesRecord): string {
  return `${fence}.${n}`;
}
