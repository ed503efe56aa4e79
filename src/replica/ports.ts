import type { Json } from '../base/canonical-json.ts';
import type { SharedDoc } from '../doc/shared-doc.ts';
import type { Agreement, SlowSigner } from '../crypto/ports.ts';
import type { DeviceId, Digest, HomeId, WorkspaceId } from '../model/ids.ts';
import type { DecisionKind } from '../model/decision.ts';
import type { ActionId } from '../model/ids.ts';
import type { SignedText } from '../model/signed-text.ts';

/** What one device must not lose. Every window of the device shares the one store. */
export interface ReplicaStorage {
  readonly identity: IdentityStore;
  readonly outbox: OutboxStore;
  readonly facts: FactStore;
  readonly blobs: BlobStore;
  /** Why what is stored might not outlive this page; `null` where it is durable (F7). */
  volatile(): Promise<string | null>;
  /** Forgets all of it: another device begins here. Durable when it answers. */
  clear(): Promise<void>;
  close(): void;
}

/** Who this device is in a home, as it was told when it was enrolled. */
export interface Identity {
  readonly home: HomeId;
  /** Ed25519, 64 lower-case hexadecimal digits. */
  readonly homeKey: string;
  readonly device: DeviceId;
  readonly nickname: string;
  readonly relayUrl: string;
  readonly grant: SignedText;
  /** The keys as their maker keeps them: handles of the platform, or secrets where it has none to give. */
  readonly keys: unknown;
}

export interface IdentityStore {
  load(): Promise<Identity | undefined>;
  /** Durable when it answers. */
  save(identity: Identity): Promise<void>;
}

/** The keys of one device. */
export interface DeviceKeys {
  readonly signer: SlowSigner;
  readonly agreement: Agreement;
  /** What `KeyMaker.restore` makes them from again. */
  readonly kept: unknown;
}

export interface KeyMaker {
  make(): Promise<DeviceKeys>;
  /** Throws: `storage` for what is not what `make` had kept. */
  restore(kept: unknown): Promise<DeviceKeys>;
}

/** The end of a device's chain of decisions in one workspace: `{ n: 0, hash: null }` before the first. */
export interface ChainEnd {
  readonly n: number;
  readonly hash: Digest | null;
}

/** A decision that has no receipt yet. */
export interface OutboxEntry extends SignedText {
  readonly workspace: WorkspaceId;
  readonly n: number;
  readonly hash: Digest;
  readonly state: 'saved' | 'sent';
}

/** What is kept, for a while, of a decision that was refused, as a whole or some items of it. */
export interface RefusedEntry {
  readonly workspace: WorkspaceId;
  readonly n: number;
  readonly kind: DecisionKind;
  readonly ids: readonly ActionId[];
  readonly why: string;
}

export interface OutboxContents {
  /** Oldest first within a workspace. */
  readonly waiting: readonly OutboxEntry[];
  readonly refused: readonly RefusedEntry[];
}

/** The strict outbox (DC-2, DC-6). Every change is durable when its promise is kept. */
export interface OutboxStore {
  read(): Promise<OutboxContents>;
  end(workspace: WorkspaceId): Promise<ChainEnd>;
  /**
   * Adds decisions that follow `after`, all or none; false, and nothing is stored, when `after` is not the chain's end
   * any more. Look and write are one transaction over all windows.
   *
   * Throws: `full`, `storage`; nothing is stored then.
   */
  append(workspace: WorkspaceId, after: ChainEnd, entries: readonly OutboxEntry[]): Promise<boolean>;
  markSent(keys: readonly DecisionKey[]): Promise<void>;
  /** The receipt has come: the decision is not kept any longer. `refused`: what of it did not count. */
  settle(key: DecisionKey, refused: RefusedEntry | null): Promise<void>;
}

export interface DecisionKey {
  readonly workspace: WorkspaceId;
  readonly n: number;
}

/** Something known that may only grow: a head, a heartbeat. */
export interface Fact {
  readonly number: number;
  readonly value: Json;
}

export interface FactStore {
  get(key: string): Promise<Fact | undefined>;
  /** Keeps the fact unless one of the same or a higher number is kept; answers what is kept now. */
  raise(key: string, fact: Fact): Promise<Fact>;
}

/** Sealed blobs by address. Losing them loses nothing: they are fetched again. */
export interface BlobStore {
  list(): Promise<readonly { readonly address: string; readonly bytes: number }[]>;
  get(address: string): Promise<Uint8Array | undefined>;
  /** Best effort: a full disk is no error here. */
  put(address: string, sealed: Uint8Array): Promise<void>;
  drop(addresses: readonly string[]): Promise<void>;
}

/**
 * What was received of documents, so that a page has something to show before it is connected. Only ever a copy:
 * losing it loses nothing, and it is trusted no more than the relay it came from.
 */
export interface DocCache {
  /** Fills the document with what is kept of this room, and keeps what comes to it from now on. */
  attach(room: string, doc: SharedDoc): CachedDoc;
  /** Forgets a room that is left for good. */
  forget(room: string): void;
}

export interface CachedDoc {
  /** Kept when what there was is in the document; also when there was nothing, or nothing could be read in time. */
  readonly loaded: Promise<void>;
  close(): void;
}

/** Among the windows of one device one leads: it alone writes the inbox, and so sends. */
export interface Leader {
  /** Runs `lead` when this window becomes the one, at most once; the answer gives the lead up, or stops asking. */
  ask(name: string, lead: () => void): () => void;
}

/** Windows of one browser tell each other that what they share has changed. Best effort; nothing is decided by it. */
export interface Bus {
  tell(what: string): void;
  close(): void;
}

/** Opens the bus of this name. A window does not hear itself. */
export type OpenBus = (name: string, hear: (what: string) => void) => Bus;
