import type { EpochMs } from '../base/clock.ts';
import type { JsonObject } from '../base/canonical-json.ts';
import type { ActionId, DeviceId, Digest, SessionId } from './ids.ts';
import type { ActionContent, Resource, Verdict } from './content.ts';
import type { StoredResult } from './tool-result.ts';

/** Why an undecided action must be looked at again. `entry` is the audit entry that raised it (DC-12). */
export interface Attention {
  readonly kind: AttentionKind;
  readonly entry: number;
  readonly why: string;
}

export type AttentionKind = 'stale' | 'conflict' | 'tool-changed' | 'premise-withdrawn' | 'reissued' | 'rule-gone';

export type RejectedBecause = 'person' | 'cascade' | 'withdrawn' | 'user-edited' | 'surface-removed';

/** Who approved: a person's decision, or a person's rule together with the author's verdict. */
export type ApprovalSource =
  | { readonly type: 'decision'; readonly device: DeviceId; readonly n: number }
  | { readonly type: 'rule'; readonly rule: string };

/** Who made a transition happen, for the log, the card and the notice. */
export type Actor =
  | { readonly type: 'device'; readonly device: DeviceId; readonly n: number }
  | { readonly type: 'session'; readonly session: SessionId }
  | { readonly type: 'authority' };

/** Who proposed it, and after what (semantics: lineage). `sawThrough` indexes the root session's list of seen actions. */
export interface Lineage {
  readonly session: SessionId;
  readonly root: SessionId;
  readonly turn: number;
  readonly callId: string | null;
  readonly sawThrough: number;
}

/** One resource's simulated value: `null` is absence, else the surface's own description of what stands there. */
export interface OverlayWrite {
  readonly resource: Resource;
  readonly value: JsonObject | null;
}

/** Why an action is parked: by its own hold, by the hold of actions it needs, or both (DR-9). */
export interface Parked {
  readonly own: boolean;
  readonly heldWith: readonly ActionId[];
}

/** What an action's references became right before it began (SM-4): what the surface gets in place of the content. */
export interface Resolved {
  readonly content: ActionContent;
  /** Digest of that content: what was given to the surface can be told from anything else. */
  readonly digest: Digest;
  readonly values: readonly { readonly reference: string; readonly value: string }[];
}

/** The durable record that an effect is about to start. */
export interface Intent {
  /** 1, 2 … for the effect; a revert counts on its own. */
  readonly attempt: number;
  /** Fixed at proposal, the same for every attempt after a definite failure (EF-3). */
  readonly idempotencyKey: string;
  readonly atMs: EpochMs;
  readonly deadlineMs: EpochMs;
  /** For an action that carries references. */
  readonly resolved?: Resolved;
  /** For one of several actions that happen as one effect (DR-11). */
  readonly together?: Together;
}

/** One effect of several actions, in their order: its content by hash, and what the first of them began it with. */
export interface Together {
  readonly ids: readonly ActionId[];
  readonly content: Digest;
  readonly idempotencyKey: string;
  readonly attempt: number;
}

/** What the surface can show for its effect: its own evidence, used by probe and revert. */
export interface Applied {
  readonly attempt: number;
  readonly atMs: EpochMs;
  readonly evidence: JsonObject;
  /** Where what happened differs from what was simulated, in words; `null` when it does not. */
  readonly drift: string | null;
  /** How we know: the surface's own answer, a probe, or a person's settle. */
  readonly known: 'surface' | 'probe' | 'settled';
}

