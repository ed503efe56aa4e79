import { mayDecide } from '../../../src/access/rights.ts';
import { blocksApproval, mayHappenTwice } from '../../../src/model/lifecycle.ts';
import { foldStances, rule, STANCE_KINDS, type AcceptedStance } from '../../../src/model/ruling.ts';
import { openDecision } from '../../../src/trust/decision.ts';
import type { Action } from '../../../src/model/action.ts';
import type { JournalEvent } from '../../../src/model/event.ts';
import type { DeviceId } from '../../../src/model/ids.ts';
import { pauseOf } from '../../../src/model/standing.ts';
import type { Known, Taken } from '../chronicle.ts';
import { BRANCH } from '../note-surfaces.ts';
import { isIntent, knownOf, nameOf, type Invariant, type Scene } from './invariant.ts';

/** 3: somebody approved exactly this. */
export const approvedByPerson: Invariant = {
  n: 3,
  says: 'Every effect has an approving decision, or rule plus verdict, for exactly that digest',
  onRow: (scene, event) => {
    const known = isIntent(event) ? knownOf(scene, event) : undefined;
    if (known === undefined) return undefined;
    const { action } = known;
    if (action.state !== 'approved') return `${nameOf(action)} began without being approved`;
    if (action.by.type === 'rule') return ruled(scene, action, action.by.rule, event);
    const { device, n } = action.by;
    const yes = known.taken.find(({ decision }) => decision.device === device && decision.n === n);
    if (yes === undefined) return `${nameOf(action)} names an approval that the journal has not got`;
    if (yes.decision.kind !== 'approve' && yes.decision.kind !== 'retry')
      return `${nameOf(action)} began on a ${yes.decision.kind}`;
    if (yes.result !== 'received') return `${nameOf(action)} began on an approval that was refused`;
    if (yes.digest !== action.digest) return `${nameOf(action)} began on an approval of another version`;
    if (yes.decision.kind === 'approve' && yes.attention !== action.newestAttention?.entry)
      return `${nameOf(action)} began on an approval from before it had to be looked at again`;
    if (mayHappenTwice(action) && yes.decision.body?.['mayHappenTwice'] !== true)
      return `${nameOf(action)} may happen twice, and began without a yes to that`;
    if (scene.revokedAt(event.seq).has(device)) return `${nameOf(action)} began on the approval of a revoked device`;
    return mayDecide(scene.rightAt(event.seq, device), 'approve', action.content).ok
      ? undefined
      : `${nameOf(action)} began on the approval of a device that may not give it any more`;
  },
};

/** Two signals: the author's verdict on this action, and a rule that stands and is about its kind (DR-2). */
function ruled(scene: Scene, action: Action, id: string, event: JournalEvent): string | undefined {
  const { chronicle, revokedAt } = scene;
  const given = chronicle.standing.rules.find((one) => one.id === id);
  const name = nameOf(action);
  if (given === undefined) return `${name} began by a rule that is not there`;
  if (!action.verdict.autoApprovable || !action.content.reversible) return `${name} began by a rule without a verdict`;
  if (given.kind !== action.content.kind.tag || given.toolDigest !== action.content.toolDigest)
    return `${name} began by a rule about something else`;
  if (revokedAt(event.seq).has(given.device)) return `${name} began by the rule of a revoked device`;
  if (scene.rightAt(event.seq, given.device) !== 'approve-all')
    return `${name} began by the rule of a device that may not make one any more`;
  return given.expiresAtMs !== null && given.expiresAtMs < event.atMs
    ? `${name} began by a rule that had run out`
    : undefined;
}

