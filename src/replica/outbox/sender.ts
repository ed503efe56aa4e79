import type { Cancel } from '../../base/clock.ts';
import { InboxAuthor, InboxReader } from '../../doc/inbox.ts';
import type { KeyRing } from '../../doc/keys.ts';
import { newDoc, type SharedDoc } from '../../doc/shared-doc.ts';
import type { Digest, WorkspaceId } from '../../model/ids.ts';
import type { LinkState, RoomLink } from '../../sync/contract.ts';
import { roomName } from '../../sync/room.ts';
import type { Core } from '../core.ts';
import { openDecision } from '../../trust/decision.ts';
import { REPLICA_LIMITS } from '../limits.ts';
import type { CachedDoc, DecisionKey } from '../ports.ts';
import type { Outbox, Waiting } from './outbox.ts';

interface SenderOptions {
  readonly outbox: Outbox;
  readonly keysOf: (workspace: WorkspaceId) => KeyRing | undefined;
  readonly workspaces: () => Iterable<WorkspaceId>;
  /** The store has changed: other windows look again. */
  readonly tell: () => void;
}

/**
 * Keeps this device's inbox equal to what has no receipt yet, in the one window that leads. The outbox is what is
 * kept; the inbox is how it travels, so it is only written while the relay listens, and can be lost at any time.
 */
export class Sender {
  readonly #core: Core;
  readonly #options: SenderOptions;
  readonly #doc: SharedDoc = newDoc();
  readonly #author: InboxAuthor;
  readonly #reader: InboxReader;
  readonly #cached: CachedDoc;
  readonly #ends: Cancel[] = [];
  /** What is known to be there, for reading an entry takes opening it; forgotten when anybody else changes the inbox. */
  readonly #inInbox = new Set<Digest>();
  #writing = false;
  #link: RoomLink | undefined;
  #working = false;
  #again = false;
  #closed = false;

  constructor(core: Core, options: SenderOptions) {
    this.#core = core;
    this.#options = options;
    const room = roomName({ kind: 'inbox', home: core.home, device: core.device });
    this.#author = new InboxAuthor(this.#doc, { seal: core.crypto.seal, random: core.random, name: room });
    this.#reader = new InboxReader(this.#doc, { seal: core.crypto.seal, name: room });
    this.#ends.push(this.#reader.onChange(() => this.#inboxChanged()));
    this.#cached = core.cache.attach(room, this.#doc);
    core.run(async () => {
      await this.#cached.loaded;
      if (this.#closed) return;
      this.#link = core.client.join({ room, doc: this.#doc, role: 'writer' });
      // Whoever reads this inbox sees that the device is there.
      this.#link.present({ here: true });
      this.#ends.push(this.#link.subscribe(() => this.#stateChanged()));
      this.#stateChanged();
    });
  }

  link(): LinkState | undefined {
    return this.#link?.state();
  }

  /** Something was saved, receipted, or can be sealed now. */
  work(): void {
    this.#again = true;
    if (this.#working) return;
    this.#working = true;
    this.#core.run(async () => {
      try {
        while (this.#again && !this.#closed) {
          this.#again = false;
          await this.#send();
        }
      } finally {
        this.#working = false;
      }
    });
  }

  reconnect(): void {
    this.#link?.reconnect();
  }

  close(): void {
    this.#closed = true;
    for (const end of this.#ends) end();
    this.#link?.close();
    this.#reader.destroy();
    this.#cached.close();
    this.#doc.destroy();
  }

  #stateChanged(): void {
    this.#core.changed();
    this.work();
  }

  /** A relay that takes decisions out, or writes over them, only delays them. */
  #inboxChanged(): void {
    if (this.#writing) return;
    this.#inInbox.clear();
    this.work();
  }

  /** Changes the inbox as nobody else does. */
  #write(change: () => void): void {
    this.#writing = true;
    try {
      change();
    } finally {
      this.#writing = false;
    }
  }

  async #send(): Promise<void> {
    const link = this.#link;
    const state = link?.state();
    if (link === undefined || state?.state !== 'online' || !state.synced) return;
    const { outbox } = this.#options;
    const put = outbox.waiting.filter((entry) => this.#put(entry));
    for (const workspace of this.#options.workspaces()) await this.#prune(workspace);
    const news = put.filter((entry) => entry.state === 'saved');
    if (news.length === 0) return;
    // A link that ends first is followed by another, and all of this is done again.
    if (!(await isDurable(link))) return;
    await outbox.markSent(news.map(({ n, workspace }): DecisionKey => ({ n, workspace })));
    this.#options.tell();
  }

  /** Answers whether it is in the inbox now. It is not while its workspace has no key here. */
  #put({ hash, n, payload, signature, workspace }: Waiting): boolean {
    const keys = this.#options.keysOf(workspace);
    if (keys === undefined) return false;
    if (!this.#inInbox.has(hash)) this.#write(() => this.#author.put(keys, { workspace, n }, { payload, signature }));
    this.#inInbox.add(hash);
    return true;
  }

  async #prune(workspace: WorkspaceId): Promise<void> {
    const numbers = this.#reader.numbers(workspace);
    if (numbers.length === 0) return;
    const { n: newest } = await this.#core.storage.outbox.end(workspace);
    const lowest = this.#options.outbox.waiting.find((entry) => entry.workspace === workspace)?.n ?? newest + 1;
    this.#write(() => this.#author.prune(workspace, lowest - 1));
    // What this device's key has signed and its own store has not given out was made by another copy of it.
    const beyond = numbers.filter((n) => n > newest).slice(-REPLICA_LIMITS.beyondMax);
    if (beyond.some((n) => this.#isOwn(workspace, n))) this.#cloned(workspace);
  }

  /** Did this device's key sign what stands there? Anything else a relay can have put there, to accuse it. */
  #isOwn(workspace: WorkspaceId, n: number): boolean {
    const { crypto, home, keys } = this.#core;
    const ring = this.#options.keysOf(workspace);
    const signed = ring && this.#reader.open(ring, { workspace, n });
    if (signed?.ok !== true) return false;
    return openDecision(crypto.verify, keys.signer.publicKey, { home, workspace }, signed.value).ok;
  }

  #cloned(workspace: WorkspaceId): void {
    const sentence =
      'This device’s inbox holds decisions it did not make: its key is in use somewhere else. Remove this device.';
    this.#core.alarms.raise({ kind: 'frozen', workspace, sentence });
  }
}

async function isDurable(link: RoomLink): Promise<boolean> {
  try {
    await link.durable();
    return true;
  } catch {
    // It rejects when the link ends before, and for nothing else.
    return false;
  }
}
