import * as Y from 'yjs';

/** A document that changes as a ledger does: some record is replaced, and the sum of all after it. */
export interface LedgerLike {
  /** The next change, as an update of about so many bytes. */
  next(): Uint8Array;
  state(): Uint8Array;
  stateVector(): Uint8Array;
}

/** Records that are there at any time: a working day's worth of open actions. */
const LIVE = 100;
/** Bytes of the sum: signature, nonce, tag, and some JSON. */
const SUM_BYTES = 320;
/** Bytes of ids, lengths and deletions in one update. */
const OVERHEAD_BYTES = 40;

export function ledgerLike(updateBytes = 900): LedgerLike {
  const doc = new Y.Doc();
  const records = doc.getArray<Uint8Array>('records');
  const noise = noiseFrom(1);
  const recordBytes = updateBytes - SUM_BYTES - OVERHEAD_BYTES;
  doc.transact(() => records.push(Array.from({ length: LIVE }, () => noise(recordBytes))));
  let last = Y.encodeStateAsUpdate(doc);
  let changes = 0;
  doc.on('update', (update: Uint8Array) => {
    last = update;
  });
  return {
    next() {
      changes += 1;
      doc.transact(() => {
        if (changes > 1) records.delete(LIVE);
        // 37 and 100 have no common divisor: every record has its turn, and neighbours go at different times.
        records.delete((changes * 37) % LIVE);
        records.push([noise(recordBytes), noise(SUM_BYTES)]);
      });
      return last;
    },
    state: () => Y.encodeStateAsUpdate(doc),
    stateVector: () => Y.encodeStateVector(doc),
  };
}

/** Bytes that nothing can make shorter, as sealed ones; the same on every run. */
function noiseFrom(seed: number): (size: number) => Uint8Array {
  let state = seed;
  return (size) => {
    const bytes = new Uint8Array(size);
    for (let i = 0; i < size; i++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      bytes[i] = state >>> 24;
    }
    return bytes;
  };
}
