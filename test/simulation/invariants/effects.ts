import { canonicalBytes, canonicalText } from '../../../src/base/canonical-json.ts';
import type { Action, Resolved, Together } from '../../../src/model/action.ts';
import type { ActionContent } from '../../../src/model/content.ts';
import { digestFrom, digestOf } from '../../../src/model/digest.ts';
import type { Digest } from '../../../src/model/ids.ts';
import { parseReference, withStrings } from '../../../src/model/reference.ts';
import type { Known } from '../chronicle.ts';
import { attemptOf, effectsOf, isExcused, isOverwritten, nameOf, type Invariant, type Scene } from './invariant.ts';

/** 1: no idempotency key has more than one effect. */
export const oneEffect: Invariant = {
  n: 1,
  says: 'No idempotency key has more than one effect in the world',
  onAction: (scene, known) => {
    if (isExcused(scene, known)) return undefined;
    const twice = known.attempts.find(({ key }) => scene.world.effect(key).count > 1);
    return twice && `${nameOf(known.action)} happened ${scene.world.effect(twice.key).count} times`;
  },
};

/** 2: every effect has a durable intent and its head record before it. */
export const intentFirst: Invariant = {
  n: 2,
  says: 'Every effect has a durable intent and head record written before it',
  onCall: (scene, call) => {
    const found = attemptOf(scene, call);
    if (found === undefined)
      return `${call.verb} ${call.attempt} of ${call.content.kind.tag} under ${call.key} began without an intent in the journal`;
    const mark = scene.disk.heads[found.attempt.seq - 1];
    if (mark?.state !== 'whole') return `${nameOf(found.known.action)} began before its head record was there`;
    return undefined;
  },
};

/** 5: what the record says of the end of an action is so in the world. */
export const recordIsTrue: Invariant = {
  n: 5,
  says: 'applied means that the effect exists, rejected that it does not',
  onAction: (scene, known) => {
    if (isExcused(scene, known)) return undefined;
    const count = effectsOf(scene, known);
    const { state } = known.action;
    const { before, text } = known.action.content.effect;
    // What was there already looks as if it had happened, and that is so.
    if (state === 'applied' && count === 0 && (before === undefined || before !== text))
      return `${nameOf(known.action)} never happened`;
    if (state === 'rejected' && count > 0 && !isOverwritten(scene, known))
      return `${nameOf(known.action)} has happened`;
    return undefined;
  },
};

/** 6: an attempt is void only if it never began. */
export const commitPoint: Invariant = {
  n: 6,
  says: 'After its commit point an attempt ends only as applied, failed or in doubt',
  onRow: (scene, event) => {
    if (event.kind !== 'attempt-voided') return undefined;
    const attempt = scene.chronicle.actions.get(event.action)?.attempts.at(-1);
    const began = attempt !== undefined && scene.begun.has(`apply ${attempt.key} ${attempt.n}`);
    return began ? `attempt ${attempt.n} of #${event.n} was voided after it had begun` : undefined;
  },
};

/** 9: failed means that nothing happened. */
export const failedIsNothing: Invariant = {
  n: 9,
  says: 'failed means that the world shows no effect',
  onAction: (scene, known) => {
    const { action } = known;
    const nothing = action.state === 'failed' || (action.state === 'not-applied' && action.known === 'probe');
    if (!nothing || isExcused(scene, known) || isOverwritten(scene, known)) return undefined;
    return effectsOf(scene, known) > 0 ? `${nameOf(action)} happened all the same` : undefined;
  },
};

/** 10: the surface is given what was journalled and countersigned. */
export const sameBytes: Invariant = {
  n: 10,
  says: 'What the surface is given hashes to what the journal and the approving device saw',
  onCall: (scene, call) => {
    const found = attemptOf(scene, call);
    if (found === undefined) return undefined;
    const { together, resolved } = found.attempt.intent;
    if (together !== undefined) return sameTogether(scene, call.content, together);
    const digest = digestOf(scene.household.crypto.sha256, call.content);
    if (call.verb === 'revert' && digest === appliedAs(found.known)) return undefined;
    if (call.verb === 'apply' && digest === found.attempt.digest)
      return resolved === undefined ? undefined : sameResolved(scene, found.known.action, resolved);
    return `${nameOf(found.known.action)} was begun with another content than its intent names`;
  },
};

