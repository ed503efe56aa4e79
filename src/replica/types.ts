import type { EpochMs } from '../base/clock.ts';
import type { JsonObject } from '../base/canonical-json.ts';
import type { Card } from '../model/card.ts';
import type { ActionContent } from '../model/content.ts';
import type { DecisionKind, ItemKind, Right } from '../model/decision.ts';
import type { ActionId, DeviceId, Digest, HomeId, RuleId, SessionId, WorkspaceId } from '../model/ids.ts';
import type {
  LedgerAction,
  LedgerDevice,
  LedgerKind,
  LedgerRule,
  LedgerSession,
  LedgerStanding,
} from '../model/ledger.ts';
import type { RuleWish } from '../model/rules.ts';
import type { Mode } from '../model/standing.ts';
import type { CloseReason } from '../sync/close-codes.ts';

/** One device's copy of a home: what is published, what was decided on any device, and the way to decide. */
export interface Replica {
  readonly home: HomeId;
  readonly device: DeviceId;
  /** The present, as one immutable value. The same object until something changes. */
  snapshot(): Snapshot;
  /** Runs after every change, coalesced to one a turn; answers how to end it. */
  subscribe(listener: () => void): () => void;
  /** The card of an action, checked against its digest. Fetches what is not here yet. */
  detail(workspace: WorkspaceId, id: ActionId): Promise<Detail>;
  /** What a wish would do, before it is signed: what is left out and why, what falls, what must be looked at again. */
  look(wish: Wish): Look;
  /** Signs the wish for what the actions are now and saves it durably on this device (DC-6). Throws: `storage`, `full`, `denied`, `stale`. */
  decide(wish: Wish): Promise<readonly Outgoing[]>;
  /** Signs what a person sets for the workspace, and saves it as `decide` does. Throws: the same. */
  set(setting: Setting): Promise<readonly Outgoing[]>;
  /** The audit log, newest first, as far as it is here; `verify` checks all of it on this device. */
  audit(workspace: WorkspaceId): AuditLog;
  /** Tries to connect now rather than after its pause. */
  reconnect(): void;
  close(): Promise<void>;
}

export interface Snapshot {
  /** Grows with every change. */
  readonly number: number;
  readonly right: Right;
  readonly nickname: string | null;
  readonly connection: Connection;
  /** Why decisions might not outlive this page; `null` where the storage is durable (F7). */
  readonly volatile: string | null;
  /** This window sends the device's decisions; the others only save them. */
  readonly sending: boolean;
  /** Decisions of this device without a receipt, oldest first, then those refused since it started. */
  readonly outgoing: readonly Outgoing[];
  readonly alarms: readonly Alarm[];
  readonly workspaces: readonly WorkspaceView[];
}

export interface Connection {
  readonly state: 'online' | 'connecting' | 'offline';
  /** Why the relay turned it away, for a person; `null` while nothing is wrong. */
  readonly trouble: { readonly reason: CloseReason | 'unreachable'; readonly sentence: string } | null;
}

/** Something a person must know: a forked or rolled-back log, a damaged ledger, a side that is too old. */
export interface Alarm {
  readonly kind: 'fork' | 'rollback' | 'damaged' | 'too-new' | 'frozen' | 'revoked';
  readonly workspace: WorkspaceId | null;
  readonly sentence: string;
}

export interface WorkspaceView {
  readonly id: WorkspaceId;
  readonly name: string;
  readonly root: string;
  readonly quarantine: string | null;
  /** Everything moved under these at once (GM-4), in the order of places; what is decided about them names each. */
  readonly moved: { readonly why: string; readonly actions: readonly ActionId[] } | null;
  /** `online`: a heartbeat came within the last 45 s. `heartbeatAtMs`: the authority's own clock at the newest. */
  readonly runtime: { readonly state: 'online' | 'asleep' | 'unknown'; readonly heartbeatAtMs: EpochMs | null };
  /** `none`: nothing is here yet · `cache`: as it was when last seen · `live`. */
  readonly loaded: 'none' | 'cache' | 'live';
  /** Why nothing of it can be shown or decided; `null` when all is well. */
  readonly trouble: string | null;
  readonly sessions: readonly LedgerSession[];
  readonly devices: ReadonlyMap<DeviceId, LedgerDevice>;
  /** What people have set; `null` while that is not known here. */
  readonly standing: LedgerStanding | null;
  /** Rules in force, oldest first, and the kinds of action they can be about. */
  readonly rules: readonly LedgerRule[];
  readonly kinds: readonly LedgerKind[];
  /** Open actions in the order of their places. */
  readonly open: readonly ActionView[];
  /** Settled ones, newest first. */
  readonly settled: readonly ActionView[];
}

