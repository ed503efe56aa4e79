import * as Y from 'yjs';
import { describe, expect, test } from 'vitest';
import { concat } from '../../../src/base/bytes.ts';
import { ROOT } from '../../../src/doc/schema.ts';
import { DOCUMENT_ROOT, GUARD_LIMITS, UpdateGuard } from '../../../src/sync/update-guard.ts';
import { reachOf } from '../../../src/sync/update-reach.ts';
import { scanUpdate, SCAN_LIMITS, type UpdateScan } from '../../../src/sync/update-scan.ts';
import { clockJump, orphans } from '../../support/doc-forgery.ts';

const ANY = { bytesMax: 1024 * 1024, root: null };
const LEDGER = { ...ANY, root: DOCUMENT_ROOT.ledger };
const INBOX = { ...ANY, root: DOCUMENT_ROOT.inbox };

/** A document with content of every kind that Yjs has, but documents inside documents. */
function everything(): Y.Doc {
  const doc = new Y.Doc();
  const text = doc.getText('text');
  text.insert(0, 'héllo 😀 world');
  text.format(1, 4, { bold: true, link: { href: 'x' } });
  text.insertEmbed(2, { image: [1, null, { a: 'b' }] });
  text.delete(3, 5);
  const map = doc.getMap('map');
  map.set('any', [1, -1.5, 2 ** 40, true, null, undefined, 'x', { deep: [{ er: new Uint8Array(3) }] }, 10n]);
  map.set('list', Y.Array.from([1, 'two', new Uint8Array(4)]));
  map.set('list', new Y.Map([['inner', 'value']]));
  const fragment = doc.getXmlFragment('xml');
  fragment.insert(0, [new Y.XmlElement('p'), new Y.XmlText('words')]);
  return doc;
}

describe('what stock Yjs makes passes', () => {
  test('content of every kind, alone and among several writers', () => {
    const one = everything();
    const other = new Y.Doc();
    expect(new UpdateGuard(other, ANY).take(Y.encodeStateAsUpdate(one))).toEqual({ ok: true, value: undefined });
    other.getText('text').insert(3, 'between');
    const back = Y.encodeStateAsUpdate(other, Y.encodeStateVector(one));
    expect(new UpdateGuard(one, ANY).take(back).ok).toBe(true);
    expect(one.getText('text').toJSON()).toBe(other.getText('text').toJSON());
    expect(one.store.pendingStructs).toBeNull();
  });

  test('merged updates with a gap in them, once what was left out is there', () => {
    const writer = new Y.Doc();
    const updates: Uint8Array[] = [];
    writer.on('update', (update: Uint8Array) => updates.push(update));
    for (let n = 0; n < 3; n += 1) writer.getArray(ROOT.ledger).push([new Uint8Array(n + 1)]);
    const [first, second, third] = updates as [Uint8Array, Uint8Array, Uint8Array]; // reason: three changes
    const withGap = Y.mergeUpdates([first, third]);
    const { scan, reach } = looked(withGap, new Y.Doc());
    expect(scan.clients).toMatchObject([{ from: 0, to: 3 }]);
    expect(reach).toEqual({ pendingStructs: 1, pendingDeletions: 0, tangled: false });
    const doc = new Y.Doc();
    const guard = new UpdateGuard(doc, LEDGER);
    expect(guard.take(withGap).ok).toBe(true);
    expect(guard.take(second).ok).toBe(true);
    expect(doc.getArray(ROOT.ledger).length).toBe(3);
  });

  test('writers that stand on each other in turns', () => {
    const [one, other] = [new Y.Doc(), new Y.Doc()];
    for (let n = 0; n < 50; n += 1) {
      one.getArray(ROOT.ledger).push([Uint8Array.of(1)]);
      Y.applyUpdate(other, Y.encodeStateAsUpdate(one));
      other.getArray(ROOT.ledger).push([Uint8Array.of(2)]);
      Y.applyUpdate(one, Y.encodeStateAsUpdate(other));
    }
    const { reach } = looked(Y.encodeStateAsUpdate(one), new Y.Doc());
    expect(reach).toEqual({ pendingStructs: 0, pendingDeletions: 0, tangled: false });
  });
});

