import { InvariantError } from '../base/assert.ts';
import type { Cancel, EpochMs } from '../base/clock.ts';
import { CountersignError } from '../base/errors.ts';
import type { Action } from '../model/action.ts';
import type { Resource } from '../model/content.ts';
import { byPlace } from '../model/cascade.ts';
import type { ActionId, Digest } from '../model/ids.ts';
import type { Core } from './core.ts';
import { lookAt } from './look-over.ts';
import type { GroundPort } from './ports.ts';
import { changedAtOnce, type Changed } from './ground-burst.ts';

export const GROUND_LIMITS = {
  /** Milliseconds between two looks while something waits: soon enough to be told of a checkout before deciding. */
  everyMs: 1_000,
  /** Actions whose files are looked at in one go: a few milliseconds of disk. */
  lookedAtMax: 2_000,
  /** Of these, how many one after the other without letting anybody else run. */
  lookedAtInTurn: 16,
} as const;

/** What moved under pending work as a whole, as one thing to decide about. */
export interface Moved {
  /** For a person, in one sentence. */
  readonly why: string;
  /** What was made before, and is neither made anew nor set aside. */
  readonly actions: readonly Action[];
}

interface Baseline {
  readonly digest: Digest;
  readonly marks: string;
}

/**
 * Sees that the world was exchanged under pending work as a whole (GM-4): another branch, or more than twenty paths
 * within two seconds. What it remembers is asked by the gate, which looks at nothing itself. An action leaves by being
 * made anew, set aside, ended or in conflict, where it is met as a conflict; or when its world is back.
 */
export class Ground {
  readonly #core: Core;
  readonly #ports: readonly GroundPort[];
  /** What each port said last. */
  readonly #now = new Map<GroundPort, string | undefined>();
  readonly #elsewhere = new Map<string, Set<ActionId>>();
  /** How the files of an action were when it was made or found to be as it expects them. */
  readonly #baselines = new Map<ActionId, Baseline>();
  /** What changed at once, with the digest of what it was then. */
  readonly #atOnce = new Map<ActionId, Digest>();
  #changed: () => void = () => undefined;
  #timer: Cancel | undefined;
  #running = false;
  #scanning: Promise<void> | undefined;

