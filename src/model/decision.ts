import type { EpochMs } from '../base/clock.ts';
import type { JsonObject } from '../base/canonical-json.ts';
import type { ActionId, DeviceId, Digest, HomeId, WorkspaceId } from './ids.ts';

export const ITEM_KINDS = [
  'approve',
  'reject',
  'change',
  'edit',
  'hold',
  'release',
  'retract',
  'reissue',
  'revert',
  'retry',
  'settle',
  'reconsider',
  'anyway',
] as const;
export const BODY_KINDS = [
  'rule.add',
  'rule.remove',
  'device.confirm',
  'device.rights',
  'device.revoke',
  'mode',
  'pause',
  'resume',
  'quarantine.leave',
  'adopt',
] as const;

export type ItemKind = (typeof ITEM_KINDS)[number];
export type BodyKind = (typeof BODY_KINDS)[number];
export type DecisionKind = ItemKind | BodyKind;

export const RIGHTS = ['view', 'reject-only', 'approve-reversible', 'approve-all'] as const;
export type Right = (typeof RIGHTS)[number];

export const DECISION_LIMITS = {
  /** Items one signature may cover; a larger gesture is several decisions of one batch. */
  itemsMax: 512,
  /** Bytes of one canonical decision. */
  bytesMax: 64 * 1024,
  /** UTF-8 bytes of a reason, a remark or what to do instead. */
  textBytesMax: 8 * 1024,
} as const;

export interface DecisionItem {
  readonly id: ActionId;
  readonly digest: Digest;
  /** The audit entry that raised the attention the person saw; absent when none was raised (DC-12). */
  readonly attention?: number;
}

/** The newest signed heartbeat the device held: what its person could have seen (DC-5). */
export interface Seen {
  readonly counter: number;
  readonly atMs: EpochMs;
  /** Entries in the audit log, and the chain root after the last of them. */
  readonly size: number;
  readonly root: Digest;
}

/** A person's request, made on one device, bound to explicit items. Signed as its canonical bytes. */
export interface Decision {
  readonly v: 1;
  readonly home: HomeId;
  readonly workspace: WorkspaceId;
  readonly device: DeviceId;
  /** 1, 2 … without gaps, per device and workspace. */
  readonly n: number;
  /** SHA-256 of this device's decision n − 1 here; `null` for the first. */
  readonly prev: Digest | null;
  readonly kind: DecisionKind;
  readonly items: readonly DecisionItem[];
  /** Hashes of the hold decisions this release lifts. */
  readonly holdsLifted: readonly Digest[];
  readonly seen: Seen | null;
  readonly batch?: { readonly id: string; readonly index: number; readonly of: number };
  /** What the kind needs beyond its items, for example `{ mode: 'rest' }` or `{ answer: 'happened', attempt: 1 }`. */
  readonly body?: JsonObject;
  /** The person's own words; reaches the agent fenced. */
  readonly note?: string;
  /** For a decision made from a shell: names of the programs above it, nearest first. A claim, for people to read. */
  readonly via?: readonly string[];
}
