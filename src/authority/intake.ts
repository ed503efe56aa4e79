import { utf8 } from '../base/bytes.ts';
import { canonicalText, type Json, type JsonObject } from '../base/canonical-json.ts';
import { CountersignError } from '../base/errors.ts';
import type { CallAnswer, ToolCall } from '../model/agent-port.ts';
import type { Action, Common } from '../model/action.ts';
import { roomFor, roomWarning } from '../model/caps.ts';
import type { ActionContent } from '../model/content.ts';
import { digestOf } from '../model/digest.ts';
import { display } from '../model/display.ts';
import { bornParked } from '../model/hold.ts';
import { actionId, ID_BYTES, type ActionId, type Digest } from '../model/ids.ts';
import type { ToolResult } from '../model/tool-result.ts';
import { StagedWriter } from '../overlay/tracked.ts';
import { withBlobRefs } from './blob-refs.ts';
import { carry, presentArguments } from './carry.ts';
import { contentOf, toolDigest } from './content.ts';
import type { Core } from './core.ts';
import { isGone } from './groundless.ts';
import { loadOf } from './load.ts';
import { planModeOf, planSentence } from './plan-mode.ts';
import type { Described, Surface } from './ports.ts';
import { resultOf, storedResult } from './results.ts';
import { rejectionKey } from './rejection-key.ts';
import { approveByRule } from './rule-approval.ts';
import type { Session } from './session.ts';
import { withinTime } from './within.ts';

/** Without the notices: those are added once, where the answer leaves. */
export type Proposed = CallAnswer extends infer Answer
  ? Answer extends unknown
    ? Omit<Answer, 'notices'>
    : never
  : never;

type Refused = Extract<CallAnswer, { type: 'refused' }>;
const refused = (code: string, why: string): Omit<Refused, 'notices'> => ({ type: 'refused', code, why });

/**
 * Takes a side-effecting call: described, simulated, and queued as an action. Answers when it is durable.
 * Proposals of one root session go through one after the other, so each sees the one before; they wait for the
 * disk together.
 */
export async function propose(core: Core, session: Session, surface: Surface, call: ToolCall): Promise<Proposed> {
  const queued = await session.turnstile.run(async () => {
    const repeat = repeatedCall(core, session, call);
    if (repeat !== undefined) return { answer: answerFor(core, repeat), durable: core.store.stored() };
    const answer = await proposeFirm(core, session, surface, call);
    return {
      answer,
      durable: answer.type === 'simulated' || answer.type === 'awaiting' ? core.commit() : Promise.resolve(),
    };
  });
  try {
    await queued.durable;
  } catch (error) {
    if (CountersignError.is(error) && error.code === 'full')
      return refused('full', 'The disk is full: nothing was queued. Free some space and repeat the call.');
    throw error;
  }
  return queued.answer;
}

/** Proposes on firm ground: again, when what it stood on was withdrawn while the surface was describing it. */
async function proposeFirm(core: Core, session: Session, surface: Surface, call: ToolCall): Promise<Proposed> {
  for (let tries = 0; tries < PROPOSE_TRIES_MAX; tries++) {
    const present = presentArguments(core, session, call.arguments);
    if (!present.ok) return refused('bad-input', present.error);
    // What was made meanwhile has its real name now; the very same call from before that is still the same (CP-2).
    const repeat = present.value === call.arguments ? undefined : identicalCall(core, session, call);
    if (repeat !== undefined) return answerFor(core, repeat);
    const answer = await proposeNow(core, session, surface, { ...call, arguments: present.value });
    if (answer !== 'withdrawn-under-it') return answer;
  }
  return refused('busy', 'What this builds on was withdrawn again and again while it was looked at. Repeat the call.');
}

/** A person rejects, the agent's proposal is looked at: more than a few times in a row is not by chance. */
const PROPOSE_TRIES_MAX = 3;

