import type { Cancel } from '../base/clock.ts';
import { CountersignError } from '../base/errors.ts';
import type { Action, Intent } from '../model/action.ts';
import type { JournalRow } from '../model/event.ts';
import type { ActionId } from '../model/ids.ts';
import { askedEnough, settledByWord } from './ask-at-start.ts';
import { askProbe, canAsk } from './ask-probe.ts';
import type { Core } from './core.ts';
import { hangingKey } from './hanging.ts';
import type { Evidence } from './heard.ts';
import { newestIntent } from './intents.ts';
import { AUTHORITY_LIMITS } from './options.ts';
import type { Outcome, Probed, RevertOutcome } from './ports.ts';
import { isWrittenSince } from './written-since.ts';

/** One attempt that nobody knows the outcome of, or that only a person's word knows. */
interface Doubt {
  readonly of: 'effect' | 'revert';
  readonly intent: Intent;
  asks: number;
  dueMs: number;
}

export interface DoubtsParts {
  readonly core: Core;
  readonly effect: (id: ActionId, evidence: Evidence) => Promise<void>;
  readonly revert: (id: ActionId, attempt: number, outcome: RevertOutcome) => Promise<void>;
}

/**
 * Asks the world again about what is in doubt: at a start, then more and more rarely, and not for ever. A person's
 * *settle* does not end it: what the world says later can deny it (EF-2, EF-6).
 */
export class Doubts {
  readonly #parts: DoubtsParts;
  readonly #doubts = new Map<ActionId, Doubt>();
  #timer: Cancel | undefined;
  #asking = false;
  #stopped = false;

  constructor(parts: DoubtsParts) {
    this.#parts = parts;
  }

