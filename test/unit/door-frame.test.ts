import { expect, test } from 'vitest';
import * as fc from 'fast-check';
import { utf8 } from '../../src/base/bytes.ts';
import { lineSplitter } from '../../src/door/frame.ts';

function splitter(lineBytesMax?: number) {
  const lines: string[] = [];
  const faults: string[] = [];
  const options = lineBytesMax === undefined ? {} : { lineBytesMax };
  const split = lineSplitter({
    line: (text) => void lines.push(text),
    fault: (error) => void faults.push(error.message),
    ...options,
  });
  return { split, lines, faults };
}

test('lines come out whole, however the bytes were cut', () => {
  const line = fc.string({ unit: 'grapheme' }).filter((text) => text !== '' && !/[\r\n]/.test(text));
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat(40)), fc.boolean(), (wanted, cuts, crlf) => {
      const bytes = utf8(wanted.map((text) => text + (crlf ? '\r\n' : '\n')).join(''));
      const { split, lines, faults } = splitter();
      let at = 0;
      for (const cut of cuts) {
        split.push(bytes.subarray(at, at + cut));
        at += cut;
      }
      split.push(bytes.subarray(at));
      expect(lines).toEqual(wanted);
      expect(faults).toEqual([]);
    }),
  );
});

test('the splitter keeps no view of a buffer that its owner uses again', () => {
  const { split, lines } = splitter();
  const buffer = utf8('abc');
  split.push(buffer);
  buffer.fill(0x7a);
  split.push(utf8('d\n'));
  expect(lines).toEqual(['abcd']);
});

test('empty lines are skipped', () => {
  const { split, lines } = splitter();
  split.push(utf8('\n\r\n\na\n\n'));
  expect(lines).toEqual(['a']);
});

test('[CP-3] a line at the cap passes, one byte more is a fault, and nothing after it is read', () => {
  const at = splitter(8);
  at.split.push(utf8('12345678\n'));
  expect(at.lines).toEqual(['12345678']);
  const over = splitter(8);
  over.split.push(utf8('12345'));
  over.split.push(utf8('6789\nnext\n'));
  over.split.push(utf8('more\n'));
  expect(over.lines).toEqual([]);
  expect(over.faults).toEqual(['A line may have 8 bytes at most.']);
});

test('bytes that are not UTF-8 are a fault; the lines before them arrived', () => {
  const { split, lines, faults } = splitter();
  split.push(new Uint8Array([0x61, 0x0a, 0xff, 0x0a, 0x62, 0x0a]));
  expect(lines).toEqual(['a']);
  expect(faults).toEqual(['A line is not UTF-8.']);
});
