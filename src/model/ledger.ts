import type { EpochMs } from '../base/clock.ts';
import type { ActionState, Attention, RejectedBecause } from './action.ts';
import type { CardTemplate } from './card.ts';
import type { ActionContent, BlobRef, EffectClass, Verdict } from './content.ts';
import type { Right } from './decision.ts';
import type { ActionId, DeviceId, Digest, RuleId, SessionId, WorkspaceId } from './ids.ts';
import type { Level } from './owner-port.ts';
import type { RuleKind } from './rule-text.ts';
import type { SignedText } from './signed-text.ts';
import type { Mode } from './standing.ts';

/**
 * What the authority publishes of a workspace, record by record. Of two records with one `id` the one with the higher
 * `rev` counts. Each is signed by the home and sealed with the workspace's content key before it leaves the runtime.
 */
export type LedgerRecord =
  | LedgerAction
  | LedgerSession
  | LedgerWorkspace
  | LedgerStanding
  | LedgerRule
  | LedgerKind
  | LedgerDevice
  | LedgerReceipt
  | LedgerSum;

export const LEDGER_LIMITS = {
  /** Bytes of one record as canonical JSON. What is larger is a blob. Most have 500 to 900. */
  recordBytesMax: 8 * 1024,
  /** Open actions, and settled ones kept beside them, newest first. */
  openMax: 10_000,
  settledMax: 500,
  /** Bytes of a ledger document; a larger one goes on in a new room. */
  documentBytesMax: 16 * 1024 * 1024,
  /** Ranges of numbers in `needs` or `saw`; a longer list ends with `more`. */
  rangesMax: 64,
  /** UTF-8 bytes of a text of the runtime in a record (a title, a reason). */
  textBytesMax: 1024,
  /** Kinds of action that rules can be about, and fields of the card of one: a kind with more is left to people. */
  kindsMax: 256,
  kindFieldsMax: 16,
} as const;

interface RecordCommon {
  readonly v: 1;
  readonly rev: number;
}

/** Numbers `#from` to `#to`, both included. */
export type SeqRange = readonly [from: number, to: number];

/** Some actions by number. `more`: the list was cut, so that whoever shows it must say so. */
export interface SeqSet {
  readonly ranges: readonly SeqRange[];
  readonly more: boolean;
}

/** One action as a list shows it. The card is made by the device, from `file`. */
export interface LedgerAction extends RecordCommon {
  readonly type: 'action';
  readonly id: ActionId;
  readonly seq: number;
  readonly place: number;
  readonly lane: string;
  readonly state: ActionState;
  readonly title: string;
  readonly target: string;
  readonly digest: Digest;
  /** The kind's tag. */
  readonly kind: string;
  readonly tool: string;
  readonly effectClass: EffectClass;
  readonly reversible: boolean;
  readonly awaitDecision: boolean;
  /** False for a card that cannot be made from a template: never in *approve all*. */
  readonly inspectable: boolean;
  readonly verdict: Verdict;
  readonly session: SessionId;
  readonly root: SessionId;
  readonly turn: number;
  readonly proposedAtMs: EpochMs;
  readonly changedAtMs: EpochMs;
  /** What must be looked at again now. */
  readonly attention: Attention | null;
  /** The entry that raised its newest attention, which an approval must name (DC-12); `null` when none was raised. */
  readonly attentionEntry: number | null;
  readonly why: string | null;
  readonly needs: SeqSet;
  readonly saw: SeqSet;
  /** Holds that stand on it: a release must name their hashes (DC-3). */
  readonly holds: readonly { readonly hash: Digest; readonly device: DeviceId }[];
  /** Who decided what it is now; `null` while nobody did. */
  readonly by: LedgerActor | null;
  /** For a rejected one. */
  readonly because: RejectedBecause | null;
  readonly reason: string | null;
  /** What was remarked at its outcome: drift, why a revert did not happen. */
  readonly remark: string | null;
  /** Attempts of its effect begun so far; of a revert in doubt the number of that revert, which a settle names (EF-2). */
  readonly attempts: number;
  /** A retry could make it happen twice (EF-6). */
  readonly mayHappenTwice: boolean;
  /** Later evidence denied what a person settled (EF-6): an alarm, and what stands behind it in its lane waits. */
  readonly contradicted: boolean;
  /** Could it be reverted when this was published? `null` for what is not applied (CA-2). */
  readonly revertable: { readonly feasible: boolean; readonly why: string } | null;
  /** Approved and cannot be undone: until then, by the runtime's clock, it can still be stopped (DR-5). */
  readonly graceUntilMs: EpochMs | null;
  /** The action's file, as a blob. */
  readonly file: BlobRef;
}

