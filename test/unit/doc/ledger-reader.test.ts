import * as Y from 'yjs';
import { describe, expect, test } from 'vitest';
import { keyRing } from '../../../src/doc/keys.ts';
import type { LedgerAuthor } from '../../../src/doc/ledger-author.ts';
import { ROOT } from '../../../src/doc/schema.ts';
import {
  actionDraft,
  actionOf,
  AS_OF,
  freshAuthor,
  KEYS,
  nodeCrypto,
  readerOf,
  replicaOf,
  shownBy,
  checkedWhole,
} from '../../support/doc-lab.ts';

const OTHER_KEYS = keyRing(nodeCrypto.hmac, [{ gen: 2, secret: new Uint8Array(32).fill(9) }]);

function threeChanges(): readonly Uint8Array[] {
  const author = freshAuthor();
  return [
    author.change({ puts: [actionDraft(1), actionDraft(2)], drops: [], asOf: AS_OF }),
    author.change({ puts: [actionDraft(1, { state: 'approved' })], drops: [actionOf(2)], asOf: AS_OF }),
    author.change({ puts: [actionDraft(3)], drops: [], asOf: AS_OF }),
  ];
}

describe('what a reader answers', () => {
  test('newest records by id, opened and verified when asked', () => {
    const { reader } = replicaOf(threeChanges());
    expect(reader.ids.toSorted()).toEqual([actionOf(1), actionOf(3)].toSorted());
    expect(reader.open(actionOf(1))).toMatchObject({ ok: true, value: { record: { state: 'approved', rev: 2 } } });
    expect(reader.isSigned(actionOf(1))).toBe(true);
    expect(reader.open(actionOf(2))).toBeUndefined();
    expect(reader.isSigned(actionOf(2))).toBe(false);
    expect(reader.has(actionOf(3))).toBe(true);
  });

  test('the ids of each transaction, until it is told to stop', () => {
    const { doc, reader } = replicaOf();
    const seen: string[][] = [];
    const end = reader.onChange((changed) => seen.push([...changed].toSorted()));
    const [first, second, third] = threeChanges() as [Uint8Array, Uint8Array, Uint8Array]; // reason: there are three
    Y.applyUpdate(doc, first);
    Y.applyUpdate(doc, second);
    end();
    Y.applyUpdate(doc, third);
    const both = [actionOf(1), actionOf(2), 'sum'].toSorted();
    expect(seen).toEqual([both, both]);
  });

  test('the same for a document that was there before it', () => {
    const { doc, reader } = replicaOf(threeChanges());
    const later = readerOf(doc);
    expect(shownBy(later)).toEqual(shownBy(reader));
    expect(later.check()).toEqual(reader.check());
  });

  test('nothing more after its end', () => {
    const { doc, reader } = replicaOf();
    reader.destroy();
    for (const update of threeChanges()) Y.applyUpdate(doc, update);
    expect(reader.ids).toEqual([]);
  });
});

