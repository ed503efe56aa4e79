import { DOCUMENT_ROOT } from '../src/sync/update-guard.ts';
import { carriesChanges } from '../src/sync/frames.ts';
import type { CloseReason } from '../src/sync/close-codes.ts';
import type { Incoming } from './incoming.ts';
import type { RelayLimits } from './limits.ts';
import type { Meters } from './metrics.ts';
import * as outgoing from './outgoing.ts';
import type { WireFrame } from './outgoing.ts';
import { Presence } from './presence.ts';
import type { Role } from './roles.ts';
import { RoomDocument } from './room-document.ts';
import { RoomStorage, type RoomStorageParts } from './room-storage.ts';
import type { Target } from './target.ts';

/** One socket in a room, as the room sees it. */
export interface Peer {
  readonly role: Exclude<Role, 'none'>;
  readonly callerName: string;
  /** Asked for our own messages, and can fetch a snapshot. */
  readonly speaksOurs: boolean;
  send(frame: WireFrame): void;
  end(reason: CloseReason, why: string): void;
  /** A change of this socket, of so many bytes, is on the disk when `stored` is kept. */
  acknowledge(stored: Promise<void>, bytes: number): void;
}

export interface RoomParts extends Omit<RoomStorageParts, 'room' | 'onLost'> {
  readonly limits: RelayLimits;
  readonly meters: Meters;
  /** The room is no longer what is stored; whoever comes next needs a new one. */
  readonly onGone: (room: Room) => void;
  /** The last one left. */
  readonly onEmpty: (room: Room) => void;
}

/** The one owner of a document while somebody looks at it. It is loaded wholly before it answers anybody. */
export class Room {
  readonly target: Target;
  readonly #parts: RoomParts;
  readonly #storage: RoomStorage;
  readonly #document: RoomDocument;
  readonly #presence: Presence<Peer>;
  /** In the order they came. */
  readonly #peers = new Set<Peer>();
  readonly ready: Promise<void>;

  constructor(target: Target, owner: string, parts: RoomParts) {
    this.target = target;
    this.#parts = parts;
    const root = target.room === 'free' ? null : DOCUMENT_ROOT[target.room.kind];
    this.#document = new RoomDocument({ bytesMax: parts.limits.snapshotBytesMax, root });
    this.#presence = new Presence(parts.limits);
    const onLost = (): void => this.abandon('full', 'The disk of the relay is full.');
    this.#storage = new RoomStorage({ ...parts, room: target.name, onLost }, owner);
    this.ready = this.#load();
  }

  get size(): number {
    return this.#peers.size;
  }

  /** There is nothing in it that would have to be read again. */
  get isBlank(): boolean {
    return this.#storage.isBlank;
  }

