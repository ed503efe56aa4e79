import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { parseCredentialText } from '../../../src/access/credentials.ts';
import { readIncoming } from '../../../sync-server/incoming.ts';
import { Presence } from '../../../sync-server/presence.ts';
import { RoomDocument } from '../../../sync-server/room-document.ts';
import { parseTarget } from '../../../sync-server/target.ts';
import { judge } from '../../../sync-server/http/guard.ts';

/** Any bytes, and bytes that begin like a message of ours. */
const frames = fc.oneof(
  fc.uint8Array({ maxLength: 64 }),
  fc
    .tuple(fc.constantFrom([0, 0], [0, 1], [0, 2], [1], [3], [100], [101]), fc.uint8Array({ maxLength: 64 }))
    .map(([head, rest]) => Uint8Array.from([...head, rest.length, ...rest])),
);

/** A sound update with a few bytes changed, or cut. */
const nearlyUpdates = fc
  .record({ at: fc.nat(), to: fc.nat(255), cut: fc.nat(), records: fc.integer({ min: 1, max: 5 }) })
  .map(({ at, cut, records, to }) => {
    const doc = new Y.Doc();
    for (let n = 0; n < records; n++) doc.getArray('records').push([Uint8Array.of(n)]);
    doc.getArray('records').delete(0, 1);
    const update = Y.encodeStateAsUpdate(doc);
    update[at % update.length] = to;
    return update.subarray(0, update.length - (cut % 4));
  });

describe('bytes of a stranger', () => {
  test('are a message or none; nothing is thrown', () => {
    fc.assert(
      fc.property(frames, (frame) => {
        const message = readIncoming(frame);
        if (message !== undefined) expect(message.type).toMatch(/step1|changes|awareness/);
      }),
    );
  });

  test('as presence are passed on or refused, and what is passed on can be read again', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (update) => {
        const limits = { awarenessBytesMax: 100, awarenessClientsMax: 4 };
        const said = new Presence<{ callerName: string }>(limits).say({ callerName: 'a' }, update);
        if (said.type !== 'said') return;
        expect(new Presence<{ callerName: string }>(limits).say({ callerName: 'b' }, said.update)).toEqual(said);
      }),
    );
  });

  test('as a change leave a document that can be read, sent and stored', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(nearlyUpdates, fc.uint8Array({ maxLength: 64 })), { maxLength: 6 }), (updates) => {
        const document = new RoomDocument({ bytesMax: 1_000, root: { name: 'records', keyed: false } });
        const taken: Uint8Array[] = [];
        for (const update of updates) {
          const { type } = document.apply(update, { live: true });
          if (type === 'broken') return;
          if (type === 'changed') taken.push(update);
        }
        const again = new RoomDocument({ bytesMax: 1_000, root: null });
        again.restore(taken);
        expect(again.stateVector()).toEqual(document.stateVector());
        Y.applyUpdate(new Y.Doc(), document.state());
        expect(document.missing(again.stateVector(), { inOrder: false })).toBeDefined();
      }),
    );
  });

  test('as a path, headers or credentials are judged; nothing is thrown', () => {
    const names = { hosts: new Set(['h']), pageOrigins: new Set<string>() };
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.array(fc.string()), (text, headers) => {
        expect(typeof parseTarget(`/${text}`).ok).toBe('boolean');
        expect(parseCredentialText(text).ok).toBe(false);
        expect(judge({ url: text, rawHeaders: headers }, names).ok).toBe(false);
      }),
    );
  });
});
