import * as Y from 'yjs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UpdateGuard } from '../../src/sync/update-guard.ts';
import { reachOf } from '../../src/sync/update-reach.ts';
import { scanUpdate } from '../../src/sync/update-scan.ts';

/**
 * Goal: the guard lets through what Yjs makes, knows what will wait, and whatever it lets through cannot make Yjs throw.
 * Method: several stock clients write text, lists and maps and hear of each other at random; their updates come to one
 * document in any order; then the same with bytes changed.
 */
const ANY = { bytesMax: 1024 * 1024, root: null };

const move = fc.record({
  by: fc.nat({ max: 2 }),
  kind: fc.constantFrom('text', 'list', 'map', 'delete', 'nest', 'hear'),
  at: fc.nat(),
});
const moves = fc.array(move, { minLength: 1, maxLength: 25 });

function updatesOf(all: readonly { by: number; kind: string; at: number }[]): readonly Uint8Array[] {
  const updates: Uint8Array[] = [];
  const docs = [0, 1, 2].map((n) => {
    const doc = new Y.Doc();
    doc.clientID = n + 1;
    doc.on('update', (update: Uint8Array, origin: unknown) => {
      if (origin !== 'heard') updates.push(update);
    });
    return doc;
  });
  for (const { at, by, kind } of all) {
    const doc = docs[by] ?? new Y.Doc();
    const list = doc.getArray('list');
    const text = doc.getText('text');
    if (kind === 'text') text.insert(at % (text.length + 1), 'añ😀');
    if (kind === 'list') list.insert(at % (list.length + 1), [at, new Uint8Array(at % 5)]);
    if (kind === 'nest') list.insert(at % (list.length + 1), [new Y.Map([['key', at]])]);
    if (kind === 'map') doc.getMap('map').set(`key ${at % 4}`, { at, deep: [null, 'x'] });
    if (kind === 'delete' && list.length > 0) list.delete(at % list.length, 1);
    if (kind === 'hear') Y.applyUpdate(doc, Y.encodeStateAsUpdate(docs[at % 3] ?? doc), 'heard');
  }
  return updates;
}

test('what will wait is what Yjs lets wait', () => {
  fc.assert(
    fc.property(moves, fc.infiniteStream(fc.nat()), (all, dice) => {
      const rest = [...updatesOf(all)];
      const doc = new Y.Doc();
      while (rest.length > 0) {
        const [update] = rest.splice(Number(dice.next().value) % rest.length, 1);
        if (update === undefined) break;
        const scan = scanUpdate(update, ANY);
        if (!scan.ok) throw new Error(scan.error.why);
        const waited = doc.store.pendingStructs !== null || doc.store.pendingDs !== null;
        const reach = reachOf(scan.value, (client) => Y.getState(doc.store, client));
        Y.applyUpdate(doc, update);
        expect(reach.tangled).toBe(false);
        if (waited) continue;
        expect(reach.pendingStructs > 0).toBe(doc.store.pendingStructs !== null);
        expect(reach.pendingDeletions > 0).toBe(doc.store.pendingDs !== null);
      }
      expect(doc.store.pendingStructs).toBeNull();
    }),
    { numRuns: 150 },
  );
});

test('what passes the guard never makes Yjs throw, whatever was done to its bytes', () => {
  const changes = fc.array(fc.record({ at: fc.nat(), byte: fc.nat({ max: 255 }) }), { minLength: 1, maxLength: 4 });
  const seen = { passed: 0, thrown: [] as string[] };
  fc.assert(
    fc.property(moves, changes, (all, flips) => {
      const doc = new Y.Doc();
      const guard = new UpdateGuard(doc, ANY);
      for (const update of updatesOf(all)) {
        const hostile = update.slice();
        for (const { at, byte } of flips) hostile[at % hostile.length] = byte;
        const before = Y.encodeStateVector(doc);
        const taken = guard.take(hostile);
        if (taken.ok) seen.passed += 1;
        else if (taken.error.why.startsWith('Yjs')) seen.thrown.push(taken.error.why);
        else expect(Y.encodeStateVector(doc)).toEqual(before);
        guard.take(update);
      }
    }),
    { numRuns: 300 },
  );
  expect(seen.passed).toBeGreaterThan(100);
  expect(seen.thrown).toEqual([]);
});
