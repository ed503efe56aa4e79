import * as Y from 'yjs';
import { expect, test } from 'vitest';
import { toHex } from '../../../src/base/bytes.ts';
import { CountersignError } from '../../../src/base/errors.ts';
import { LEDGER_AUTHOR_LIMITS, LedgerAuthor } from '../../../src/doc/ledger-author.ts';
import { peekRecord } from '../../../src/doc/record-codec.ts';
import { ROOT } from '../../../src/doc/schema.ts';
import { LEDGER_LIMITS } from '../../../src/model/ledger.ts';
import {
  actionDraft,
  actionOf,
  AS_OF,
  authorOptions,
  freshAuthor,
  readerOf,
  replicaOf,
} from '../../support/doc-lab.ts';
import { growth } from '../../support/doc-growth.ts';

test('a change is one update that replaces, drops, adds and ends with the sum', () => {
  const author = freshAuthor();
  const updates = [
    author.change({ puts: [actionDraft(1), actionDraft(2)], drops: [], asOf: AS_OF }),
    author.change({ puts: [actionDraft(1, { state: 'applied' })], drops: [actionOf(2)], asOf: AS_OF }),
  ];
  const { doc, reader } = replicaOf(updates);
  expect(idsIn(doc)).toEqual([`${actionOf(1)} 2`, 'sum 2']);
  expect(author.ids).toEqual([actionOf(1)]);
  expect(reader.check()).toMatchObject({ state: 'whole', sum: { rev: 2, count: 1, ...AS_OF } });
  expect(author.record(actionOf(1))).toMatchObject({ state: 'applied', rev: 2 });
});

test('an id that was dropped comes back above any revision it had, also in a restored ledger', () => {
  const options = authorOptions('revs');
  const first = LedgerAuthor.fresh(options);
  first.change({ puts: [actionDraft(1)], drops: [], asOf: AS_OF });
  first.change({ puts: [actionDraft(1, { attempts: 1 })], drops: [], asOf: AS_OF });
  first.change({ puts: [], drops: [actionOf(1)], asOf: AS_OF });
  const second = restored(options, first.state());
  second.change({ puts: [actionDraft(1)], drops: [], asOf: AS_OF });
  expect(second.record(actionOf(1))).toMatchObject({ rev: 4 });
});

test('a restored ledger goes on at the end under another client id, and all of it is one document', () => {
  const options = authorOptions('restore');
  let author = LedgerAuthor.fresh(options);
  const updates: Uint8Array[] = [];
  const expected: string[] = [];
  for (let n = 1; n <= 6; n += 1) {
    updates.push(author.change({ puts: [actionDraft(n)], drops: [], asOf: AS_OF }));
    expected.push(`${actionOf(n)} ${n}`);
    const { doc, reader } = replicaOf(updates);
    expect(Y.decodeStateVector(author.stateVector()).size).toBe(n);
    expect(reader.check().state).toBe('whole');
    expect(idsIn(doc)).toEqual([...expected, `sum ${n}`]);
    expect(Y.encodeStateAsUpdate(doc)).toEqual(author.state());
    author = restored(options, author.state());
  }
});

test('a stored ledger that is not what its sum says is not gone on with', () => {
  const options = authorOptions('damage');
  const author = LedgerAuthor.fresh(options);
  author.change({ puts: [actionDraft(1), actionDraft(2)], drops: [], asOf: AS_OF });
  const { doc } = replicaOf([author.state()]);
  doc.getArray(ROOT.ledger).delete(0, 1);
  expect(LedgerAuthor.restore(options, Y.encodeStateAsUpdate(doc))).toEqual({
    ok: false,
    error: 'The stored ledger does not hold what its sum says.',
  });
  expect(LedgerAuthor.restore(options, Uint8Array.of(1, 2, 3))).toMatchObject({ ok: false });
  doc.getArray(ROOT.ledger).insert(0, ['text']);
  expect(LedgerAuthor.restore(options, Y.encodeStateAsUpdate(doc)).ok).toBe(false);
});

