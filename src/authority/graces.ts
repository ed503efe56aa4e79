import type { Clock, EpochMs } from '../base/clock.ts';
import type { Action } from '../model/action.ts';
import type { ActionId } from '../model/ids.ts';

/** What is left of one, by the clock that nobody can set, and when that is for people. */
export interface Grace {
  readonly leftMs: number;
  readonly untilMs: EpochMs;
}

interface Running {
  readonly endsAtMonotonicMs: number;
  readonly untilMs: EpochMs;
}

/**
 * The grace periods of what cannot be undone (DR-5). Each begins when its action becomes approved, whatever stands
 * before it in its lane. Kept in memory only, so that a restart begins them anew, in full.
 */
export class Graces {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #nowMs: () => EpochMs;
  readonly #graceMs: number;
  readonly #running = new Map<ActionId, Running>();

  constructor(options: {
    readonly clock: Pick<Clock, 'monotonicMs'>;
    readonly nowMs: () => EpochMs;
    readonly graceMs: number;
  }) {
    this.#clock = options.clock;
    this.#nowMs = options.nowMs;
    this.#graceMs = options.graceMs;
  }

  /** Told of every action that changes. */
  follow(action: Action): void {
    if (action.state !== 'approved' || action.content.reversible) this.#running.delete(action.id);
    else if (!this.#running.has(action.id)) {
      const endsAtMonotonicMs = this.#clock.monotonicMs() + this.#graceMs;
      this.#running.set(action.id, { endsAtMonotonicMs, untilMs: this.#nowMs() + this.#graceMs });
    }
  }

  /** What is open was read from the journal: at a start, or after a full disk, when what runs already goes on. */
  reset(open: Iterable<Action>): void {
    const ids = new Set<ActionId>();
    for (const action of open) {
      ids.add(action.id);
      this.follow(action);
    }
    for (const id of this.#running.keys()) if (!ids.has(id)) this.#running.delete(id);
  }

  /** `undefined` once it is over, and for what needs none. */
  of(id: ActionId): Grace | undefined {
    const running = this.#running.get(id);
    if (running === undefined) return undefined;
    const leftMs = running.endsAtMonotonicMs - this.#clock.monotonicMs();
    return leftMs > 0 ? { leftMs, untilMs: running.untilMs } : undefined;
  }

  /** When it ends or ended, for as long as the approval stands: what is published does not change with time. */
  untilMs(id: ActionId): EpochMs | null {
    return this.#running.get(id)?.untilMs ?? null;
  }
}
