import * as Y from 'yjs';
import { ROOT } from '../../src/doc/schema.ts';
import type { LedgerAuthor } from '../../src/doc/ledger-author.ts';
import { actionDraft, actionOf, AS_OF, freshAuthor } from './doc-lab.ts';

export interface Growth {
  readonly author: LedgerAuthor;
  /** Bytes of the records that live at the end, and what the encoded ledger has beside them. */
  readonly liveBytes: number;
  readonly overheadBytes: number;
  /** Milliseconds a change took, signing and sealing included. */
  readonly changeMs: number;
}

/**
 * A ledger through which so many actions went, of which never more than `live` were in it at once: each comes, is
 * decided, and goes, any of the live ones first. As a script, with 100,000 actions and 200 live:
 *
 *     npx tsx -e "import('./test/support/doc-growth.ts').then((m) => console.log(m.growth(100_000, 200)))"
 */
export function growth(actions: number, live: number): Growth {
  const author = freshAuthor('growth');
  const here: number[] = [];
  const beganMs = performance.now();
  let dice = 1;
  for (let n = 1; n <= actions; n += 1) {
    dice = (dice * 48_271) % 2_147_483_647;
    const [gone] = here.length >= live ? here.splice(dice % here.length, 1) : [];
    here.push(n);
    author.change({ puts: [actionDraft(n)], drops: gone === undefined ? [] : [actionOf(gone)], asOf: AS_OF });
    const decided = here[dice % here.length] ?? n;
    author.change({ puts: [actionDraft(decided, { state: 'approved' })], drops: [], asOf: AS_OF });
  }
  const changeMs = (performance.now() - beganMs) / (2 * actions);
  const state = author.state();
  const doc = new Y.Doc();
  Y.applyUpdate(doc, state);
  const liveBytes = doc
    .getArray<Uint8Array>(ROOT.ledger)
    .toArray()
    .reduce((sum, bytes) => sum + bytes.length, 0);
  return { author, liveBytes, overheadBytes: state.length - liveBytes, changeMs };
}
