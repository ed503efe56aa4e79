import { canonicalBytes, parseCanonical } from '../base/canonical-json.ts';
import type { Intent } from '../model/action.ts';
import type { ActionContent } from '../model/content.ts';
import type { ActionId } from '../model/ids.ts';
import { begin, type Applying, type Approved } from './begin.ts';
import { toolDigest } from './content.ts';
import type { Core } from './core.ts';
import { shutGate } from './gates.ts';
import { AUTHORITY_LIMITS } from './options.ts';
import type { ApplyContext, Outcome } from './ports.ts';
import { resolve } from './resolve.ts';
import { approvalHolds } from './stance.ts';

/** Actions that happen as one effect, and what the surface gets for all of them. */
interface Group {
  readonly members: readonly Approved[];
  readonly content: ActionContent;
}

/**
 * The approved actions right behind this one in its lane that are one effect with it (DR-11): the surface says of which
 * contents that is so. `undefined` where it stays alone. Synchronous, so that nobody's no slips in before the intents.
 */
export function groupFrom(core: Core, first: Approved): Group | undefined {
  const surface = core.surfaceOf(first);
  if (surface?.coalesce === undefined || !isPlain(core, first)) return undefined;
  let group: Group | undefined;
  const members: Approved[] = [first];
  for (const action of core.state.lane(first.lane)) {
    if (action.place <= first.place || action.state === 'held') continue;
    if (action.state !== 'approved' || members.length >= AUTHORITY_LIMITS.coalescedMax) break;
    if (!isPlain(core, action) || !joins(core, action, members)) break;
    const content = surface.coalesce([...members, action].map((member) => member.content));
    if (content === null) break;
    members.push(action);
    group = { members, content };
  }
  return group;
}

/** All intents in one commit, each naming the whole group: a crash finds all of it or nothing. */
export function beginTogether(core: Core, { content, members }: Group): readonly Applying[] {
  const ids = members.map(({ id }) => id);
  const hash = core.store.keepBlob(canonicalBytes(content));
  return members.map((member) => begin(core, member, { ids, content: hash }));
}

/** What the surface gets for a group: one content, under the intent of the first of them. */
export function contextTogether(core: Core, intent: Intent): ApplyContext | undefined {
  const { together } = intent;
  if (together === undefined) return undefined;
  // reason: the blob was made by `beginTogether`, and its hash is checked when it is read
  const content = parseCanonical(core.store.blob(together.content)) as unknown as ActionContent;
  const { attempt, idempotencyKey } = together;
  return { content, intent: { ...intent, attempt, idempotencyKey }, blob: (digest) => core.store.blob(digest) };
}

/** Those that began with this one and whose outcome is still open, this one among them. */
export function begunWith(core: Core, action: Applying): readonly Applying[] {
  const { together } = action.intent;
  if (together === undefined) return [action];
  return together.ids.flatMap((id) => {
    const member = core.state.open(id);
    return member?.state === 'applying' && member.intent.together?.content === together.content ? [member] : [];
  });
}

/** What is said of one effect, as it is recorded of each action in it: its answer was no member's, and what it left is the last one's. */
export function outcomeOf(outcome: Outcome, id: ActionId, members: readonly Applying[]): Outcome {
  if (outcome.type !== 'applied' || members.length === 1) return outcome;
  const { drift, evidence } = outcome;
  const actual = members.at(-1)?.id === id ? outcome.actual : undefined;
  return { type: 'applied', evidence, drift, ...(actual === undefined ? {} : { actual }) };
}

/** It is what was approved, by whom it still counts, and there is nothing to be put in its place. */
function isPlain(core: Core, action: Approved): boolean {
  const surface = core.surfaceOf(action);
  if (surface === undefined || action.content.effectClass !== 'E1' || !approvalHolds(core, action)) return false;
  if (toolDigest(surface, (bytes) => core.store.hash(bytes)) !== action.content.toolDigest) return false;
  const resolved = resolve(core, action);
  return resolved.ok && resolved.value === undefined;
}

function joins(core: Core, action: Approved, members: readonly Approved[]): boolean {
  const ids = new Set(members.map(({ id }) => id));
  return (
    action.lineage.root === members[0]?.lineage.root &&
    shutGate(core, action) === undefined &&
    action.needs.every((need) => ids.has(need) || core.state.open(need) === undefined)
  );
}
