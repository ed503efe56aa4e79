import type { EpochMs } from '../base/clock.ts';
import type { JsonObject } from '../base/canonical-json.ts';
import type { Digest } from '../model/ids.ts';
import type { ActionContent, ActionKind, EffectClass, Precondition, Resource, Verdict } from '../model/content.ts';
import type { Applied, Intent, OverlayWrite } from '../model/action.ts';
import type { JournalRow } from '../model/event.ts';
import type { CardTemplate } from '../model/card.ts';
import type { ToolListing, ToolResult } from '../model/tool-result.ts';
import type { OverlayView, OverlayWriter } from '../overlay/types.ts';

// ---- Surface: the author's side -------------------------------------------------------------------------------

/** A tool, and the only judge of its arguments. `parse` throws `bad-input` with a sentence that names the field. */
export interface ToolDefinition<Args> extends ToolListing {
  parse(input: unknown): Args;
}

/** What the author says of one call, before anything is simulated. */
export interface Described {
  /** The normal form that `apply` gets: explicit, complete, independent of the agent. Bytes as `BlobRef`. */
  readonly effect: JsonObject;
  readonly preconditions: readonly Precondition[];
  readonly writes: readonly Resource[];
  readonly effectClass: EffectClass;
  /** E2: how long whoever gets the idempotency key remembers it. Without it nobody counts on the key. */
  readonly keyWindowMs?: number;
  readonly reversible: boolean;
  readonly reversibleWhy: string;
  readonly awaitDecision: boolean;
  readonly verdict: Verdict;
  /** A lane of its own for an action that depends on no workspace state; `null` for the session's lane. */
  readonly lane: string | null;
  /** True when the call would change nothing: it succeeds and no action is made (CP-2). */
  readonly unchanged: boolean;
}

export interface ApplyContext {
  readonly content: ActionContent;
  readonly intent: Intent;
  readonly blob: (hash: Digest) => Uint8Array;
}

export type Outcome =
  /**
   * `result`: the tool's own answer; `actual`: what stands now where the simulation put something, in its own terms.
   * Both are compared with the simulation (SM-5); `drift` is what the surface itself has to say of that.
   */
  | {
      readonly type: 'applied';
      readonly evidence: JsonObject;
      readonly drift: string | null;
      readonly result?: ToolResult;
      readonly actual?: readonly OverlayWrite[];
    }
  | { readonly type: 'failed'; readonly why: string }
  | { readonly type: 'in-doubt'; readonly why: string };

export type Probed =
  | { readonly answer: 'applied'; readonly evidence: JsonObject }
  /** `final`: what was asked for can no longer happen, so that doing it again cannot make it happen twice (E3). */
  | { readonly answer: 'not-applied'; readonly why: string; readonly final?: boolean }
  | { readonly answer: 'unknown'; readonly why: string };

/** What a transactional effect (E0) keeps: values of one surface pack, in the journal's own transactions. */
export interface Rows {
  get(key: string): JsonObject | undefined;
}

export interface RowsWriter extends Rows {
  put(key: string, value: JsonObject): void;
  drop(key: string): void;
}

/** What a transaction comes to: there is no doubt about one. */
export type Transacted = Extract<Outcome, { readonly type: 'applied' | 'failed' }>;

export type RevertOutcome =
  | { readonly type: 'reverted' }
  | { readonly type: 'refused'; readonly why: string; readonly canRetry: boolean }
  | { readonly type: 'in-doubt'; readonly why: string };

/** DR-6 seen from the surface: is the world still as the action expects it? */
export type Look = { readonly type: 'ready' } | { readonly type: 'moved'; readonly why: string };

export type Reissued =
  | { readonly type: 'reissued'; readonly described: Described; readonly why: string }
  | { readonly type: 'conflict'; readonly why: string };

/** How the ground's own change is met: merged with it, or written over it as the person chose (semantics 7a). */
export type ReissueMode = 'merge' | 'theirs';

/**
 * One kind of effect. What an author leaves out has the safe meaning: no `simulate` → await a decision,
 * no `probe` → E4, no `revert` → not reversible, no `look` → nothing to check, no `reissue` → conflict.
 */
export interface Surface<Args = never> {
  readonly kind: ActionKind;
  readonly tool: ToolDefinition<Args>;
  readonly card: CardTemplate;
  /**
   * What it makes whose real name is known only afterwards: by name, a JSON pointer into `{ evidence, result }` of
   * what `apply` answered. Only what is declared here ever takes the place of a reference (SM-4).
   */
  readonly outputs?: Readonly<Record<string, string>>;
  describe(args: Args, overlay: OverlayWriter): Promise<Described>;
  /** Puts the effect into the overlay and answers what the agent's tool would have answered. */
  simulate?(effect: JsonObject, overlay: OverlayWriter): Promise<ToolResult>;
  look?(context: Pick<ApplyContext, 'content' | 'blob'>): Promise<Look>;
  apply(context: ApplyContext, signal: AbortSignal): Promise<Outcome>;
  /** E0, in place of `apply`: what it puts is stored with intent and outcome, all or nothing. Waits for nothing. */
  applyInTransaction?(context: ApplyContext, rows: RowsWriter): Transacted;
  /**
   * Are these, each over the one before it, one effect? Then the content of that effect, from before the first to after
   * the last: it is applied, looked for and answered for in place of them. Only for what compares and sets (E1).
   */
  coalesce?(contents: readonly ActionContent[]): ActionContent | null;
  probe?(context: ApplyContext): Promise<Probed>;
  /** Describes the same arguments against the present world. `overlay` shows what stands before the action in its lane. */
  reissue?(content: ActionContent, overlay: OverlayWriter, mode: ReissueMode): Promise<Reissued>;
  revert?(context: ApplyContext & { readonly applied: Applied }, signal: AbortSignal): Promise<RevertOutcome>;
  /** E0, in place of `revert`. */
  revertInTransaction?(
    context: ApplyContext & { readonly applied: Applied },
    rows: RowsWriter,
  ): Extract<RevertOutcome, { readonly type: 'reverted' | 'refused' }>;
  canRevert?(
    context: Omit<ApplyContext, 'intent'> & { readonly applied: Applied },
  ): Promise<{ readonly feasible: boolean; readonly why: string }>;
}

