import { CountersignError } from '../../base/errors.ts';
import { openManifest, type Manifest, type ManifestTile } from '../../doc/manifest.ts';
import { readTileObject, type TileReader } from '../../doc/tile.ts';
import type { KeyRing } from '../../doc/keys.ts';
import type { Digest } from '../../model/ids.ts';
import { roomName } from '../../sync/room.ts';
import type { Core } from '../core.ts';
import { signedTextOf } from '../head/signed-json.ts';
import { REPLICA_LIMITS } from '../limits.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { OpenTile } from './open-tile.ts';

/** Something of the log is not what the home says it is. */
export class TamperedError extends Error {
  override readonly name = 'TamperedError';
}

/** Where the entries of one audit log are: full tiles as objects, the newest as a document. Fetched as they are asked for. */
export class Tiles {
  readonly #core: Core;
  readonly #workspace: Workspace;
  /** Signed pages never change. One names 256 tiles of a thousand entries. */
  readonly #pages = new Map<Digest, Manifest>();
  /** Newest used last. */
  readonly #full = new Map<string, TileReader>();
  #open: OpenTile | undefined;

  constructor(core: Core, workspace: Workspace) {
    this.#core = core;
    this.#workspace = workspace;
  }

  /** The tile that is being written; `undefined` while nothing is published. */
  get open(): OpenTile | undefined {
    const tile = this.#workspace.entry?.tile ?? null;
    const name = tile === null || this.#workspace.keys === undefined ? null : this.#name(tile);
    if (this.#open?.name !== name) {
      this.#open?.close({ forget: true });
      this.#open = name === null ? undefined : new OpenTile(this.#core, name, () => this.#keys());
    }
    return this.#open;
  }

  /** Every full tile, oldest first. Throws: `TamperedError`; `not-found`, and as the relay's HTTP. */
  async list(): Promise<readonly ManifestTile[]> {
    const pages: Manifest[] = [];
    for (let hash = this.#workspace.entry?.manifestRoot ?? null; hash !== null;) {
      const page = await this.#page(hash);
      if (page.tiles.at(-1)?.to !== (pages[0]?.tiles[0]?.from ?? Number.NaN) - 1 && pages.length > 0)
        throw new TamperedError('The list of audit tiles leaves a gap in the log.');
      pages.unshift(page);
      hash = page.previous;
    }
    return pages.flatMap((page) => page.tiles);
  }

  /** The tile of the newest page, or of one before it, that has this entry. Older pages are fetched only as far as needed. */
  async tileOf(seq: number): Promise<ManifestTile | undefined> {
    for (let hash = this.#workspace.entry?.manifestRoot ?? null; hash !== null;) {
      const page = await this.#page(hash);
      const tile = page.tiles.find(({ from, to }) => from <= seq && seq <= to);
      if (tile !== undefined || (page.tiles[0]?.from ?? 0) <= seq) return tile;
      hash = page.previous;
    }
    return undefined;
  }

  /** Throws: `TamperedError`; `not-found`, and as the relay's HTTP. */
  async read(tile: ManifestTile): Promise<TileReader> {
    const known = this.#full.get(tile.tile);
    const reader = known ?? (await this.#fetch(tile));
    this.#full.delete(tile.tile);
    this.#full.set(tile.tile, reader);
    const [oldest] = this.#full.keys();
    if (this.#full.size > REPLICA_LIMITS.tilesMax && oldest !== undefined) this.#full.delete(oldest);
    return reader;
  }

  close(): void {
    this.#open?.close({ forget: false });
    this.#open = undefined;
    this.#full.clear();
  }

  async #page(hash: Digest): Promise<Manifest> {
    const known = this.#pages.get(hash);
    if (known !== undefined) return known;
    const { client, crypto, home, homeKey } = this.#core;
    const signed = signedTextOf(await client.objects.get(`m/${this.#workspace.id}/${hash}`));
    if (signed === undefined) throw new TamperedError('A list of audit tiles cannot be read.');
    const page = openManifest(crypto, homeKey, { home, workspace: this.#workspace.id, hash }, signed);
    if (!page.ok) throw new TamperedError(page.error);
    this.#pages.set(hash, page.value);
    return page.value;
  }

  async #fetch(tile: ManifestTile): Promise<TileReader> {
    const bytes = await this.#core.client.objects.get(`t/${this.#workspace.id}/${tile.tile}`);
    const reader = readTileObject(this.#core.crypto, this.#name(tile.tile), this.#keys(), tile, bytes);
    if (!reader.ok) throw new TamperedError(reader.error);
    return reader.value;
  }

  #name(tile: string): string {
    return roomName({ kind: 'tile', home: this.#core.home, workspace: this.#workspace.id, tile });
  }

  #keys(): KeyRing {
    const { keys } = this.#workspace;
    if (keys === undefined) throw new CountersignError('closed', 'The key of this workspace is not here yet.');
    return keys;
  }
}

/** The entry's canonical bytes. Throws: `TamperedError` for one that is missing, or does not open. */
export function entryOf(reader: TileReader, seq: number): Uint8Array {
  const entry = reader.entry(seq);
  if (entry === undefined) throw new TamperedError(`The audit entry ${seq} is missing from its tile.`);
  if (entry.ok) return entry.value;
  const { error } = entry;
  if (error.reason === 'damaged') throw new TamperedError(error.why);
  throw new CountersignError(
    error.reason === 'too-new' ? 'too-new' : 'closed',
    error.reason === 'too-new'
      ? 'The runtime is newer than this page. Load it again.'
      : 'A key of this log is not here yet.',
  );
}
