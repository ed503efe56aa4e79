import { InvariantError } from '../base/assert.ts';
import { canonicalText } from '../base/canonical-json.ts';
import { messageOf } from '../base/errors.ts';
import type { Action, Attention, AttentionKind } from '../model/action.ts';
import type { ActionContent } from '../model/content.ts';
import { dependantsOfAll } from '../model/cascade.ts';
import { digestOf } from '../model/digest.ts';
import type { ActionId } from '../model/ids.ts';
import { blocksApproval } from '../model/lifecycle.ts';
import { StagedWriter } from '../overlay/tracked.ts';
import { cardOf } from './card-of.ts';
import { contentOf, toolDigest } from './content.ts';
import { resolve } from './resolve.ts';
import type { Core } from './core.ts';
import type { Described, Reissued, ReissueMode, Surface } from './ports.ts';
import { withinTime } from './within.ts';
import { approveByRule } from './rule-approval.ts';

type Undecided = Extract<Action, { state: 'pending' | 'approved' | 'held' }>;

export function isUndecided(action: Action | undefined): action is Undecided {
  return action?.state === 'pending' || action?.state === 'approved' || action?.state === 'held';
}

/** Asks for another look (DC-12): the attention names the entry that raises it. */
export function raiseAttention(core: Core, action: Action, kind: AttentionKind, why: string): void {
  // After a failure it waits for the retry, and is asked then.
  if (!isUndecided(action) && action.state !== 'failed' && action.state !== 'not-applied') return;
  core.transit(action, { kind: 'attention-raised', attention: { kind, why, entry: core.store.nextSeq } });
}

/**
 * Meets a ground that moved (semantics 7a): the surface describes the same arguments against the present world.
 * What it makes of them is another digest, so it is asked for again; where it cannot, a person chooses. What stands
 * on the reissued version is reissued after it, in order.
 */
export async function refresh(core: Core, action: Action, mode: ReissueMode, why: string): Promise<void> {
  await core.sessionOf(action).turnstile.run(() => refreshNow(core, action, mode, why));
  await core.commit();
}

async function refreshNow(core: Core, action: Action, mode: ReissueMode, why: string): Promise<void> {
  const changed = await reissueOne(core, action.id, mode, why);
  const because = `#${action.seq}, which it stands on, has changed.`;
  if (changed)
    for (const dependant of dependantsOfAll(core.state, [action.id]))
      await reissueOne(core, dependant.id, 'merge', because);
}

/** True when the action's effect is another one now. */
async function reissueOne(core: Core, id: ActionId, mode: ReissueMode, why: string): Promise<boolean> {
  const action = core.state.open(id);
  if (!isUndecided(action)) return false;
  const surface = core.surfaceOf(action);
  if (surface?.reissue === undefined) {
    raiseAttention(core, action, 'conflict', why);
    return false;
  }
  const writer = writerBefore(core, action);
  // What its references stand for is put in their place where it is known by now (SM-4).
  const known = resolve(core, action);
  const content = known.ok && known.value !== undefined ? known.value.content : action.content;
  const answer = await reissueOf(core, surface, content, writer, mode);
  const now = core.state.open(id);
  if (!isUndecided(now) || now.digest !== action.digest) return false;
  if (answer.type === 'conflict') {
    raiseAttention(core, now, 'conflict', answer.why);
    return false;
  }
  const { described } = answer;
  const found = { described, writer, why: answer.why, merged: mode === 'merge', arguments: content.arguments };
  return adopt(core, now, surface, found);
}

function adopt(
  core: Core,
  action: Undecided,
  surface: Surface,
  found: {
    readonly described: Described;
    readonly writer: StagedWriter;
    readonly why: string;
    readonly merged: boolean;
    readonly arguments: ActionContent['arguments'];
  },
): boolean {
  const { described, writer, why } = found;
  const content = contentOf({
    workspace: core.options.workspace,
    surface,
    toolDigest: toolDigest(surface, (bytes) => core.store.hash(bytes)),
    arguments: found.arguments,
    described,
  });
  const digest = digestOf(core.options.crypto.sha256, content);
  // The same as before: news only where an attention that no approval answers can be left by it (LC-5).
  if (digest === action.digest && !blocksApproval(action.newestAttention)) return false;
  const needs = edgesKept(core, action, writer.needs);
  if (needs === undefined) {
    raiseAttention(core, action, 'conflict', 'It would now build on something that is on hold or withdrawn.');
    return false;
  }
  for (const blob of writer.blobs) core.store.putBlob(blob.hash, blob.bytes);
  const attention: Attention = { kind: 'reissued', why, entry: core.store.nextSeq };
  const { action: anew } = core.transit(action, {
    kind: 'reissued',
    oldDigest: action.digest,
    content,
    digest,
    overlay: writer.writes,
    needs,
    verdict: described.verdict,
    reversibleWhy: described.reversibleWhy,
    attention,
  });
  // What the ground's own change made of it is held against the rules anew: both signals speak of what it is now.
  if (found.merged && action.state === 'approved' && action.by.type === 'rule')
    approveByRule(core, action.id, { reissued: true });
  // Where the agent's own bytes stand, or the same as before, there is nothing new for it to read (GM-3).
  if (found.merged && canonicalText(content.effect) !== canonicalText(action.content.effect)) {
    const { id, seq, content: now } = anew;
    core.notify(core.sessionOf(anew), { type: 'merged', id, seq, tool: now.tool, path: cardOf(core, anew).target });
  }
  return true;
}

/** A surface that fails here has nothing better to offer: a person chooses. */
async function reissueOf(
  core: Core,
  surface: Surface,
  content: ActionContent,
  writer: StagedWriter,
  mode: ReissueMode,
): Promise<Reissued> {
  try {
    return await withinTime(core, async () => {
      const answer = (await surface.reissue?.(content, writer, mode)) ?? NO_REISSUE;
      if (answer.type === 'reissued') await surface.simulate?.(answer.described.effect, writer);
      return answer;
    });
  } catch (error) {
    if (error instanceof InvariantError) throw error;
    return { type: 'conflict', why: messageOf(error) };
  }
}

const NO_REISSUE: Reissued = { type: 'conflict', why: 'It cannot be made anew.' };

/** Edges stay (LC-5); one that is new must be to something open that is not on hold, or parking would no longer fit. */
function edgesKept(core: Core, action: Undecided, found: ReadonlySet<ActionId>): readonly ActionId[] | undefined {
  const gained = [...found].filter((id) => !action.needs.includes(id));
  const bad = gained.some((id) => {
    const need = core.state.open(id);
    return need === undefined ? core.action(id)?.state !== 'applied' : need.state === 'held' && action.state !== 'held';
  });
  return bad ? undefined : [...action.needs, ...gained];
}

/** Sees what stands before the action in its lane, as it was when the action was made. */
function writerBefore(core: Core, action: Action): StagedWriter {
  return new StagedWriter({
    overlay: core.sessionOf(action).overlay,
    by: action.id,
    readBlob: (hash) => core.store.blob(hash),
    hash: (bytes) => core.store.hash(bytes),
    place: action.place,
  });
}
