/**
 * Where a relay keeps what it was given. Calls are carried out one after another, in the order they were made; a
 * promise that is kept means that the bytes are on the disk.
 *
 * Throws (as rejections): `full` when the disk has no room, and then nothing of the call was stored, nor of any change
 * handed over before its rejection; anything else means that it is not known what is stored: the relay stops.
 */
export interface RelayStore {
  /**
   * Adds a change to a room; the first one says whose room it is. What is handed over while the disk is at work shares
   * one commit, and one promise. The bytes must not change afterwards.
   */
  append(room: string, owner: string, update: Uint8Array): Promise<void>;
  /** `undefined` for a room that nobody wrote. */
  load(room: string): Promise<StoredRoom | undefined>;
  /** Puts one state in the place of all that was appended to the room before. */
  compact(room: string, state: Uint8Array): Promise<void>;
  /** Forgets a room. The bytes set free; 0 when there was none. */
  drop(room: string): Promise<number>;
  /** Names of the rooms of an owner. */
  roomsOf(owner: string): Promise<readonly string[]>;

  /** Every home's newest head. */
  heads(): Promise<readonly StoredHead[]>;
  /** Puts a head in the place of one with a lower number. `false`: the one that stands has this number or a higher one. */
  putHead(head: StoredHead): Promise<boolean>;

  /** Stores an object under a path that has none. `differs`: another one stands there, and stays. */
  putObject(path: string, owner: string, bytes: Uint8Array): Promise<'stored' | 'same' | 'differs'>;
  object(path: string): Promise<Uint8Array | undefined>;
  /** The bytes set free; 0 when there was none. */
  dropObject(path: string): Promise<number>;

  /** Bytes of the changes and objects of every owner. */
  totals(): Promise<ReadonlyMap<string, number>>;
  /** Forgets all of it. */
  wipe(): Promise<void>;
  /** Carries out what is waiting, then closes. Everything after it is refused with `closed`. */
  close(): Promise<void>;
}

export interface StoredRoom {
  readonly owner: string;
  /** In the order they were appended; a state that took the place of others comes first. */
  readonly updates: readonly Uint8Array[];
}

export interface StoredHead {
  readonly home: string;
  readonly number: number;
  /** Ed25519 of the home, 64 hexadecimal digits. */
  readonly homeKey: string;
  /** The nickname of the token its home was admitted by; `null` for one that needed none. */
  readonly admittedBy: string | null;
  /** Canonical JSON of the signed text. */
  readonly signed: string;
}
