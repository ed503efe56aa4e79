import { utf8 } from '../base/bytes.ts';
import { CountersignError } from '../base/errors.ts';
import { parseCanonical, type JsonObject } from '../base/canonical-json.ts';
import { mayDecide } from '../access/rights.ts';
import { err, ok, type Result } from '../base/result.ts';
import { DECISION_LIMITS, type BodyKind, type Decision } from '../model/decision.ts';
import type { ItemResult } from '../model/event.ts';
import { parseDeviceId, type DeviceId, type Digest } from '../model/ids.ts';
import type { SignedText } from '../model/signed-text.ts';
import { decisionHash, openDecision } from '../trust/decision.ts';
import { signReceipt, type Receipt } from '../trust/receipt.ts';
import { enactBody, isBodyKind, judgeBody } from './bodies.ts';
import { takePart, wholeOrNone } from './bulk.ts';
import type { Core } from './core.ts';
import { enact, type Follow } from './enact.ts';
import { judge } from './judge.ts';
import { Refusals } from './refusals.ts';
import { sweepRules } from './rules.ts';
import { applyRuling } from './stance.ts';
import { askAgain, staleWhy, tellOfForeign, withheld } from './staleness.ts';

type Taken =
  | { readonly type: 'receipt'; readonly receipt: SignedText; readonly follow: readonly Follow[] }
  | { readonly type: 'refused'; readonly why: string };

export interface TakeOptions {
  /** Whether what is made anew is waited for, so that whoever asked can look at it at once. */
  readonly outcomes: 'awaited' | 'left';
}

interface StoredReceipt {
  readonly hash: Digest;
  readonly receipt: SignedText;
}

/**
 * Takes signed decisions. Each becomes one durable event with its receipt and everything that follows from it, or
 * changes nothing but a counter (DC-7). Receipts leave only after durability (DC-6).
 */
export class Rulings {
  readonly #core: Core;
  readonly #refusals: Refusals;
  readonly #follow: (follow: Follow) => Promise<void>;

  /** `follow`: what a decision asks for that takes time (a revert, a reissue); begun once the decision is durable. */
  constructor(core: Core, follow: (follow: Follow) => Promise<void>) {
    this.#core = core;
    this.#refusals = new Refusals(core);
    this.#follow = follow;
  }

