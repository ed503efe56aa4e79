import * as Y from 'yjs';
import { concat } from '../../src/base/bytes.ts';
import { LedgerAuthor } from '../../src/doc/ledger-author.ts';
import { LEDGER_LIMITS } from '../../src/model/ledger.ts';
import { nodeCrypto } from '../../src/crypto/node.ts';
import { actionDraft, actionOf, AS_OF, authorOptions } from '../../test/support/doc-lab.ts';
import type { Report } from './figure.ts';

const ACTIONS = 100_000;
/** Open at any time: what one agent has waiting. */
const OPEN = 43;
/** Actions whose changes share a transaction, as an agent's calls do within one coalesced moment. */
const TOGETHER = 5;
const SLACK_BYTES = 64 * 1024;
const TAG = new Uint8Array(16);
const SIGNATURE = new Uint8Array(64);
/** Every so many transactions the state is read, and the largest overhead counts. */
const LOOK_EVERY = 500;

/**
 * Sealing and signing 400,000 records takes minutes and changes no length: 16 bytes of tag and 64 of signature are
 * there, whatever is in them.
 */
const SAME_LENGTHS = {
  crypto: {
    sha256: nodeCrypto.sha256,
    seal: { seal: (_: unknown, plain: Uint8Array) => concat(plain, TAG), open: () => undefined },
  },
  signer: { publicKey: new Uint8Array(32), sign: () => SIGNATURE },
} as const;

/** What a document costs beside what stands in it, after a year of use: a reader loads all of it. */
export function ledgerGrowth(report: Report): Uint8Array {
  const author = LedgerAuthor.fresh(authorOptions('bench', SAME_LENGTHS));
  let worst = { bytes: 0, liveBytes: 0 };
  let changes = 0;
  for (let n = 1; n <= ACTIONS; n += TOGETHER) {
    passThrough(author, n);
    changes += 1;
    if (changes % LOOK_EVERY !== 0) continue;
    const now = sizeOf(author.state());
    if (now.bytes - now.liveBytes > worst.bytes - worst.liveBytes) worst = now;
  }
  report({
    bench: 'sync',
    figure: `ledger at its worst within ${ACTIONS} actions`,
    unit: 'bytes',
    ours: worst.bytes,
    beside: worst.liveBytes,
    besideName: 'what stands in it',
    goal: `<= live + ${SLACK_BYTES}`,
    holds: worst.bytes <= worst.liveBytes + SLACK_BYTES,
  });
  return author.state();
}

/** Some actions are proposed, some before them approved, some before those applied; the oldest settled ones go. */
function passThrough(author: LedgerAuthor, n: number): void {
  const some = (from: number) => Array.from({ length: TOGETHER }, (_, i) => from + i).filter((each) => each > 0);
  const put = (from: number, state: 'pending' | 'approved' | 'applied') =>
    author.change({ puts: some(from).map((each) => actionDraft(each, { state })), drops: [], asOf: AS_OF });
  put(n, 'pending');
  put(n - OPEN, 'approved');
  const old = some(n - OPEN - LEDGER_LIMITS.settledMax).map(actionOf);
  const puts = some(n - OPEN).map((each) => actionDraft(each, { state: 'applied' }));
  author.change({ puts, drops: old, asOf: AS_OF });
}

function sizeOf(state: Uint8Array): { readonly bytes: number; readonly liveBytes: number } {
  const doc = new Y.Doc();
  Y.applyUpdate(doc, state);
  const records = doc.getArray<Uint8Array>('records').toArray();
  const liveBytes = records.reduce((sum, record) => sum + record.length, 0);
  doc.destroy();
  return { bytes: state.length, liveBytes };
}
