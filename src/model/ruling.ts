import { err, ok, type Result } from '../base/result.ts';
import type { Action, Attention } from './action.ts';
import type { ItemKind } from './decision.ts';
import type { DeviceId, Digest } from './ids.ts';
import { blocksApproval } from './lifecycle.ts';
import type { Change } from './notice-facts.ts';

/** One item of a decision that the authority took: its digest was the action's when it was taken (DC-1). */
export interface AcceptedStance {
  readonly device: DeviceId;
  /** The decision's number on its device, and its hash. */
  readonly n: number;
  readonly hash: Digest;
  readonly kind: ItemKind;
  readonly digest: Digest;
  readonly attention?: number;
  readonly holdsLifted: readonly Digest[];
  readonly note?: string;
  /** A reject that keeps the person's own version (GM-2); absent for every other. */
  readonly because?: 'user-edited';
  /** Present on kind `change`: what to do instead. */
  readonly change?: Change;
}

/** Every stance taken on one action, by the hash of its decision: a set, so that order and repetition cannot matter (DC-4). */
export type Stances = ReadonlyMap<Digest, AcceptedStance>;

export const NO_STANCES: Stances = new Map();

/** Kinds that speak for or against the action. The others ask for something to be done and are no stance. */
export const STANCE_KINDS: ReadonlySet<ItemKind> = new Set<ItemKind>([
  'approve',
  'reject',
  'change',
  'hold',
  'release',
  'retract',
]);

/** What a ruling depends on besides the stances. */
export interface RulingFacts {
  readonly digest: Digest;
  /** The newest attention ever raised, answered or not (DC-12). */
  readonly attention: Attention | null;
  /** Their approvals and holds are dropped, their rejects are kept (DC-8). */
  readonly revoked: ReadonlySet<DeviceId>;
  /** They signed two decisions under one number (DC-2): nothing of theirs moves an action forward. */
  readonly frozen: ReadonlySet<DeviceId>;
}

/** Which decision it was. */
export interface StanceBy {
  readonly device: DeviceId;
  readonly n: number;
  readonly hash: Digest;
}

/** The authority's answer to all stances on one action. */
export type Ruling =
  | { readonly type: 'none' }
  | { readonly type: 'approved'; readonly by: StanceBy }
  | { readonly type: 'held'; readonly by: readonly StanceBy[] }
  | {
      readonly type: 'rejected';
      readonly by: StanceBy;
      readonly because: 'person' | 'user-edited';
      readonly reason: string | null;
      readonly change: Change | null;
    };

export function factsOf(action: Action, devices: Pick<RulingFacts, 'revoked' | 'frozen'>): RulingFacts {
  return { ...devices, digest: action.digest, attention: action.newestAttention ?? null };
}

/** The edge: a decision about another version of the action changes nothing (DC-1). */
export function takeStance(stances: Stances, stance: AcceptedStance, digest: Digest): Result<Stances> {
  if (stance.digest !== digest)
    return err('The action has changed since this was decided; look at it again and decide about what it is now.');
  return ok(addStance(stances, stance));
}

export function addStance(stances: Stances, stance: AcceptedStance): Stances {
  if (!STANCE_KINDS.has(stance.kind) || stances.has(stance.hash)) return stances;
  return new Map(stances).set(stance.hash, stance);
}

export function foldStances(decisions: Iterable<AcceptedStance>): Stances {
  const taken = new Map<Digest, AcceptedStance>();
  for (const stance of decisions) if (STANCE_KINDS.has(stance.kind)) taken.set(stance.hash, stance);
  return taken;
}

/**
 * Devices with two different decisions of one number (DC-2): a copied key, or a device restored from a backup. Finds
 * what these decisions show; whoever sees all decisions of a device freezes it through `RulingFacts`.
 */
export function detectEquivocation(decisions: Iterable<StanceBy>): ReadonlySet<DeviceId> {
  const hashes = new Map<string, Digest>();
  const caught = new Set<DeviceId>();
  for (const { device, n, hash } of decisions) {
    const known = hashes.get(`${device} ${n}`);
    if (known === undefined) hashes.set(`${device} ${n}`, hash);
    else if (known !== hash) caught.add(device);
  }
  return caught;
}

/** Across devices reject > hold > approve > none (DC-3), whatever order the stances came in (DC-4). */
export function rule(stances: Stances, facts: RulingFacts): Ruling {
  const taken = [...stances.values()].toSorted(byDeviceThenNumber);
  const ended = taken.find((stance) => stance.kind === 'reject' || stance.kind === 'change');
  if (ended !== undefined) return rejectedBy(ended);

  const caught = detectEquivocation(taken);
  const frozen = (device: DeviceId): boolean => facts.frozen.has(device) || caught.has(device);
  const holds = standingHolds(taken, facts, frozen);
  if (holds.length > 0) return { type: 'held', by: holds.map(byOf) };

  const approval = newestOfEach(taken).find((stance) => !frozen(stance.device) && approves(stance, facts));
  return approval === undefined ? { type: 'none' } : { type: 'approved', by: byOf(approval) };
}

/**
 * A hold stands until its own device says something newer or any device's release names it (DC-3). Of a frozen
 * device every hold stands that no other lifted: which of its two voices is its owner's cannot be known.
 */
function standingHolds(
  taken: readonly AcceptedStance[],
  facts: RulingFacts,
  frozen: (device: DeviceId) => boolean,
): readonly AcceptedStance[] {
  const lifted = new Set<Digest>();
  for (const stance of taken) {
    if (stance.kind === 'release' && !frozen(stance.device)) for (const hash of stance.holdsLifted) lifted.add(hash);
  }
  const voices = [...newestOfEach(taken), ...taken.filter((stance) => frozen(stance.device))];
  const holds = voices.filter(
    (stance) => stance.kind === 'hold' && !lifted.has(stance.hash) && !facts.revoked.has(stance.device),
  );
  return [...new Set(holds)].toSorted(byDeviceThenNumber);
}

/** Approves what the action is now, after all that was raised about it (DC-1, DC-12); some attention nothing approves. */
function approves(stance: AcceptedStance, facts: RulingFacts): boolean {
  return (
    stance.kind === 'approve' &&
    stance.digest === facts.digest &&
    stance.attention === facts.attention?.entry &&
    !blocksApproval(facts.attention) &&
    !facts.revoked.has(stance.device)
  );
}

/** Per device the stance with the highest number (DC-2), devices in order of their ids. */
function newestOfEach(sorted: readonly AcceptedStance[]): readonly AcceptedStance[] {
  return [...new Map(sorted.map((stance) => [stance.device, stance])).values()];
}

function rejectedBy(stance: AcceptedStance): Ruling {
  const { because = 'person', note = null, change = null } = stance;
  return { type: 'rejected', by: byOf(stance), because, reason: note, change };
}

function byOf({ device, n, hash }: AcceptedStance): StanceBy {
  return { device, n, hash };
}

/** A total order of the set, so that what a ruling names does not depend on arrival. */
function byDeviceThenNumber(a: StanceBy, b: StanceBy): number {
  if (a.device !== b.device) return a.device < b.device ? -1 : 1;
  if (a.n !== b.n) return a.n - b.n;
  return a.hash < b.hash ? -1 : 1;
}
