import { assert } from '../../base/assert.ts';
import { toHex, utf8 } from '../../base/bytes.ts';
import { CountersignError } from '../../base/errors.ts';
import type { Crypto, SlowSigner } from '../../crypto/ports.ts';
import { splitIntoDrafts, type DecisionDraft } from '../../model/decision-drafts.ts';
import { digestFrom } from '../../model/digest.ts';
import type { WorkspaceId } from '../../model/ids.ts';
import { decisionToSign } from '../../trust/decision.ts';
import { REPLICA_LIMITS } from '../limits.ts';
import type { ChainEnd, OutboxEntry, OutboxStore } from '../ports.ts';

export interface SaveParts {
  readonly outbox: OutboxStore;
  readonly signer: SlowSigner;
  readonly crypto: Pick<Crypto, 'sha256'>;
  /** Unpredictable, 32 hexadecimal digits at most: names the gesture, where it takes more than one decision. */
  readonly batchId: string;
}

/**
 * Numbers, signs and stores one gesture, all of it or nothing (DC-2).
 *
 * Signing takes its own time, and no transaction may stay open for it. So the numbers are taken on trust, signed, and
 * given out by the transaction that stores them, if the chain still ends where it did; else another window was first,
 * and it is done anew. A number that was signed and not stored has never left this function.
 *
 * Throws: `full`, `storage`, `bad-input`; `busy` when other windows came first again and again.
 */
export async function saveDecisions(
  parts: SaveParts,
  workspace: WorkspaceId,
  gesture: readonly DecisionDraft[],
): Promise<readonly OutboxEntry[]> {
  const drafts = gesture.flatMap(splitIntoDrafts);
  assert(
    drafts.every((draft) => draft.workspace === workspace),
    'a gesture is about one workspace',
  );
  for (let tries = 0; tries < REPLICA_LIMITS.numberTriesMax; tries++) {
    const end = await parts.outbox.end(workspace);
    const entries = await signAll(parts, drafts, end);
    if (await parts.outbox.append(workspace, end, entries)) return entries;
  }
  throw new CountersignError('busy', 'Other windows of this device decide at the same time. Decide again.');
}

/** `prev` names a payload, not its signature, so that a chain can be laid before any of it is signed. */
async function signAll(
  { batchId, crypto, signer }: SaveParts,
  drafts: readonly DecisionDraft[],
  end: ChainEnd,
): Promise<readonly OutboxEntry[]> {
  let { n, hash } = end;
  const chain = drafts.map((draft, index) => {
    const batch = drafts.length === 1 ? {} : { batch: { id: batchId, index, of: drafts.length } };
    const { payload, message } = decisionToSign({ ...draft, n: n + 1, prev: hash, ...batch });
    n += 1;
    hash = digestFrom(crypto.sha256(utf8(payload)));
    return { workspace: draft.workspace, n, hash, payload, message };
  });
  return Promise.all(
    chain.map(async ({ message, ...link }): Promise<OutboxEntry> => {
      const signature = toHex(await signer.sign(message));
      return { ...link, signature, state: 'saved' };
    }),
  );
}