/** 4: nothing that somebody stopped begins. */
export const nothingStopped: Invariant = {
  n: 4,
  says: 'No effect for what was rejected, held, paused or under attention at its commit point',
  onRow: (scene, event) => {
    const known = isIntent(event) ? knownOf(scene, event) : undefined;
    if (known === undefined) return undefined;
    const { action } = known;
    if (blocksApproval(action.newestAttention))
      return `${nameOf(action)} began in spite of ${action.newestAttention?.kind}`;
    const branch = action.content.preconditions.find(({ resource }) => resource === BRANCH)?.expect;
    if (branch !== undefined && branch !== scene.branchAt(event.seq))
      return `${nameOf(action)} is of ${branch}, and began on ${scene.branchAt(event.seq)}`;
    const stopped = stoppedBy(scene, known);
    if (stopped !== undefined) return `${nameOf(action)} began ${stopped}`;
    if (known.rejectedSeq !== undefined) return `${nameOf(action)} began after row ${known.rejectedSeq} rejected it`;
    const hold = standingHold(known, scene.revokedAt(event.seq));
    return hold && `${nameOf(action)} began although row ${hold.seq} holds it`;
  },
};

/** Pause and plan mode, but for what a person let through by name since. */
function stoppedBy({ chronicle }: Scene, { action, taken }: Known): string | undefined {
  if (pauseOf(chronicle.standing, action.lineage.root) !== undefined) return 'while it was paused';
  if (chronicle.standing.mode !== 'plan') return undefined;
  const through = taken.some(
    ({ decision, result, digest, attention, seq }) =>
      decision.kind === 'anyway' &&
      result === 'received' &&
      digest === action.digest &&
      attention === action.newestAttention?.entry &&
      seq > chronicle.modeSeq,
  );
  return through ? undefined : 'in plan mode';
}

function standingHold(known: Known, revoked: ReadonlySet<DeviceId>): Taken | undefined {
  const lifted = new Set(
    received(known).flatMap(({ decision }) => (decision.kind === 'release' ? decision.holdsLifted : [])),
  );
  return newestStances(known).find(
    ({ decision, hash }) => decision.kind === 'hold' && !lifted.has(hash) && !revoked.has(decision.device),
  );
}

function received(known: Known): readonly Taken[] {
  return known.taken.filter(({ decision, result }) => result === 'received' && isStance(decision.kind));
}

/** Per device the stance with the highest number. */
function newestStances(known: Known): readonly Taken[] {
  const newest = new Map<DeviceId, Taken>();
  for (const stance of received(known)) {
    const { device, n } = stance.decision;
    if ((newest.get(device)?.decision.n ?? 0) <= n) newest.set(device, stance);
  }
  return [...newest.values()];
}

function isStance(kind: string): boolean {
  return [...STANCE_KINDS].some((one) => one === kind);
}

/** 11: order, repetition and batches of decisions do not matter. */
export const orderDoesNotMatter: Invariant = {
  n: 11,
  says: 'The ruling is invariant under permutation, duplication and batching of decisions',
  onAction: (scene, known) => {
    // A list that was given back never counted.
    const stances = received(known)
      .filter(({ hash }) => !known.givenBack.has(hash))
      .map(stanceOf);
    if (stances.length < 2) return undefined;
    const facts = {
      digest: known.action.digest,
      attention: known.action.newestAttention ?? null,
      revoked: scene.revokedAt(scene.chronicle.seq),
      frozen: new Set<DeviceId>(),
    };
    const outcome = (list: readonly AcceptedStance[]): string => JSON.stringify(rule(foldStances(list), facts));
    const forward = outcome(stances);
    const shuffled = [...stances.toReversed(), ...stances.slice(1)];
    if (outcome(shuffled) !== forward) return `${nameOf(known.action)} is ruled on otherwise in another order`;
    // The state it has come to, in the order in which they came, is the one that all of them together give.
    const { type } = rule(foldStances(stances), facts);
    const { action } = known;
    if (
      action.state === 'approved' &&
      action.by.type === 'decision' &&
      type !== 'approved' &&
      !isRetry(known, action.by)
    )
      return `${nameOf(action)} is approved, and all that was said of it comes to ${type}`;
    return undefined;
  },
};

/** A retry opens an attempt, and is no stance. */
function isRetry({ taken }: Known, { device, n }: { readonly device: DeviceId; readonly n: number }): boolean {
  return taken.some(({ decision }) => decision.device === device && decision.n === n && decision.kind === 'retry');
}

