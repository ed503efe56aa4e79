import { InvariantError } from '../base/assert.ts';
import { parseCanonical, type Json, type JsonObject } from '../base/canonical-json.ts';
import { messageOf } from '../base/errors.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { Action, Common } from '../model/action.ts';
import type { ActionContent, Verdict } from '../model/content.ts';
import type { Decision } from '../model/decision.ts';
import { digestOf } from '../model/digest.ts';
import { bornParked } from '../model/hold.ts';
import { actionId, ID_BYTES, type ActionId, type DeviceId, type Digest } from '../model/ids.ts';
import type { ToolResult } from '../model/tool-result.ts';
import { StagedWriter } from '../overlay/tracked.ts';
import { withBlobRefs } from './blob-refs.ts';
import { carry, presentArguments } from './carry.ts';
import { contentOf, toolDigest } from './content.ts';
import type { Core } from './core.ts';
import { endActions } from './ending.ts';
import { isGone } from './groundless.ts';
import type { Described, Surface } from './ports.ts';
import { isUndecided, raiseAttention } from './refresh.ts';
import { storedResult } from './results.ts';
import { withinTime } from './within.ts';

/** A person's own arguments for one action, decided and not yet made. */
export interface OwedEdit {
  readonly id: ActionId;
  readonly digest: Digest;
  readonly device: DeviceId;
  readonly n: number;
  readonly arguments: JsonObject;
}

const PREFIX = 'owed-edit:';

/** May this action be edited so? Looks only; the tool itself is the judge of its arguments. */
export function judgeEdit(core: Core, action: Action, decision: Decision): Result<void> {
  if (!isUndecided(action)) return err(`#${action.seq} is ${action.state}: only what has not begun can be edited.`);
  const surface = core.surfaceOf(action);
  if (surface === undefined) return err(`The tool of #${action.seq} is gone, so it cannot be edited.`);
  const present = presentArguments(core, core.sessionOf(action), decision.body?.['arguments']);
  if (!present.ok) return present;
  try {
    surface.tool.parse(present.value);
    return ok(undefined);
  } catch (error) {
    if (error instanceof InvariantError) throw error;
    // Whatever else a tool throws at arguments, it does not take them; the decision has its answer all the same.
    return err(messageOf(error));
  }
}

/**
 * Making it takes time, and its receipt is out by then: it is written down with the decision, and from here on nothing
 * of the old version begins.
 */
export function oweEdit(core: Core, action: Action, decision: Decision): OwedEdit {
  const { device, n } = decision;
  // reason: parseDecision has checked the body of an edit
  const args = (decision.body?.['arguments'] ?? {}) as JsonObject;
  const owed: OwedEdit = { id: action.id, digest: action.digest, device, n, arguments: args };
  core.store.put('meta', PREFIX + action.id, action.seq, true, owed);
  raiseAttention(core, action, 'stale', 'It is being edited.');
  return owed;
}

/** What was decided and is not done, as it is on the disk. */
export function owedEdits(core: Core): readonly OwedEdit[] {
  const records = core.options.journal.liveRecords('meta').filter(({ key }) => key.startsWith(PREFIX));
  // reason: written by `oweEdit` only
  return records.map(({ value }) => parseCanonical(value) as unknown as OwedEdit);
}

/**
 * Ends the agent's version as edited, and puts the person's in its place, as an action of its own that is asked for
 * like any other: what the person has signed are arguments, and what comes of them is seen only now. What needs the
 * old version falls with it, as it does with every rejection (CA-1).
 */
export async function edit(core: Core, owed: OwedEdit): Promise<void> {
  const action = core.state.open(owed.id);
  const session = action && core.sessionOf(action);
  await session?.turnstile.run(() => editNow(core, owed));
  core.store.drop('meta', PREFIX + owed.id);
  await core.commit();
}

async function editNow(core: Core, owed: OwedEdit): Promise<void> {
  const action = core.state.open(owed.id);
  const surface = action && core.surfaceOf(action);
  if (!isUndecided(action) || action.digest !== owed.digest || surface === undefined) return tooLate(core, owed);
  const made = await makeAnew(core, action, surface, owed);
  const now = core.state.open(owed.id);
  // It ended, or became another one, while the person's version was made: then that one counts.
  if (!isUndecided(now) || now.digest !== owed.digest) return tooLate(core, owed);
  if (typeof made === 'string') raiseAttention(core, now, 'stale', `Your edit could not be made: ${made}`);
  else replace(core, now, owed, made);
}