async function proposeNow(
  core: Core,
  session: Session,
  surface: Surface,
  call: ToolCall,
): Promise<Proposed | 'withdrawn-under-it'> {
  const id = actionId(core.random.bytes(ID_BYTES));
  const hash = (bytes: Uint8Array): Digest => core.store.hash(bytes);
  const writer = new StagedWriter({
    overlay: session.overlay,
    by: id,
    readBlob: (blob) => core.store.blob(blob),
    hash,
  });
  const described = await describe(core, session, surface, call, writer);
  if ('type' in described) return described;
  const content = contentOf({
    workspace: core.options.workspace,
    surface,
    toolDigest: toolDigest(surface, hash),
    // reason: proposals enter through doors that carry JSON, and canonicalBytes refuses anything else below
    arguments: withBlobRefs(call.arguments as Json, (bytes) => writer.putBlob(bytes)) as JsonObject,
    described,
  });
  const digest = digestOf(core.options.crypto.sha256, content);
  carry(core, session, content, writer);
  const known = knownAnswer(core, session, digest);
  if (known !== undefined) return known;
  const result = await simulate(core, surface, content, writer);
  if ([...writer.needs].some((need) => isGone(core, need))) return 'withdrawn-under-it';
  if (described.unchanged) return { type: 'passthrough', result: result ?? { content: [] } };
  return queue(core, session, call, { id, content, digest, described, writer, result });
}

/** Arguments the tool refuses make no action, unless the very same call is already queued (CP-2). */
async function describe(
  core: Core,
  session: Session,
  surface: Surface,
  call: ToolCall,
  writer: StagedWriter,
): Promise<Described | Proposed> {
  try {
    const parsed = surface.tool.parse(call.arguments);
    return await withinTime(core, () => surface.describe(parsed, writer));
  } catch (error) {
    if (!CountersignError.is(error) || error.effect !== 'none') throw error;
    const repeat = identicalCall(core, session, call);
    return repeat === undefined ? refused(error.code, error.message) : answerFor(core, repeat);
  }
}

async function simulate(
  core: Core,
  surface: Surface,
  content: ActionContent,
  writer: StagedWriter,
): Promise<ToolResult | undefined> {
  if (content.awaitDecision || surface.simulate === undefined) return undefined;
  const simulating = surface.simulate.bind(surface, content.effect, writer);
  return withinTime(core, simulating);
}

interface Draft {
  readonly id: ActionId;
  readonly content: ActionContent;
  readonly digest: Digest;
  readonly described: Described;
  readonly writer: StagedWriter;
  readonly result: ToolResult | undefined;
}

/** From here on nothing waits: state, event, record and blobs are staged in one go. */
function queue(core: Core, session: Session, call: ToolCall, draft: Draft): Proposed {
  const { content, writer } = draft;
  // Describing it took time, in which a person or its host may have set plan mode (DR-8).
  const planning = planModeOf(core, session.record.root, call.mode);
  if (planning !== undefined) return refused('plan', planSentence(planning));
  const needs = [...writer.needs];
  const awaited = needs.map((need) => core.state.open(need)).find((need) => need?.content.awaitDecision === true);
  if (awaited !== undefined)
    return refused(
      'awaiting',
      `This needs the outcome of #${awaited.seq}, which waits for a person. Use wait_for_decision first.`,
    );
  const room = roomFor(session.load, loadOf(content));
  if (!room.ok) return refused('full', room.error);
  warn(core, session, content);
  const action = born(core, session, call, draft, needs);
  for (const blob of writer.blobs) core.store.putBlob(blob.hash, blob.bytes);
  core.keep(action);
  const saw = [...session.sightings.keys()].filter((id) => core.state.open(id) !== undefined && !needs.includes(id));
  core.store.stage({ kind: 'proposed', action: action.id, n: action.seq, digest: action.digest, record: action, saw });
  const key = callIdKey(core, session, call);
  if (key !== undefined) core.store.put('meta', key, action.seq, false, { action: action.id });
  approveByRule(core, action.id);
  return answerFor(core, core.state.open(action.id) ?? action, draft.result);
}

