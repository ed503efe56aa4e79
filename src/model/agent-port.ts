import type { ActionState } from './action.ts';
import type { ActionId } from './ids.ts';
import type { Mode } from './standing.ts';
import type { ToolListing, ToolResult } from './tool-result.ts';

/**
 * All an agent can do, whichever way it came in. Nothing here decides, writes a rule or pairs (DC-10).
 * Every method throws `CountersignError`; `closed` means that the home is gone and the call may be repeated later.
 */
export interface AgentPort {
  tools(): Promise<readonly ToolListing[]>;
  call(call: ToolCall): Promise<CallAnswer>;
  status(): Promise<WithNotices<{ readonly queue: QueueStatus }>>;
  /** `reason` is the agent's own words, for the log. */
  withdraw(
    ids: readonly string[],
    reason?: string | null,
  ): Promise<WithNotices<{ readonly results: readonly WithdrawResult[] }>>;
  wait(request: WaitRequest): Promise<WithNotices<{ readonly results: readonly WaitResult[]; readonly room: boolean }>>;
  close(): Promise<void>;
}

/**
 * How a host gives its agent what it must be told although the agent asks nothing (SM-12). Resolves when the agent has
 * got it; a rejection means that it has not. What it carries is for reading, and decides nothing.
 */
export type Wake = (notices: readonly string[]) => Promise<void>;

/** How a session introduces itself (CP-4). */
export interface SessionHello {
  /** The name a person or the agent gave, if any: the same name is the same session. */
  readonly name: string | null;
  readonly client: { readonly name: string; readonly version: string };
  /** The transport's own session id, if it has one. */
  readonly transportId: string | null;
  readonly host: 'mcp';
  /** Absolute path the agent works in; selects the workspace around it. */
  readonly workspaceDir: string;
  /** What its host has it do, where a call does not say (DR-8). Absent: the host has not said anything. */
  readonly mode?: Mode | undefined;
}

export interface ToolCall {
  readonly tool: string;
  readonly arguments: unknown;
  /** The agent's own id of this call, when its host has one that survives a repeat (CP-2). */
  readonly callId: string | null;
  /** The host's word for this call (DR-8): never a part of what the agent writes. */
  readonly mode?: Mode | undefined;
}

/** `notices`: what the agent must be told once, already fenced, oldest first. */
export type WithNotices<T> = T & { readonly notices: readonly string[] };

export type CallAnswer = WithNotices<
  /** Queued and simulated: `result` is what the tool would have answered. */
  | {
      readonly type: 'simulated';
      readonly actionId: ActionId;
      readonly seq: number;
      readonly state: ActionState;
      readonly result: ToolResult;
    }
  /** Cannot be simulated honestly: the agent waits with `wait`. */
  | {
      readonly type: 'awaiting';
      readonly actionId: ActionId;
      readonly seq: number;
      readonly state: ActionState;
      readonly why: string;
    }
  /** A read, or a write that would change nothing. */
  | { readonly type: 'passthrough'; readonly result: ToolResult }
  /** Nothing was queued. `code` is stable: bad-input, denied, full, plan, rejected, not-found … */
  | { readonly type: 'refused'; readonly code: string; readonly why: string }
>;

export interface QueueStatus {
  readonly session: string;
  readonly open: number;
  readonly openMax: number;
  readonly actions: readonly QueueLine[];
}

export interface QueueLine {
  readonly id: ActionId;
  readonly seq: number;
  readonly state: ActionState;
  readonly title: string;
  readonly attention: string | null;
  readonly waitsFor: readonly ActionId[];
}

export interface WithdrawResult {
  readonly id: string;
  readonly result: 'withdrawn' | 'refused';
  readonly why: string | null;
  /** What fell with it. */
  readonly fell: readonly ActionId[];
}

export interface WaitRequest {
  /** Empty: every open action of the session. */
  readonly ids: readonly string[];
  readonly forRoom: boolean;
  /** 0–25,000. */
  readonly timeoutMs: number;
}

export type WaitResult =
  | { readonly id: string; readonly seq: number; readonly outcome: 'undecided'; readonly state: ActionState }
  | {
      readonly id: string;
      readonly seq: number;
      readonly outcome: 'rejected';
      readonly reason: string | null;
      readonly fell: readonly ActionId[];
    }
  | { readonly id: string; readonly seq: number; readonly outcome: 'applied'; readonly result: ToolResult }
  | { readonly id: string; readonly seq: number; readonly outcome: 'failed' | 'in-doubt'; readonly why: string }
  | { readonly id: string; readonly seq: null; readonly outcome: 'unknown'; readonly why: string };
