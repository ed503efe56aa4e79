import { concat, textOf, toHex, utf8 } from '../../../src/base/bytes.ts';
import { canonicalBytes, type Json } from '../../../src/base/canonical-json.ts';
import { nobleCrypto, nobleSigner } from '../../../src/crypto/noble.ts';
import type { Signer } from '../../../src/crypto/ports.ts';
import { contentText, digestOf } from '../../../src/model/digest.ts';
import type { SignedText } from '../../../src/model/signed-text.ts';
import { GENESIS_ROOT } from '../../../src/trust/audit.ts';
import { signCheckpoint } from '../../../src/trust/checkpoint.ts';
import { decisionHash, signDecision } from '../../../src/trust/decision.ts';
import { signHead } from '../../../src/access/head.ts';
import { signHeartbeat } from '../../../src/trust/heartbeat.ts';
import { makeRow, type LogHead } from '../../../src/trust/journal-row.ts';
import { appendLeaf, EMPTY_RANGE, leafHash, rangeRoot } from '../../../src/trust/merkle.ts';
import { signReceipt } from '../../../src/trust/receipt.ts';
import { bytesOf } from '../bytes-of.ts';
import { DOCUMENT_GOLDEN, goldenBox } from './documents.ts';
import { EXAMPLES, NUMBERS } from './rfc8785.ts';
import {
  AT_MS,
  CHECKPOINT,
  CONTENT,
  DECISIONS,
  DEVICE_SEED,
  EVENTS,
  HEAD,
  HEARTBEAT,
  HOME_SEED,
  RECEIPT,
} from './values.ts';

const { sha256 } = nobleCrypto;
const home = nobleSigner(bytesOf(HOME_SEED));
const device = nobleSigner(bytesOf(DEVICE_SEED));

/** What the present code makes of the fixed values: one entry a frozen file, named as the file is. */
export const GOLDEN: Readonly<Record<string, () => unknown>> = {
  'canonical-json': () => ({
    numbers: NUMBERS.map(([bits]) => ({ bits, canonical: canonicalText(numberOf(bits)) })),
    examples: EXAMPLES.map(({ name, json }) => ({ name, json, canonical: canonicalText(JSON.parse(json)) })),
  }),
  'action-content': () => ({
    canonical: contentText(CONTENT),
    digest: digestOf(sha256, CONTENT),
  }),
  decision: () =>
    Object.fromEntries(
      Object.entries(DECISIONS).map(([name, value]) => {
        const signed = signDecision(device, value);
        return [name, { ...keys(DEVICE_SEED, device), ...signed, hash: decisionHash(sha256, signed.payload) }];
      }),
    ),
  receipt: () => byHome(signReceipt(home, RECEIPT)),
  heartbeat: () => byHome(signHeartbeat(home, HEARTBEAT)),
  head: () => byHome(signHead(home, HEAD)),
  checkpoint: () => byHome(signCheckpoint(home, CHECKPOINT)),
  log: buildLog,
  ...DOCUMENT_GOLDEN,
  box: goldenBox,
};

/** The exact text of a frozen file. */
export function render(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** One row of every kind of event, chained, with the Merkle root over all of them. */
function buildLog(): unknown {
  let head: LogHead = { seq: 0, root: GENESIS_ROOT };
  let range = EMPTY_RANGE;
  const rows = Object.values(EVENTS).map((body) => {
    const salt = toHex(sha256(utf8(body.kind)).subarray(0, 16));
    const row = makeRow(sha256, head, { body, atMs: AT_MS + head.seq, salt });
    head = { seq: row.seq, root: row.root };
    range = appendLeaf(sha256, range, leafHash(sha256, row.audit));
    return {
      seq: row.seq,
      kind: row.kind,
      actionSeq: row.actionSeq,
      attempt: row.attempt,
      event: textOf(row.event),
      eventHash: toHex(row.eventHash),
      audit: textOf(row.audit),
      root: toHex(row.root),
    };
  });
  return { rows, tree: toHex(rangeRoot(sha256, range)) };
}

function byHome(signed: SignedText): unknown {
  return { ...keys(HOME_SEED, home), ...signed };
}

function keys(seed: string, signer: Signer): { readonly seed: string; readonly publicKey: string } {
  return { seed, publicKey: toHex(signer.publicKey) };
}

function canonicalText(value: Json): string | undefined {
  return textOf(canonicalBytes(value));
}

function numberOf(bits: string): number {
  return new DataView(concat(bytesOf(bits)).buffer).getFloat64(0);
}
