import type { Cancel, EpochMs } from '../base/clock.ts';
import type { ActionId } from '../model/ids.ts';
import type { GateCode } from '../model/owner-port.ts';
import type { Approved } from './begin.ts';
import type { Core } from './core.ts';
import { bulkGate } from './gates/bulk.ts';
import { graceGate } from './gates/grace.ts';
import { groundGate } from './gates/ground.ts';
import { pauseGate } from './gates/pause.ts';
import { planModeGate } from './gates/plan-mode.ts';

/** Why an approved action whose turn it is does not begin yet. Nobody's decision is changed by it. */
export interface Shut {
  readonly code: GateCode;
  /** For a person, in one sentence. */
  readonly why: string;
  /** When it opens by itself, as a person is told; `null` while only a decision or the world opens it. */
  readonly untilMs: EpochMs | null;
  /** Present where it opens by itself: how long that takes, whatever is done to the wall clock. */
  readonly opensInMs?: number;
}

/** Pure over the present: asked whenever the action's turn comes, and again right before its intent. */
export type Gate = (core: Core, action: Approved) => Shut | undefined;

/** In the order in which their reasons are told. */
const GATES: readonly Gate[] = [planModeGate, pauseGate, groundGate, bulkGate, graceGate];

/** The first reason why this action may not begin now; `undefined` when it may. */
export function shutGate(core: Core, action: Approved): Shut | undefined {
  for (const gate of GATES) {
    const shut = gate(core, action);
    if (shut !== undefined) return shut;
  }
  return undefined;
}

/** Asks the gates for the drain, and wakes it when one of them opens by itself. */
export class Gatekeeper {
  readonly #core: Core;
  readonly #wake: () => void;
  #timer: { readonly atMonotonicMs: number; readonly cancel: Cancel } | undefined;

  constructor(core: Core, wake: () => void) {
    this.#core = core;
    this.#wake = wake;
  }

  isOpen(id: ActionId): boolean {
    const action = this.#core.state.open(id);
    if (action?.state !== 'approved') return true;
    const shut = shutGate(this.#core, action);
    if (shut?.opensInMs !== undefined) this.#wakeIn(shut.opensInMs);
    return shut === undefined;
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** One timer for the nearest of them: every wake asks all gates again. */
  #wakeIn(delayMs: number): void {
    const { clock } = this.#core.options;
    const atMonotonicMs = clock.monotonicMs() + delayMs;
    if (this.#timer !== undefined && this.#timer.atMonotonicMs <= atMonotonicMs) return;
    this.#timer?.cancel();
    const cancel = clock.after(delayMs, () => {
      this.#timer = undefined;
      this.#wake();
    });
    this.#timer = { atMonotonicMs, cancel };
  }
}