export interface Common {
  readonly id: ActionId;
  /** `#12`: a number that only grows in its workspace and never changes. */
  readonly seq: number;
  /** Position in the lane; a release gives a new one (DR-9). */
  readonly place: number;
  readonly lane: string;
  readonly content: ActionContent;
  readonly digest: Digest;
  readonly verdict: Verdict;
  readonly reversibleWhy: string;
  readonly lineage: Lineage;
  readonly proposedAtMs: EpochMs;
  readonly needs: readonly ActionId[];
  readonly overlay: readonly OverlayWrite[];
  /** The tool's own answer: the simulated one, then the real one; `null` while there is none. */
  readonly result: StoredResult | null;
  /** The rule that approved it last; absent when none ever did. Whatever becomes of it, it is one use of that rule. */
  readonly ruled?: string;
  /** Effect attempts begun so far. */
  readonly attempts: number;
  readonly revertAttempts: number;
  /** `#12 says`: the newest remark for the card (why a revert did not happen, what a probe found); `null` when none. */
  readonly remark: string | null;
  /**
   * The newest attention ever raised, kept through approval and attempts: an approval that is withdrawn leaves it
   * unanswered again, and no approval from before it ever counts (DC-12). Absent when none was raised.
   */
  readonly newestAttention?: Attention;
  /**
   * A person gave an attempt of it up for lost that can still take effect, and it was to be tried again since: no approval
   * begins the next attempt, only a retry that says that it may happen twice (EF-6).
   */
  readonly givenUp?: true;
  /** A person's version of another action, made by their decision and standing in its place; absent for an agent's own. */
  readonly replaces?: { readonly id: ActionId; readonly device: DeviceId; readonly n: number };
  /** What its references became at its newest attempt; absent when it carries none, or has not begun. */
  readonly resolved?: Resolved;
}

export type Action =
  | (Common & { readonly state: 'pending'; readonly attention: Attention | null })
  | (Common & { readonly state: 'approved'; readonly by: ApprovalSource; readonly atMs: EpochMs })
  | (Common & { readonly state: 'held'; readonly parked: Parked; readonly attention: Attention | null })
  | (Common & { readonly state: 'applying'; readonly by: ApprovalSource; readonly intent: Intent })
  | (Common & { readonly state: 'applied'; readonly applied: Applied; readonly contradicted: boolean })
  /** `attention`: raised since, and to be answered before it is tried again. */
  | (Common & { readonly state: 'failed'; readonly why: string; readonly attention?: Attention })
  | (Common & { readonly state: 'in-doubt'; readonly intent: Intent; readonly why: string })
  | (Common & {
      readonly state: 'not-applied';
      readonly known: 'probe' | 'settled';
      readonly mayHappenTwice: boolean;
      readonly contradicted: boolean;
      readonly attention?: Attention;
    })
  | (Common & { readonly state: 'reverting'; readonly applied: Applied; readonly intent: Intent })
  | (Common & {
      readonly state: 'revert-in-doubt';
      readonly applied: Applied;
      readonly intent: Intent;
      readonly why: string;
    })
  | (Common & { readonly state: 'reverted'; readonly applied: Applied })
  | (Common & {
      readonly state: 'rejected';
      readonly because: RejectedBecause;
      readonly by: Actor;
      readonly reason: string | null;
      /** For `cascade`: the action whose end took this one down. */
      readonly felledBy: ActionId | null;
      /** Rejected after a person's *did-not*: late evidence can still say that it happened. */
      readonly afterDidNot: boolean;
    });

export type ActionState = Action['state'];

/** Every state, in the order of a life: for readers of what comes from outside. */
export const ACTION_STATES = [
  'pending',
  'approved',
  'held',
  'applying',
  'applied',
  'failed',
  'in-doubt',
  'not-applied',
  'reverting',
  'revert-in-doubt',
  'reverted',
  'rejected',
] as const satisfies readonly ActionState[];

/** States in which the action's simulated effect is part of the overlay. `applied` has left it for the ground. */
export const LIVE_STATES: ReadonlySet<ActionState> = new Set<ActionState>([
  'pending',
  'approved',
  'held',
  'applying',
  'failed',
  'in-doubt',
  'not-applied',
]);

/** States before the commit point: the action can still be stopped without a trace in the world. */
export const UNCOMMITTED_STATES: ReadonlySet<ActionState> = new Set<ActionState>([
  'pending',
  'approved',
  'held',
  'failed',
  'not-applied',
]);

export function isLive(action: Action): boolean {
  return LIVE_STATES.has(action.state);
}
