import { InvariantError } from '../base/assert.ts';
import { CountersignError, messageOf } from '../base/errors.ts';
import type {
  AgentPort,
  CallAnswer,
  QueueStatus,
  ToolCall,
  WaitRequest,
  WaitResult,
  WithdrawResult,
  WithNotices,
} from '../model/agent-port.ts';
import { UNCOMMITTED_STATES, type Action } from '../model/action.ts';
import { CAPS, roomFor, targetsUsed } from '../model/caps.ts';
import { waitsFor } from '../model/drain-plan.ts';
import { parseActionId, type SessionId } from '../model/ids.ts';
import type { Mode } from '../model/standing.ts';
import type { ToolListing, ToolResult } from '../model/tool-result.ts';
import { TrackedView } from '../overlay/tracked.ts';
import { cardOf } from './card-of.ts';
import { presentArguments } from './carry.ts';
import type { Core } from './core.ts';
import { endActions, fellWith } from './ending.ts';
import { propose, type Proposed } from './intake.ts';
import { takeNotices } from './notices.ts';
import { AUTHORITY_LIMITS } from './options.ts';
import { hearHost, planModeOf, planSentence } from './plan-mode.ts';
import type { ReadTool } from './ports.ts';
import { resultOf } from './results.ts';
import type { Session } from './session.ts';

/** One connection of an agent. Nothing here decides anything (DC-10). */
export class AgentSession implements AgentPort {
  readonly #core: Core;
  readonly #id: SessionId;
  readonly #stopping: AbortSignal;
  readonly #moved: () => void;
  /** What the host means where a call does not say; `undefined` while it has never said anything. */
  #usualMode: Mode | undefined;
  readonly #closed: () => void;
  readonly #closing = new AbortController();
  /** Calls that have not been answered yet. */
  #underWay = 0;

  /** `moved`: something was withdrawn, or a rule approved something: what waits can go on. */
  constructor(
    core: Core,
    options: {
      readonly id: SessionId;
      readonly stopping: AbortSignal;
      readonly moved: () => void;
      readonly mode: Mode | undefined;
      /** The connection has ended. */
      readonly closed: () => void;
    },
  ) {
    this.#core = core;
    this.#id = options.id;
    this.#stopping = options.stopping;
    this.#moved = options.moved;
    this.#usualMode = options.mode;
    this.#closed = options.closed;
  }

