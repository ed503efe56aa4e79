import type { JsonObject } from '../base/canonical-json.ts';
import type { Action, ActionState } from './action.ts';
import type { EffectClass } from './content.ts';
import type { Right } from './decision.ts';
import type { ActionId, DeviceId, Digest, HomeId, RuleId, SessionId, WorkspaceId } from './ids.ts';
import type { RuleKind } from './rule-text.ts';
import type { SignedText } from './signed-text.ts';
import type { Mode } from './standing.ts';

/** All the owner's own programs can do through the owner door. */
export interface OwnerPort {
  status(): Promise<HomeStatus>;
  /** Starts guarding this folder, or answers the workspace that already does. */
  openWorkspace(request: {
    readonly dir: string;
    readonly adopt: boolean;
    readonly exclusive: boolean;
  }): Promise<WorkspaceStatus>;
  queue(request: { readonly workspace: WorkspaceId; readonly all: boolean }): Promise<readonly QueueRow[]>;
  show(request: { readonly workspace: WorkspaceId; readonly id: ActionId }): Promise<ActionDetail>;
  blob(request: { readonly workspace: WorkspaceId; readonly hash: Digest }): Promise<{ readonly base64: string }>;
  /** The newest signed heartbeat, for a decision's `seen`. */
  heartbeat(request: { readonly workspace: WorkspaceId }): Promise<SignedText>;
  /** Takes signed decisions in order. One receipt a decision, signed by the home. */
  decide(request: {
    readonly workspace: WorkspaceId;
    readonly decisions: readonly SignedText[];
  }): Promise<{ readonly receipts: readonly SignedText[] }>;
  /** Answers when one of these actions has left the state given for it, or after `timeoutMs` (≤ 25,000). */
  waitForChange(request: {
    readonly workspace: WorkspaceId;
    readonly known: Readonly<Record<string, ActionState>>;
    readonly timeoutMs: number;
  }): Promise<readonly QueueRow[]>;
  /** What people have set for a workspace, and what rules can be about. */
  standing(request: { readonly workspace: WorkspaceId }): Promise<StandingView>;
  /**
   * A new link that makes a browser of this machine a device, once. Its right is the command line's present one; while
   * no session is live, `up` gives every right.
   */
  panelLink(request: { readonly by: 'up' | 'panel' }): Promise<PanelLink>;
  /** Everyone in the roster. */
  devices(): Promise<readonly DeviceRow[]>;
  /** Throws: `denied` while the command line's present right is below `approve-all`. */
  revokeDevice(request: { readonly device: DeviceId }): Promise<DeviceRow>;
  /** Throws: `denied` as above, and for a right above the command line's own. */
  setDeviceRight(request: { readonly device: DeviceId; readonly right: Right }): Promise<DeviceRow>;
  /** `null`: the workspace is in no quarantine. */
  quarantine(request: { readonly workspace: WorkspaceId }): Promise<QuarantineView | null>;
  /**
   * Goes on from what the workspace's database holds, at a new fence (EF-7). Throws: `denied` while the command line's
   * present right is below `approve-all`, or there is no quarantine; `quarantined` when only a backup helps.
   */
  leaveQuarantine(request: { readonly workspace: WorkspaceId }): Promise<WorkspaceStatus>;
  /** Ends the home: nothing new begins, what is in flight is finished first. */
  down(): Promise<{ readonly pid: number }>;
  close(): Promise<void>;
}

/** `quarantine show --json`. */
export interface QuarantineView {
  readonly why: string;
  /** Had begun, and what became of it is not known. `known`: what is left of it, if anything is. */
  readonly doubtful: readonly {
    readonly seq: number;
    readonly attempt: number;
    readonly known: { readonly title: string; readonly state: ActionState } | null;
  }[];
}

export interface HomeStatus {
  readonly homeId: HomeId;
  readonly pid: number;
  readonly version: string;
  readonly stateDir: string;
  readonly mcpUrl: string | null;
  /** The panel's address, without a secret: it opens what is enrolled already. */
  readonly panelUrl: string;
  /** The WebSocket origin of the relay that this home is connected to. */
  readonly relayUrl: string;
  readonly relay: RelayStatus;
  readonly workspaces: readonly WorkspaceStatus[];
}

export interface RelayStatus {
  /** It runs inside this home. */
  readonly embedded: boolean;
  readonly connected: boolean;
  /** Why it is not reached, in a sentence; `null` while nothing is wrong. */
  readonly trouble: string | null;
}

/** `panel --json`. */
export interface PanelLink {
  readonly url: string;
  readonly right: Right;
}

/** `devices ls --json`, one a line. */
export interface DeviceRow {
  readonly id: DeviceId;
  readonly nickname: string;
  readonly right: Right;
  readonly revoked: boolean;
  /** The command line itself. */
  readonly self: boolean;
  /** A window of it is connected now; `null` where this home cannot tell. */
  readonly online: boolean | null;
}