/** At four fifths of what may wait, agent and person are told once (CP-1). */
function warn(core: Core, session: Session, content: ActionContent): void {
  const text = roomWarning(session.load, loadOf(content));
  if (text === null) return;
  core.notify(session, { type: 'nearly-full', text });
  core.options.onAlarm(`${display(session.record.client, { maxChars: 80 }).text}: ${text}`);
}

function born(core: Core, session: Session, call: ToolCall, draft: Draft, needs: readonly ActionId[]): Action {
  const { content, described, digest, id, writer } = draft;
  const seq = core.state.lastSeq + 1;
  const common: Common = {
    id,
    seq,
    place: core.state.nextPlace,
    lane: content.lane ?? `session:${session.record.root}`,
    content,
    digest,
    verdict: described.verdict,
    reversibleWhy: described.reversibleWhy,
    lineage: {
      session: session.record.id,
      root: session.record.root,
      turn: session.record.turn,
      callId: call.callId,
      sawThrough: session.sightingCount,
    },
    proposedAtMs: core.nowMs(),
    needs,
    overlay: content.awaitDecision ? [] : writer.writes,
    result: draft.result === undefined ? null : storedResult(draft.result, (bytes) => writer.putBlob(bytes)),
    attempts: 0,
    revertAttempts: 0,
    remark: null,
  };
  const parked = bornParked(core.state, needs);
  return parked === null
    ? { ...common, state: 'pending', attention: null }
    : { ...common, state: 'held', parked, attention: null };
}

/** The same call under the same id in the same session is the same action, whatever became of it. */
function repeatedCall(core: Core, session: Session, call: ToolCall): Action | undefined {
  const key = callIdKey(core, session, call);
  // reason: written by `queue` only
  const known = key === undefined ? undefined : (core.store.record('meta', key) as { action: ActionId } | undefined);
  return known === undefined ? undefined : core.action(known.action);
}

/** The same tool and arguments, still undecided, and nothing newer stands on what it wrote. Asked only after a failure. */
function identicalCall(core: Core, session: Session, call: ToolCall): Action | undefined {
  // reason: the same door, the same JSON; nothing is stored here
  const args = canonicalText(withBlobRefs(call.arguments as Json, (bytes) => core.store.hash(bytes)));
  for (const id of session.byDigest.values()) {
    const action = core.state.open(id);
    if (action?.content.tool !== call.tool || canonicalText(action.content.arguments) !== args) continue;
    if (action.overlay.every(({ resource }) => session.overlay.newest(resource)?.by === id)) return action;
  }
  return undefined;
}

/** An action with this very digest: still open, or rejected by a person and not asked for again (SM-8). */
function knownAnswer(core: Core, session: Session, digest: Digest): Proposed | undefined {
  const open = session.byDigest.get(digest);
  const action = open === undefined ? undefined : core.state.open(open);
  if (action !== undefined) return answerFor(core, action);
  if (!session.record.rejections) return undefined;
  // reason: written by `remember` only
  const remembered = core.store.record('meta', rejectionKey(session, digest)) as { action: ActionId } | undefined;
  const rejected = remembered === undefined ? undefined : core.action(remembered.action);
  if (rejected?.state !== 'rejected') return undefined;
  return refused(
    'rejected',
    `A person rejected this very call as #${rejected.seq}. It is not asked again; do something else.`,
  );
}

/** Holds tool and arguments, too: an id that is used again for another call is another call. */
function callIdKey(core: Core, session: Session, call: ToolCall): string | undefined {
  if (call.callId === null) return undefined;
  const said = core.store.hash(utf8(canonicalText([call.callId, call.tool, call.arguments])));
  return `call:${session.record.id}:${said}`;
}

function answerFor(core: Core, action: Action, fresh?: ToolResult): Proposed {
  const base = { actionId: action.id, seq: action.seq, state: action.state };
  if (action.content.awaitDecision) {
    return {
      type: 'awaiting',
      ...base,
      why: 'What comes back cannot be known before it is done, so it waits for a person.',
    };
  }
  return { type: 'simulated', ...base, result: fresh ?? resultOf(core, action) };
}