export interface ActionView {
  readonly record: LedgerAction;
  /** What was decided about it on any device and is not settled by the runtime yet (PN-1), oldest first. */
  readonly claims: readonly Claim[];
  /** What must be applied, held or rejected before it, from the front (DR-1). */
  readonly waitsFor: readonly ActionId[];
  /** Is everything a person must see here? `lost`: the relay has not got it. Only `here` can be approved. */
  readonly card: 'here' | 'coming' | 'lost';
}

/** One device's decision on one action, from its inbox; its signature was checked. */
export interface Claim {
  readonly device: DeviceId;
  readonly nickname: string;
  readonly own: boolean;
  readonly n: number;
  readonly kind: ItemKind;
  readonly note: string | null;
  readonly state: DecisionState;
  readonly why: string | null;
}

/** DC-6. `refused`: the runtime answered that it will not count, and why. */
export type DecisionState = 'saved' | 'sent' | 'received' | 'refused';

export interface Wish {
  readonly workspace: WorkspaceId;
  readonly kind: ItemKind;
  readonly ids: readonly ActionId[];
  /** Digests of what the person was shown. One that has changed since is left out rather than decided unseen (DC-1). */
  readonly shown?: ReadonlyMap<ActionId, Digest>;
  readonly body?: JsonObject;
  /** The person's words: why, or what to do instead. */
  readonly note?: string;
}

/** What a person can set for a workspace, beside what they decide about single actions. */
export type Setting = { readonly workspace: WorkspaceId } & (
  | { readonly kind: 'rule.add'; readonly rule: RuleWish }
  | { readonly kind: 'rule.remove'; readonly rule: RuleId }
  | { readonly kind: 'mode'; readonly mode: Mode }
  /** `null`: the whole workspace. */
  | { readonly kind: 'pause' | 'resume'; readonly session: SessionId | null }
);

export interface Look {
  /** What the decision would name, in the order of places. */
  readonly included: readonly ActionId[];
  readonly excluded: readonly { readonly id: ActionId; readonly why: string }[];
  /** Falls with it (CA-1). Empty for what rejects nothing. */
  readonly falls: readonly ActionId[];
  /** Must be looked at again, because its session saw what goes. */
  readonly lookAgain: readonly ActionId[];
  /** Goes back before them, because it stands on them; the last that was done first (CA-4). Empty for all but a revert. */
  readonly takesBack: readonly ActionId[];
  /** What the body of a revert names that means `takesBack` and `included`; `null` where nothing else goes back. */
  readonly planHash: Digest | null;
  /** The lists were cut in the ledger; there may be more. */
  readonly more: boolean;
}

/** One saved decision. */
export interface Outgoing {
  readonly workspace: WorkspaceId;
  readonly n: number;
  readonly kind: DecisionKind;
  readonly ids: readonly ActionId[];
  readonly state: DecisionState;
  readonly why: string | null;
}

export type Detail =
  | { readonly type: 'lost'; readonly why: string }
  | {
      readonly type: 'card';
      readonly card: Card;
      readonly content: ActionContent;
      readonly reversibleWhy: string;
      /** The bytes of a hash named in the content, checked. Throws: `not-found` when the relay has not got them. */
      readonly blob: (hash: Digest) => Promise<Uint8Array>;
    };

export interface AuditLog {
  /** Entries known to exist. */
  readonly size: number;
  /** Newest first, from below `before` (or the newest). Fetches tiles as they are needed. */
  page(options: { readonly before?: number; readonly limit: number }): Promise<readonly AuditLine[]>;
  /** Chain, checkpoints and signatures, all of it, on this device. */
  verify(onProgress: (done: number, of: number) => void): Promise<AuditVerdict>;
}

export interface AuditLine {
  readonly seq: number;
  readonly atMs: EpochMs;
  readonly kind: string;
  /** `#12` of the action it is about. */
  readonly n: number | null;
  readonly by: string;
  readonly why: string | null;
}

export type AuditVerdict =
  | { readonly result: 'ok'; readonly entries: number }
  | { readonly result: 'tampered' | 'incomplete' | 'fork'; readonly entries: number; readonly why: string };