export interface WorkspaceStatus {
  readonly id: WorkspaceId;
  readonly root: string;
  readonly fence: number;
  readonly open: number;
  readonly quarantine: string | null;
  /** Everything moved under these at once (GM-4): nothing of their lanes is applied until they are decided about. */
  readonly moved: { readonly why: string; readonly actions: readonly ActionId[] } | null;
  readonly sessions: readonly {
    readonly id: SessionId;
    readonly client: string;
    readonly level: Level;
    readonly connected: boolean;
    /** Its host can wake it; where not, it is told of what is decided at its next call (SM-12). */
    readonly wakes: boolean;
    /** At four fifths of what may wait at once: the sentence that says so (CP-1). */
    readonly nearlyFull: string | null;
  }[];
}

/** What people have set for a workspace, as they read it. Names are nicknames of devices. */
export interface StandingView {
  readonly mode: Mode;
  /** Who set it, and when; `null` while nobody did. */
  readonly modeBy: string | null;
  readonly modeAtMs: number | null;
  /** Sessions that are in plan mode by their host's word. */
  readonly hostPlans: readonly SessionId[];
  /** `session: null`: the whole workspace. */
  readonly pauses: readonly { readonly session: SessionId | null; readonly by: string; readonly atMs: number }[];
  readonly rules: readonly RuleRow[];
  readonly kinds: readonly RuleKind[];
}

/** `rules ls --json`, one a line. */
export interface RuleRow {
  readonly id: RuleId;
  readonly kind: string;
  /** The rule in its own words, as it was signed. */
  readonly text: string;
  readonly by: string;
  readonly uses: number;
  readonly usesMax: number | null;
  readonly addedAtMs: number;
  readonly expiresAtMs: number | null;
}

/** Architecture 11. */
export type Level = 'contained' | 'hooked' | 'advisory';

/** What keeps an approved action from beginning: its grace period, a pause, plan mode, or files that moved at once. */
export type GateCode = 'bulk' | 'grace' | 'paused' | 'plan-mode' | 'ground-moved';

/** `queue --json`, one a line. Field names are stable: scripts rely on them. */
export interface QueueRow {
  readonly id: ActionId;
  readonly seq: number;
  readonly session: SessionId;
  readonly level: Level;
  readonly kind: string;
  readonly tool: string;
  readonly state: ActionState;
  readonly title: string;
  readonly target: string;
  readonly digest: Digest;
  readonly effectClass: EffectClass;
  readonly reversible: boolean;
  readonly verdict: { readonly autoApprovable: boolean; readonly reason: string };
  /** Why it stands where it stands, in a sentence; `null` when there is nothing to say. */
  readonly why: string | null;
  readonly attention: { readonly kind: string; readonly entry: number; readonly why: string } | null;
  readonly needs: readonly ActionId[];
  readonly saw: readonly ActionId[];
  readonly waitsFor: readonly ActionId[];
  /** Why an approved action does not begin yet although its turn may have come; `untilMs`: when that ends by itself. */
  readonly gate: { readonly code: GateCode; readonly untilMs: number | null } | null;
  /** Later evidence denied what a person settled: an alarm, until a person has answered it (EF-6). */
  readonly contradicted: boolean;
  /** An attempt was given up for lost: no approval lets it be tried again, only a retry that says yes to that (EF-6). */
  readonly mayHappenTwice: boolean;
  readonly changeSet: string;
  /** Milliseconds since 1970: when it was proposed. */
  readonly atMs: number;
}

/** What reverting an applied action takes back, the last that was done first (CA-4). */
export interface RevertPlanShown {
  /** What a decision names that means this list (`planHash`). */
  readonly hash: Digest;
  readonly steps: readonly {
    readonly id: ActionId;
    readonly seq: number;
    readonly title: string;
    readonly feasible: boolean;
    readonly why: string;
  }[];
  /** Needs one of them and is in the middle of something: nothing can be taken back before that has ended. */
  readonly inTheWay: readonly { readonly id: ActionId; readonly seq: number; readonly state: ActionState }[];
}

export interface ActionDetail {
  readonly row: QueueRow;
  readonly action: Action;
  /** What would fall with a reject, and what must be looked at again (CA-1). */
  readonly falls: readonly ActionId[];
  readonly lookAgain: readonly ActionId[];
  /** Could it be reverted as things stand? `null` for what is not applied (CA-2). */
  readonly revertable: { readonly feasible: boolean; readonly why: string } | null;
  /** All of it that would go back; `null` as above. */
  readonly revertPlan: RevertPlanShown | null;
  readonly history: readonly {
    readonly seq: number;
    readonly atMs: number;
    readonly kind: string;
    readonly by: string;
    readonly detail: JsonObject;
  }[];
  readonly holds: readonly { readonly hash: Digest; readonly by: string }[];
}
