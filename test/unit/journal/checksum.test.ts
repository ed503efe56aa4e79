import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { concat, utf8 } from '../../../src/base/bytes.ts';
import { numbersChecksum, recordChecksum, rowChecksum } from '../../../src/journal/sqlite/checksum.ts';
import { recordOf, rowsAfter, START } from '../../contract/journal-rows.ts';

function floats(...numbers: readonly number[]): Uint8Array {
  return new Uint8Array(Float64Array.from(numbers).buffer);
}

test('[F10] checksums are those of docs/wire.md', () => {
  const record = recordOf('kéy', { order: 2.5, live: false, value: utf8('{"a":1}') });
  const text = utf8('actionkéy');
  expect(recordChecksum(record)).toBe(crc32(concat(floats(2.5, 0, 6, 3, 7), text, record.value)));
  const [row] = rowsAfter(START, [{ kind: 'applied', actionSeq: 3, attempt: 2 }]);
  if (row === undefined) throw new Error('one row was made');
  const numbers = floats(1, row.atMs, 22, 3, 2, row.event.length, row.audit.length);
  expect(rowChecksum(row)).toBe(crc32(concat(numbers, row.event, row.audit, row.eventHash, row.root)));
  expect(numbersChecksum([1, 2 ** 48])).toBe(crc32(floats(1, 2 ** 48)));
  // Made once by another CRC-32.
  expect(recordChecksum(record)).toBe(3_587_182_368);
});

test('an empty value does not undo the checksum of what stands before it', () => {
  const empty = recordOf('a', { value: new Uint8Array(0) });
  expect(recordChecksum(empty)).not.toBe(0);
  expect(recordChecksum(empty)).not.toBe(recordChecksum({ ...empty, live: false }));
});