  // The port is asynchronous because a door may lie between; this end answers at once.
  async tools(): Promise<readonly ToolListing[]> {
    const tools = [...this.#core.surfacesByTool.values(), ...this.#core.reads.values()].map(({ tool }) => tool);
    return tools.map(({ name, title, description, inputSchema, annotations }) => ({
      name,
      title,
      description,
      inputSchema,
      annotations,
    }));
  }

  async call(call: ToolCall): Promise<CallAnswer> {
    const session = this.#session();
    this.#underWay += 1;
    try {
      const answer = await this.#answer(session, call);
      return { ...answer, notices: await this.#due(session) };
    } finally {
      this.#underWay -= 1;
    }
  }

  async status(): Promise<WithNotices<{ readonly queue: QueueStatus }>> {
    const session = this.#session();
    const actions = this.#own(session).map((action) => ({
      id: action.id,
      seq: action.seq,
      state: action.state,
      title: cardOf(this.#core, action).title,
      attention: 'attention' in action ? (action.attention?.kind ?? null) : null,
      waitsFor: waitsFor(this.#core.state, action.id),
    }));
    const queue = { session: session.record.id, open: targetsUsed(session.load), openMax: CAPS.targetsMax, actions };
    return { queue, notices: await this.#due(session) };
  }

  async withdraw(
    ids: readonly string[],
    reason: string | null = null,
  ): Promise<WithNotices<{ readonly results: readonly WithdrawResult[] }>> {
    const session = this.#session();
    this.#refuseInQuarantine();
    const results = ids.map((id) => this.#withdrawOne(session, id, reason));
    await this.#core.commit();
    this.#moved();
    return { results, notices: await this.#due(session) };
  }

  async wait(
    request: WaitRequest,
  ): Promise<WithNotices<{ readonly results: readonly WaitResult[]; readonly room: boolean }>> {
    const core = this.#core;
    const ids =
      request.ids.length > 0 || request.forRoom ? request.ids : this.#own(this.#session()).map((action) => action.id);
    // A look never throws, whatever became of the connection: it runs inside other people's commits.
    const look = (): Looked => {
      const session = core.session(this.#id);
      const results = ids.map((id) => this.#waitResult(session, id));
      return {
        results,
        room: hasRoom(session),
        undecided: results.filter((one) => one.outcome === 'undecided').length,
      };
    };
    const first = look();
    await core.changes.until(
      () => {
        const now = look();
        const settled = ids.length > 0 && (now.undecided < first.undecided || first.undecided === 0);
        const told = core.session(this.#id).notices.length > 0;
        return settled || told || (request.forRoom && now.room) ? true : undefined;
      },
      {
        clock: core.options.clock,
        timeoutMs: Math.min(request.timeoutMs, AUTHORITY_LIMITS.waitMsMax),
        signal: AbortSignal.any([this.#closing.signal, this.#stopping]),
      },
    );
    const { results, room } = look();
    return { results, room, notices: await this.#due(this.#session()) };
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.#closed();
    const session = this.#core.session(this.#id);
    session.connections -= 1;
    this.#core.watch.session(session.record.id);
    this.#core.changes.fire();
    // Nothing of it waits and nobody is there: the journal knows it, and that is enough (CP-3).
    const idle = session.load.steps.size === 0 && session.notices.length === 0 && this.#underWay === 0;
    if (session.connections === 0 && idle) this.#core.state.dropSession(this.#id);
  }

  /** Nobody reads the answer of a connection that is gone: what would stand in it is told to the next one (CP-4). */
  async #due(session: Session): Promise<readonly string[]> {
    return this.#closing.signal.aborted ? [] : takeNotices(this.#core, session);
  }

  #session(): Session {
    if (this.#closing.signal.aborted || this.#stopping.aborted)
      throw new CountersignError('closed', 'Countersign is stopping. Repeat the call when it runs again.');
    return this.#core.session(this.#id);
  }

  #refuseInQuarantine(): void {
    const { health } = this.#core.options.journal;
    if (health.state !== 'quarantined') return;
    throw new CountersignError('quarantined', `Nothing changes while the journal is in quarantine: ${health.why}`);
  }

  /** A host that marks some calls means act mode by the others; one that never said a word is not asked. */
  async #hear(session: Session, { mode }: ToolCall): Promise<void> {
    if (mode !== undefined) this.#usualMode ??= 'act';
    const heard = mode ?? this.#usualMode;
    if (heard === undefined || this.#core.options.journal.health.state === 'quarantined') return;
    if ((await hearHost(this.#core, session, heard)) && heard === 'act') this.#moved();
  }

  /** A host that names no turns: a pause between two calls ends one. */
  #beginTurn(session: Session): void {
    const nowMs = this.#core.nowMs();
    const gapMs = nowMs - session.lastCallAtMs;
    if (session.lastCallAtMs !== 0 && gapMs > AUTHORITY_LIMITS.turnGapMs) {
      this.#core.saveSession({ ...session.record, turn: session.record.turn + 1 });
    }
    session.lastCallAtMs = nowMs;
  }

  async #answer(session: Session, call: ToolCall): Promise<Proposed> {
    try {
      await this.#hear(session, call);
      const planning = this.#core.reads.has(call.tool)
        ? undefined
        : planModeOf(this.#core, session.record.root, call.mode);
      // Before anything is noted of it: in plan mode a proposal leaves no trace.
      if (planning !== undefined) return { type: 'refused', code: 'plan', why: planSentence(planning) };
      this.#beginTurn(session);
      const read = this.#core.reads.get(call.tool);
      if (read !== undefined) return { type: 'passthrough', result: await this.#read(session, read, call) };
      const surface = this.#core.surfacesByTool.get(call.tool);
      if (surface === undefined) return { type: 'refused', code: 'not-found', why: `There is no tool ${call.tool}.` };
      const { health } = this.#core.options.journal;
      if (health.state === 'quarantined')
        return {
          type: 'refused',
          code: 'quarantined',
          why: `Nothing is queued while the journal is in quarantine: ${health.why}`,
        };
      const proposed = await propose(this.#core, session, surface, call);
      if ('state' in proposed && proposed.state === 'approved') this.#moved();
      return proposed;
    } catch (error) {
      if (error instanceof InvariantError) this.#core.options.onFatal(error);
      if (error instanceof InvariantError || (CountersignError.is(error) && error.effect !== 'none')) throw error;
      // Whatever else went wrong, nothing was queued: every internal error denies.
      return { type: 'refused', code: CountersignError.is(error) ? error.code : 'failed', why: messageOf(error) };
    }
  }

  async #read(session: Session, read: ReadTool, call: ToolCall): Promise<ToolResult> {
    const core = this.#core;
    const view = new TrackedView(session.overlay, (hash) => core.store.blob(hash));
    const args = presentArguments(core, session, call.arguments);
    if (!args.ok) throw new CountersignError('bad-input', args.error);
    const result = await read.read(read.tool.parse(args.value), view);
    if (view.shown.size === 0) return result;
    core.showed(session, view.shown);
    // What was shown may not be durable yet; an answer never tells of what a crash could take back.
    await core.store.stored();
    return result;
  }

  #own(session: Session): readonly Action[] {
    return [...this.#core.state.openActions()].filter((action) => action.lineage.root === session.record.root);
  }

  /** By id or by number (`#12`), open or settled; only of this root session. */
  #find(session: Session, text: string): Action | undefined {
    const id = parseActionId(text);
    const action = id.ok ? this.#core.action(id.value) : this.#core.actionNumbered(Number(text.replace(/^#/, '')));
    return action?.lineage.root === session.record.root ? action : undefined;
  }

  #withdrawOne(session: Session, text: string, reason: string | null): WithdrawResult {
    const action = this.#find(session, text);
    if (action === undefined) return { id: text, result: 'refused', why: 'This session has no such action.', fell: [] };
    if (!UNCOMMITTED_STATES.has(action.state))
      return { id: action.id, result: 'refused', why: `#${action.seq} is ${action.state}.`, fell: [] };
    const by = { type: 'session', session: session.record.id } as const;
    const fell = endActions(this.#core, [action.id], { because: 'withdrawn', by, reason, change: null });
    return { id: action.id, result: 'withdrawn', why: null, fell };
  }

  #waitResult(session: Session, text: string): WaitResult {
    const action = this.#find(session, text);
    if (action === undefined)
      return { id: text, seq: null, outcome: 'unknown', why: 'This session has no such action.' };
    const { id, seq } = action;
    switch (action.state) {
      case 'rejected':
        return { id, seq, outcome: 'rejected', reason: action.reason, fell: fellWith(this.#core, id) };
      case 'reverted':
        return {
          id,
          seq,
          outcome: 'rejected',
          reason: 'It was applied, and a person took it back.',
          fell: fellWith(this.#core, id),
        };
      case 'applied':
      case 'reverting':
      case 'revert-in-doubt':
        return { id, seq, outcome: 'applied', result: resultOf(this.#core, action) };
      case 'failed':
        return { id, seq, outcome: 'failed', why: action.why };
      case 'not-applied':
        return { id, seq, outcome: 'failed', why: 'It did not happen.' };
      case 'in-doubt':
        return { id, seq, outcome: 'in-doubt', why: action.why };
      case 'pending':
      case 'approved':
      case 'held':
      case 'applying':
        return { id, seq, outcome: 'undecided', state: action.state };
    }
  }
}

interface Looked {
  readonly results: readonly WaitResult[];
  readonly room: boolean;
  readonly undecided: number;
}

function hasRoom(session: Session): boolean {
  return roomFor(session.load, { targets: ['room:'], bytes: 1 }).ok;
}