/**
 * What a revert takes back is what happened, with what its references were then: an attempt that was given up for lost
 * can have happened before the action was made anew (EF-6, LC-5).
 */
function appliedAs({ action, attempts }: Known): Digest | undefined {
  return 'applied' in action ? attempts.findLast(({ n }) => n === action.applied.attempt)?.digest : undefined;
}

/** Several as one: from what the first of them found to what the last of them leaves, as the journal keeps it. */
function sameTogether(scene: Scene, content: ActionContent, { ids, content: kept }: Together): string | undefined {
  if (digestFrom(scene.household.crypto.sha256(canonicalBytes(content))) !== kept)
    return 'several were begun as another content than their intents name';
  const effects = ids.map((id) => scene.chronicle.open(id)?.content.effect);
  const [first, last] = [effects[0], effects.at(-1)];
  const same = content.effect['before'] === first?.['before'] && content.effect['text'] === last?.['text'];
  return same ? undefined : `${ids.length} were begun as something that is not from the first of them to the last`;
}

/** What was still to be made is named as its applied maker answered, and by nothing else (SM-4). */
function sameResolved(scene: Scene, action: Action, { content, values }: Resolved): string | undefined {
  for (const { reference, value } of values) {
    const made = parseReference(reference);
    const maker = made.ok ? scene.chronicle.open(made.value.maker) : undefined;
    if (!made.ok || maker?.state !== 'applied') return `${nameOf(action)} names what is not made`;
    if (maker.applied.evidence[made.value.output] !== value)
      return `${nameOf(action)} names another thing than was made`;
  }
  const texts = new Map(values.map(({ reference, value }) => [reference, value]));
  const expected = withStrings(action.content.effect, (text) => texts.get(text) ?? text);
  return canonicalText(expected) === canonicalText(content.effect)
    ? undefined
    : `${nameOf(action)} was begun as something else than it says`;
}

/** 21: a revert restores what was there, or says why not. */
export const revertRestores: Invariant = {
  n: 21,
  says: 'A revert restores the recorded state, or ends as applied with a reason, or in doubt',
  onRow: (scene, event) => {
    if (event.kind !== 'reverted' && event.kind !== 'revert-refused') return undefined;
    const known = scene.chronicle.actions.get(event.action);
    // A revert that was asked for and could not even begin.
    if (event.kind === 'revert-refused' && known?.action.state === 'applied') return undefined;
    const begun = known?.reverts.at(-1);
    if (known === undefined || begun === undefined) return `#${event.n} was reverted without a revert`;
    const { reverts, lied } = scene.world.effect(begun.key);
    const settled = known.taken.some(({ decision, seq }) => decision.kind === 'settle' && seq > begun.seq);
    // An action that never happened has nothing to be taken back, and looks as if it were.
    if (lied || settled || isExcused(scene, known)) return undefined;
    const { name, before } = known.action.content.effect;
    const restored = before !== undefined && (scene.notesAt(event.seq).get(String(name)) ?? null) === before;
    // What a service took back for a revert that was given up for lost is gone, and it tells the next one so.
    // So is what it took for this one, when a twin of it that said the same was taken back.
    const taken =
      known.reverts.some(({ key }) => scene.world.effect(key).reverts > 0) ||
      known.attempts.some(({ key }) => scene.world.isGone(key));
    const gone = before === undefined && taken;
    if (event.kind === 'reverted' && reverts === 0 && !gone && !restored)
      return `#${event.n} says that it was reverted, and it was not`;
    // Taken back on another branch, or what stands before and after are the same: a look finds it as the action left it,
    // and that is so.
    const text = known.action.content.effect['text'];
    const stands = text !== undefined && scene.notesAt(event.seq).get(String(name)) === text;
    const elsewhere = before !== undefined && scene.branchAt(begun.seq) !== scene.branchAt(event.seq);
    if (event.kind === 'revert-refused' && stands && (elsewhere || before === text)) return undefined;
    if (event.kind === 'revert-refused' && reverts > 0) return `#${event.n} says that it was not reverted, and it was`;
    return undefined;
  },
};
