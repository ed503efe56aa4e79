import type { Cancel } from '../../base/clock.ts';
import { CountersignError } from '../../base/errors.ts';
import type { KeyRing } from '../../doc/keys.ts';
import type { ActionId, Digest, WorkspaceId } from '../../model/ids.ts';
import type { LedgerAction } from '../../model/ledger.ts';
import type { Core } from '../core.ts';
import { isSettled } from '../ledger/settled.ts';
import { REPLICA_LIMITS } from '../limits.ts';
import type { ActionView } from '../types.ts';
import { readActionFile, type ReadFile } from './action-file.ts';
import type { BlobName, Blobs } from './blobs.ts';

/** One open action's card on its way: its file, then every blob the file names. */
interface Coming {
  readonly record: LedgerAction;
  readonly wanted: BlobName[];
  state: ActionView['card'];
  read: ReadFile | undefined;
  /** How often the relay had not got something of it, and the next time it is asked. */
  misses: number;
  soon: Cancel;
}

interface CardsOptions {
  readonly workspace: WorkspaceId;
  readonly blobs: Blobs;
  readonly keys: () => KeyRing | undefined;
  readonly changed: (ids: Iterable<ActionId>) => void;
}

/**
 * Fetches what a person must see of every open action before anybody asks, front of the queue first and within the
 * bound for blobs, so that cards can be read and decided with the network off. Only a card that is all here, and is
 * the one its digest names, can be approved.
 */
export class Cards {
  readonly #core: Core;
  readonly #options: CardsOptions;
  readonly #coming = new Map<ActionId, Coming>();
  readonly #queue = new Set<Coming>();
  #running = 0;
  #closed = false;
  /** Whose card has come or was lost since it was told last. */
  readonly #news = new Set<ActionId>();
  #tell: Cancel | undefined;
  #again: Cancel | undefined;

  constructor(core: Core, options: CardsOptions) {
    this.#core = core;
    this.#options = options;
  }

  stateOf({ digest, file, id }: LedgerAction): ActionView['card'] {
    const coming = this.#coming.get(id);
    if (coming === undefined || !sameCard(coming.record, { digest, file })) return 'coming';
    return coming.state;
  }

  /** An action's newest record. */
  set(record: LedgerAction): void {
    const known = this.#coming.get(record.id);
    if (known !== undefined && !isSettled(record) && sameCard(known.record, record)) return;
    this.remove(record.id);
    if (isSettled(record)) return;
    const coming: Coming = {
      record,
      wanted: [],
      state: 'coming',
      read: undefined,
      misses: 0,
      soon: () => undefined,
    };
    this.#coming.set(record.id, coming);
    this.#queue.add(coming);
    this.#pump();
  }

  remove(id: ActionId): void {
    const known = this.#coming.get(id);
    if (known === undefined) return;
    this.#coming.delete(id);
    this.#queue.delete(known);
    known.soon();
    for (const name of known.wanted) this.#options.blobs.unwant(name);
  }

  /** The relay can be reached again, or there are more keys. */
  retry(): void {
    for (const coming of this.#coming.values()) if (coming.state !== 'here') this.#queue.add(coming);
    this.#pump();
  }

  /** The file of any action of the ledger, open or settled. Throws: as `Blobs.get`; `storage` for one that is not its own. */
  async file(record: LedgerAction): Promise<ReadFile> {
    const known = this.#coming.get(record.id);
    if (known?.read !== undefined && sameCard(known.record, record)) return known.read;
    const bytes = await this.blob(record.file.$blob);
    const read = readActionFile(this.#core.crypto.sha256, record.digest, bytes);
    if (!read.ok) throw new CountersignError('storage', read.error);
    return read.value;
  }

  async blob(hash: Digest): Promise<Uint8Array> {
    return this.#options.blobs.get(this.#name(hash));
  }

  /** Somebody looks at it: what was beyond the bound is fetched, and what was lost is asked for again. */
  lookedAt(id: ActionId): void {
    const coming = this.#coming.get(id);
    if (coming === undefined || coming.state === 'here') return;
    this.#queue.add(coming);
    this.#pump(coming);
  }

  close(): void {
    this.#closed = true;
    this.#again?.();
    this.#tell?.();
    for (const id of this.#coming.keys()) this.remove(id);
  }

  #pump(first?: Coming): void {
    while (!this.#closed && this.#running < REPLICA_LIMITS.blobFetchesMax && this.#options.keys() !== undefined) {
      const next = first !== undefined && this.#queue.has(first) ? first : this.#queue.values().next().value;
      if (next === undefined) return;
      this.#queue.delete(next);
      this.#running += 1;
      this.#core.run(async () => {
        const goOn = await this.#bring(next, next === first);
        this.#running -= 1;
        if (goOn) this.#pump();
      });
    }
  }

