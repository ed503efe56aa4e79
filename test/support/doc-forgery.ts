import * as Y from 'yjs';
import { concat } from '../../src/base/bytes.ts';
import { varUint } from '../../src/doc/cursor.ts';
import { ROOT } from '../../src/doc/schema.ts';

/** What a hostile peer sends: updates that no honest writer makes. */

/** Writes under another's client id, from what that client had written so far. */
export function forgedUnder(
  state: Uint8Array,
  client: number,
  change: (records: Y.Array<unknown>) => void,
): Uint8Array {
  const doc = new Y.Doc();
  Y.applyUpdate(doc, state);
  const before = Y.encodeStateVector(doc);
  doc.clientID = client;
  doc.transact(() => change(doc.getArray(ROOT.ledger)));
  return Y.encodeStateAsUpdate(doc, before);
}

/** One collected struct of `length` clocks from `clock` on: all that a jump of a clock takes. */
export function clockJump(client: number, clock: number, length: number): Uint8Array {
  return concat(
    Uint8Array.of(1, 1),
    varUint(client),
    varUint(clock),
    Uint8Array.of(0),
    varUint(length),
    Uint8Array.of(0),
  );
}

/** The same as deleted items of the ledger's array, which is how deletions stand in ours. */
export function deletedJump(client: number, length: number): Uint8Array {
  const name = new TextEncoder().encode(ROOT.ledger);
  return concat(
    Uint8Array.of(1, 1),
    varUint(client),
    Uint8Array.of(0, 1, 1, name.length),
    name,
    varUint(length),
    Uint8Array.of(0),
  );
}

/** Structs of a new client from its second clock on: each waits for ever for the first. */
export function orphans(count: number, client = 77): Uint8Array {
  const doc = new Y.Doc();
  doc.clientID = client;
  const array = doc.getArray<Uint8Array>(ROOT.ledger);
  array.push([new Uint8Array(1)]);
  const before = Y.encodeStateVector(doc);
  array.push(Array.from({ length: count }, () => new Uint8Array(1)));
  return Y.encodeStateAsUpdate(doc, before);
}

/** The only client that wrote a document. */
export function writerOf(stateVector: Uint8Array): number {
  const [client] = Y.decodeStateVector(stateVector).keys();
  return client ?? 0;
}
