import { expect, test } from 'vitest';
import { utf8 } from '../../../src/base/bytes.ts';
import { DIFF_LIMITS, diffFile, type FileSide } from '../../../src/model/file-diff.ts';

function side(text: string | Uint8Array, mode: number | null = null): FileSide {
  return { bytes: typeof text === 'string' ? utf8(text) : text, mode };
}

function diff(before: FileSide | null, after: FileSide | null, from: string | null = null) {
  const { notes, added, removed, hunks } = diffFile({ path: 'a.txt', from, before, after });
  return { notes, added, removed, lines: hunks.flatMap(({ lines }) => lines.map(({ sign, text }) => sign + text)) };
}

test('an edit is hunks with their context', () => {
  expect(diff(side('1\n2\n3\n4\n5\n6\n'), side('1\n2\n3\n4\nfive\n6\n'))).toEqual({
    notes: [],
    added: 1,
    removed: 1,
    lines: [' 2', ' 3', ' 4', '-5', '+five', ' 6'],
  });
});

test.each([
  ['new', null, side('x\n', 0o644), ['new file', 'mode 644'], 1, 0],
  ['new and empty', null, side(''), ['new file, empty'], 0, 0],
  ['deleted', side('x\n'), null, ['deleted'], 0, 1],
  ['deleted, was empty', side(''), null, ['deleted, was empty'], 0, 0],
  ['mode only', side('x\n', 0o644), side('x\n', 0o755), ['mode 644 → 755', 'content unchanged'], 0, 0],
  ['CRLF kept', side('x\r\ny\r\n'), side('x\r\nz\r\n'), ['line ends CRLF'], 1, 1],
  ['CRLF to LF', side('x\r\ny\r\n'), side('x\ny\n'), ['line ends CRLF → LF', 'content unchanged'], 0, 0],
  ['newline lost', side('x\n'), side('x'), ['newline at end of file removed'], 1, 1],
  ['newline gained', side('y\nx'), side('y\nx\n'), ['newline at end of file added'], 1, 1],
] as const)('%s', (_, before, after, notes, added, removed) => {
  expect(diff(before, after)).toMatchObject({ notes, added, removed });
});

test('a rename is said, with what else changed', () => {
  expect(diff(side('x\n'), side('x\n'), 'old.txt').notes).toEqual(['renamed', 'content unchanged']);
});

test('mixed line ends stay visible on the lines', () => {
  const { notes, lines } = diff(side('x\ny\n'), side('x\r\ny\n'));
  expect(notes).toEqual(['line ends LF → mixed']);
  expect(lines).toEqual(['-x', '+x\r', ' y']);
});

test('a missing newline at the end stands in the hunk', () => {
  expect(diff(side('x'), side('y')).lines).toEqual([
    '-x',
    '\\ No newline at end of file',
    '+y',
    '\\ No newline at end of file',
  ]);
});

test.each([
  ['a NUL', Uint8Array.of(0x61, 0, 0x62)],
  ['bytes that are no UTF-8', Uint8Array.of(0xff, 0xfe, 0x61)],
])('%s is binary and shown by size', (_, bytes) => {
  expect(diff(side(new Uint8Array(1234)), side(bytes)).notes).toEqual(['binary, 1,234 → 3 bytes']);
  expect(diff(null, side(bytes)).notes).toEqual(['new file', 'binary, 3 bytes']);
  expect(diff(side(bytes), null).notes).toEqual(['deleted', 'binary, was 3 bytes']);
});

test('a NUL far into a text is text, and is shown where it stands', () => {
  const start = 'x\n'.repeat(DIFF_LIMITS.sniffBytes);
  expect(diff(side(start), side(`${start}\0\n`)).lines.at(-1)).toBe('+\0');
});

test('[T2] a difference in white space alone is marked to be made visible', () => {
  const { hunks } = diffFile({
    path: 'Makefile',
    from: null,
    before: side('all:\n\tcc\nx\n'),
    after: side('all:\n    cc\nx \n'),
  });
  const lines = hunks.flatMap((hunk) => hunk.lines);
  expect(lines.filter(({ reveal }) => reveal).map(({ sign, text }) => sign + text)).toEqual([
    '-\tcc',
    '-x',
    '+    cc',
    '+x ',
  ]);
});

test('files with nothing in common are shown as replaced, in bounded time', () => {
  const many = (word: string): string => Array.from({ length: 20_000 }, (_, i) => `${word} ${i}`).join('\n');
  const { notes, added, removed } = diff(side(many('old')), side(many('new')));
  expect(notes).toEqual(['too different to compare: shown as replaced']);
  expect([added, removed]).toEqual([20_000, 20_000]);
});
