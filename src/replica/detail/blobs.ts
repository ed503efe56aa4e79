import { CountersignError } from '../../base/errors.ts';
import type { Digest, WorkspaceId } from '../../model/ids.ts';
import { blobAddress, openBlob } from '../../doc/blob.ts';
import type { KeyRing } from '../../doc/keys.ts';
import type { Core } from '../core.ts';
import { REPLICA_LIMITS } from '../limits.ts';

/** A blob by what it is, and the keys it may be sealed with. */
export interface BlobName {
  readonly workspace: WorkspaceId;
  readonly keys: KeyRing;
  readonly hash: Digest;
}

/**
 * Sealed blobs on this device, within a bound. What is wanted (the cards of open actions) stays; the rest makes room.
 * They are kept as the relay has them, so that a stolen disk holds nothing in the clear.
 */
export class Blobs {
  readonly #core: Core;
  /** Addresses that are here, oldest first, with their bytes. */
  readonly #here = new Map<string, number>();
  readonly #wanted = new Map<string, number>();
  readonly #fetching = new Map<string, Promise<Uint8Array>>();
  #bytes = 0;
  #wantedBytes = 0;

  constructor(core: Core) {
    this.#core = core;
  }

  async load(): Promise<void> {
    for (const { address, bytes } of await this.#core.storage.blobs.list()) this.#note(address, bytes);
  }

  /** Is it on this device? */
  has(name: BlobName): boolean {
    return this.#addresses(name).some((address) => this.#here.has(address));
  }

  /** Is there room for so many bytes more, when all that is not wanted goes? */
  hasRoomFor(bytes: number): boolean {
    return this.#wantedBytes + bytes <= REPLICA_LIMITS.blobBytesMax;
  }

  /** Marks a blob as one to keep, as often as it is called. */
  want(name: BlobName): void {
    for (const address of this.#addresses(name)) {
      const before = this.#wanted.get(address) ?? 0;
      this.#wanted.set(address, before + 1);
      if (before === 0) this.#wantedBytes += this.#here.get(address) ?? 0;
    }
  }

  unwant(name: BlobName): void {
    for (const address of this.#addresses(name)) {
      const before = this.#wanted.get(address) ?? 0;
      if (before > 1) this.#wanted.set(address, before - 1);
      else if (this.#wanted.delete(address)) this.#wantedBytes -= this.#here.get(address) ?? 0;
    }
  }

  /**
   * The bytes of this hash, from this device or the relay.
   *
   * Throws: `not-found` when the relay has not got them; `storage` when it has others; what the relay's HTTP throws.
   */
  async get(name: BlobName): Promise<Uint8Array> {
    for (const address of this.#addresses(name)) {
      const sealed = this.#here.has(address) ? await this.#core.storage.blobs.get(address) : undefined;
      const plain = sealed && this.#open(name, sealed);
      if (plain !== undefined) return plain;
      this.#forget(address);
    }
    return this.#fetch(name);
  }

  async #fetch(name: BlobName): Promise<Uint8Array> {
    let missing: unknown;
    for (const address of this.#addresses(name)) {
      const sealed = await this.#fetchOnce(name.workspace, address).catch((thrown: unknown) => {
        if (!CountersignError.is(thrown) || thrown.code !== 'not-found') throw thrown;
        missing = thrown;
      });
      if (sealed === undefined) continue;
      const plain = this.#open(name, sealed);
      if (plain === undefined)
        throw new CountersignError('storage', 'The relay has other bytes than the runtime put there.');
      await this.#keep(address, sealed);
      return plain;
    }
    throw new CountersignError('not-found', 'The relay has not got these bytes.', { cause: missing });
  }

  async #fetchOnce(workspace: WorkspaceId, address: string): Promise<Uint8Array> {
    const begun = this.#fetching.get(address);
    if (begun !== undefined) return begun;
    const fetched = this.#core.client.objects.get(`b/${workspace}/${address}`);
    this.#fetching.set(address, fetched);
    try {
      return await fetched;
    } finally {
      this.#fetching.delete(address);
    }
  }

  async #keep(address: string, sealed: Uint8Array): Promise<void> {
    if (sealed.length > REPLICA_LIMITS.blobBytesMax) return;
    const gone: string[] = [];
    for (const other of this.#here.keys()) {
      if (this.#bytes + sealed.length <= REPLICA_LIMITS.blobBytesMax) break;
      if (this.#wanted.has(other)) continue;
      this.#forget(other);
      gone.push(other);
    }
    if (gone.length > 0) await this.#core.storage.blobs.drop(gone);
    if (this.#bytes + sealed.length > REPLICA_LIMITS.blobBytesMax) return;
    await this.#core.storage.blobs.put(address, sealed);
    this.#note(address, sealed.length);
  }

  #open({ hash, keys, workspace }: BlobName, sealed: Uint8Array): Uint8Array | undefined {
    const { crypto, home } = this.#core;
    const opened = openBlob(crypto, { home, workspace }, keys, hash, sealed);
    return opened.ok ? opened.value : undefined;
  }

  /** One a generation of the key: what was put before a device was removed stands under its older address. */
  #addresses({ hash, keys }: BlobName): readonly string[] {
    return keys.all.map((key) => blobAddress(this.#core.crypto.hmac, key, hash));
  }

  #note(address: string, bytes: number): void {
    this.#forget(address);
    this.#here.set(address, bytes);
    this.#bytes += bytes;
    if (this.#wanted.has(address)) this.#wantedBytes += bytes;
  }

  #forget(address: string): void {
    const bytes = this.#here.get(address) ?? 0;
    this.#bytes -= bytes;
    if (this.#wanted.has(address)) this.#wantedBytes -= bytes;
    this.#here.delete(address);
  }
}
