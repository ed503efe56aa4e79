import type { Cancel } from '../base/clock.ts';
import type { Action } from '../model/action.ts';
import type { Decision } from '../model/decision.ts';
import type { ItemResult } from '../model/event.ts';
import { givenBack, givenBackBecause } from '../model/list-back.ts';
import type { ActionId, Digest } from '../model/ids.ts';
import { NO_STANCES } from '../model/ruling.ts';
import { failureOf, isBulk, isWhole, listKeyOf, listNameOf, membersOf, type BulkList } from './bulk-lists.ts';
import type { Core } from './core.ts';
import { lookOver } from './look-over.ts';
import { AUTHORITY_LIMITS } from './options.ts';
import { applyRuling, setStances } from './stance.ts';

/** Actions looked over before others get their turn. */
const LOOKS_AT_ONCE = 16;

/** An item that cannot be approved takes the whole list with it, and each of the others says because of which. */
export function wholeOrNone(core: Core, decision: Decision, results: readonly ItemResult[]): readonly ItemResult[] {
  if (!isBulk(decision)) return results;
  const failed = failureOf(core.bulk.get(listKeyOf(decision))) ?? failureIn(core, results);
  if (failed === null) return results;
  return results.map((one) => (one.result === 'received' ? { id: one.id, result: 'refused', why: failed } : one));
}

/** Keeps a part of a list until it was looked over, in the commit that takes its decision. Answers the list's key. */
export function takePart(core: Core, decision: Decision, hash: Digest, results: readonly ItemResult[]): string | null {
  if (!isBulk(decision)) return null;
  const key = listKeyOf(decision);
  const failed = failureOf(core.bulk.get(key)) ?? failureIn(core, results);
  const list = core.bulk.add({
    device: decision.device,
    list: listNameOf(decision),
    index: decision.batch?.index ?? 0,
    of: decision.batch?.of ?? 1,
    n: decision.n,
    hash,
    ids: results.flatMap(({ id, result }) => (result === 'received' ? [id] : [])),
    failed,
  });
  if (failed !== null) withdrawAll(core, list, failed);
  if (failed !== null && isWhole(list)) core.bulk.close(list);
  return key;
}

/** A list that is looked over, or waits for that. */
interface Looking {
  readonly key: string;
  readonly lanes: ReadonlySet<string>;
  /** Never rejects. */
  readonly ended: Promise<void>;
}

/**
 * Looks lists over and lets them go on, or gives them back. Those that share a lane one after the other, so that two of
 * them do not judge one world twice; a look that hangs holds up no other lane.
 */
export class Bulk {
  readonly #core: Core;
  readonly #wake: () => void;
  readonly #looking = new Set<Looking>();
  readonly #expiries = new Map<string, Cancel>();
  #stopped = false;

  constructor(core: Core, wake: () => void) {
    this.#core = core;
    this.#wake = wake;
  }