function stanceOf({ decision, hash, digest, attention }: Taken): AcceptedStance {
  return {
    device: decision.device,
    n: decision.n,
    hash,
    // reason: only kinds that are a stance are asked for
    kind: decision.kind as AcceptedStance['kind'],
    digest,
    holdsLifted: decision.holdsLifted,
    ...(attention === undefined ? {} : { attention }),
    ...(decision.note === undefined ? {} : { note: decision.note }),
  };
}

/** 14: what nobody of the home signed, or may not say, counts for nothing. */
export const nothingForged: Invariant = {
  n: 14,
  says: 'Forged, replayed, revoked or out-of-role input changes nothing but a counter and the audit log',
  onRow: (scene, event) => {
    if (event.kind !== 'decision-taken') return undefined;
    const { home, workspace, roster, crypto } = scene.household;
    if (scene.isForged(event.hash)) return `a forged decision was taken in row ${event.seq}`;
    const device = roster.device(event.device);
    if (device === undefined) return `row ${event.seq} took a decision of a stranger`;
    if (scene.revokedAt(event.seq).has(event.device)) return `row ${event.seq} took a decision of a revoked device`;
    const signed = { payload: event.decision, signature: event.signature };
    const opened = openDecision(crypto.verify, device.publicKey, { home, workspace }, signed);
    if (!opened.ok) return `row ${event.seq} took a decision that does not open: ${opened.error}`;
    for (const { id, result } of event.results) {
      const reversible = scene.chronicle.open(id)?.content.reversible ?? false;
      const may = mayDecide(scene.rightAt(event.seq, event.device), opened.value.kind, { reversible });
      if (result === 'received' && !may.ok) return `row ${event.seq} received what its device may not say`;
    }
    return undefined;
  },
};

/** 22: plan mode queues nothing. */
export const planQueuesNothing: Invariant = {
  n: 22,
  says: 'In plan mode proposals leave the journal unchanged',
  onRow: ({ chronicle }, event) =>
    // What a person has made of an action takes its place, and is asked for.
    event.kind === 'proposed' && chronicle.standing.mode === 'plan' && event.record.replaces === undefined
      ? `#${event.n} was queued in plan mode`
      : undefined,
};

/** Milliseconds for which what cannot be undone can still be stopped (DR-5). */
const GRACE_MS = 10_000;

/** 20, too: there is a time in which it can be undone. */
export const graceIsWhole: Invariant = {
  n: 20,
  says: 'What cannot be undone waits its grace period, in full after a restart',
  onRow: (scene, event) => {
    const known = isIntent(event) ? knownOf(scene, event) : undefined;
    if (known === undefined || known.action.content.reversible) return undefined;
    const sinceMs = Math.max(scene.askedAtMs(known.approvedSeq), scene.lifeAtMs);
    const waitedMs = scene.askedAtMs(event.seq) - sinceMs;
    return waitedMs < GRACE_MS ? `${nameOf(known.action)} began ${waitedMs} ms after it was approved` : undefined;
  },
};

/** 20: what was taken back in time does not happen. */
export const undoHolds: Invariant = {
  n: 20,
  says: 'What was undone before its commit point has no effect',
  onRow: (scene, event) => {
    const known = isIntent(event) ? knownOf(scene, event) : undefined;
    if (known?.action.state !== 'approved' || known.action.by.type !== 'decision') return undefined;
    const { device, n } = known.action.by;
    const undone = known.taken.find(
      ({ decision, result }) =>
        result === 'received' && decision.kind === 'retract' && decision.device === device && decision.n > n,
    );
    const others = newestStances(known).some(
      ({ decision, digest, attention }) =>
        decision.kind === 'approve' &&
        digest === known.action.digest &&
        attention === known.action.newestAttention?.entry &&
        !scene.revokedAt(event.seq).has(decision.device),
    );
    return undone && !others
      ? `${nameOf(known.action)} began although row ${undone.seq} took the approval back`
      : undefined;
  },
};
