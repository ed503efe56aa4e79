import * as Y from 'yjs';
import { beforeEach, describe, expect, test } from 'vitest';
import { concat } from '../../../src/base/bytes.ts';
import { varString, varUint } from '../../../src/doc/cursor.ts';
import { LedgerHash } from '../../../src/doc/ledger-sum.ts';
import { ROOT } from '../../../src/doc/schema.ts';
import { LedgerAuthor } from '../../../src/doc/ledger-author.ts';
import { DOCUMENT_ROOT, UpdateGuard } from '../../../src/sync/update-guard.ts';
import { clockJump, deletedJump, forgedUnder, orphans, writerOf } from '../../support/doc-forgery.ts';
import {
  actionDraft,
  actionOf,
  AS_OF,
  authorOptions,
  DEVICE_SIGNER,
  freshAuthor,
  nodeCrypto,
  replicaOf,
  shownBy,
  checkedWhole,
} from '../../support/doc-lab.ts';

/**
 * Goal: what was measured against stock Yjs does nothing to a ledger that goes unseen.
 * Method: each attack is first shown to hurt a stock document, then made on a replica, whose reader must not show
 * anything the home did not sign, and must say that the ledger is damaged; or whose guard must keep it out.
 */
const GARBAGE = new Uint8Array(120).fill(7);

interface Stage {
  readonly author: LedgerAuthor;
  readonly client: number;
  readonly first: Uint8Array;
  readonly doc: Y.Doc;
  readonly reader: ReturnType<typeof replicaOf>['reader'];
}
let stage: Stage;

beforeEach(() => {
  const author = freshAuthor();
  const first = author.change({ puts: [actionDraft(1), actionDraft(2)], drops: [], asOf: AS_OF });
  stage = { author, first, client: writerOf(author.stateVector()), ...replicaOf([first]) };
});

describe('[T9] structs forged under the writer’s client id', () => {
  test('make a stock peer drop the victim’s next write for good', () => {
    const victim = new Y.Doc();
    const peer = new Y.Doc();
    victim.getArray(ROOT.ledger).push(['first']);
    Y.applyUpdate(peer, Y.encodeStateAsUpdate(victim));
    Y.applyUpdate(
      peer,
      forgedUnder(Y.encodeStateAsUpdate(victim), victim.clientID, (list) => list.push(['forged'])),
    );
    victim.getArray(ROOT.ledger).push(['second']);
    Y.applyUpdate(peer, Y.encodeStateAsUpdate(victim));
    expect(peer.getArray(ROOT.ledger).toArray()).toEqual(['first', 'forged']);
    expect(Y.encodeStateVector(peer)).toEqual(Y.encodeStateVector(victim));
  });

  test('are seen as soon as they come, and still after the next write was dropped', () => {
    const { author, client, doc, first, reader } = stage;
    const shown = shownBy(reader);
    Y.applyUpdate(
      doc,
      forgedUnder(first, client, (records) => records.push([GARBAGE])),
    );
    expect(reader.check().state).not.toBe('whole');
    Y.applyUpdate(doc, author.change({ puts: [actionDraft(3)], drops: [], asOf: AS_OF }));
    expect(reader.check().state).toBe('damaged');
    expect(shownBy(reader)).toEqual(shown);
  });
});

describe('[T9] deletions of what others wrote', () => {
  test('are taken by a stock document from anybody', () => {
    const doc = new Y.Doc();
    doc.getArray(ROOT.ledger).push(['mine']);
    Y.applyUpdate(
      doc,
      forgedUnder(Y.encodeStateAsUpdate(doc), 5, (list) => list.delete(0, 1)),
    );
    expect(doc.getArray(ROOT.ledger).length).toBe(0);
  });

  test.each([
    ['an action', 0, 1],
    ['the sum', 2, 1],
    ['everything', 0, 3],
  ])('are seen: %s', (_, at, count) => {
    const { doc, first, reader } = stage;
    Y.applyUpdate(
      doc,
      forgedUnder(first, 5, (records) => records.delete(at, count)),
    );
    expect(reader.check().state).toBe(count === 3 ? 'incomplete' : 'damaged');
  });
});

test('[T9] a ledger that a device with the content key wrote is damaged, and none of its records is signed', () => {
  const forger = LedgerAuthor.fresh(authorOptions('forger', { signer: DEVICE_SIGNER }));
  const { reader } = replicaOf([forger.change({ puts: [actionDraft(1)], drops: [], asOf: AS_OF })]);
  expect(reader.check()).toMatchObject({ state: 'damaged', why: expect.stringContaining('signed') as unknown });
  expect(reader.isSigned(actionOf(1))).toBe(false);
});