/** A tool that changes nothing: it reads through the overlay. */
export interface ReadTool<Args = never> {
  readonly tool: ToolDefinition<Args>;
  read(args: Args, view: OverlayView): Promise<ToolResult>;
}

/** A world that can be exchanged as a whole under all pending work (GM-4): a checkout, a formatter over every file. */
export interface GroundPort {
  /** The precondition by which an action records which world it is of (GM-5). */
  readonly resource: Resource;
  /** What that precondition has to expect now; `undefined` where the world has no name. Asked often: it is cheap. */
  now(): string | undefined;
  /** For a person. */
  nameOf(expect: string): string;
  /** A stamp of what stands at a resource, another one after every change; `undefined` for what is of another world. */
  stamp(resource: Resource): GroundStamp | undefined;
}

export interface GroundStamp {
  /** When it was changed last. */
  readonly atMs: EpochMs;
  readonly mark: string;
}

/** What one folder of `surfaces/` offers: its effects and its reads, over one world. */
export interface SurfacePack {
  readonly name: string;
  readonly surfaces: readonly Surface[];
  readonly reads: readonly ReadTool[];
  /** For a world that can move under everything at once. */
  readonly ground?: GroundPort;
  /** Called once, before anything else: what its transactional effects (E0) have kept. */
  open?(rows: Rows): void;
}

// ---- Journal ---------------------------------------------------------------------------------------------------

/**
 * The tables of current values. Each equals a fold of the rows; they exist so that boot does not read history. `doc` is
 * what was published of them: documents as their updates, for a room that was damaged is made anew and not repaired.
 */
export type RecordTable =
  | 'action'
  | 'session'
  | 'sighting'
  | 'stance'
  | 'device'
  | 'receipt'
  | 'notice'
  /** What transactional effects keep, by pack. */
  | 'row'
  | 'standing'
  | 'meta'
  | 'doc';

export interface JournalRecord {
  readonly table: RecordTable;
  readonly key: string;
  /** Sorts records of a table, for paging newest first. */
  readonly order: number;
  /** Read at boot. A settled action's record is kept, but not live. */
  readonly live: boolean;
  /** Canonical bytes; of `doc` the bytes of an update. */
  readonly value: Uint8Array;
}

export interface JournalBatch {
  readonly rows: readonly JournalRow[];
  readonly puts: readonly JournalRecord[];
  readonly drops: readonly { readonly table: RecordTable; readonly key: string }[];
  readonly blobs: readonly { readonly hash: Digest; readonly bytes: Uint8Array }[];
  /** Holds the outcome of an effect under way: on a full disk it is written from the journal's reserve (F2). */
  readonly urgent?: boolean;
}

/** What opening found (EF-7). */
export type JournalHealth =
  | { readonly state: 'sound' }
  /** Rows after `witnessed` were committed, but their head records are not durable: intents among them never began. */
  | { readonly state: 'ahead'; readonly witnessed: number }
  /** Nothing may drain. `doubtful` names `#seq`/attempt of intents the head log knows and the database has lost. */
  | {
      readonly state: 'quarantined';
      readonly why: string;
      readonly doubtful: readonly { readonly actionSeq: number; readonly attempt: number; readonly revert?: true }[];
    };

/**
 * The durable truth of one workspace, or of the home. One writer at a time.
 *
 * Throws (`commit`): `full` when the disk is full and nothing was stored; `storage` when it is unknown what was
 * stored, after which every call throws: the process must stop (EF-5).
 */
export interface Journal {
  readonly health: JournalHealth;
  /** True when what is committed survives the process. */
  readonly durable: boolean;
  head(): { readonly seq: number; readonly root: Uint8Array };
  /** Resolves when all of it is durable and witnessed by the head log. All or nothing. */
  commit(batch: JournalBatch): Promise<void>;
  rows(fromSeq: number, limit: number): readonly JournalRow[];
  /** The newest rows about `#12`, oldest first. Costs what it returns, however long the history is. */
  rowsOf(actionSeq: number, limit: number): readonly JournalRow[];
  record(table: RecordTable, key: string): JournalRecord | undefined;
  liveRecords(table: RecordTable): readonly JournalRecord[];
  /** Newest first, by `order`. */
  recordsBefore(table: RecordTable, order: number, limit: number): readonly JournalRecord[];
  blob(hash: Digest): Uint8Array | undefined;
  close(): Promise<void>;
}
