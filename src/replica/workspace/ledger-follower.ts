import type { Cancel, EpochMs } from '../../base/clock.ts';
import type { Json } from '../../base/canonical-json.ts';
import type { KeyRing } from '../../doc/keys.ts';
import { LedgerReader, type LedgerCheck } from '../../doc/ledger-reader.ts';
import { newDoc, type SharedDoc } from '../../doc/shared-doc.ts';
import type { Unreadable } from '../../doc/unreadable.ts';
import type { WorkspaceId } from '../../model/ids.ts';
import type { LedgerRecord } from '../../model/ledger.ts';
import type { LinkState, RoomLink } from '../../sync/contract.ts';
import { roomName } from '../../sync/room.ts';
import type { Core } from '../core.ts';
import { REPLICA_LIMITS } from '../limits.ts';
import type { CachedDoc, DocCache } from '../ports.ts';

export interface FollowerOptions {
  readonly workspace: WorkspaceId;
  /** `<fence>.<number>`, as the head names it. */
  readonly room: string;
  readonly cache: DocCache;
  readonly keys: () => KeyRing;
  /** Records that are new or other ones now, and ids of those that are gone. */
  readonly onRecords: (records: readonly LedgerRecord[], gone: readonly string[]) => void;
  readonly onState: () => void;
  readonly onPresences: (presences: readonly Json[]) => void;
  /** Something in it the home did not put there, or cannot be read. */
  readonly onUnreadable: (error: Unreadable) => void;
}

/**
 * One room of a workspace's ledger, from the cache and then from the relay. What a person could act on is looked at
 * for the home's signature: a few changes before they are shown, a whole ledger in slices beside, everything that is
 * decided before it is signed.
 */
