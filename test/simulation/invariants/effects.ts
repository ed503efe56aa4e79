import { digestOf } from '../../../src/model/digest.ts';
import { attemptOf, isExcused, keyOf, nameOf, type Invariant } from './invariant.ts';

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
    if (found === undefined) return `${call.verb} of ${call.content.kind.tag} began without an intent in the journal`;
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
    const key = keyOf(known);
    if (isExcused(scene, known)) return undefined;
    const { count } = key === undefined ? { count: 0 } : scene.world.effect(key);
    const { state } = known.action;
    if (state === 'applied' && count === 0) return `${nameOf(known.action)} never happened`;
    if (state === 'rejected' && count > 0) return `${nameOf(known.action)} has happened`;
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
    const key = keyOf(known);
    const nothing = action.state === 'failed' || (action.state === 'not-applied' && action.known === 'probe');
    if (!nothing || key === undefined || isExcused(scene, known)) return undefined;
    return scene.world.effect(key).count > 0 ? `${nameOf(action)} happened all the same` : undefined;
  },
};

/** 10: the surface is given what was journalled and countersigned. */
export const sameBytes: Invariant = {
  n: 10,
  says: 'What the surface is given hashes to what the journal and the approving device saw',
  onCall: (scene, call) => {
    const found = attemptOf(scene, call);
    const digest = digestOf(scene.household.crypto.sha256, call.content);
    if (found === undefined || digest === found.attempt.digest) return undefined;
    return `${nameOf(found.known.action)} was begun with another content than its intent names`;
  },
};

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
    const restored = before !== undefined && (scene.world.notes.get(String(name)) ?? null) === before;
    if (event.kind === 'reverted' && reverts === 0 && !restored)
      return `#${event.n} says that it was reverted, and it was not`;
    if (event.kind === 'revert-refused' && reverts > 0) return `#${event.n} says that it was not reverted, and it was`;
    return undefined;
  },
};
