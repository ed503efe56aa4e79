import { InvariantError } from '../base/assert.ts';
import type { Cancel } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import type { Wake } from '../model/agent-port.ts';
import type { SessionId } from '../model/ids.ts';
import type { Core } from './core.ts';
import { dueNotices } from './notices.ts';
import type { Session } from './session.ts';

export const WAKE_LIMITS = {
  /** Milliseconds from a first notice to the wake: what a person decides in one go is told in one go. */
  coalesceMs: 60_000,
  /** Wakes of one session an hour: each is a turn that somebody pays for. */
  perHourMax: 6,
} as const;

const HOUR_MS = 60 * 60 * 1_000;

interface Sleeper {
  /** Of its connections, those whose hosts can wake it, oldest first. */
  readonly wakes: Set<Wake>;
  /** When it was woken within the last hour, in monotonic milliseconds. */
  readonly wokenAtMs: number[];
  timer: Cancel | undefined;
}

/**
 * Gives an agent that asks nothing what it must be told, through hosts that can (SM-12). A wake carries notices and
 * nothing else; what it cannot deliver waits for the session's next call, like everything where no host can wake.
 */
export class Wakes {
  readonly #core: Core;
  readonly #sleepers = new Map<SessionId, Sleeper>();

  constructor(core: Core) {
    this.#core = core;
  }

  /** A connection whose host can wake its agent; `undefined` for one that cannot. Answers what to call at its end. */
  connected(session: Session, wake: Wake | undefined): () => void {
    if (wake === undefined) return () => undefined;
    const { id } = session.record;
    const sleeper = this.#sleepers.get(id) ?? { wakes: new Set(), wokenAtMs: [], timer: undefined };
    this.#sleepers.set(id, sleeper);
    sleeper.wakes.add(wake);
    this.notified(session);
    return () => {
      sleeper.wakes.delete(wake);
      if (sleeper.wakes.size === 0) sleeper.timer?.();
      if (sleeper.wakes.size === 0) sleeper.timer = undefined;
    };
  }

  /** Can anybody wake it now? Where nobody can, it is told at its next call. */
  canWake(id: SessionId): boolean {
    return (this.#sleepers.get(id)?.wakes.size ?? 0) > 0;
  }

  /** Something waits to be told to this session. */
  notified(session: Session): void {
    const sleeper = this.#sleepers.get(session.record.id);
    if (sleeper === undefined || sleeper.wakes.size === 0 || sleeper.timer !== undefined) return;
    if (session.notices.length === 0) return;
    sleeper.timer = this.#core.options.clock.after(this.#delayMs(sleeper), () => {
      sleeper.timer = undefined;
      this.#wake(session.record.id, sleeper).catch((error: unknown) => {
        if (error instanceof InvariantError) this.#core.options.onFatal(error);
        else
          this.#core.options.onAlarm(`An agent could not be woken, and is told at its next call: ${messageOf(error)}`);
      });
    });
  }

  stop(): void {
    for (const sleeper of this.#sleepers.values()) sleeper.timer?.();
    this.#sleepers.clear();
  }

  #delayMs({ wokenAtMs }: Sleeper): number {
    const nowMs = this.#core.options.clock.monotonicMs();
    while ((wokenAtMs[0] ?? nowMs) <= nowMs - HOUR_MS) wokenAtMs.shift();
    const [oldest] = wokenAtMs;
    const free = wokenAtMs.length < WAKE_LIMITS.perHourMax || oldest === undefined;
    return Math.max(WAKE_LIMITS.coalesceMs, free ? 0 : oldest + HOUR_MS - nowMs);
  }

  async #wake(id: SessionId, sleeper: Sleeper): Promise<void> {
    const session = this.#core.session(id);
    const wake = [...sleeper.wakes].at(-1);
    // A call of its own may have told everything meanwhile.
    const due = wake === undefined ? undefined : await dueNotices(this.#core, session);
    if (wake === undefined || due === undefined) return;
    sleeper.wokenAtMs.push(this.#core.options.clock.monotonicMs());
    try {
      await wake(due.texts);
    } catch (error) {
      due.putBack();
      throw error;
    }
    due.told();
    // More may have come, or be left over.
    this.notified(session);
  }
}