  /** `full`: nobody else fits. */
  enter(peer: Peer): 'entered' | 'full' {
    const { limits } = this.#parts;
    if (peer.role === 'writer') this.#endWhere((other) => other.role === 'writer', 'A newer connection writes.');
    else this.#boundReaders(peer.callerName);
    if (this.#peers.size >= limits.socketsPerRoomMax) return 'full';
    this.#peers.add(peer);
    if (peer.role !== 'reader') peer.send(outgoing.wireFrame(outgoing.step1(this.#document.stateVector())));
    this.#showPresence(peer);
    return 'entered';
  }

  leave(peer: Peer): void {
    if (!this.#peers.delete(peer)) return;
    const gone = this.#presence.leave(peer);
    if (gone !== undefined) this.#broadcast(outgoing.awareness(gone), undefined);
    if (this.#peers.size === 0) this.#parts.onEmpty(this);
  }

  /** `frame` is the message's own bytes: an update is sent on as it came. */
  take(peer: Peer, message: Incoming, frame: Uint8Array): void {
    switch (message.type) {
      case 'step1':
        return this.#answer(peer, message.stateVector);
      case 'changes':
        return this.#change(peer, message, frame);
      case 'awareness':
        return this.#say(peer, message.update);
      case 'query-awareness':
        return this.#showPresence(peer);
    }
  }

  /** A writer's whole state, too large for a frame. Kept when it is on the disk; else why not. */
  async put(state: Uint8Array): Promise<CloseReason | undefined> {
    const refused = this.#admit(state);
    if (refused !== undefined) return refused;
    const applied = this.#document.apply(state, { live: false });
    if (applied.type === 'broken') this.#startAgain();
    if ('reason' in applied) return applied.reason;
    if (applied.type === 'known') {
      await this.#storage.stored;
      return undefined;
    }
    const stored = this.#store(state);
    const tooLarge = state.length > this.#parts.limits.answerBytesMax;
    const frame = outgoing.wireFrame(outgoing.change(state));
    for (const peer of this.#peers) {
      if (tooLarge && peer.speaksOurs) peer.end('gone', 'The snapshot is to be fetched.');
      else peer.send(frame);
    }
    await stored;
    return undefined;
  }

  state(): Uint8Array {
    return this.#document.state();
  }

  endWhere(which: (peer: Peer) => boolean, reason: CloseReason, why: string): void {
    for (const peer of this.#peers) if (which(peer)) peer.end(reason, why);
  }

  /** What is in memory is not what is stored: everybody starts again from the store. */
  abandon(reason: CloseReason, why: string): void {
    this.#parts.onGone(this);
    this.endWhere(() => true, reason, why);
    this.#document.destroy();
  }

  /** Nobody is here. Kept when what should be stored of it is. */
  async rest(retired: boolean): Promise<void> {
    if (retired) await this.#storage.drop();
    else if (this.#storage.wantsState(true)) await this.#storage.compact(this.#document.state());
    this.#document.destroy();
  }

  async #load(): Promise<void> {
    this.#document.restore(await this.#storage.load());
  }

  #answer(peer: Peer, stateVector: Uint8Array): void {
    const inOrder = peer.speaksOurs && this.target.room !== 'free';
    const missing = this.#document.missing(stateVector, { inOrder });
    if (missing === undefined) peer.end('malformed', 'The state vector is none.');
    else if (peer.speaksOurs && missing.length > this.#parts.limits.answerBytesMax)
      peer.end('gone', 'The snapshot is to be fetched.');
    else peer.send(outgoing.wireFrame(outgoing.step2(missing)));
  }

  #change(peer: Peer, { isUpdate, update }: Extract<Incoming, { type: 'changes' }>, frame: Uint8Array): void {
    // A stock client answers and repeats itself without having anything to say.
    if (!carriesChanges(update)) return;
    if (peer.role === 'reader') return peer.end('forbidden', 'A reader sent a change.');
    const refused = this.#admit(update);
    if (refused !== undefined) return peer.end(refused, 'There is no room for the change.');
    const applied = this.#document.apply(update, { live: isUpdate });
    if ('reason' in applied) peer.end(applied.reason, applied.why);
    if (applied.type === 'broken') this.#startAgain();
    if ('reason' in applied) return;
    if (applied.type === 'known') return peer.acknowledge(this.#storage.stored, 0);
    this.#broadcast(isUpdate ? frame : outgoing.change(update), peer);
    peer.acknowledge(this.#store(update), update.length);
  }

  #startAgain(): void {
    this.abandon('slow', 'The document has to be read again.');
  }

  #admit(update: Uint8Array): CloseReason | undefined {
    const { roomBytesMax } = this.#parts.limits;
    return this.#storage.stateBytes > roomBytesMax || !this.#storage.allows(update.length) ? 'full' : undefined;
  }

  #store(update: Uint8Array): Promise<void> {
    this.#parts.meters.count('updates');
    const stored = this.#storage.append(update);
    if (this.#storage.wantsState(false)) void this.#storage.compact(this.#document.state());
    return stored;
  }

  /** In a room of a home its writer is the one to be seen; a reader who shows something is answered, and no more (T10). */
  #say(peer: Peer, update: Uint8Array): void {
    const said = peer.role === 'reader' ? this.#presence.hear(update) : this.#presence.say(peer, update);
    if (said.type !== 'said') return peer.end(said.type, 'An awareness message.');
    const message = outgoing.awareness(said.update);
    if (said.news > 0) this.#broadcast(message, undefined);
    else peer.send(outgoing.wireFrame(message));
  }

  #showPresence(peer: Peer): void {
    const all = this.#presence.all();
    if (all !== undefined) peer.send(outgoing.wireFrame(outgoing.awareness(all)));
  }

  /** One frame, made once, however many it goes to. */
  #broadcast(message: Uint8Array, except: Peer | undefined): void {
    if (this.#peers.size === 0 || (this.#peers.size === 1 && except !== undefined)) return;
    const frame = outgoing.wireFrame(message);
    for (const peer of this.#peers) if (peer !== except) peer.send(frame);
    this.#parts.meters.count('broadcasts', this.#peers.size - (except === undefined ? 0 : 1));
  }

  #boundReaders(callerName: string): void {
    const own = [...this.#peers].filter((peer) => peer.role === 'reader' && peer.callerName === callerName);
    if (own.length >= this.#parts.limits.readersPerDeviceMax)
      own[0]?.end('replaced', 'Too many readers of one device.');
  }

  #endWhere(which: (peer: Peer) => boolean, why: string): void {
    this.endWhere(which, 'replaced', why);
  }
}