export type LedgerActor =
  | { readonly type: 'device'; readonly device: DeviceId; readonly n: number }
  /** The rule may be gone by now. */
  | { readonly type: 'rule'; readonly rule: string }
  | { readonly type: 'session' | 'authority' };

/** What a device needs to make the card and to check the digest. A blob of canonical JSON. */
export interface ActionFile {
  readonly v: 1;
  /** Its digest is the action's: what is shown is what is countersigned. */
  readonly content: ActionContent;
  /** `null`: it cannot be inspected. */
  readonly card: CardTemplate | null;
  readonly reversibleWhy: string;
}

export interface LedgerSession extends RecordCommon {
  readonly type: 'session';
  readonly id: SessionId;
  /** What its client calls itself, and the name it was started with. */
  readonly client: string;
  readonly name: string | null;
  readonly level: Level;
  readonly connected: boolean;
  readonly openedAtMs: EpochMs;
  /** Its host can wake its agent; where not, the agent is told of a decision at its next call (SM-12). */
  readonly wakes: boolean;
  /** At four fifths of what may wait at once: the sentence that says so (CP-1). */
  readonly nearlyFull: string | null;
}

export interface LedgerWorkspace extends RecordCommon {
  readonly type: 'workspace';
  readonly id: WorkspaceId;
  /** The folder's own name, and its whole path. */
  readonly name: string;
  readonly root: string;
  readonly quarantine: string | null;
  readonly open: number;
  /** Everything moved under these at once (GM-4): their lanes wait until they are decided about, or the files are back. */
  readonly moved: { readonly why: string; readonly actions: SeqSet } | null;
}

/** What people have set for the workspace, beside the rules. */
export interface LedgerStanding extends RecordCommon {
  readonly type: 'standing';
  readonly id: 'standing';
  readonly mode: Mode;
  /** Who set the mode; `null` while nobody did. */
  readonly modeBy: LedgerActor | null;
  readonly modeAtMs: EpochMs | null;
  /** Root sessions whose host has them plan. */
  readonly hostPlans: readonly SessionId[];
  /** `session: null`: the whole workspace. */
  readonly pauses: readonly {
    readonly session: SessionId | null;
    readonly by: LedgerActor;
    readonly atMs: EpochMs;
  }[];
}

export interface LedgerRule extends RecordCommon {
  readonly type: 'rule';
  readonly id: RuleId;
  /** The kind's tag. */
  readonly kind: string;
  /** The rule in its own words, as it was signed. */
  readonly text: string;
  readonly device: DeviceId;
  readonly n: number;
  readonly uses: number;
  readonly usesMax: number | null;
  readonly addedAtMs: EpochMs;
  /** By the authority's clock. */
  readonly expiresAtMs: EpochMs | null;
}

/** One kind of action that rules can be about: what a device needs to make one. */
export interface LedgerKind extends RecordCommon, RuleKind {
  readonly type: 'kind';
  /** `kind:` and the first half of its tool's digest. */
  readonly id: string;
}

export interface LedgerDevice extends RecordCommon {
  readonly type: 'device';
  readonly id: DeviceId;
  readonly nickname: string;
  readonly right: Right;
  /** Taken from the roster: it decides nothing any more, and what it decided keeps a name. */
  readonly removed: boolean;
}

/** The home's receipt for one decision (DC-6), kept until the device has pruned that decision from its inbox. */
export interface LedgerReceipt extends RecordCommon {
  readonly type: 'receipt';
  /** `<device>/<n>`. */
  readonly id: string;
  readonly device: DeviceId;
  readonly n: number;
  /** The receipt, or the blob of its canonical JSON when it is longer than a record may be. */
  readonly receipt: SignedText | BlobRef;
}

/**
 * What the ledger holds, so that a reader sees what was withheld, replayed or put in between: one hash over the
 * bytes of every other record, and how many there are. Changes in every transaction.
 */
export interface LedgerSum extends RecordCommon {
  readonly type: 'sum';
  readonly id: 'sum';
  readonly count: number;
  /** 64 hexadecimal digits. */
  readonly sum: string;
  /** Entries in the audit log when this was published, and the chain root after them. */
  readonly size: number;
  readonly root: Digest;
}
