import type { EpochMs } from '../base/clock.ts';
import type { JsonObject } from '../base/canonical-json.ts';
import type {
  Action,
  Actor,
  Applied,
  ApprovalSource,
  Attention,
  Intent,
  OverlayWrite,
  Parked,
  RejectedBecause,
} from './action.ts';
import type { ActionContent, Verdict } from './content.ts';
import type { ActionId, DeviceId, Digest, SessionId } from './ids.ts';
import type { SignedText } from './signed-text.ts';
import type { StandingEvent } from './standing.ts';
import type { StoredResult } from './tool-result.ts';

/** What can happen to one action after it was proposed (semantics §2). The input of `step`. */
export type Transition =
  | { readonly kind: 'approved'; readonly by: ApprovalSource }
  | {
      readonly kind: 'approval-withdrawn';
      readonly why: 'retracted' | 'rule-gone' | 'revoked' | 'list';
      /** Of a list that counts whole or not at all: what stood in its way, for the card. */
      readonly remark?: string;
    }
  | { readonly kind: 'attention-raised'; readonly attention: Attention }
  | {
      readonly kind: 'reissued';
      readonly oldDigest: Digest;
      readonly content: ActionContent;
      readonly digest: Digest;
      readonly overlay: readonly OverlayWrite[];
      readonly needs: readonly ActionId[];
      readonly verdict: Verdict;
      readonly reversibleWhy: string;
      readonly attention: Attention;
    }
  /** `place`: what it needs was released to the tail, so it moves behind it, still parked (DR-9). */
  | { readonly kind: 'held'; readonly parked: Parked; readonly by: Actor; readonly place?: number }
  | { readonly kind: 'released'; readonly place: number; readonly by: Actor }
  | {
      readonly kind: 'rejected';
      readonly because: RejectedBecause;
      readonly by: Actor;
      readonly reason: string | null;
      readonly felledBy: ActionId | null;
    }
  | { readonly kind: 'intent-recorded'; readonly intent: Intent }
  | { readonly kind: 'attempt-voided' }
  | { readonly kind: 'applied'; readonly applied: Applied; readonly result: StoredResult | null }
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'doubted'; readonly why: string }
  | { readonly kind: 'not-applied'; readonly known: 'probe' | 'settled'; readonly mayHappenTwice: boolean }
  | { readonly kind: 'retried'; readonly by: ApprovalSource }
  | { readonly kind: 'revert-begun'; readonly intent: Intent; readonly by: Actor }
  | { readonly kind: 'reverted' }
  | { readonly kind: 'revert-refused'; readonly why: string }
  | { readonly kind: 'revert-doubted'; readonly why: string }
  | { readonly kind: 'contradicted'; readonly evidence: 'applied' | 'not-applied'; readonly applied: Applied | null };

/** How the drift of what turned out to have happened begins where that is not what the action is now (EF-6, LC-5). */
export const EARLIER_VERSION = 'That was an earlier version of it';

export type TransitionKind = Transition['kind'];

/** A transition of a named action, as the journal keeps it. */
export type ActionEvent = Transition & { readonly action: ActionId; readonly n: number; readonly digest: Digest };

/** What happens besides transitions. */
export type OtherEvent =
  | { readonly kind: 'opened'; readonly what: 'home' | 'workspace'; readonly id: string; readonly detail: JsonObject }
  | { readonly kind: 'started'; readonly fence: number; readonly keyGen: number }
  | { readonly kind: 'stopped' }
  | {
      readonly kind: 'device-added';
      readonly device: DeviceId;
      readonly publicKey: string;
      readonly nickname: string;
      readonly right: string;
    }
  | { readonly kind: 'device-right'; readonly device: DeviceId; readonly right: string }
  | {
      readonly kind: 'session-opened';
      readonly session: SessionId;
      readonly root: SessionId;
      readonly client: string;
      readonly host: string;
      readonly level: string;
    }
  | {
      readonly kind: 'proposed';
      readonly action: ActionId;
      readonly n: number;
      readonly digest: Digest;
      readonly record: Action;
      readonly saw: readonly ActionId[];
    }
  | {
      readonly kind: 'decision-taken';
      readonly device: DeviceId;
      readonly dn: number;
      readonly hash: Digest;
      readonly decision: string;
      readonly signature: string;
      readonly results: readonly ItemResult[];
    }
  | {
      readonly kind: 'decision-refused';
      readonly device: string;
      readonly dn: number | null;
      readonly why: string;
      readonly count: number;
    }
  | { readonly kind: 'notices-told'; readonly session: SessionId; readonly through: number }
  | { readonly kind: 'checkpointed'; readonly size: number; readonly tree: Digest; readonly signed: SignedText }
  | { readonly kind: 'quarantined'; readonly why: string }
  | StandingEvent;

export type EventBody = ActionEvent | OtherEvent;
export type EventKind = EventBody['kind'];

/** What the authority answered for one item of a decision. */
export interface ItemResult {
  readonly id: ActionId;
  readonly result: 'received' | 'refused' | 'late';
  readonly why: string | null;
}

/** One journal event. Its canonical bytes are hashed into the audit entry of the same `seq`. */
export type JournalEvent = EventBody & {
  readonly v: 1;
  readonly seq: number;
  readonly atMs: EpochMs;
  /** 16 random bytes, hexadecimal: keeps the public hash of an event from being guessed back to a secret in it. */
  readonly salt: string;
};

/** One committed step: the private event, its audit entry, and the chain root after it. */
export interface JournalRow {
  readonly seq: number;
  readonly atMs: EpochMs;
  readonly kind: EventKind;
  /** `#12` of the action it is about, 0 for none; the attempt that its event names, 0 for none. */
  readonly actionSeq: number;
  readonly attempt: number;
  /** Canonical bytes. */
  readonly event: Uint8Array;
  readonly audit: Uint8Array;
  /** 32 bytes: SHA-256 of the event; chain root after this row's audit entry. */
  readonly eventHash: Uint8Array;
  readonly root: Uint8Array;
}
