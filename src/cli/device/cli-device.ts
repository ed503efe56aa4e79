import { toHex, utf8 } from '../../base/bytes.ts';
import { parseCanonical } from '../../base/canonical-json.ts';
import { CountersignError } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import { err, ok, type Result } from '../../base/result.ts';
import type { Crypto, Signer } from '../../crypto/ports.ts';
import { nodeCrypto, nodeRandom, nodeSigner } from '../../crypto/node.ts';
import { DOOR_LIMITS } from '../../door/limits.ts';
import type { Decision, DecisionItem, DecisionKind } from '../../model/decision.ts';
import type { DeviceId, Digest, HomeId, WorkspaceId } from '../../model/ids.ts';
import type { ItemResult } from '../../model/event.ts';
import type { SignedText } from '../../model/signed-text.ts';
import { decisionHash, parseDecision, signDecision } from '../../trust/decision.ts';
import { openHeartbeat, seenOf } from '../../trust/heartbeat.ts';
import { openReceipt, type Receipt } from '../../trust/receipt.ts';
import { deviceIdOf, homeIdOf } from '../../access/home-id.ts';
import { secretFile } from '../state/key-file.ts';
import type { StateFolder } from '../state/folder.ts';
import { splitIntoDrafts } from '../../model/decision-drafts.ts';
import { Outbox, type OutboxEntry } from './outbox.ts';
import { programsAbove } from './via.ts';

/** What a person asked for, before it is bound to this device and signed. */
export interface Gesture {
  readonly workspace: WorkspaceId;
  readonly kind: DecisionKind;
  readonly items: readonly DecisionItem[];
  readonly holdsLifted?: readonly Digest[];
  readonly body?: NonNullable<Decision['body']>;
  readonly note?: string;
  /** The newest heartbeat the runtime showed; `null` when none was seen. */
  readonly heartbeat: SignedText | null;
}

/** The way to the runtime: the owner door, or the authority itself while a home starts. */
export type Submit = (request: {
  readonly workspace: WorkspaceId;
  readonly decisions: readonly SignedText[];
}) => Promise<{ readonly receipts: readonly SignedText[] }>;

/** What became of one decision after it was sent. */
export interface Delivered {
  readonly entry: OutboxEntry;
  readonly receipt: Receipt;
}

/** The command line as one of its owner's devices: its key, its outbox, and its way to a receipt (DC-6). */
export class CliDevice {
  readonly home: HomeId;
  readonly id: DeviceId;
  readonly publicKey: Uint8Array;
  readonly #homeKey: Uint8Array;
  readonly #signer: Signer;
  readonly #outbox: Outbox;
  readonly #crypto: Crypto;
  readonly #random: Random;