  constructor(core: Core) {
    this.#core = core;
    this.#ports = core.options.packs.flatMap(({ ground }) => (ground === undefined ? [] : [ground]));
    for (const port of this.#ports) this.#now.set(port, port.now());
  }

  /** `changed`: something moved, or is back. */
  start(changed: () => void): void {
    this.#changed = changed;
    this.#running = true;
    this.reload();
    this.look();
    this.#schedule();
  }

  stop(): void {
    this.#running = false;
    this.#timer?.();
    this.#timer = undefined;
  }

  /** An action is another one now. */
  take(action: Action): void {
    if (this.#ports.length === 0) return;
    const { digest, id, lane } = action;
    const before = this.#isMoved(lane);
    this.#place(action);
    if (!isWaiting(action) || this.#atOnce.get(id) !== digest) this.#atOnce.delete(id);
    if (!isWaiting(action)) this.#baselines.delete(id);
    else if (this.#baselines.get(id)?.digest !== digest) this.#keepBaseline(action);
    if (isWaiting(action)) this.#schedule();
    if (before !== this.#isMoved(lane)) this.#mark(new Set([lane]));
  }

  /** Memory was filled from the journal. How files were when their actions were made is not known any more. */
  reload(): void {
    this.#elsewhere.clear();
    this.#baselines.clear();
    for (const action of this.#core.state.openActions()) this.#place(action);
    for (const id of this.#atOnce.keys()) if (this.#core.state.open(id) === undefined) this.#atOnce.delete(id);
  }

  /** Asks for the world's name now: one small read, before every intent. */
  look(): void {
    let changed = false;
    for (const port of this.#ports) {
      const now = port.now();
      if (now === this.#now.get(port)) continue;
      this.#now.set(port, now);
      changed = true;
    }
    if (!changed) return;
    const before = this.#ids();
    this.#elsewhere.clear();
    for (const action of this.#core.state.openActions()) this.#place(action);
    this.#tell(before);
  }

  /** Whether many files changed at once under what waits. Costs one look at each file that is not as it was. */
  scan(): Promise<void> {
    this.#scanning ??= this.#scan().finally(() => (this.#scanning = undefined));
    return this.#scanning;
  }

  /** Why this lane waits; `undefined` when its world is where it was. */
  movedUnder(lane: string): Moved | undefined {
    const ids = new Set(this.#elsewhere.get(lane));
    for (const id of this.#atOnceIn(lane)) ids.add(id);
    return this.#movedOf(ids);
  }

  /** The same over all lanes: what a person is asked once. */
  moved(): Moved | undefined {
    return this.#movedOf(this.#ids());
  }

  /** For the card of an action that was made in another world than the present one. */
  whyOf(action: Action): string | null {
    const port = this.#ports.find((each) => this.#isElsewhere(each, action));
    if (port !== undefined) return elsewhereWhy(port, expected(port, action), this.#now.get(port));
    return this.#atOnce.has(action.id) ? 'It was changed together with many other files.' : null;
  }

  #movedOf(ids: ReadonlySet<ActionId>): Moved | undefined {
    const actions = [...ids].flatMap((id) => this.#core.state.open(id) ?? []).toSorted(byPlace);
    const [first] = actions;
    if (first === undefined) return undefined;
    const away = actions.find((action) => this.#ports.some((port) => this.#isElsewhere(port, action)));
    const why = away === undefined ? null : this.whyOf(away);
    return { actions, why: why ?? `${actions.length} of the files changed at once.` };
  }

  #ids(): ReadonlySet<ActionId> {
    return new Set([...[...this.#elsewhere.values()].flatMap((ids) => [...ids]), ...this.#atOnce.keys()]);
  }

  #isMoved(lane: string): boolean {
    return this.#elsewhere.has(lane) || this.#atOnceIn(lane).length > 0;
  }

  #atOnceIn(lane: string): readonly ActionId[] {
    return [...this.#atOnce.keys()].filter((id) => this.#core.state.open(id)?.lane === lane);
  }

  #place(action: Action): void {
    const away = isWaiting(action) && this.#ports.some((port) => this.#isElsewhere(port, action));
    const ids = this.#elsewhere.get(action.lane);
    if (away && ids === undefined) this.#elsewhere.set(action.lane, new Set([action.id]));
    else if (away) ids?.add(action.id);
    else if (ids?.delete(action.id) === true && ids.size === 0) this.#elsewhere.delete(action.lane);
  }

  #isElsewhere(port: GroundPort, action: Action): boolean {
    const recorded = expected(port, action);
    return recorded !== undefined && recorded !== this.#now.get(port);
  }

  #tell(before: ReadonlySet<ActionId>): void {
    const after = this.#ids();
    const others = [...before, ...after].filter((id) => before.has(id) !== after.has(id));
    if (others.length === 0) return;
    this.#mark(new Set(others.flatMap((id) => this.#core.state.open(id)?.lane ?? [])));
    const moved = this.moved();
    if (before.size === 0 && moved !== undefined) this.#core.options.onAlarm(`Nothing is applied: ${moved.why}`);
    this.#changed();
  }

  /** Every card of these lanes may say something else now. */
  #mark(lanes: ReadonlySet<string>): void {
    for (const lane of lanes) for (const action of this.#core.state.lane(lane)) this.#core.watch.action(action);
    this.#core.watch.moved();
  }

  // ---- Many files at once ---------------------------------------------------------------------------------------

  async #scan(): Promise<void> {
    const before = this.#ids();
    await this.#returned();
    const suspects = this.#suspects();
    if (changedAtOnce(suspects).size > 0) {
      const moved: Changed[] = [];
      for (const [at, suspect] of suspects.entries()) {
        // Each is a file that is read: others have their turn in between.
        if (at % GROUND_LIMITS.lookedAtInTurn === 0) await this.#turn();
        if (!(await this.#isReady(suspect.id))) moved.push(suspect);
      }
      for (const id of changedAtOnce(moved)) {
        const action = this.#core.state.open(id);
        if (isWaiting(action)) this.#atOnce.set(id, action.digest);
      }
    }
    this.#tell(before);
  }

  /** Of what changed at once, what is as it was again. */
  async #returned(): Promise<void> {
    for (const id of this.#atOnce.keys()) {
      const action = this.#core.state.open(id);
      if (!isWaiting(action) || (await this.#isReady(id))) this.#atOnce.delete(id);
    }
  }

  /** What stands on files that are not as they were: per session and file only who meets the file itself. */
  #suspects(): readonly Changed[] {
    const met = new Set<string>();
    const found: Changed[] = [];
    const waiting = [...this.#core.state.openActions()].filter((action) => isWaiting(action)).toSorted(byPlace);
    for (const action of waiting.slice(0, GROUND_LIMITS.lookedAtMax)) {
      const { content, id, lineage } = action;
      const first = content.writes.every((resource) => !met.has(`${lineage.root} ${resource}`));
      for (const resource of content.writes) met.add(`${lineage.root} ${resource}`);
      const stamps = this.#stampsOf(content.writes);
      if (!first || stamps === undefined || this.#baselines.get(id)?.marks === stamps.marks) continue;
      found.push({ id, paths: content.writes, atMs: stamps.atMs });
    }
    return found;
  }

  async #isReady(id: ActionId): Promise<boolean> {
    const action = this.#core.state.open(id);
    const surface = action && this.#core.surfaceOf(action);
    if (action === undefined || surface === undefined) return true;
    const stamps = this.#stampsOf(action.content.writes);
    const look = await lookAt(this.#core, surface, action);
    if (look.type === 'moved') return false;
    if (stamps !== undefined) this.#baselines.set(id, { digest: action.digest, marks: stamps.marks });
    return true;
  }

  #turn(): Promise<void> {
    return new Promise((resolve) => this.#core.options.clock.soon(resolve));
  }

  #keepBaseline({ content, digest, id }: Action): void {
    const stamps = this.#stampsOf(content.writes);
    if (stamps !== undefined) this.#baselines.set(id, { digest, marks: stamps.marks });
  }

  #stampsOf(writes: readonly Resource[]): { readonly atMs: EpochMs; readonly marks: string } | undefined {
    const stamps = writes.flatMap((resource) => {
      const stamp = this.#ports.map((port) => port.stamp(resource)).find((each) => each !== undefined);
      return stamp === undefined ? [] : [stamp];
    });
    if (stamps.length === 0) return undefined;
    return { atMs: Math.max(...stamps.map(({ atMs }) => atMs)), marks: stamps.map(({ mark }) => mark).join(' ') };
  }

  #schedule(): void {
    if (this.#ports.length === 0 || !this.#running || this.#timer !== undefined) return;
    this.#timer = this.#core.options.clock.after(GROUND_LIMITS.everyMs, () => {
      this.#timer = undefined;
      this.look();
      this.scan()
        .then(() => [...this.#core.state.openActions()].some((action) => isWaiting(action)) && this.#schedule())
        .catch((error: unknown) => {
          if (error instanceof InvariantError || !CountersignError.is(error)) this.#core.options.onFatal(error);
        });
    });
  }
}

/** Undecided or approved, in its lane, and in no conflict, which is a question of its own. */
function isWaiting(action: Action | undefined): action is Extract<Action, { state: 'pending' | 'approved' }> {
  if (action?.state === 'approved') return true;
  return action?.state === 'pending' && action.attention?.kind !== 'conflict';
}

function expected({ resource }: GroundPort, { content }: Action): string | undefined {
  return content.preconditions.find((each) => each.resource === resource)?.expect;
}

function elsewhereWhy(port: GroundPort, before: string | undefined, now: string | undefined): string {
  const from = before === undefined ? 'elsewhere' : `on ${port.nameOf(before)}`;
  return now === undefined
    ? `This was made ${from}, which is no longer checked out.`
    : `This was made ${from}, and your files are on ${port.nameOf(now)} now.`;
}
