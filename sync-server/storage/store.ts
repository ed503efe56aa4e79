/**
 * Where a relay keeps what it was given. Calls are carried out in the order they were made; a promise that is kept
 * means that the bytes are on the disk.
 *
 * Throws (as rejections): `full` when the disk or a quota has no room, and nothing of the call was stored; anything
 * else means that it is not known what was stored: the relay stops.
 */
export interface RelayStore {
  /** Adds a change to a room. All that is handed over before the next commit shares one promise. */
  append(room: string, update: Uint8Array): Promise<void>;
  /** The room's changes in order, the newest snapshot first; empty for a room that nobody wrote. */
  load(room: string): Promise<readonly Uint8Array[]>;
  /** Puts one state in the place of all that was appended to the room before. */
  compact(room: string, state: Uint8Array): Promise<void>;
  /** Forgets a room. */
  drop(room: string): Promise<void>;

  /** Every home's newest head, as it was put. */
  heads(): Promise<readonly StoredHead[]>;
  putHead(head: StoredHead): Promise<void>;

  /** Stores an object under a path that has none. `differs`: another one stands there, and stays. */
  putObject(path: string, bytes: Uint8Array): Promise<'stored' | 'same' | 'differs'>;
  object(path: string): Promise<Uint8Array | undefined>;
  /** Bytes set free; 0 when there was none. */
  dropObject(path: string): Promise<number>;

  /** Bytes stored of every owner: a home, or `-` for what belongs to none. */
  totals(): Promise<ReadonlyMap<string, number>>;
  /** Forgets all of it. */
  wipe(): Promise<void>;
  /** Carries out what is waiting, then closes. */
  close(): Promise<void>;
}

export interface StoredHead {
  readonly home: string;
  readonly number: number;
  /** The token its home was admitted by; `null` for one that needed none. */
  readonly admittedBy: string | null;
  /** Ed25519 of the home, 64 hexadecimal digits. */
  readonly homeKey: string;
  /** Canonical JSON of the signed text. */
  readonly signed: string;
}