  /** What a restart or a full disk interrupted is looked over again. */
  async resume(): Promise<void> {
    await Promise.all([...this.#core.bulk.all()].map(({ key }) => this.lookOver(key)));
  }

  stop(): void {
    this.#stopped = true;
    for (const cancel of this.#expiries.values()) cancel();
    this.#expiries.clear();
  }

  /** DR-6 for the whole list before its first intent. Called whenever a part of it is durable. */
  lookOver(key: string): Promise<void> {
    const lanes = this.#lanesOf(key);
    const before = [...this.#looking].filter(
      (one) => one.key === key || [...one.lanes].some((lane) => lanes.has(lane)),
    );
    const done = Promise.all(before.map(({ ended }) => ended)).then(() => this.#lookOver(key));
    const looking: Looking = { key, lanes, ended: done.catch(() => undefined) }; // Whoever asked has the failure.
    this.#looking.add(looking);
    return done.finally(() => this.#looking.delete(looking));
  }

  #lanesOf(key: string): ReadonlySet<string> {
    const list = this.#core.bulk.get(key);
    const ids = list === undefined ? [] : membersOf(list);
    return new Set(ids.flatMap((id) => this.#core.action(id)?.lane ?? []));
  }

  async #lookOver(key: string): Promise<void> {
    const list = this.#core.bulk.get(key);
    if (list === undefined || this.#stopped) return this.#forget(key);
    if (!isWhole(list)) return this.#waitForRest(key);
    this.#forget(key);
    const failed = await this.#lookAtAll(list);
    // A full disk may have taken it back meanwhile: what is stored of it is looked over again then.
    if (this.#stopped || this.#core.bulk.get(key) !== list) return;
    if (failed !== null) withdrawAll(this.#core, list, failed);
    this.#core.bulk.close(list);
    for (const id of membersOf(list)) this.#tell(id);
    await this.#core.commit();
    this.#wake();
  }

  /** Every one of them, so that a person sees all that stand in the way; `null` when none does. */
  async #lookAtAll(list: BulkList): Promise<string | null> {
    const core = this.#core;
    const { clock } = core.options;
    const members = membersOf(list);
    const digests = new Map(members.map((id) => [id, core.action(id)?.digest]));
    for (const [index, id] of members.entries()) {
      if (this.#stopped) return null;
      if (index % LOOKS_AT_ONCE === LOOKS_AT_ONCE - 1) await new Promise<void>((resolve) => clock.soon(resolve));
      if (isOnFirmGround(core, id)) await lookOver(core, id);
    }
    const bad = members.flatMap((id) => {
      const action = core.action(id);
      return action === undefined || (counts(action) && action.digest === digests.get(id)) ? [] : [action];
    });
    return bad.length === 0 ? null : sentenceOf(bad.map((action) => ({ action, why: movedWhy(action) })));
  }

  /** A part that never comes must not keep the others for ever. */
  #waitForRest(key: string): void {
    this.#forget(key);
    const cancel = this.#core.options.clock.after(AUTHORITY_LIMITS.restMsMax, () => {
      this.#expiries.delete(key);
      const list = this.#core.bulk.get(key);
      if (list === undefined || isWhole(list)) return;
      withdrawAll(this.#core, list, 'The rest of the list it was approved with did not arrive; approve it again.');
      this.#core.bulk.close(list);
      this.#core.commit().then(this.#wake, () => undefined); // Core has reported it, and a full disk brings the list back.
    });
    this.#expiries.set(key, cancel);
  }

  #forget(key: string): void {
    this.#expiries.get(key)?.();
    this.#expiries.delete(key);
  }

  /** Why it waits is another reason now. */
  #tell(id: ActionId): void {
    const action = this.#core.state.open(id);
    if (action !== undefined) this.#core.watch.action(action);
  }
}

/** The approvals of a list count no more: whatever else was decided about its actions does. */
function withdrawAll(core: Core, list: BulkList, why: string): void {
  const hashes = new Set(list.parts.map(({ hash }) => hash));
  for (const id of membersOf(list)) {
    const action = core.state.open(id);
    if (action === undefined) continue;
    const stances = core.stances.get(id) ?? NO_STANCES;
    setStances(core, id, new Map([...stances].filter(([hash]) => !hashes.has(hash))));
    if (action.state === 'approved' && isBy(action, list))
      core.transit(action, { kind: 'approval-withdrawn', why: 'list', remark: why });
    applyRuling(core, id);
  }
}

function isBy({ by }: Extract<Action, { state: 'approved' }>, list: BulkList): boolean {
  return by.type === 'decision' && list.parts.some(({ device, n }) => device === by.device && n === by.n);
}

/** What stands on work that is not applied cannot be held against the world yet: it is looked at in its own turn. */
function isOnFirmGround(core: Core, id: ActionId): boolean {
  const action = core.state.open(id);
  return action?.state === 'approved' && action.needs.every((need) => core.state.open(need) === undefined);
}

/** Approved, or further on by somebody else's word. */
function counts({ state }: Action): boolean {
  return state === 'approved' || state === 'applying' || state === 'applied';
}

function movedWhy(action: Action): string {
  const attention = action.state === 'pending' ? action.attention : null;
  return attention?.why ?? `It is ${action.state} now.`;
}

function failureIn(core: Core, results: readonly ItemResult[]): string | null {
  // One of them says it already, of the whole list.
  const said = results.find(({ why }) => givenBackBecause(why) !== null);
  if (said !== undefined) return said.why;
  const bad = results.flatMap(({ id, result, why }) => {
    const action = result === 'received' ? undefined : core.action(id);
    return result === 'received' ? [] : [{ action, why: why ?? '' }];
  });
  return bad.length === 0 ? null : sentenceOf(bad);
}

/** Names of what stands in the way of a list; the rest is counted. */
const NAMED_MAX = 5;

function sentenceOf(bad: readonly { readonly action: Action | undefined; readonly why: string }[]): string {
  const numbers = bad.map(({ action }) => (action === undefined ? 'an unknown one' : `#${action.seq}`));
  const more = numbers.length > NAMED_MAX ? ` and ${numbers.length - NAMED_MAX} more` : '';
  const [first] = bad;
  const because = numbers.slice(0, NAMED_MAX).join(', ') + more;
  return givenBack(`${because}: ${first?.why ?? ''}`);
}