  /** One receipt a decision, in their order. Throws `denied` when one of them names no device and number to answer. */
  async take(signed: readonly SignedText[], { outcomes }: TakeOptions): Promise<readonly SignedText[]> {
    const taken = signed.map((one) => this.#takeOne(one));
    if (taken.length > 0) await this.#core.commit();
    // None of these rejects: what goes wrong with one is told where it is done.
    const following = taken.flatMap((one) =>
      one.type === 'receipt' ? one.follow.map((follow) => this.#follow(follow)) : [],
    );
    if (outcomes === 'awaited') await Promise.all(following);
    return taken.map((one) => {
      if (one.type === 'receipt') return one.receipt;
      throw new CountersignError('denied', one.why);
    });
  }

  /** Counts what came as a decision and is none (DC-7); audited with the next commit. */
  refuse(device: DeviceId, n: number, why: string): void {
    this.#refusals.count(device, n, why);
  }

  #takeOne(signed: SignedText): Taken {
    const core = this.#core;
    // Before anything of it is read: reading costs what was sent.
    if (signed.payload.length > DECISION_LIMITS.bytesMax) return this.#refuse(NO_CLAIM, signed, TOO_LONG);
    const claim = claimOf(signed);
    const opened = this.#open(claim, signed);
    if (!opened.ok) return this.#refuse(claim, signed, opened.error);
    const decision = opened.value;
    const hash = decisionHash(core.options.crypto.sha256, signed.payload);
    // reason: written below only
    const known = core.store.record('receipt', receiptKey(decision)) as StoredReceipt | undefined;
    if (known?.hash === hash) return { type: 'receipt', receipt: known.receipt, follow: [] };
    if (known !== undefined) this.#freeze(decision.device);
    if (core.frozen.has(decision.device))
      return this.#refuse(claim, signed, 'This device signed two different decisions under one number and is frozen.');
    // What it could not do to any action is kept nowhere: whoever may only read must not fill the log (DC-7).
    const right = core.options.roster.device(decision.device)?.right ?? 'view';
    const may = mayDecide(right, decision.kind, { reversible: true });
    if (!may.ok) return this.#refuse(claim, signed, may.error);
    tellOfForeign(core, decision);
    const body = isBodyKind(decision.kind) ? bodyVerdict(core, decision.kind, decision) : ok(undefined);
    return body.ok ? this.#settle(decision, signed, hash) : this.#refuse(claim, signed, body.error);
  }

  /** Nothing changes but a counter; who can be answered is answered. */
  #refuse(claim: Claim, signed: SignedText, why: string): Taken {
    const core = this.#core;
    const entry = core.store.nextSeq;
    const counted = this.#refusals.count(claim.device ?? '', claim.n, why);
    if (claim.device === null || claim.n === null) return { type: 'refused', why };
    const receipt = this.#receipt({
      device: claim.device,
      n: claim.n,
      decision: decisionHash(core.options.crypto.sha256, signed.payload),
      results: [],
      entry: counted ? entry : 0,
      refused: why,
    });
    return { type: 'receipt', receipt, follow: [] };
  }

  #receipt(said: Omit<Receipt, 'v' | 'home' | 'workspace' | 'atMs'>): SignedText {
    const { home, workspace, signer } = this.#core.options;
    return signReceipt(signer, { v: 1, home, workspace, atMs: this.#core.nowMs(), ...said });
  }

  #settle(decision: Decision, signed: SignedText, hash: Digest): Taken {
    const core = this.#core;
    const stale = staleWhy(core, decision);
    const judged = decision.items.map((item): ItemResult => judge(core, decision, item));
    const results = wholeOrNone(core, decision, withheld(judged, stale));
    const entry = core.store.stage({
      kind: 'decision-taken',
      device: decision.device,
      dn: decision.n,
      hash,
      decision: signed.payload,
      signature: signed.signature,
      results,
    });
    const follow = isBodyKind(decision.kind)
      ? enactBody(core, decision.kind, decision)
      : enact(core, decision, hash, results);
    askAgain(core, judged, stale);
    const list = takePart(core, decision, hash, results);
    const { device, n } = decision;
    const receipt = this.#receipt({ device, n, decision: hash, results, entry, refused: null });
    const stored: StoredReceipt = { hash, receipt };
    core.store.put('receipt', receiptKey(decision), decision.n, false, stored);
    const last = lastDecision(core, decision.device);
    if (decision.n > last.n) saveDevice(core, { device: decision.device, n: decision.n, hash, frozen: false });
    const looking: readonly Follow[] = list === null ? [] : [{ type: 'look-over', list }];
    return { type: 'receipt', receipt: stored.receipt, follow: [...follow, ...looking] };
  }

  /** The decision, if a device of the roster signed it for this workspace. */
  #open(claim: Claim, signed: SignedText): Result<Decision> {
    const { home, workspace, crypto, roster } = this.#core.options;
    const device = claim.device === null ? undefined : roster.device(claim.device);
    if (device === undefined || device.revoked)
      return err('The decision comes from a device that is not on the roster.');
    return openDecision(crypto.verify, device.publicKey, { home, workspace }, signed);
  }

  #freeze(device: DeviceId): void {
    const core = this.#core;
    core.frozen.add(device);
    for (const [id, stances] of core.stances) {
      if ([...stances.values()].some((stance) => stance.device === device)) applyRuling(core, id);
    }
    sweepRules(core);
    saveDevice(core, { ...lastDecision(core, device), device, frozen: true });
    const name = core.options.roster.device(device)?.nickname ?? device;
    core.options.onAlarm(
      `${name} signed two different decisions under one number. Nothing it says counts until it is paired anew.`,
    );
  }
}

/** A standing wish that is too old is no question that could be asked again: it is turned away whole. */
function bodyVerdict(core: Core, kind: BodyKind, decision: Decision): Result<void> {
  const stale = staleWhy(core, decision);
  return stale === null ? judgeBody(core, kind, decision) : err(stale);
}

export interface DeviceRecord {
  readonly device: DeviceId;
  /** The highest number taken from it, and that decision's hash: where its chain goes on. */
  readonly n: number;
  readonly hash: Digest | null;
  readonly frozen: boolean;
}

export function lastDecision(core: Core, device: DeviceId): DeviceRecord {
  // reason: written by `saveDevice` only
  const record = core.store.record('device', device) as unknown as DeviceRecord | undefined;
  return record ?? { device, n: 0, hash: null, frozen: false };
}

function saveDevice(core: Core, record: DeviceRecord): void {
  core.store.put('device', record.device, record.n, true, record);
}

function receiptKey(decision: Decision): string {
  return `${decision.device}/${decision.n}`;
}

/** Whose decision it says it is, before anything is believed: enough to look up a key, and to answer. */
export interface Claim {
  readonly device: DeviceId | null;
  readonly n: number | null;
}

export function claimOf(signed: SignedText): Claim {
  try {
    const value = parseCanonical(utf8(signed.payload));
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return NO_CLAIM;
    // reason: an object that is not an array; every member is checked before use
    const { device, n } = value as JsonObject;
    const id = parseDeviceId(device);
    return { device: id.ok ? id.value : null, n: typeof n === 'number' && Number.isSafeInteger(n) && n > 0 ? n : null };
  } catch (error) {
    if (CountersignError.is(error)) return NO_CLAIM;
    throw error;
  }
}

const NO_CLAIM: Claim = { device: null, n: null };

const TOO_LONG = `A decision may have ${DECISION_LIMITS.bytesMax} bytes at most.`;