  /** What an earlier run left in doubt: whatever it asked for then has ended with its process. */
  start(): void {
    for (const action of this.#parts.core.state.openActions()) this.#add(action, 0);
    for (const action of settledByWord(this.#parts.core)) {
      if (!this.#add(action, 0, AUTHORITY_LIMITS.asksMax - 1)) askedEnough(this.#parts.core, action.id);
    }
    this.#schedule();
  }

  /** Rows that are durable now. */
  stored(rows: readonly JournalRow[]): void {
    if (this.#stopped) return;
    const doubted = rows.some(({ kind }) => kind === 'doubted' || kind === 'revert-doubted');
    if (!doubted) return;
    for (const action of this.#parts.core.state.openActions()) this.#add(action, AUTHORITY_LIMITS.askAgainMsMin);
    this.#schedule();
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.();
  }

  /** Answers whether there is anything about it that only the world can tell. */
  #add(action: Action, delayMs: number, asks = 0): boolean {
    const { core } = this.#parts;
    const doubt = canAsk(core, action) ? doubtOf(core, action) : undefined;
    if (doubt === undefined) return false;
    const known = this.#doubts.get(action.id);
    if (known?.of === doubt.of && known.intent.attempt === doubt.intent.attempt) return true;
    this.#doubts.set(action.id, { ...doubt, asks, dueMs: core.nowMs() + delayMs });
    return true;
  }

  #schedule(): void {
    this.#timer?.();
    this.#timer = undefined;
    if (this.#stopped || this.#asking || this.#doubts.size === 0) return;
    const { core } = this.#parts;
    const dueMs = Math.min(...[...this.#doubts.values()].map((doubt) => doubt.dueMs));
    this.#timer = core.options.clock.after(Math.max(0, dueMs - core.nowMs()), () => void this.#askDue());
  }

  async #askDue(): Promise<void> {
    const { core } = this.#parts;
    this.#asking = true;
    try {
      for (const [id, doubt] of this.#doubts) {
        if (this.#stopped) return;
        if (doubt.dueMs <= core.nowMs()) await this.#ask(id, doubt);
      }
    } catch (error) {
      // A full disk has lost the answer; it is asked for again. All else is a bug, or was reported by `commit`.
      if (!CountersignError.is(error)) core.options.onFatal(error);
    } finally {
      this.#asking = false;
      this.#schedule();
    }
  }

  async #ask(id: ActionId, doubt: Doubt): Promise<void> {
    const { core } = this.#parts;
    doubt.asks += 1;
    const delayMs = AUTHORITY_LIMITS.askAgainMsMin * 2 ** Math.min(doubt.asks, 30);
    doubt.dueMs = core.nowMs() + Math.min(delayMs, AUTHORITY_LIMITS.askAgainMsMax);
    if (doubt.asks >= AUTHORITY_LIMITS.asksMax) this.#doubts.delete(id);
    const before = core.action(id);
    if (before === undefined || !isOpen(before, doubt)) {
      this.#doubts.delete(id);
      return;
    }
    // All attempts share one key: while another is under way nobody can say whose effect is found.
    if (before.state === 'applying') return;
    const probed = await askProbe(core, before, doubt.intent);
    const outcome = conclusion(core, id, doubt, probed);
    if (outcome === undefined) return;
    const hidden = before.content.effectClass === 'E1' && (await isWrittenSince(core, before, doubt));
    const now = core.action(id);
    if (this.#stopped || now?.attempts !== before.attempts || !isOpen(now, doubt)) return;
    this.#doubts.delete(id);
    if (doubt.of === 'effect') askedEnough(core, id);
    // No look will ever tell: a person does, or a late answer.
    if (hidden) return;
    const { attempt } = doubt.intent;
    if (doubt.of === 'effect') return this.#parts.effect(id, { attempt, outcome, known: 'probe' });
    // As it was before the action: the revert did happen. Still as the action left it: it did not.
    const reverted = outcome.type === 'failed';
    const refused = { type: 'refused', why: 'It did not happen.', canRetry: true } as const;
    return this.#parts.revert(id, attempt, reverted ? { type: 'reverted' } : refused);
  }
}

/** What of an action only the world can tell. */
function doubtOf(core: Core, action: Action): Pick<Doubt, 'of' | 'intent'> | undefined {
  if (action.state === 'in-doubt') return { of: 'effect', intent: action.intent };
  if (action.state === 'revert-in-doubt') return { of: 'revert', intent: action.intent };
  if (!isByWord(action)) return undefined;
  const intent = newestIntent(core, action);
  return intent && { of: 'effect', intent };
}

/** Is all that is known of its newest attempt what a person says, or gave up? */
function isByWord(action: Action): boolean {
  if (action.state === 'applied') return action.applied.known === 'settled' && !action.contradicted;
  if (action.state === 'rejected') return action.afterDidNot;
  return action.state === 'not-applied' && action.known === 'settled';
}

/** Is that attempt still one that evidence could settle, or deny? */
function isOpen(action: Action, { of, intent: { attempt } }: Doubt): boolean {
  if (of === 'revert') return action.state === 'revert-in-doubt' && action.intent.attempt === attempt;
  if (action.state === 'in-doubt') return action.intent.attempt === attempt;
  // What is found is the effect of the attempt that is applied, until a person's word is all that says so.
  if (action.state === 'applied') return action.applied.attempt === attempt && action.applied.known === 'settled';
  return action.state !== 'reverted' && action.state !== 'reverting' && action.state !== 'revert-in-doubt';
}

/** `undefined` while the world has not made up its mind: what still hangs can happen yet. */
function conclusion(core: Core, id: ActionId, doubt: Doubt, probed: Probed): Outcome | undefined {
  if (probed.answer === 'unknown') return undefined;
  if (probed.answer === 'applied' && doubt.of === 'effect')
    return { type: 'applied', evidence: probed.evidence, drift: null };
  const compares = core.action(id)?.content.effectClass === 'E1' && !core.hanging.has(hangingKey(id, doubt));
  if (probed.answer === 'applied') return compares ? { type: 'applied', evidence: {}, drift: null } : undefined;
  if (doubt.of === 'revert') return { type: 'failed', why: probed.why };
  return probed.final === true || compares ? { type: 'failed', why: probed.why } : undefined;
}
