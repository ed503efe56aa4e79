import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { RoomDocument } from '../../../sync-server/room-document.ts';

const ROOT = { bytesMax: 1024 * 1024, root: { name: 'records', keyed: false } } as const;
const NOTHING = [0, 0];

function relayWith(...updates: readonly Uint8Array[]): RoomDocument {
  const document = new RoomDocument(ROOT);
  document.restore(updates);
  return document;
}

/** Changes of a ledger's writer, one at a time. */
class Writer {
  readonly doc = new Y.Doc();
  readonly #records = this.doc.getArray('records');
  #n = 0;

  change(kind: 'push' | 'delete' | 'both'): Uint8Array | undefined {
    let made: Uint8Array | undefined;
    const keep = (update: Uint8Array): void => void (made = update);
    this.doc.on('update', keep);
    this.doc.transact(() => {
      if (kind !== 'push' && this.#records.length > 0) this.#records.delete(this.#n % this.#records.length, 1);
      if (kind !== 'delete') this.#records.push([Uint8Array.of((this.#n += 1) & 255)]);
    });
    this.doc.off('update', keep);
    return made;
  }
}

describe('the document of a room', () => {
  test('says whether a change held anything new, and is untouched by one it refuses', () => {
    const writer = new Writer();
    const update = writer.change('push') ?? new Uint8Array();
    const document = relayWith();
    expect(document.apply(update, { live: true })).toEqual({ type: 'changed' });
    expect(document.apply(update, { live: true })).toEqual({ type: 'known' });
    const before = document.state();
    expect(document.apply(Uint8Array.of(1, 2, 3), { live: true })).toMatchObject({
      type: 'refused',
      reason: 'malformed',
    });
    expect(document.state()).toEqual(before);
  });

  test('keeps what waits for something that has not come', () => {
    const writer = new Writer();
    const [first, second] = [writer.change('push'), writer.change('push')] as [Uint8Array, Uint8Array]; // reason: a push changes
    const document = relayWith();
    expect(document.apply(second, { live: true })).toEqual({ type: 'changed' });
    // It is stored as it came; what is made of it later holds both.
    const again = relayWith(document.state());
    expect(again.apply(first, { live: true })).toEqual({ type: 'changed' });
    const copy = new Y.Doc();
    Y.applyUpdate(copy, again.state());
    expect(copy.getArray('records').length).toBe(2);
  });

  test('answers nothing to who has everything, unless deletions may have passed them by', () => {
    const writer = new Writer();
    const document = relayWith();
    const live = (kind: 'push' | 'delete' | 'both'): void => {
      document.apply(writer.change(kind) ?? new Uint8Array(), { live: true });
    };
    const answer = (inOrder = true): Uint8Array =>
      document.missing(Y.encodeStateVector(writer.doc), { inOrder }) ?? new Uint8Array();
    live('push');
    live('push');
    live('both');
    expect([...answer()]).toEqual(NOTHING);
    expect(answer(false).length).toBeGreaterThan(2);
    live('delete');
    expect(answer().length).toBeGreaterThan(2);
    live('push');
    expect([...answer()]).toEqual(NOTHING);
    const restarted = relayWith(document.state());
    expect(restarted.missing(Y.encodeStateVector(writer.doc), { inOrder: true })?.length).toBeGreaterThan(2);
    expect(document.missing(Uint8Array.of(255), { inOrder: true })).toBeUndefined();
  });

  /**
   * Goal: whoever comes back and is told what they miss has what the writer has.
   * Method: any changes, a relay that forgets its newest ones now and then, a reader that is there or is not; the
   * writer sends what a relay says it lacks. At the end the reader asks, and is compared with the writer.
   */
  test('a reader that comes back converges, whatever the relay forgot', () => {
    const step = fc.oneof(
      fc.constantFrom('push', 'delete', 'both', 'leave', 'return'),
      fc.record({ forget: fc.integer({ min: 1, max: 3 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const writer = new Writer();
        const reader = new Y.Doc();
        let rows: Uint8Array[] = [];
        let relay = relayWith();
        let present = true;
        const take = (update: Uint8Array, live: boolean): void => {
          if (relay.apply(update, { live }).type !== 'changed') return;
          rows.push(update);
          if (present) Y.applyUpdate(reader, update);
        };
        const ask = (): void => {
          const missing = relay.missing(Y.encodeStateVector(reader), { inOrder: true });
          if (missing !== undefined) Y.applyUpdate(reader, missing);
        };
        for (const each of [...steps, 'leave', 'return'] as const) {
          if (typeof each === 'object') {
            rows = rows.slice(0, Math.max(0, rows.length - each.forget));
            relay = relayWith(...rows);
            // Both are cut off, and come back.
            take(Y.encodeStateAsUpdate(writer.doc, relay.stateVector()), false);
            if (present) ask();
          } else if (each === 'leave') present = false;
          else if (each === 'return') {
            present = true;
            ask();
          } else {
            const update = writer.change(each);
            if (update !== undefined) take(update, true);
          }
        }
        expect(reader.getArray('records').toArray()).toEqual(writer.doc.getArray('records').toArray());
      }),
      { numRuns: 300 },
    );
  });
});