/** A person has approved it after all, rejected it, or the ground made another one of it. */
function tooLate(core: Core, { device, id, n }: OwedEdit): void {
  const action = core.action(id);
  // A full disk asks for it once more while it is being made: it was, by this very decision.
  const by = action?.state === 'rejected' ? action.by : undefined;
  if (by?.type === 'device' && by.device === device && by.n === n) return;
  if (action !== undefined)
    core.options.onAlarm(`Your edit of #${action.seq} was not made: it is another one by now, or ${action.state}.`);
}

interface Made {
  readonly id: ActionId;
  readonly content: ActionContent;
  readonly described: Described;
  readonly writer: StagedWriter;
  readonly result: ToolResult | undefined;
}

/** The person's version, described where the agent's stands in its lane; a sentence where that cannot be. */
async function makeAnew(core: Core, action: Action, surface: Surface, owed: OwedEdit): Promise<Made | string> {
  const session = core.sessionOf(action);
  const id = actionId(core.random.bytes(ID_BYTES));
  const hash = (bytes: Uint8Array): Digest => core.store.hash(bytes);
  const readBlob = (blob: Digest): Uint8Array => core.store.blob(blob);
  const writer = new StagedWriter({ overlay: session.overlay, by: id, readBlob, hash, place: action.place });
  const present = presentArguments(core, session, owed.arguments);
  if (!present.ok) return present.error;
  try {
    const args = surface.tool.parse(present.value);
    const described = await withinTime(core, () => surface.describe(args, writer));
    const content = contentOf({
      workspace: core.options.workspace,
      surface,
      toolDigest: toolDigest(surface, hash),
      // reason: the body of a decision is canonical JSON
      arguments: withBlobRefs(present.value as Json, (bytes) => writer.putBlob(bytes)) as JsonObject,
      described,
    });
    carry(core, session, content, writer);
    const simulate = content.awaitDecision ? undefined : surface.simulate?.bind(surface, content.effect, writer);
    const result = simulate && (await withinTime(core, simulate));
    if ([...writer.needs].some((need) => isGone(core, need))) return 'what it builds on was withdrawn meanwhile.';
    return { id, content, described, writer, result };
  } catch (error) {
    if (error instanceof InvariantError) throw error;
    return messageOf(error);
  }
}

/** No author calls safe what a person has not seen as it was made: every list says so, and no rule speaks for it. */
const FOR_A_PERSON: Verdict = { autoApprovable: false, reason: 'A person made this version, and approves it.' };

/** From here on nothing waits: the end of the one and the beginning of the other are one commit. */
function replace(core: Core, action: Action, owed: OwedEdit, made: Made): void {
  const { content, described, id, result, writer } = made;
  const { device, n } = owed;
  const seq = core.state.lastSeq + 1;
  const replacedBy = described.unchanged ? null : { id, seq };
  endActions(core, [action.id], {
    because: 'user-edited',
    by: { type: 'device', device, n },
    reason: null,
    change: null,
    replacedBy,
  });
  if (described.unchanged) return;
  const needs = [...writer.needs].filter((need) => core.state.open(need) !== undefined);
  const common: Common = {
    id,
    seq,
    place: action.place,
    lane: content.lane ?? `session:${action.lineage.root}`,
    content,
    digest: digestOf(core.options.crypto.sha256, content),
    verdict: FOR_A_PERSON,
    reversibleWhy: described.reversibleWhy,
    lineage: { ...action.lineage, callId: null },
    proposedAtMs: core.nowMs(),
    needs,
    overlay: content.awaitDecision ? [] : writer.writes,
    result: result === undefined ? null : storedResult(result, (bytes) => writer.putBlob(bytes)),
    attempts: 0,
    revertAttempts: 0,
    remark: null,
    replaces: { id: action.id, device, n },
  };
  const parked = bornParked(core.state, needs);
  const anew: Action =
    parked === null
      ? { ...common, state: 'pending', attention: null }
      : { ...common, state: 'held', parked, attention: null };
  for (const blob of writer.blobs) core.store.putBlob(blob.hash, blob.bytes);
  core.keep(anew);
  core.store.stage({ kind: 'proposed', action: id, n: seq, digest: anew.digest, record: anew, saw: [] });
}