test('an empty stored ledger is a fresh one', () => {
  const options = authorOptions('empty');
  const author = restored(options, LedgerAuthor.fresh(options).state());
  author.change({ puts: [actionDraft(1)], drops: [], asOf: AS_OF });
  expect(readerOf(replicaOf([author.state()]).doc).check().state).toBe('whole');
});

test('a record that no reader takes leaves the ledger as it was', () => {
  const author = freshAuthor();
  author.change({ puts: [actionDraft(1)], drops: [], asOf: AS_OF });
  const before = author.state();
  const tooLong = actionDraft(2, { title: 'x'.repeat(LEDGER_LIMITS.textBytesMax + 1) });
  const change = { puts: [actionDraft(1, { attempts: 1 }), tooLong], drops: [], asOf: AS_OF };
  expect(() => author.change(change)).toThrow(CountersignError);
  expect(() => author.change({ puts: [], drops: [], asOf: { ...AS_OF, size: -1 } })).toThrow(CountersignError);
  expect(author.state()).toEqual(before);
  author.change({ puts: [actionDraft(3)], drops: [], asOf: AS_OF });
  expect(replicaOf([author.state()]).reader.check().state).toBe('whole');
});

test('it writes what deleting and pushing by index would write, byte by byte', () => {
  const author = freshAuthor('bytes');
  const stock = new Y.Doc();
  const array = stock.getArray<Uint8Array>(ROOT.ledger);
  const shadow = new Y.Doc();
  const now = (): readonly Uint8Array[] => shadow.getArray<Uint8Array>(ROOT.ledger).toArray();
  for (let n = 1; n <= 30; n += 1) {
    const puts = n % 7 === 0 ? [actionDraft(n), actionDraft(n - 1, { attempts: 1 })] : [actionDraft(n)];
    const drops = n > 5 && n % 3 === 0 ? [actionOf(n - 4)] : [];
    const before = now().map(toHex);
    Y.applyUpdate(shadow, author.change({ puts, drops, asOf: AS_OF }));
    const after = new Set(now().map(toHex));
    [stock.clientID] = [...Y.decodeStateVector(author.stateVector()).keys()] as [number]; // reason: one client wrote
    stock.transact(() => {
      for (let at = before.length - 1; at >= 0; at -= 1) if (!after.has(before[at] ?? '')) array.delete(at, 1);
      array.push(now().filter((bytes) => !before.includes(toHex(bytes))));
    });
    expect(toHex(author.state())).toBe(toHex(Y.encodeStateAsUpdate(stock)));
  }
});

test('it grows with what lives in it, not with what it has seen', () => {
  const { author, liveBytes, overheadBytes } = growth(600, 50);
  const encoded = liveBytes + overheadBytes;
  expect(overheadBytes).toBeLessThan(64 * 1024);
  expect(author.bytes).toBeGreaterThanOrEqual(encoded);
  expect(author.bytes).toBeLessThan(encoded + 64 * 1024);
  expect(author.outgrown).toBeNull();
});

test('it says when it should go on in a new room', () => {
  const options = authorOptions('writers');
  let author = LedgerAuthor.fresh(options);
  for (let start = 0; start < LEDGER_AUTHOR_LIMITS.writersMax; start += 1) {
    expect(author.outgrown).toBeNull();
    author.change({ puts: [actionDraft(1, { attempts: start })], drops: [], asOf: AS_OF });
    author = restored(options, author.state());
  }
  expect(author.outgrown).toBe('writers');
});

function restored(options: ReturnType<typeof authorOptions>, state: Uint8Array): LedgerAuthor {
  const author = LedgerAuthor.restore(options, state);
  if (!author.ok) throw new Error(author.error);
  return author.value;
}

/** Id and revision of each record, as they stand in the document. */
function idsIn(doc: Y.Doc): readonly string[] {
  return doc.getArray<Uint8Array>(ROOT.ledger).map((bytes) => {
    const envelope = peekRecord(bytes);
    return envelope.ok ? `${envelope.value.id} ${envelope.value.rev}` : '';
  });
}
