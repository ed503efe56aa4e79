import type { Cancel, Clock, EpochMs } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import type { LinkState } from './contract.ts';
import { LINK_LIMITS } from './link-limits.ts';
import { planAttempt, sentenceOf, type EndReason, type Endings } from './next-attempt.ts';
import { relayReasonOf } from './relay-error.ts';

/** One try to connect; what it began is no longer wanted once it is over. */
export interface Turn {
  isOver(): boolean;
}

export interface LifeParts {
  readonly clock: Clock;
  readonly random: Random;
  /** Never stops for good: the home. */
  readonly tireless: boolean;
  /** Asks again for a document that was sent damaged. An author does not: it goes on in another room. */
  readonly asksAgain: boolean;
  /** Fetches what has to be fetched and asks for a socket. Rejects with what stood in the way. */
  readonly connect: (turn: Turn) => Promise<void>;
  /** The relay says that the document is elsewhere: is it, or is it only too much for a socket and loaded now? */
  readonly askHead: (turn: Turn) => Promise<'elsewhere' | 'loaded'>;
  readonly onState: (state: LinkState) => void;
  readonly onFault: (thrown: unknown) => void;
}

const GONE = 'The document lives elsewhere now; the head says where.';

/**
 * When a link connects, pauses, asks, stops. It holds one thing at a time: a try, a socket, a pause or nothing, so that
 * however a relay ends them there is never more than one of them.
 */
export class LinkLife {
  readonly #parts: LifeParts;
  #state: LinkState = { state: 'connecting' };
  #endings: Endings = {};
  #turn: object = {};
  #onlineSinceMs: EpochMs | undefined;
  #cancelPause: Cancel = () => undefined;

  constructor(parts: LifeParts) {
    this.#parts = parts;
  }

  state(): LinkState {
    return this.#state;
  }

  start(): void {
    this.#attempt(this.#parts.connect);
  }

  loading(bytes: number, bytesMax: number | undefined): void {
    this.#become({ state: 'loading', bytes, bytesMax });
  }

  loaded(): void {
    if (this.#state.state === 'loading') this.#become({ state: 'connecting' });
  }

  opened(): void {
    this.#onlineSinceMs = this.#parts.clock.nowMs();
    this.#become({ state: 'online', synced: false });
  }

  synced(): void {
    if (this.#state.state === 'online' && !this.#state.synced) this.#become({ state: 'online', synced: true });
  }

  /** The socket ended, or a try did. */
  ended(reason: EndReason): void {
    if (this.#isFinal()) return;
    const { clock, random, tireless } = this.#parts;
    const nowMs = clock.nowMs();
    if (nowMs - (this.#onlineSinceMs ?? nowMs) >= LINK_LIMITS.stableMs) this.#endings = {};
    this.#onlineSinceMs = undefined;
    this.#newTurn();
    const { endings, plan } = planAttempt(this.#endings, reason, { tireless, random });
    this.#endings = endings;
    if (plan.next === 'stop') {
      // reason: only what a relay says with a close code makes a link stop
      this.#become({
        state: 'stopped',
        reason: publicReason(reason) as Exclude<EndReason, 'unreachable' | 'garbled'>,
        sentence: sentenceOf(reason),
      });
      return;
    }
    const go = (): void => this.#attempt(plan.next === 'connect' ? this.#parts.connect : this.#ask);
    if (plan.pauseMs === 0) {
      go();
      return;
    }
    this.#become({
      state: 'waiting',
      untilMs: nowMs + plan.pauseMs,
      reason: publicReason(reason),
      sentence: sentenceOf(reason),
    });
    this.#cancelPause = clock.after(plan.pauseMs, go);
  }

  /** A try failed before there was a socket. */
  failed(thrown: unknown): void {
    const reason = relayReasonOf(thrown);
    if (reason === undefined) this.#parts.onFault(thrown);
    this.ended(reason ?? 'unreachable');
  }

  /** Ends a pause, a stop or damage: asks again now. */
  again(): void {
    if (!['waiting', 'stopped', 'damaged', 'gone'].includes(this.#state.state)) return;
    this.#endings = {};
    this.#attempt(this.#parts.connect);
  }

  damaged(sentence: string): void {
    this.#end({ state: 'damaged', sentence });
    // Nobody may be there to ask for it, and what waits in an outbox must not wait for a person.
    if (this.#parts.asksAgain && this.#state.state === 'damaged')
      this.#cancelPause = this.#parts.clock.after(LINK_LIMITS.damagedAgainMs, () => this.again());
  }

  close(): void {
    this.#end({ state: 'closed' });
  }

  #end(state: LinkState): void {
    if (this.#state.state === 'closed') return;
    this.#onlineSinceMs = undefined;
    this.#newTurn();
    this.#become(state);
  }

  #isFinal(): boolean {
    return ['closed', 'gone', 'damaged', 'stopped'].includes(this.#state.state);
  }

  readonly #ask = async (turn: Turn): Promise<void> => {
    const answer = await this.#parts.askHead(turn);
    if (turn.isOver()) return;
    if (answer === 'elsewhere') this.#end({ state: 'gone', sentence: GONE });
    else await this.#parts.connect(turn);
  };

  #attempt(task: (turn: Turn) => Promise<void>): void {
    const turn = this.#newTurn();
    this.#become({ state: 'connecting' });
    task(turn).catch((thrown: unknown) => {
      if (!turn.isOver()) this.failed(thrown);
    });
  }

  #newTurn(): Turn {
    this.#cancelPause();
    this.#cancelPause = () => undefined;
    const mine = {};
    this.#turn = mine;
    return { isOver: () => this.#turn !== mine };
  }

  #become(state: LinkState): void {
    this.#state = state;
    this.#parts.onState(state);
  }
}

/** What this side found wrong by itself is shown as what a relay would call it. */
function publicReason(reason: EndReason): Exclude<EndReason, 'garbled'> {
  return reason === 'garbled' ? 'malformed' : reason;
}
