import type { Doc } from 'yjs';
import type { Head } from '../access/head.ts';
import type { Credentials } from '../access/credentials.ts';
import type { Json, JsonObject } from '../base/canonical-json.ts';
import type { Cancel, EpochMs } from '../base/clock.ts';
import type { HomeId } from '../model/ids.ts';
import type { SignedText } from '../model/signed-text.ts';
import type { CloseReason } from './close-codes.ts';

/** Who asks a relay: a device with its grant, or the home itself. */
export interface Identity {
  readonly home: HomeId;
  /** Ed25519, 32 bytes. */
  readonly homeKey: Uint8Array;
  /** `null` when the home itself asks; such a caller never gives a room up. */
  readonly grant: SignedText | null;
  /** With the device's key, or the home's. */
  sign(message: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/** One relay, asked by one identity: its rooms, its head, its stored bytes. */
export interface RelayClient {
  /** The relay's origin: `ws://localhost:4420`. */
  readonly relayUrl: string;
  readonly head: HeadFeed;
  readonly objects: ObjectStore;
  readonly snapshots: SnapshotStore;
  /** Proof for one use, made with a challenge fetched now. Throws: `closed`, `busy` and `denied` by what the relay says. */
  credentials(room: string): Promise<Credentials>;
  /** Keeps a document together with the relay's, from now until the link is closed. At most one link a document. */
  join(options: JoinOptions): RoomLink;
  /** Keeps a document that this home writes, given as it is stored, together with the relay's. */
  publish(room: string, state: Uint8Array, options: PublishOptions): Publication;
  /** Tries every link that pauses, stopped or is damaged again, now. */
  reconnect(): void;
  /** Closes all links; nothing is retried after it. */
  close(): void;
}

export type LinkRole =
  /** Takes what the room's writer wrote; sends nothing. */
  | 'reader'
  /** Writes, and takes what it wrote itself before it lost its copy: a device in its own inbox. */
  | 'writer'
  /**
   * Writes, and takes nothing: the home, whose journal is the truth. What the relay has beyond it is damage. Whoever
   * deletes in its documents inserts in the same transaction.
   */
  | 'author';

export interface JoinOptions {
  /** `roomName(…)`. */
  readonly room: string;
  /** Owned by the caller, who destroys it after `close()`. */
  readonly doc: Doc;
  readonly role: LinkRole;
  /** A sentence when the room holds what its writer did not write. The link is `damaged`; one that is no author's asks again in a minute. */
  readonly onDamaged?: (why: string) => void;
}

export interface PublishOptions {
  readonly onDamaged: (why: string) => void;
}

export type LinkState =
  /** Closed by its owner. */
  | { readonly state: 'closed' }
  /** The first load, over HTTP. `bytesMax`: of the whole, when the relay says. */
  | { readonly state: 'loading'; readonly bytes: number; readonly bytesMax: number | undefined }
  | { readonly state: 'connecting' }
  /** `synced`: what both sides had when it connected has been exchanged. */
  | { readonly state: 'online'; readonly synced: boolean }
  | {
      readonly state: 'waiting';
      readonly untilMs: EpochMs;
      readonly reason: CloseReason | 'unreachable';
      readonly sentence: string;
    }
  /** The newest head names another room; this one is left for good. */
  | { readonly state: 'gone'; readonly sentence: string }
  /** Left alone until a newer head or `reconnect()`. */
  | { readonly state: 'stopped'; readonly reason: CloseReason; readonly sentence: string }
  | { readonly state: 'damaged'; readonly sentence: string };

export interface RoomLink {
  readonly room: string;
  readonly doc: Doc;
  state(): LinkState;
  /** Runs after every change of `state()`. */
  subscribe(listener: (state: LinkState) => void): Cancel;
  /** What the others in this room see of us; renewed while the link lives. */
  present(value: JsonObject): void;
  /** What the others in this room show: plain values, whoever they are. Nothing in them is checked. */
  presences(): readonly Json[];
  subscribePresences(listener: (presences: readonly Json[]) => void): Cancel;
  /** Writers: every change made so far is on the relay's disk. Rejects with `closed` when the link ends before. */
  durable(): Promise<void>;
  /** Ends a pause, a stop, or after damage: asks again now. */
  reconnect(): void;
  close(): void;
}

/** A link whose document it made itself: how a home hands over what its journal holds. */
export interface Publication {
  readonly room: string;
  /** An update of this document, as the journal stores it. */
  update(update: Uint8Array): void;
  present(value: JsonObject): void;
  state(): LinkState;
  subscribe(listener: (state: LinkState) => void): Cancel;
  durable(): Promise<void>;
  close(): void;
}

/** A head whose signature was checked. */
export interface OpenedHead {
  readonly head: Head;
  readonly signed: SignedText;
}

/** The newest head this relay has shown. A lower number than a known one is never taken. */
export interface HeadFeed {
  newest(): OpenedHead | undefined;
  subscribe(listener: (head: OpenedHead) => void): Cancel;
  /** What the relay showed that cannot be, each once: a person should hear of it. */
  subscribeOddities(listener: (oddity: HeadOddity) => void): Cancel;
  /** Asks now. `undefined` when the relay has none. Throws as the HTTP of the relay does. */
  refresh(): Promise<OpenedHead | undefined>;
  /** The home's newest. Throws: `stale` when the relay has a newer one. */
  put(signed: SignedText): Promise<void>;
}

export interface HeadOddity {
  /**
   * `fork`: two heads of one number, both signed by the home · `rollback`: an older one than was shown before ·
   * `too-new`: signed by the home, of a version this side cannot read · `forged`: not signed by the home.
   */
  readonly kind: 'fork' | 'rollback' | 'too-new' | 'forged';
  readonly sentence: string;
}

/** Immutable sealed bytes at `/o/<home>/<path>`; `path` is what stands behind the home. */
export interface ObjectStore {
  /** Tries a few times while the relay cannot be reached. Throws: `not-found`. */
  get(path: string, onProgress?: Progress): Promise<Uint8Array>;
  /** Tries once; `openDelivery` is what goes on. Putting the same bytes again is fine. */
  put(path: string, bytes: Uint8Array): Promise<void>;
  /** Fine when it is not there. */
  delete(path: string): Promise<void>;
}

/** A room's whole state as one V1 update. */
export interface SnapshotStore {
  /** `undefined` when the relay has no such room. */
  get(room: string, onProgress?: Progress): Promise<Uint8Array | undefined>;
  put(room: string, state: Uint8Array): Promise<void>;
}

export type Progress = (bytes: number, bytesMax: number | undefined) => void;
