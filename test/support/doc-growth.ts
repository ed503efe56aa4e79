import * as Y from 'yjs';
import { ROOT } from '../../src/doc/schema.ts';
import type { LedgerAuthor } from '../../src/doc/ledger-author.ts';
import { actionDraft, actionOf, AS_OF, freshAuthor } from './doc-lab.ts';

/**
 * A ledger through which so many actions went, of which never more than `live` were in it at once: each comes, is
 * decided, and goes, any of the live ones first. By a script, with 100,000 actions and 200 live:
 *
 *     npx tsx -e "import('./test/support/doc-growth.ts').then((m) => console.log(m.growth(100_000, 200)))"
 */
export function livedThrough(size: { readonly actions: number; readonly live: number }): {
  readonly author: LedgerAuthor;
  readonly liveBytes: number;
} {
  const author = freshAuthor('growth');
  const here: number[] = [];
  let dice = 1;
  for (let n = 1; n <= size.actions; n += 1) {
    dice = (dice * 48_271) % 2_147_483_647;
    const [gone] = here.length >= size.live ? here.splice(dice % here.length, 1) : [];
    here.push(n);
    author.change({ puts: [actionDraft(n)], drops: gone === undefined ? [] : [actionOf(gone)], asOf: AS_OF });
    const decided = here[dice % here.length] ?? n;
    author.change({ puts: [actionDraft(decided, { state: 'approved' })], drops: [], asOf: AS_OF });
  }
  const doc = new Y.Doc();
  Y.applyUpdate(doc, author.state());
  const records = doc.getArray<Uint8Array>(ROOT.ledger).toArray();
  return { author, liveBytes: records.reduce((sum, bytes) => sum + bytes.length, 0) };
}

/** What the encoded ledger has beside its live records, in bytes, and how long a change took. */
export function growth(actions: number, live: number): object {
  const beganMs = performance.now();
  const { author, liveBytes } = livedThrough({ actions, live });
  const changeMs = (performance.now() - beganMs) / (2 * actions);
  return { actions, live, liveBytes, overheadBytes: author.state().length - liveBytes, changeMs };
}
