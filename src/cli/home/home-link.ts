import { CountersignError, messageOf } from '../../base/errors.ts';
import type { Cancel, Clock } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import type { Outlet } from '../../authority/publish/outlet.ts';
import type { SignedText } from '../../model/signed-text.ts';
import type { LinkState, Publication, RelayClient } from '../../sync/contract.ts';
import { openDelivery, type Delivery } from '../../sync/delivery.ts';

export const LINK_LIMITS = {
  /** Milliseconds until a head that did not reach the relay is tried again, and how far that grows. */
  headAgainMs: 500,
  headAgainMsMax: 30_000,
  /** Milliseconds a home that ends waits for what it has published to be on the relay's disk. */
  lastWordsMsMax: 2_000,
  /** Milliseconds somebody who was just enrolled waits until the relay knows of it. */
  shownMsMax: 1_500,
  /** Milliseconds between two times that everything is put again because there was no room for all of it. */
  lostAgainMs: 10 * 60_000,
} as const;

export interface HomeLinkOptions {
  readonly client: RelayClient;
  readonly clock: Clock;
  readonly random: Random;
  /** The relay holds something in this document that its authority did not write. */
  readonly onDamaged: (room: string, why: string) => void;
  /**
   * What lies at the relay has to be put again: it knows this home no more, as after its store was wiped, or more was to
   * be put while it was away than there is room for.
   */
  readonly onForgotten: () => void;
  /** A line for the person who runs the home. */
  readonly log: (line: string) => void;
}

/** The home's side of the relay: what its authorities publish, and the head. The same whether the relay is near or far. */
export class HomeLink implements Outlet {
  readonly #options: HomeLinkOptions;
  readonly #publications = new Map<string, Publication>();
  readonly #delivery: Delivery;
  /** The newest head, and whether the relay may not have it. */
  #newest: SignedText | undefined;
  #headDue = false;
  /** It had one once, so that having none means that it forgot. */
  #headTaken = false;
  /** The last request came through. */
  #reached = false;
  #headFailures = 0;
  #headBusy = false;
  #awaiting: (() => void)[] = [];
  #cancelHead: Cancel = () => undefined;
  #trouble: string | null = null;
  #lostMonotonicMs: number | undefined;
  #closed = false;