export class LedgerFollower {
  readonly name: string;
  readonly #core: Core;
  readonly #options: FollowerOptions;
  readonly #doc: SharedDoc = newDoc();
  readonly #reader: LedgerReader;
  readonly #cached: CachedDoc;
  readonly #unopened = new Set<string>();
  readonly #unverified = new Set<string>();
  readonly #ends: Cancel[] = [];
  readonly #looked = (): void =>
    this.#core.run(async () => {
      if (this.#reader.check().state === 'checking') this.#work();
      this.#options.onState();
    });
  #link: RoomLink | undefined;
  #working = false;
  #closed = false;
  /** What the link could not take; a link that is whole again has taken everything. */
  #linkDamage: string | undefined;
  #forgery: string | undefined;

  constructor(core: Core, options: FollowerOptions) {
    const { home } = core;
    this.#core = core;
    this.#options = options;
    this.name = roomName({ kind: 'ledger', home, workspace: options.workspace, room: options.room });
    this.#reader = new LedgerReader(this.#doc, {
      crypto: core.crypto,
      homeKey: core.homeKey,
      place: { home, workspace: options.workspace, name: this.name },
      keys: options.keys,
    });
    this.#ends.push(this.#reader.onChange((ids) => this.#changed(ids)));
    // Also after what changes no record: it may be something that does not belong there.
    this.#doc.on('update', this.#looked);
    this.#cached = options.cache.attach(this.name, this.#doc);
    core.run(async () => {
      // The relay sends what is missing, so the cache goes first. It never takes longer than its bound.
      await this.#cached.loaded;
      if (!this.#closed) this.#join();
    });
  }

  get room(): string {
    return this.#options.room;
  }

  link(): LinkState | undefined {
    return this.#link?.state();
  }

  get isLive(): boolean {
    const state = this.link();
    return state?.state === 'online' && state.synced;
  }

  check(): LedgerCheck {
    const why = this.#forgery ?? this.#linkDamage;
    if (why !== undefined) return { state: 'damaged', why };
    return this.#reader.check();
  }

  get ids(): readonly string[] {
    return this.#reader.ids;
  }

  /** Is all that is here shown, and held against the sum? */
  get isShown(): boolean {
    return this.#unopened.size === 0 && this.check().state !== 'checking';
  }

  /** Everything that is here, for who begins to show it. */
  all(): void {
    this.#changed(new Set(this.#reader.ids));
  }

  /** Did the home sign this very record? One that waits to be shown is shown first, so that it is the one meant. */
  isSigned(id: string): boolean {
    if (this.#unopened.delete(id) && this.#opens(id)) this.#show([id], []);
    const signed = this.#reader.isSigned(id);
    this.#unverified.delete(id);
    if (!signed && this.#reader.has(id)) this.#forged(id);
    return signed;
  }

  keysChanged(): void {
    this.#reader.keysChanged();
    this.all();
    this.#work();
  }

  reconnect(): void {
    this.#link?.reconnect();
  }

  /** `forget`: the room is left for good, and what is kept of it goes. */
  close(options: { readonly forget: boolean }): void {
    this.#closed = true;
    for (const end of this.#ends) end();
    this.#doc.off('update', this.#looked);
    this.#link?.close();
    this.#reader.destroy();
    this.#cached.close();
    this.#doc.destroy();
    if (options.forget) this.#options.cache.forget(this.name);
  }

  #join(): void {
    const link = this.#core.client.join({
      room: this.name,
      doc: this.#doc,
      role: 'reader',
      onDamaged: (why) => {
        this.#linkDamage ??= why;
        this.#options.onState();
      },
    });
    this.#link = link;
    this.#ends.push(
      link.subscribe(() => {
        if (this.isLive) this.#linkDamage = undefined;
        this.#options.onState();
      }),
      link.subscribePresences((presences) => this.#options.onPresences(presences)),
    );
    this.#options.onPresences(link.presences());
    this.#options.onState();
  }

  /** A few records are opened and verified before they are shown; many in slices, so that nothing else waits long. */
  #changed(ids: ReadonlySet<string>): void {
    const gone = [...ids].filter((id) => !this.#reader.has(id));
    const here = [...ids].filter((id) => id !== 'sum' && this.#reader.has(id));
    if (here.length <= REPLICA_LIMITS.verifiedAtOnceMax && this.#unopened.size === 0) {
      this.#show(
        here.filter((id) => this.#opens(id) && this.isSigned(id)),
        gone,
      );
      return;
    }
    for (const id of here) this.#unopened.add(id);
    if (gone.length > 0) this.#show([], gone);
    this.#work();
  }

  #opens(id: string): boolean {
    const opened = this.#reader.open(id);
    if (opened?.ok === false) this.#options.onUnreadable(opened.error);
    return opened?.ok === true;
  }

  #show(ids: readonly string[], gone: readonly string[]): void {
    const records = ids.flatMap((id): readonly LedgerRecord[] => {
      const opened = this.#reader.open(id);
      return opened?.ok === true ? [opened.value.record] : [];
    });
    this.#options.onRecords(records, gone);
  }

  /** First everything is shown, then held against the sum, then verified: a whole ledger is some thousand signatures. */
  #work(): void {
    if (this.#working) return;
    this.#working = true;
    this.#core.run(async () => {
      const { clock } = this.#core;
      for (;;) {
        await new Promise<void>((resolve) => clock.soon(resolve));
        if (this.#closed) break;
        const endMs = clock.nowMs() + REPLICA_LIMITS.sliceMs;
        if (this.#unopened.size > 0) this.#openSome(endMs);
        else if (this.#reader.check().state === 'checking') this.#hashSome();
        else if (this.#unverified.size > 0) this.#verifySome(endMs);
        else break;
      }
      this.#working = false;
    });
  }

  #openSome(endMs: EpochMs): void {
    const ids: string[] = [];
    for (const id of this.#unopened) {
      this.#unopened.delete(id);
      if (this.#opens(id)) ids.push(id);
      if (ids.length >= REPLICA_LIMITS.openedInSliceMax || this.#core.clock.nowMs() >= endMs) break;
    }
    for (const id of ids) this.#unverified.add(id);
    this.#show(ids, []);
    if (this.#unopened.size === 0) this.#options.onState();
  }

  #hashSome(): void {
    if (!this.#reader.hashSome(REPLICA_LIMITS.hashedInSliceBytes)) this.#options.onState();
  }

  #verifySome(endMs: EpochMs): void {
    let left: number = REPLICA_LIMITS.verifiedInSliceMax;
    for (const id of this.#unverified) {
      this.isSigned(id);
      if (--left === 0 || this.#core.clock.nowMs() >= endMs) return;
    }
  }

  #forged(id: string): void {
    this.#options.onRecords([], [id]);
    if (this.#forgery !== undefined) return;
    this.#forgery = 'A record in it is not signed by the runtime.';
    this.#options.onState();
  }
}