describe('[T9] old records brought back', () => {
  test('are seen when they replace the new ones, and when they stand beside them', () => {
    const { author, doc, first, reader } = stage;
    const old = replicaOf([first]).doc.getArray<Uint8Array>(ROOT.ledger).get(0);
    Y.applyUpdate(doc, author.change({ puts: [actionDraft(1, { state: 'rejected' })], drops: [], asOf: AS_OF }));
    expect(reader.check().state).toBe('whole');
    Y.applyUpdate(
      doc,
      forgedUnder(author.state(), 5, (records) => records.push([old])),
    );
    expect(reader.check().state).toBe('damaged');
    expect(reader.open(actionOf(1))).toMatchObject({ value: { record: { state: 'rejected' } } });
    Y.applyUpdate(doc, author.change({ puts: [], drops: [actionOf(1)], asOf: AS_OF }));
    expect(reader.check().state).toBe('damaged');
  });
});

describe('[T9] equivocation: two contents at one clock', () => {
  test('leaves two stock peers apart for ever, with equal state vectors', () => {
    const [one, other] = ['one', 'other'].map((text) => {
      const doc = new Y.Doc();
      doc.clientID = 9;
      doc.getArray(ROOT.ledger).push([text]);
      return doc;
    }) as [Y.Doc, Y.Doc]; // reason: two texts, two documents
    Y.applyUpdate(one, Y.encodeStateAsUpdate(other, Y.encodeStateVector(one)));
    Y.applyUpdate(other, Y.encodeStateAsUpdate(one, Y.encodeStateVector(other)));
    expect(Y.encodeStateVector(one)).toEqual(Y.encodeStateVector(other));
    expect(one.getArray(ROOT.ledger).toArray()).not.toEqual(other.getArray(ROOT.ledger).toArray());
  });

  test('is seen by the one that was lied to', () => {
    const { author, client, doc, first, reader } = stage;
    const records = replicaOf([first]).doc.getArray<Uint8Array>(ROOT.ledger).toArray();
    const [one, , sum] = records as [Uint8Array, Uint8Array, Uint8Array]; // reason: two actions and the sum
    const second = author.change({ puts: [actionDraft(1, { state: 'rejected' })], drops: [], asOf: AS_OF });
    const lie = forgedUnder(first, client, (list) => {
      list.delete(2, 1);
      list.delete(0, 1);
      list.push([one, sum]);
    });
    Y.applyUpdate(doc, lie);
    // The lie shows the old present as it was: nothing is out of place yet, and its age is what gives it away.
    expect(reader.check()).toMatchObject({ state: 'whole', sum: { rev: 1 } });
    Y.applyUpdate(doc, second);
    expect(Y.encodeStateVector(doc)).toEqual(author.stateVector());
    Y.applyUpdate(doc, author.change({ puts: [actionDraft(3)], drops: [], asOf: AS_OF }));
    expect(reader.check().state).toBe('damaged');
  });
});

describe('[T18] a jump of a clock', () => {
  const FAR = Number.MAX_SAFE_INTEGER - 1;

  test('of a dozen bytes makes a stock document deaf to a client', () => {
    const doc = new Y.Doc();
    const poison = clockJump(3, 0, FAR);
    expect(poison.length).toBeLessThanOrEqual(14);
    Y.applyUpdate(doc, poison);
    const writer = new Y.Doc();
    writer.clientID = 3;
    writer.getArray(ROOT.ledger).push(['unheard']);
    Y.applyUpdate(doc, Y.encodeStateAsUpdate(writer));
    expect(doc.getArray(ROOT.ledger).length).toBe(0);
  });

  test('does not pass the guard', () => {
    const { client, doc } = stage;
    const guard = new UpdateGuard(doc, { bytesMax: 1024, root: DOCUMENT_ROOT.ledger });
    const before = Y.encodeStateVector(doc);
    for (const length of [1, 2 ** 31, FAR])
      expect(guard.take(clockJump(client, 3, length))).toMatchObject({ error: { reason: 'malformed' } });
    expect(guard.take(deletedJump(client, FAR))).toMatchObject({ error: { reason: 'malformed' } });
    expect(Y.encodeStateVector(doc)).toEqual(before);
  });

  test('that is small enough to pass is seen at the next change', () => {
    const { author, client } = stage;
    const { doc, reader } = replicaOf();
    const guard = new UpdateGuard(doc, { bytesMax: 64 * 1024, root: DOCUMENT_ROOT.ledger });
    expect(guard.take(stage.first).ok).toBe(true);
    expect(guard.take(forgedUnder(stage.first, client, (records) => records.push([GARBAGE, GARBAGE]))).ok).toBe(true);
    expect(guard.take(author.change({ puts: [actionDraft(3)], drops: [], asOf: AS_OF })).ok).toBe(true);
    expect(reader.check().state).toBe('damaged');
  });
});

