import type { JsonObject } from '../base/canonical-json.ts';
import type { Action, ActionState } from './action.ts';
import type { EffectClass } from './content.ts';
import type { ActionId, Digest, HomeId, SessionId, WorkspaceId } from './ids.ts';
import type { SignedText } from './signed-text.ts';

/** All the owner's own programs can do through the owner door: the command line today, panel links in part 2. */
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
  /** Ends the home: nothing new begins, what is in flight is finished first. */
  down(): Promise<{ readonly pid: number }>;
  close(): Promise<void>;
}

export interface HomeStatus {
  readonly homeId: HomeId;
  readonly pid: number;
  readonly version: string;
  readonly stateDir: string;
  readonly mcpUrl: string | null;
  readonly panelUrl: string | null;
  readonly relayUrl: string | null;
  readonly workspaces: readonly WorkspaceStatus[];
}

export interface WorkspaceStatus {
  readonly id: WorkspaceId;
  readonly root: string;
  readonly fence: number;
  readonly open: number;
  readonly quarantine: string | null;
  readonly sessions: readonly {
    readonly id: SessionId;
    readonly client: string;
    readonly level: Level;
    readonly connected: boolean;
  }[];
}

/** Architecture 11. */
export type Level = 'contained' | 'hooked' | 'advisory';

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
  readonly changeSet: string;
  /** Milliseconds since 1970: when it was proposed. */
  readonly atMs: number;
}

export interface ActionDetail {
  readonly row: QueueRow;
  readonly action: Action;
  /** What would fall with a reject, and what must be looked at again (CA-1). */
  readonly falls: readonly ActionId[];
  readonly lookAgain: readonly ActionId[];
  /** Could it be reverted as things stand? `null` for what is not applied (CA-2). */
  readonly revertable: { readonly feasible: boolean; readonly why: string } | null;
  readonly history: readonly {
    readonly seq: number;
    readonly atMs: number;
    readonly kind: string;
    readonly by: string;
    readonly detail: JsonObject;
  }[];
  readonly holds: readonly { readonly hash: Digest; readonly by: string }[];
}