describe('what is no update is refused, and the document is as it was', () => {
  const whole = Y.encodeStateAsUpdate(everything());

  test('every beginning of an update, and an update with something behind it', () => {
    const doc = new Y.Doc();
    const guard = new UpdateGuard(doc, ANY);
    for (let length = 0; length < whole.length; length += 1)
      expect(guard.take(whole.subarray(0, length))).toMatchObject({ error: { reason: 'malformed' } });
    expect(guard.take(concat(whole, Uint8Array.of(0)))).toMatchObject({ error: { reason: 'malformed' } });
    expect(doc.store.clients.size).toBe(0);
  });

  test.each([
    ['more structs than there are bytes', Uint8Array.of(1, 255, 255, 255, 127, 1, 0, 0)],
    ['a number without an end', Uint8Array.of(...Array.from({ length: 200 }, () => 128), 0)],
    ['one client twice', Uint8Array.of(2, 1, 7, 0, 0, 1, 1, 7, 1, 0, 1, 0)],
    ['a client with nothing', Uint8Array.of(1, 0, 7, 0, 0)],
    ['a struct of no length', Uint8Array.of(1, 1, 7, 0, 0, 0, 0)],
    ['a deletion of no length', Uint8Array.of(0, 1, 7, 1, 0, 0)],
    ['a clock past the last', clockJump(7, 0, SCAN_LIMITS.clockMax + 1)],
    ['a struct beside its own future', Uint8Array.of(1, 1, 7, 0, 0x83, 7, 5, 1, 9, 0)],
    ['content of no known kind', Uint8Array.of(1, 1, 7, 0, 0x0b, 1, 1, 97, 0)],
    ['a document in the document', Uint8Array.of(1, 1, 7, 0, 9, 1, 1, 97, 1, 98, 118, 0, 0)],
    ['JSON that is none', Uint8Array.of(1, 1, 7, 0, 5, 1, 1, 97, 1, 123, 0)],
    ['a value of no known type', Uint8Array.of(1, 1, 7, 0, 8, 1, 1, 97, 1, 3, 0)],
    ['a name that is not UTF-8', Uint8Array.of(1, 1, 7, 0, 3, 1, 1, 255, 1, 0, 0)],
  ])('%s', (_, update) => {
    expect(scanUpdate(update, ANY)).toMatchObject({ ok: false, error: { reason: 'malformed' } });
    const doc = new Y.Doc();
    expect(new UpdateGuard(doc, ANY).take(update)).toMatchObject({ ok: false, error: { reason: 'malformed' } });
    expect(doc.store.clients.size).toBe(0);
  });

  test('values nested deeper than anybody means them', () => {
    const nested = Uint8Array.from({ length: 2 * 500_000 }, (_, at) => (at % 2 === 0 ? 117 : 1));
    const update = concat(Uint8Array.of(1, 1, 7, 0, 8, 1, 1, 97, 1), nested, Uint8Array.of(126, 0));
    expect(scanUpdate(update, ANY)).toMatchObject({ ok: false, error: { reason: 'malformed' } });
  });

  test('what is too large, without a look inside', () => {
    expect(scanUpdate(new Uint8Array(11), { ...ANY, bytesMax: 10 })).toMatchObject({ error: { reason: 'too-large' } });
  });
});

describe('a document of ours takes nothing else', () => {
  const of = (change: (doc: Y.Doc) => void): Uint8Array => {
    const doc = new Y.Doc();
    change(doc);
    return Y.encodeStateAsUpdate(doc);
  };

  test('than bytes in its one type', () => {
    const ledger = of((doc) => doc.getArray(ROOT.ledger).push([new Uint8Array(3)]));
    const inbox = of((doc) => doc.getMap(ROOT.inbox).set('key', new Uint8Array(3)));
    expect(scanUpdate(ledger, LEDGER).ok).toBe(true);
    expect(scanUpdate(inbox, INBOX).ok).toBe(true);
    expect(scanUpdate(ledger, INBOX).ok).toBe(false);
    expect(scanUpdate(inbox, LEDGER).ok).toBe(false);
  });

  test.each([
    ['text', of((doc) => doc.getArray(ROOT.ledger).push(['text']))],
    ['a type', of((doc) => doc.getArray(ROOT.ledger).push([new Y.Map()]))],
    ['another root', of((doc) => doc.getArray('other').push([new Uint8Array(1)]))],
    ['a member with a key', of((doc) => doc.getMap(ROOT.ledger).set('key', new Uint8Array(1)))],
    ['something inside a member', Uint8Array.of(1, 1, 7, 1, 3, 0, 7, 0, 1, 9, 0)],
  ])('not %s', (_, update) => {
    expect(scanUpdate(update, LEDGER)).toMatchObject({ error: { reason: 'malformed' } });
  });
});