describe('what a reader says of the whole', () => {
  test('incomplete while nothing is here, whole after each change', () => {
    const { doc, reader } = replicaOf();
    expect(reader.check()).toEqual({ state: 'incomplete' });
    for (const update of threeChanges()) {
      Y.applyUpdate(doc, update);
      expect(reader.check().state).toBe('whole');
    }
  });

  test('incomplete while a change is on its way that a later one follows', () => {
    const { doc, reader } = replicaOf();
    const [first, second, third] = threeChanges() as [Uint8Array, Uint8Array, Uint8Array]; // reason: there are three
    Y.applyUpdate(doc, first);
    Y.applyUpdate(doc, third);
    // The deletions of the third change speak of what has not come; the first is whole as it stands.
    expect(['whole', 'incomplete']).toContain(reader.check().state);
    Y.applyUpdate(doc, second);
    expect(reader.check()).toMatchObject({ state: 'whole', sum: { rev: 3 } });
  });

  test('no-key until the key is there, and then whole', () => {
    const keys = { now: OTHER_KEYS };
    const { doc } = replicaOf(threeChanges());
    const reader = readerOf(doc, { ...KEYS, of: (gen) => keys.now.of(gen) });
    expect(reader.check()).toEqual({ state: 'no-key', keyGen: 1 });
    expect(reader.open(actionOf(1))).toEqual({ ok: false, error: { reason: 'no-key', keyGen: 1 } });
    keys.now = KEYS;
    reader.keysChanged();
    expect(reader.check().state).toBe('whole');
    expect(reader.open(actionOf(1))?.ok).toBe(true);
  });

  test('too-new when the sum has an envelope of another version; a stranger’s claim of one is damage', () => {
    const newer = Uint8Array.of(3, 1, 1);
    const { doc, reader } = replicaOf(threeChanges());
    doc.getArray<Uint8Array>(ROOT.ledger).push([newer]);
    expect(reader.check().state).toBe('damaged');
    const all = new Y.Doc();
    all.getArray<Uint8Array>(ROOT.ledger).push([newer]);
    expect(readerOf(all).check()).toEqual({ state: 'too-new' });
  });

  test.each([
    ['text', (): unknown => 'record'],
    ['a shared map', () => new Y.Map()],
    ['an object with a forged prototype', () => JSON.parse('{"__proto__":{"id":"sum"}}') as unknown],
    ['bytes without an envelope', () => Uint8Array.of(2)],
    ['nothing', () => new Uint8Array(0)],
    ['an envelope of garbage', () => Uint8Array.of(2, 1, 3, 115, 117, 109, 1, ...new Uint8Array(90))],
  ])('damaged by %s among the records, and sound again when it is gone', (_, make) => {
    const { doc, reader } = replicaOf(threeChanges());
    const shown = shownBy(reader);
    const array = doc.getArray<unknown>(ROOT.ledger);
    array.insert(1, [make()]);
    expect(reader.check()).toMatchObject({ state: 'damaged' });
    expect(shownBy(reader)).toEqual(shown);
    array.delete(1, 1);
    expect(reader.check().state).toBe('whole');
  });

  test('damaged by anything elsewhere in the document', () => {
    const { doc, reader } = replicaOf(threeChanges());
    doc.getMap('elsewhere').set('sum', new Uint8Array(3));
    expect(reader.check()).toMatchObject({ state: 'damaged', why: expect.stringContaining('no record') as unknown });
  });

  test('damaged when something fails in a listener, and the document goes on', () => {
    const { doc, reader } = replicaOf();
    reader.onChange(() => {
      throw new Error('planted');
    });
    const later: number[] = [];
    doc.on('update', () => later.push(1));
    for (const update of threeChanges()) Y.applyUpdate(doc, update);
    expect(later).toEqual([1, 1, 1]);
    expect(reader.check()).toMatchObject({ state: 'damaged', why: expect.stringContaining('planted') as unknown });
  });
});

describe('a ledger that comes in one large piece', () => {
  const RECORDS = 400;
  const large = (): LedgerAuthor => {
    const author = freshAuthor('large');
    const puts = Array.from({ length: RECORDS }, (_, at) => actionDraft(at + 1));
    author.change({ puts, drops: [], asOf: AS_OF });
    return author;
  };

  test('is hashed in slices, and nothing is said of the whole before', () => {
    const author = large();
    const { reader } = replicaOf([author.state()]);
    let slices = 1;
    expect(reader.check()).toEqual({ state: 'checking' });
    for (; reader.hashSome(16 * 1024); slices += 1) expect(reader.check().state).not.toBe('whole');
    expect(reader.check()).toMatchObject({ state: 'whole', sum: { count: RECORDS } });
    expect(slices).toBeGreaterThan(16);
    expect(reader.hashSome(1)).toBe(false);
  });

  test('is damaged when one record is missing, or one too many is there, however the slices fall', () => {
    const author = large();
    const without = new Y.Doc();
    Y.applyUpdate(without, author.state());
    without.getArray(ROOT.ledger).delete(17);
    const twice = new Y.Doc();
    Y.applyUpdate(twice, author.state());
    twice.getArray<Uint8Array>(ROOT.ledger).push([twice.getArray<Uint8Array>(ROOT.ledger).get(3).slice()]);
    for (const doc of [without, twice])
      expect(checkedWhole(replicaOf([Y.encodeStateAsUpdate(doc)]).reader).state).toBe('damaged');
  });

  test('goes on to change while it is being hashed', () => {
    const author = large();
    const { doc, reader } = replicaOf([author.state()]);
    for (let n = 1; reader.hashSome(8 * 1024); n += 1) {
      if (n > 20) continue;
      const drops = [actionOf(RECORDS - n)];
      Y.applyUpdate(doc, author.change({ puts: [actionDraft(n, { attempts: 1 })], drops, asOf: AS_OF }));
    }
    expect(reader.check()).toMatchObject({ state: 'whole', sum: { rev: 21, count: RECORDS - 20 } });
  });
});
