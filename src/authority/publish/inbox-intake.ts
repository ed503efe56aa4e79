import { CountersignError } from '../../base/errors.ts';
import { openSigned } from '../../access/signed.ts';
import { Mutex } from '../../base/mutex.ts';
import type { KeyRing } from '../../doc/keys.ts';
import type { Readable } from '../../doc/unreadable.ts';
import type { DeviceId, Digest, WorkspaceId } from '../../model/ids.ts';
import type { SignedText } from '../../model/signed-text.ts';
import { decisionHash } from '../../trust/decision.ts';
import type { Core } from '../core.ts';
import { claimOf } from '../rulings.ts';
import { PUBLISH_LIMITS } from './limits.ts';
import type { Publisher } from './publisher.ts';

/** A device's inbox as far as it is here; `InboxReader` is one. */
export interface Inbox {
  /** Numbers of this workspace's decisions, lowest first. */
  numbers(workspace: WorkspaceId): readonly number[];
  open(keys: KeyRing, at: { readonly workspace: WorkspaceId; readonly n: number }): Readable<SignedText> | undefined;
}

export interface IntakeParts {
  readonly core: Core;
  readonly publisher: Pick<Publisher, 'receipts' | 'markReceipts'>;
  readonly keys: () => KeyRing;
  readonly decide: (decisions: readonly SignedText[]) => Promise<readonly SignedText[]>;
  /** Counts what changes nothing (DC-7); it is audited with the next commit. */
  readonly refuse: (device: DeviceId, n: number, why: string) => void;
}

interface Waiting {
  readonly n: number;
  readonly hash: Digest;
  readonly signed: SignedText;
}

/** What was counted once is not counted again while this process lives; beyond so many it may be. */
const REFUSED_KEPT_MAX = 1_000;

/**
 * Takes decisions out of inboxes: in the order of their numbers, each once, and publishes what it answers until the
 * device has taken the decision out again. Nothing that stands in an inbox makes it fail.
 */
export class InboxIntake {
  readonly #parts: IntakeParts;
  readonly #turnstile = new Mutex();
  /** Inboxes that wait for their turn: what comes meanwhile is read with them. */
  readonly #waiting = new Map<DeviceId, Promise<void>>();
  /** Those that a full disk turned away. */
  readonly #again = new Map<DeviceId, Inbox>();
  readonly #refused = new Set<string>();
  /** Inboxes that have arrived since the start. */
  readonly #here = new Set<DeviceId>();
  /** Nobody's word, as the inbox gives it out: looked at once. */
  readonly #foreign = new WeakSet<SignedText>();

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  /** Resolves when everything that can be taken now was taken. Never rejects. */
  take(device: DeviceId, inbox: Inbox): Promise<void> {
    const waiting = this.#waiting.get(device);
    if (waiting !== undefined) return waiting;
    const taken = this.#turnstile.run(async () => {
      this.#waiting.delete(device);
      await this.#takeSafely(device, inbox);
    });
    this.#waiting.set(device, taken);
    return taken;
  }

  /** Something can be stored again. */
  goOn(): void {
    for (const [device, inbox] of this.#again) void this.take(device, inbox);
    this.#again.clear();
  }

  async #takeSafely(device: DeviceId, inbox: Inbox): Promise<void> {
    try {
      await this.#takeNow(device, inbox);
    } catch (error) {
      // In quarantine and at an end it stays where it is, for the next start; a bug was reported where it was met.
      if (CountersignError.is(error) && error.code === 'full') this.#again.set(device, inbox);
      else if (!CountersignError.is(error)) this.#parts.core.options.onFatal(error);
    }
  }

  async #takeNow(device: DeviceId, inbox: Inbox): Promise<void> {
    const { core, publisher } = this.#parts;
    const numbers = inbox.numbers(core.options.workspace);
    if (numbers.length > 0) this.#here.add(device);
    // Before it has arrived nothing was taken out of it: its answers stand, or what was refused would be judged again.
    if (this.#here.has(device)) publisher.markReceipts(publisher.receipts.keep(device, new Set(numbers)));
    let turn: Waiting[] = [];
    for (const [at, n] of numbers.slice(0, PUBLISH_LIMITS.inboxDecisionsMax).entries()) {
      // Whatever a device puts there, agents and other devices are answered meanwhile.
      if (at % PUBLISH_LIMITS.decisionsPerLook === PUBLISH_LIMITS.decisionsPerLook - 1)
        await new Promise<void>((resolve) => core.options.clock.soon(resolve));
      const waiting = this.#read(device, inbox, n);
      if (waiting !== undefined) turn.push(waiting);
      if (turn.length < PUBLISH_LIMITS.decisionsPerTurn) continue;
      await this.#takeTurn(device, turn);
      turn = [];
    }
    if (turn.length > 0) await this.#takeTurn(device, turn);
  }

  async #takeTurn(device: DeviceId, turn: readonly Waiting[]): Promise<void> {
    const { decide, publisher } = this.#parts;
    const receipts = await decide(turn.map(({ signed }) => signed));
    const ids = turn.flatMap(({ hash, n }, index) => {
      const receipt = receipts[index];
      return receipt === undefined ? [] : publisher.receipts.add(device, { n, decision: hash, receipt });
    });
    publisher.markReceipts(ids);
  }

  /** A decision that has no answer yet. What is none is counted, and stands in nobody's way. */
  #read(device: DeviceId, inbox: Inbox, n: number): Waiting | undefined {
    const { core, keys, publisher } = this.#parts;
    const { crypto, workspace } = core.options;
    const opened = inbox.open(keys(), { workspace, n });
    if (opened === undefined) return undefined;
    if (!opened.ok) {
      const { error } = opened;
      this.#refuse(device, n, error.reason === 'damaged' ? error.why : SENTENCES[error.reason]);
      return undefined;
    }
    const signed = opened.value;
    const hash = decisionHash(crypto.sha256, signed.payload);
    if (publisher.receipts.has(device, n, hash)) return undefined;
    if (this.#foreign.has(signed)) return undefined;
    const why = this.#whyForeign(device, n, signed);
    if (why === undefined) return { n, hash, signed };
    this.#foreign.add(signed);
    this.#refuse(device, n, why);
    return undefined;
  }

  /**
   * A receipt names a payload, whoever signed it: one that refuses what somebody else sent under this device's name
   * would tell the device that its own decision was refused (DC-6). So what the device did not sign has no answer.
   */
  #whyForeign(device: DeviceId, n: number, signed: SignedText): string | undefined {
    const { crypto, home, roster, workspace } = this.#parts.core.options;
    const claim = claimOf(signed);
    if (claim.device !== device || claim.n !== n)
      return 'The decision stands in an inbox, or under a number, that is not its own.';
    const key = roster.device(device)?.publicKey;
    const own =
      key !== undefined && openSigned(crypto.verify, key, { type: 'decision', home, workspace }, signed) !== undefined;
    return own ? undefined : 'The decision is not signed by the device in whose inbox it stands.';
  }

  #refuse(device: DeviceId, n: number, why: string): void {
    const key = `${device}/${n} ${why}`;
    if (this.#refused.has(key)) return;
    if (this.#refused.size >= REFUSED_KEPT_MAX) this.#refused.clear();
    this.#refused.add(key);
    this.#parts.refuse(device, n, why);
  }
}

const SENTENCES = {
  'too-new': 'The decision was made by a newer version.',
  'no-key': 'The decision is sealed with a key that this workspace never had.',
} as const;
