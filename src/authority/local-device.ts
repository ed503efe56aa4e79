import type { Signer, Verify } from '../crypto/ports.ts';
import type { Decision, DecisionKind } from '../model/decision.ts';
import type { ItemResult } from '../model/event.ts';
import type { ActionId, DeviceId, Digest, HomeId, WorkspaceId } from '../model/ids.ts';
import type { JsonObject } from '../base/canonical-json.ts';
import { CountersignError } from '../base/errors.ts';
import type { SignedText } from '../model/signed-text.ts';
import { decisionHash, signDecision } from '../trust/decision.ts';
import { openHeartbeat, seenOf } from '../trust/heartbeat.ts';
import { openReceipt } from '../trust/receipt.ts';
import type { Sha256 } from '../crypto/ports.ts';
import type { Authority } from './authority.ts';

/** What a person asks for, before it is bound and signed. */
export interface Wish {
  readonly kind: DecisionKind;
  readonly ids: readonly ActionId[];
  readonly body?: JsonObject;
  readonly note?: string;
  readonly holdsLifted?: readonly Digest[];
  /** Of a gesture that is larger than one signature: which part of it this is. */
  readonly batch?: NonNullable<Decision['batch']>;
}

/**
 * A person's device in the same process as the authority, for programs that embed Countersign and have a screen of
 * their own. It signs like any other device; it has no outbox, since it lives and dies with the authority.
 */
export class LocalDevice {
  readonly id: DeviceId;
  readonly #parts: LocalDeviceParts;
  /** Kept here, not asked for each time: two decisions may be signed before the first is taken. */
  #last: { readonly n: number; readonly hash: Digest | null };

  constructor(id: DeviceId, parts: LocalDeviceParts) {
    this.id = id;
    this.#parts = parts;
    this.#last = parts.authority.lastDecision(id);
  }

  approve(ids: readonly ActionId[]): Promise<readonly ItemResult[]> {
    return this.decide({ kind: 'approve', ids, body: { mode: 'rest' } });
  }

  reject(ids: readonly ActionId[], reason?: string): Promise<readonly ItemResult[]> {
    return this.decide({ kind: 'reject', ids, ...(reason === undefined ? {} : { note: reason }) });
  }

  /** Signs the wish for exactly what the actions are now, and answers what was received of it. */
  async decide(wish: Wish): Promise<readonly ItemResult[]> {
    const { authority, home, workspace, verify, homeKey } = this.#parts;
    const { receipts } = await authority.decide([this.signed(wish)]);
    const [answer] = receipts;
    const receipt = answer === undefined ? undefined : openReceipt(verify, homeKey, { home, workspace }, answer);
    if (receipt?.ok !== true) throw new CountersignError('denied', 'The authority answered without a valid receipt.');
    if (receipt.value.refused !== null) throw new CountersignError('denied', receipt.value.refused);
    return receipt.value.results;
  }

  /** The wish as a signed decision under this device's next number, for a program that sends it itself. */
  signed(wish: Wish): SignedText {
    const { authority, home, workspace, signer, sha256, verify, homeKey } = this.#parts;
    const seen = openHeartbeat(verify, homeKey, { home, workspace }, authority.heartbeat());
    const decision: Decision = {
      v: 1,
      home,
      workspace,
      device: this.id,
      n: this.#last.n + 1,
      prev: this.#last.hash,
      kind: wish.kind,
      items: wish.ids.map((id) => authority.item(id)),
      holdsLifted: wish.holdsLifted ?? [],
      seen: seen.ok ? seenOf(seen.value) : null,
      ...(wish.batch === undefined ? {} : { batch: wish.batch }),
      ...(wish.body === undefined ? {} : { body: wish.body }),
      ...(wish.note === undefined ? {} : { note: wish.note }),
    };
    const signed = signDecision(signer, decision);
    this.#last = { n: decision.n, hash: decisionHash(sha256, signed.payload) };
    return signed;
  }
}

export interface LocalDeviceParts {
  readonly authority: Authority;
  readonly home: HomeId;
  readonly workspace: WorkspaceId;
  readonly signer: Signer;
  readonly sha256: Sha256;
  readonly verify: Verify;
  /** The home's public key, which signs heartbeats and receipts. */
  readonly homeKey: Uint8Array;
}