  /** Answers false when the relay cannot be reached: all others would fare the same. */
  async #bring(coming: Coming, asked: boolean): Promise<boolean> {
    try {
      this.#want(coming, coming.record.file.$blob);
      coming.read ??= await this.file(coming.record);
      const missing = coming.read.refs.filter(({ $blob }) => !this.#options.blobs.has(this.#name($blob)));
      for (const { $blob, bytes } of missing) {
        // Beyond the bound it is fetched when somebody looks, and makes room for itself.
        if (!asked && !this.#options.blobs.hasRoomFor(bytes)) return true;
        await this.blob($blob);
      }
      for (const { $blob } of coming.read.refs) this.#want(coming, $blob);
      this.#set(coming, 'here');
      return true;
    } catch (thrown) {
      if (!CountersignError.is(thrown)) throw thrown;
      if (thrown.code === 'not-found' && this.#askSoon(coming)) return true;
      const lost = thrown.code === 'not-found' || thrown.code === 'storage';
      if (lost) this.#set(coming, 'lost');
      else this.#queue.add(coming);
      this.#tryAgainLater();
      return lost;
    }
  }

  /** False when it was asked for often enough. */
  #askSoon(coming: Coming): boolean {
    const waitMs = REPLICA_LIMITS.blobSoonMs[coming.misses];
    if (waitMs === undefined) return false;
    coming.misses += 1;
    if (this.#closed || this.#coming.get(coming.record.id) !== coming) return true;
    coming.soon();
    coming.soon = this.#core.clock.after(waitMs, () => {
      this.#queue.add(coming);
      this.#pump();
    });
    return true;
  }

  #want(coming: Coming, hash: Digest): void {
    if (this.#coming.get(coming.record.id) !== coming || coming.wanted.some((name) => name.hash === hash)) return;
    const name = this.#name(hash);
    this.#options.blobs.want(name);
    coming.wanted.push(name);
  }

  #set(coming: Coming, state: ActionView['card']): void {
    if (coming.state === state || this.#coming.get(coming.record.id) !== coming) return;
    coming.state = state;
    this.#news.add(coming.record.id);
    // A queue's cards come one by one, and a list need not be made anew for each.
    this.#tell ??= this.#core.clock.after(REPLICA_LIMITS.cardsToldMs, () => {
      this.#tell = undefined;
      this.#options.changed(this.#news);
      this.#news.clear();
    });
  }

  #tryAgainLater(): void {
    if (this.#closed) return;
    this.#again ??= this.#core.clock.after(REPLICA_LIMITS.blobAgainMs, () => {
      this.#again = undefined;
      this.retry();
    });
  }

  #name(hash: Digest): BlobName {
    const keys = this.#options.keys();
    if (keys === undefined) throw new CountersignError('closed', 'The key of this workspace is not here yet.');
    return { workspace: this.#options.workspace, keys, hash };
  }
}

function sameCard(a: Pick<LedgerAction, 'digest' | 'file'>, b: Pick<LedgerAction, 'digest' | 'file'>): boolean {
  return a.digest === b.digest && a.file.$blob === b.file.$blob;
}
