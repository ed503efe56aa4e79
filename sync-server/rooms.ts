import type { Cancel, Clock } from '../src/base/clock.ts';
import type { Room as RoomName } from '../src/sync/room.ts';
import { NOBODY } from './quota.ts';
import { Room, type RoomParts } from './room.ts';
import { isLack } from './room-storage.ts';
import { parseTarget, type Target } from './target.ts';

export interface RoomsParts extends Omit<RoomParts, 'onGone' | 'onEmpty'> {
  readonly clock: Clock;
  /** Has a newer room taken the place of this one? */
  readonly isRetired: (room: RoomName) => boolean;
}

/** The documents in memory: one owner each, made when somebody asks, put to rest a while after the last one left. */
export class Rooms {
  readonly #parts: RoomsParts;
  readonly #rooms = new Map<string, Room>();
  readonly #resting = new Map<Room, Cancel>();
  readonly #users = new Map<Room, number>();
  /** Rooms that are being stored and forgotten; whoever asks for one waits. */
  readonly #ending = new Map<string, Promise<void>>();

  constructor(parts: RoomsParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#rooms.size;
  }

  /**
   * The room, loaded, for as long as `work` lasts. `full`: its home has too many in memory.
   *
   * Throws: `storage` when it cannot be read; the relay has been told.
   */
  async use<T>(target: Target, owner: string, work: (room: Room) => Promise<T> | T): Promise<T | 'full'> {
    await this.#ending.get(target.name);
    const room = this.#rooms.get(target.name) ?? this.#open(target, owner);
    if (room === undefined) return 'full';
    this.#users.set(room, (this.#users.get(room) ?? 0) + 1);
    try {
      await this.#loaded(room);
      return await work(room);
    } finally {
      this.#release(room);
    }
  }

  /** Forgets what is stored of an owner's rooms that newer ones replaced. One in memory goes when the last one left. */
  async dropRetired(owner: string): Promise<void> {
    const { isRetired, onFatal, quota, store } = this.#parts;
    try {
      for (const name of await store.roomsOf(owner)) {
        const target = parseTarget(`/${name}`);
        const isOver = target.ok && target.value.room !== 'free' && isRetired(target.value.room);
        if (!isOver || this.#rooms.has(name) || this.#ending.has(name)) continue;
        const dropped = store.drop(name).then((bytes) => quota.add(owner, -bytes));
        this.#endWith(name, dropped);
        await dropped;
      }
    } catch (thrown) {
      if (!isLack(thrown)) onFatal(thrown);
    }
  }

  /** Puts all of them to rest, now. */
  async close(): Promise<void> {
    await Promise.all([...this.#rooms.values()].map((room) => this.#rest(room)));
    await Promise.all(this.#ending.values());
  }

  #settle(room: Room): void {
    if (room.size > 0 || (this.#users.get(room) ?? 0) > 0 || this.#rooms.get(room.target.name) !== room) return;
    this.#resting.get(room)?.();
    // A name that somebody made up takes no memory once they left.
    if (room.isBlank) return void this.#rest(room);
    const { clock, limits } = this.#parts;
    this.#resting.set(
      room,
      clock.after(limits.roomIdleMs, () => void this.#rest(room)),
    );
  }

  #open(target: Target, owner: string): Room | undefined {
    const { limits } = this.#parts;
    const scope = scopeOf(target);
    const inMemory = [...this.#rooms.values()].filter((room) => scopeOf(room.target) === scope).length;
    if (inMemory >= limits.roomsPerHomeMax) return undefined;
    const room = new Room(target, owner, {
      ...this.#parts,
      onGone: (gone) => this.#forget(gone),
      onEmpty: (empty) => this.#settle(empty),
    });
    this.#rooms.set(target.name, room);
    return room;
  }

  async #loaded(room: Room): Promise<void> {
    try {
      await room.ready;
    } catch (thrown) {
      this.#forget(room);
      // A store that was closed on purpose is no failure of the disk.
      if (!isLack(thrown)) this.#parts.onFatal(thrown);
      throw thrown;
    }
  }

  #release(room: Room): void {
    const left = (this.#users.get(room) ?? 1) - 1;
    if (left > 0) this.#users.set(room, left);
    else this.#users.delete(room);
    this.#settle(room);
  }

  async #rest(room: Room): Promise<void> {
    const { name, room: id } = room.target;
    if (room.size > 0 || (this.#users.get(room) ?? 0) > 0 || this.#rooms.get(name) !== room) return;
    this.#forget(room);
    const ending = room.rest(id !== 'free' && this.#parts.isRetired(id));
    this.#endWith(name, ending);
    await ending;
  }

  /** Whoever asks for the room meanwhile waits, and finds it as it is then. */
  #endWith(name: string, work: Promise<void>): void {
    const over = (): void => void this.#ending.delete(name);
    this.#ending.set(name, work.then(over, over));
  }

  #forget(room: Room): void {
    this.#resting.get(room)?.();
    this.#resting.delete(room);
    if (this.#rooms.get(room.target.name) === room) this.#rooms.delete(room.target.name);
  }
}

function scopeOf({ room }: Target): string {
  return room === 'free' ? NOBODY : room.home;
}
