import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import type { Crypto, Signer } from '../crypto/ports.ts';
import type { KeyRing } from '../doc/keys.ts';
import type { Right } from '../model/decision.ts';
import type { DeviceId, HomeId, WorkspaceId } from '../model/ids.ts';
import type { LeftQuarantine } from './left-quarantine.ts';
import type { Journal, SurfacePack } from './ports.ts';
import type { Outlet, Published } from './publish/outlet.ts';

/** Who may decide: the home's roster as its authorities see it. `number` grows with every change (DC-8). */
export interface RosterPort {
  device(id: DeviceId): RosterDevice | undefined;
  number(): number;
}

export interface RosterDevice {
  readonly publicKey: Uint8Array;
  readonly nickname: string;
  /** What it may decide now. */
  readonly right: Right;
  /** By which what it decided before stands, where it may decide less only for the time being. */
  readonly lastingRight?: Right;
  readonly revoked: boolean;
}

/** A device as the ledger names it. */
export interface PublishedDevice {
  readonly id: DeviceId;
  readonly nickname: string;
  readonly right: Right;
  readonly removed: boolean;
}

/** What publishing needs of the home around it. */
export interface PublishOptions {
  readonly outlet: Outlet;
  /** The folder's own name, and its whole path. */
  readonly name: string;
  readonly root: string;
  /** The workspace's content keys as they are now; `Authority.rosterChanged` says when that is another answer. */
  keys(): KeyRing;
  /** Everyone who was ever admitted, in that order: those who were removed keep a name. */
  devices(): readonly PublishedDevice[];
  /** What the head says of this workspace now: the home keeps it, so it is known also when this journal cannot be used. */
  lastPublished(): Published;
  /** What the head must say of this workspace. Called when that changes, and only of what is durable. */
  onPublished(published: Published): void;
}

export interface AuthorityOptions {
  readonly home: HomeId;
  readonly workspace: WorkspaceId;
  readonly fence: number;
  readonly journal: Journal;
  readonly packs: readonly SurfacePack[];
  /** Present at the first start after the journal left quarantine. */
  readonly left?: LeftQuarantine;
  readonly crypto: Crypto;
  /** The home's key: signs receipts, heartbeats and checkpoints. */
  readonly signer: Signer;
  readonly clock: Clock;
  readonly random: Random;
  readonly roster: RosterPort;
  /** Milliseconds; absent: what `AUTHORITY_LIMITS` says. */
  readonly graceMs?: number;
  readonly staleMs?: number;
  /** Absent where nobody but this process looks at the workspace. */
  readonly publish?: PublishOptions;
  /** Something a person must see, in one sentence. */
  onAlarm(text: string): void;
  /** The process must stop at once: what is on disk is no longer known (EF-5), or a bug was found. */
  onFatal(error: unknown): void;
}

export const AUTHORITY_LIMITS = {
  /** Milliseconds between the approval of what cannot be undone and its effect: time to see it and say no (DR-5). */
  graceMs: 10_000,
  /** Milliseconds since its device last heard of the runtime after which an approval is asked for again (DC-5). */
  staleMs: 24 * 60 * 60 * 1_000,
  /** Milliseconds a list of approvals waits for the parts that are still on their way (DR-11). */
  restMsMax: 10 * 60_000,
  /** Actions that happen as one effect: as many steps as one target may have (CP-1). */
  coalescedMax: 50,
  /** Milliseconds by which the authority's time moves away from the wall clock before that is written down. */
  aheadKeptMs: 60_000,
  /** Milliseconds a surface may take to look at the world, to describe a call or to simulate it (EF-4). */
  lookMsMax: 10_000,
  /** Milliseconds an effect may take before it counts as in doubt (EF-4). */
  effectMsMax: 60_000,
  /** Milliseconds a surface may take to say what became of an effect; after that it is not known. */
  probeMsMax: 10_000,
  /** Milliseconds until what is in doubt is asked about again: at first, and at most, after doubling. */
  askAgainMsMin: 60_000,
  askAgainMsMax: 60 * 60 * 1_000,
  /** Times one attempt is asked about in one run of the process: about a day. */
  asksMax: 30,
  /** Milliseconds after which what a full disk stopped is tried again. */
  fullRetryMs: 30_000,
  /** Settled actions kept in memory for repeated look-ups; the journal has them all. */
  settledKept: 1_000,
  /** Sightings a session keeps: of all that waits, and of what was applied last, which can still be reverted. */
  sightingsMax: 1_500,
  /** Milliseconds without a call after which a session's next call begins a new turn, where its host names none. */
  turnGapMs: 90_000,
  /** Milliseconds one wait may take; agents' own time-outs start at 30 s. */
  waitMsMax: 25_000,
  /** Audit entries between two checkpoints. */
  checkpointEvery: 1_000,
  /** Refused decisions written to the audit log a minute; the rest is counted into the next entry (DC-7). */
  refusalsPerMinute: 20,
  /** Bytes of one call's arguments, as JSON. */
  argumentBytesMax: 32 * 1024 * 1024,
} as const;