  private constructor(options: { readonly homeKey: Uint8Array; readonly signer: Signer; readonly outbox: Outbox }) {
    this.#crypto = nodeCrypto;
    this.#random = nodeRandom;
    this.#homeKey = options.homeKey;
    this.#signer = options.signer;
    this.#outbox = options.outbox;
    this.publicKey = options.signer.publicKey;
    this.id = deviceIdOf(this.#crypto.sha256, this.publicKey);
    this.home = homeIdOf(this.#crypto.sha256, this.#homeKey);
  }

  /** Opens the device of this state folder; its key is made on first use. */
  static async open(folder: StateFolder): Promise<CliDevice> {
    // The home's public key is what receipts are checked with. On this machine it comes from the home's own key file.
    const homeKey = nodeSigner(await secretFile(folder.homeKey, nodeRandom)).publicKey;
    const signer = nodeSigner(await secretFile(folder.cliKey, nodeRandom));
    return new CliDevice({ homeKey, signer, outbox: await Outbox.open(folder.deviceStore) });
  }

  /** Signs and saves a gesture, durably, as one decision or as a batch of them. */
  async save(gesture: Gesture): Promise<readonly OutboxEntry[]> {
    const { workspace, kind, items, holdsLifted = [], body, note, heartbeat } = gesture;
    const via = await programsAbove(process.ppid);
    const drafts = splitIntoDrafts({
      v: 1,
      home: this.home,
      workspace,
      device: this.id,
      kind,
      items,
      holdsLifted,
      seen: heartbeat === null ? null : this.#seen(workspace, heartbeat),
      ...(body === undefined ? {} : { body }),
      ...(note === undefined ? {} : { note }),
      ...(via.length === 0 ? {} : { via }),
    });
    return this.#outbox.save(drafts, toHex(this.#random.bytes(16)), (decision) => {
      const signed = signDecision(this.#signer, decision);
      return { ...signed, hash: decisionHash(this.#crypto.sha256, signed.payload) };
    });
  }

  /**
   * Sends everything of this workspace that has no receipt yet, in order, and keeps the receipts. Answers why single
   * decisions were turned away without one, by number.
   *
   * Throws: what `submit` throws besides `denied`; the decisions stay saved and are sent again. `denied` when an
   * answer is not the home's own word.
   */
  async deliver(workspace: WorkspaceId, submit: Submit): Promise<ReadonlyMap<number, string>> {
    const waiting = this.#outbox.unreceived(workspace);
    const turnedAway = new Map<number, string>();
    for (let at = 0; at < waiting.length; at += DOOR_LIMITS.idsMax) {
      const entries = waiting.slice(at, at + DOOR_LIMITS.idsMax);
      this.#outbox.markSent(entries);
      const taken = await this.#send(workspace, entries, submit);
      if (taken.ok) continue;
      // One that is turned away must not keep back the others.
      for (const entry of entries) {
        const alone = await this.#send(workspace, [entry], submit);
        if (!alone.ok) turnedAway.set(entry.n, alone.error);
      }
    }
    return turnedAway;
  }

  /** The receipts held for these decisions, whichever process of this device got them. */
  deliveredOf(entries: readonly OutboxEntry[]): readonly Delivered[] {
    return entries.flatMap((entry) => {
      const signed = this.#outbox.receiptOf(entry);
      if (signed === undefined) return [];
      const taken = this.#match(entry.workspace, [entry], signed);
      if (!taken.ok) throw new CountersignError('storage', taken.error);
      return [taken.value];
    });
  }

  /** Workspaces whose decisions the runtime does not hold yet. */
  waitingWorkspaces(): readonly WorkspaceId[] {
    return this.#outbox.waitingWorkspaces();
  }

  /** What this device's decisions say it had seen of a log: the home signed each of these when it was shown. */
  witnessed(workspace: WorkspaceId): readonly { readonly size: number; readonly root: Digest }[] {
    return this.#outbox.all(workspace).flatMap((entry) => {
      const { seen } = decisionOf(entry);
      return seen === null ? [] : [{ size: seen.size, root: seen.root }];
    });
  }

  close(): void {
    this.#outbox.close();
  }

  async #send(workspace: WorkspaceId, entries: readonly OutboxEntry[], submit: Submit): Promise<Result<void>> {
    let receipts: readonly SignedText[];
    try {
      const decisions = entries.map(({ payload, signature }) => ({ payload, signature }));
      ({ receipts } = await submit({ workspace, decisions }));
    } catch (error) {
      if (CountersignError.is(error) && error.code === 'denied') return err(error.message);
      throw error;
    }
    for (const signed of receipts) {
      const taken = this.#match(workspace, entries, signed);
      if (!taken.ok) throw new CountersignError('denied', taken.error);
      this.#outbox.markReceived(taken.value.entry, signed);
    }
    return ok(undefined);
  }

  #match(workspace: WorkspaceId, entries: readonly OutboxEntry[], signed: SignedText): Result<Delivered> {
    const opened = openReceipt(this.#crypto.verify, this.#homeKey, { home: this.home, workspace }, signed);
    if (!opened.ok) return opened;
    const receipt = opened.value;
    const entry = entries.find((candidate) => candidate.n === receipt.n);
    if (entry === undefined || receipt.device !== this.id)
      return err('The runtime sent a receipt for a decision that was not sent.');
    if (receipt.decision !== decisionHash(this.#crypto.sha256, entry.payload)) {
      return err(`The runtime's receipt for decision ${receipt.n} is about another text than was sent.`);
    }
    return ok({ entry, receipt });
  }

  #seen(workspace: WorkspaceId, heartbeat: SignedText): Decision['seen'] {
    const opened = openHeartbeat(this.#crypto.verify, this.#homeKey, { home: this.home, workspace }, heartbeat);
    if (!opened.ok) throw new CountersignError('denied', opened.error);
    return seenOf(opened.value);
  }
}

/** The items a saved decision names, for reports. */
export function itemsOf(entry: OutboxEntry): readonly DecisionItem[] {
  return decisionOf(entry).items;
}

/** What the runtime said of each item; a decision refused as a whole answers the same for all of them. */
export function resultsOf({ entry, receipt }: Delivered): readonly ItemResult[] {
  if (receipt.refused === null) return receipt.results;
  return itemsOf(entry).map(({ id }) => ({ id, result: 'refused', why: receipt.refused }));
}

function decisionOf(entry: OutboxEntry): Decision {
  const decision = parseDecision(parseCanonical(utf8(entry.payload)));
  if (!decision.ok) throw new CountersignError('storage', `A saved decision cannot be read. ${decision.error}`);
  return decision.value;
}