describe('[T18] updates that follow what never comes', () => {
  test('pile up in a stock document', () => {
    const doc = new Y.Doc();
    const sizes = [1, 2, 3].map((n) => {
      Y.applyUpdate(doc, orphans(2_000, n));
      return doc.store.pendingStructs?.update.length ?? 0;
    });
    expect(sizes[2]).toBeGreaterThan(3_000);
  });

  test('do not pass the guard beyond a few, and what is shown stays whole', () => {
    const { doc, reader } = stage;
    const guard = new UpdateGuard(doc, { bytesMax: 1024 * 1024, root: DOCUMENT_ROOT.ledger });
    expect(guard.take(orphans(65, 1)).ok).toBe(false);
    const taken = Array.from({ length: 40 }, (_, n) => guard.take(orphans(3, n + 1))).filter(({ ok }) => ok);
    expect(taken).toHaveLength(21);
    expect(reader.check().state).toBe('whole');
  });
});

describe('[T9] a value with the key __proto__', () => {
  const value = JSON.parse('{"__proto__":{"approved":true}}') as unknown;

  test('reads differently in a stock document, by the way it is read', () => {
    const writer = new Y.Doc();
    writer.getArray(ROOT.ledger).push([value]);
    const doc = new Y.Doc();
    Y.applyUpdate(doc, Y.encodeStateAsUpdate(writer));
    const read = doc.getArray<{ readonly approved?: boolean }>(ROOT.ledger).get(0);
    expect(read.approved).toBe(true);
    expect(JSON.stringify(read)).toBe('{}');
  });

  test('is no record, and does not pass the guard, in our documents or any', () => {
    const { doc, first, reader } = stage;
    const forged = forgedUnder(first, 5, (records) => records.push([value]));
    for (const root of [DOCUMENT_ROOT.ledger, null])
      expect(new UpdateGuard(doc, { bytesMax: 1024, root }).take(forged)).toMatchObject({ ok: false });
    Y.applyUpdate(doc, forged);
    expect(reader.check().state).toBe('damaged');
    expect(reader.ids).toHaveLength(2);
  });
});

test('[T18] bytes of V2 are refused, and no decoder for V2 is ever asked', () => {
  const { author, doc } = stage;
  const guard = new UpdateGuard(doc, { bytesMax: 1024 * 1024, root: null });
  for (const bytes of [Y.encodeStateAsUpdateV2(new Y.Doc()), Y.convertUpdateFormatV1ToV2(author.state())])
    expect(guard.take(bytes)).toMatchObject({ error: { reason: 'malformed' } });
});

describe('[T18] a flood of what looks like records, from who has no key', () => {
  /** Envelopes that any relay can make: a version, a generation, an id, a revision, a nonce, and noise. */
  const envelopes = (count: number, idOf: (at: number) => string): readonly Uint8Array[] =>
    Array.from({ length: count }, (_, at) =>
      concat(Uint8Array.of(2), varUint(1), varString(idOf(at)), varUint(at), new Uint8Array(40).fill(at)),
    );
  const flood = (records: readonly Uint8Array[]): { readonly doc: Y.Doc; readonly ms: number } => {
    const { doc, reader } = replicaOf([stage.first]);
    const source = new Y.Doc();
    source.getArray(ROOT.ledger).push([...records]);
    const update = Y.encodeStateAsUpdate(source);
    const began = performance.now();
    Y.applyUpdate(doc, update);
    expect(checkedWhole(reader)).toMatchObject({ state: 'damaged' });
    return { doc, ms: performance.now() - began };
  };

  test('of one id costs no more than as many ids', () => {
    const many = flood(envelopes(20_000, (at) => `x${at}`));
    const one = flood(envelopes(20_000, () => 'x'));
    expect(one.ms).toBeLessThan(4 * many.ms + 500);
  });

  test('chosen so that their hashes begin alike costs no more than any others', () => {
    const cost = (firstByte: (at: number) => number): number => {
      const sum = new LedgerHash(nodeCrypto.sha256);
      const began = performance.now();
      for (let at = 0; at < 8_000; at += 1) {
        const hash = nodeCrypto.sha256(varUint(at));
        hash[0] = firstByte(at);
        sum.add(hash);
      }
      sum.present();
      return performance.now() - began;
    };
    const any = cost((at) => at % 256);
    expect(cost(() => 7)).toBeLessThan(4 * any + 500);
  });
});