describe('what grows is bounded', () => {
  test('client ids of one document', () => {
    const doc = new Y.Doc();
    const guard = new UpdateGuard(doc, ANY);
    const by = (client: number): Uint8Array => Uint8Array.of(1, 1, ...varUint14(client), 0, 3, 1, 1, 97, 1, 0, 0);
    for (let n = 1; n <= GUARD_LIMITS.clientsMax; n += 1) expect(guard.take(by(n)).ok).toBe(true);
    expect(guard.take(by(2_000))).toMatchObject({ error: { reason: 'full' } });
    expect(guard.take(by(1)).ok).toBe(true);
  });

  test('shared types of one document', () => {
    const guard = new UpdateGuard(new Y.Doc(), ANY);
    const to = (n: number): Uint8Array => Uint8Array.of(1, 1, n, 0, 3, 1, 1, 32 + n, 1, 0, 0);
    for (let n = 1; n <= GUARD_LIMITS.rootsMax; n += 1) expect(guard.take(to(n)).ok).toBe(true);
    expect(guard.take(to(90))).toMatchObject({ error: { reason: 'full' } });
  });

  test('deletions of what has not come', () => {
    const doc = new Y.Doc();
    const guard = new UpdateGuard(doc, LEDGER);
    const deletions = (client: number): Uint8Array => Uint8Array.of(0, 1, client, 2, 0, 1, 5, 1);
    const taken = Array.from({ length: 60 }, (_, n) => guard.take(deletions(n + 1))).filter(({ ok }) => ok);
    expect(taken).toHaveLength(GUARD_LIMITS.pendingMax / 2);
  });

  test('what waits, and the count begins anew when nothing does', () => {
    const doc = new Y.Doc();
    const guard = new UpdateGuard(doc, LEDGER);
    const writer = new Y.Doc();
    writer.clientID = 77;
    writer.getArray(ROOT.ledger).push([new Uint8Array(1)]);
    expect(guard.take(orphans(60)).ok).toBe(true);
    expect(guard.take(orphans(60, 78)).ok).toBe(false);
    expect(guard.take(Y.encodeStateAsUpdate(writer)).ok).toBe(true);
    expect(doc.store.pendingStructs).toBeNull();
    expect(guard.take(orphans(60, 78)).ok).toBe(true);
  });

  test('bytes of updates that wait', () => {
    const guard = new UpdateGuard(new Y.Doc(), { ...LEDGER, bytesMax: 2 * GUARD_LIMITS.pendingBytesMax });
    const large = (client: number): Uint8Array =>
      concat(
        Uint8Array.of(1, 1, client, 1, 0x83, client, 0, 0x80, 0x80, 0x20),
        new Uint8Array(2 ** 19),
        Uint8Array.of(0),
      );
    expect(guard.take(large(1)).ok).toBe(true);
    expect(guard.take(large(2))).toMatchObject({ ok: false, error: { reason: 'malformed' } });
  });

  test('two clients that each wait for the other let nothing more wait', () => {
    const doc = new Y.Doc();
    const guard = new UpdateGuard(doc, LEDGER);
    const circle = Uint8Array.of(2, 1, 8, 0, 0x83, 7, 0, 1, 9, 1, 7, 0, 0x83, 8, 0, 1, 9, 0);
    expect(guard.take(circle).ok).toBe(true);
    expect(doc.store.pendingStructs).not.toBeNull();
    expect(doc.getArray(ROOT.ledger).length).toBe(0);
    expect(guard.take(orphans(63)).ok).toBe(false);
  });
});

function looked(update: Uint8Array, doc: Y.Doc): { scan: UpdateScan; reach: ReturnType<typeof reachOf> } {
  const scan = scanUpdate(update, ANY);
  if (!scan.ok) throw new Error(scan.error.why);
  return { scan: scan.value, reach: reachOf(scan.value, (client) => Y.getState(doc.store, client)) };
}

function varUint14(value: number): readonly number[] {
  return value < 128 ? [value] : [(value & 127) | 128, value >> 7];
}