  constructor(options: HomeLinkOptions) {
    this.#options = options;
    const { client, clock, log, random } = options;
    this.#delivery = openDelivery({
      put: (path, bytes) => client.objects.put(path, bytes),
      clock,
      random,
      onRefused: (path, why) => log(`The relay did not take ${path}: ${why}`),
      onLost: (count) => this.#lost(count),
    });
  }

  open(room: string, state: Uint8Array): void {
    if (this.#closed) return;
    this.close(room);
    const publication = this.#options.client.publish(room, state, {
      onDamaged: (why) => this.#options.onDamaged(room, why),
    });
    this.#publications.set(room, publication);
    publication.subscribe((link) => this.#note(link));
  }

  update(room: string, update: Uint8Array): void {
    this.#publications.get(room)?.update(update);
  }

  close(room: string): void {
    this.#publications.get(room)?.close();
    this.#publications.delete(room);
  }

  put(path: string, read: () => Uint8Array): void {
    this.#delivery.put(path, read);
  }

  beat(room: string, { payload, signature }: SignedText): void {
    this.#publications.get(room)?.present({ heartbeat: { payload, signature } });
  }

  /** Shows the relay what is current. The newest one counts; those before it need not arrive. */
  head(signed: SignedText): void {
    this.#newest = signed;
    this.#headAgain();
  }

  /** Resolves when the relay has the newest head, and after a moment at the latest. */
  async shown(): Promise<void> {
    if (!this.#headDue && !this.#headBusy) return;
    const waited = this.#waitAtMost(LINK_LIMITS.shownMsMax);
    await Promise.race([new Promise<void>((resolve) => this.#awaiting.push(resolve)), waited.over]);
    waited.cancel();
  }

  /** Is a document of this home on the relay now, and why not. */
  status(): { readonly connected: boolean; readonly trouble: string | null } {
    const states = [...this.#publications.values()].map((publication) => publication.state());
    const connected = states.some(({ state }) => state === 'online') || (states.length === 0 && this.#reached);
    return { connected, trouble: connected ? null : this.#trouble };
  }

  /** Waits, for a bounded time, until the relay has what was published, then lets go of it. */
  async end(): Promise<void> {
    // A relay that is not reached gets it at the next start: the journal has it.
    const written = [...this.#publications.values()].flatMap((publication) =>
      publication.state().state === 'online' ? [publication.durable()] : [],
    );
    if (this.#reached) written.push(this.shown());
    const waited = this.#waitAtMost(LINK_LIMITS.lastWordsMsMax);
    await Promise.race([Promise.allSettled(written), waited.over]);
    waited.cancel();
    this.#closed = true;
    this.#cancelHead();
    this.#delivery.close();
    for (const room of this.#publications.keys()) this.close(room);
  }

  /** Where there is never room for all of it, putting it again would have no end. */
  #lost(count: number): void {
    const { clock, log, onForgotten } = this.#options;
    const nowMs = clock.monotonicMs();
    const again = nowMs - (this.#lostMonotonicMs ?? -Infinity) >= LINK_LIMITS.lostAgainMs;
    log(
      `${count} payloads were not sent to the relay${again ? ' and are put again' : '; cards that need them say so'}.`,
    );
    if (!again) return;
    this.#lostMonotonicMs = nowMs;
    onForgotten();
  }

  #waitAtMost(delayMs: number): { readonly over: Promise<void>; readonly cancel: Cancel } {
    let cancel: Cancel = () => undefined;
    const over = new Promise<void>((resolve) => {
      cancel = this.#options.clock.after(delayMs, resolve);
    });
    return { over, cancel };
  }

  #headAgain(): void {
    this.#headDue = true;
    this.#cancelHead();
    void this.#putHead();
  }

  async #putHead(): Promise<void> {
    const due = this.#newest;
    if (due === undefined || this.#headBusy || this.#closed) return;
    this.#headBusy = true;
    this.#headDue = false;
    try {
      const { head } = this.#options.client;
      const forgotten = this.#headTaken && (await head.refresh()) === undefined;
      await head.put(due);
      this.#headTaken = true;
      this.#reached = true;
      this.#headFailures = 0;
      this.#trouble = null;
      if (forgotten) {
        this.#options.log('The relay has forgotten this home; everything is put there again.');
        this.#options.onForgotten();
      }
    } catch (thrown) {
      this.#headFailed(thrown);
    } finally {
      this.#headBusy = false;
    }
    if (this.#headDue && this.#headFailures === 0) void this.#putHead();
    else if (!this.#headDue) this.#tellShown();
  }

  #tellShown(): void {
    const awaiting = this.#awaiting;
    this.#awaiting = [];
    for (const tell of awaiting) tell();
  }

  #headFailed(thrown: unknown): void {
    if (this.#closed) return;
    const why = messageOf(thrown);
    this.#reached = false;
    if (CountersignError.is(thrown) && thrown.code === 'stale') {
      // Somebody went back: a state folder from a backup, or two homes with one key.
      this.#options.log(`The relay has seen a newer head of this home than this one. ${why}`);
      return;
    }
    if (this.#trouble !== why) this.#options.log(`The relay cannot be used now: ${why}`);
    this.#trouble = why;
    this.#headDue = true;
    this.#headFailures += 1;
    const pauseMs = Math.min(LINK_LIMITS.headAgainMs * 2 ** (this.#headFailures - 1), LINK_LIMITS.headAgainMsMax);
    this.#cancelHead();
    this.#cancelHead = this.#options.clock.after(pauseMs, () => void this.#putHead());
  }

  /** A document came through: so does the rest. What the relay lost while it was away it is given again. */
  #note(link: LinkState): void {
    if (link.state === 'online') {
      this.#trouble = null;
      this.#delivery.retry();
      this.#headAgain();
    } else if ('sentence' in link) this.#trouble = link.sentence;
  }
}
