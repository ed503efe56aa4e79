import { expect, test } from 'vitest';
import { utf8 } from '../../../src/base/bytes.ts';
import { DIFF_VIEW_LIMITS, renderDiff } from '../../../src/cli/terminal/diff-view.ts';
import type { FileChange } from '../../../src/model/file-diff.ts';
import { expectSafe, screenOf, uncoloured } from '../../support/screens.ts';

function change(before: string | null, after: string | null, more: Partial<FileChange> = {}): FileChange {
  const side = (text: string | null) => (text === null ? null : { bytes: utf8(text), mode: null });
  return { path: 'src/app.ts', from: null, before: side(before), after: side(after), ...more };
}

const EDIT = change('one\ntwo\nthree\n', 'one\n2\nthree\n');

test('a pipe gets plain unified diff lines', () => {
  expect(renderDiff(EDIT, screenOf(null), { all: false }).lines.join('\n')).toMatchInlineSnapshot(`
    "src/app.ts  (+1 −1)
    --- a/src/app.ts
    +++ b/src/app.ts
    @@ -1,3 +1,3 @@
     one
    -two
    +2
     three"
  `);
});

test('a screen gets a rail beside every line of the file', () => {
  expect(renderDiff(EDIT, screenOf(60), { all: false }).lines.join('\n')).toMatchInlineSnapshot(`
    "src/app.ts  (+1 −1)
    --- a/src/app.ts
    +++ b/src/app.ts
    @@ -1,3 +1,3 @@
    │ one
    │-two
    │+2
    │ three"
  `);
});

test('colours are ours alone and change no letter', () => {
  const coloured = renderDiff(EDIT, screenOf(60, { colours: true }), { all: false }).lines;
  expect(coloured.join('\n')).toContain('\u001b[32m+2\u001b[39m');
  expect(uncoloured(coloured)).toEqual(renderDiff(EDIT, screenOf(60), { all: false }).lines);
});

test('[T2] no line of a file can pass for a header of ours on a screen', () => {
  const forged = change('-- a/other.ts\n', '++ b/other.ts\n@@ -1 +1 @@\n\\ No newline at end of file\n');
  const { lines } = renderDiff(forged, screenOf(100), { all: false });
  expect(lines.filter((line) => /^(?:---|\+\+\+|@@|\\)/.test(line))).toEqual([
    '--- a/src/app.ts',
    '+++ b/src/app.ts',
    '@@ -1 +1,3 @@',
  ]);
});

test('[T2] long lines wrap onto a rail of their own, not onto the bare left edge', () => {
  const padded = change('', `ok${' '.repeat(55)}✓ #12 approved${'x'.repeat(60)}\n`);
  const screen = screenOf(60);
  const { lines } = renderDiff(padded, screen, { all: false });
  expect(lines.slice(3).every((line) => /^[│┆@]/.test(line))).toBe(true);
  expectSafe(lines, screen);
});

test('[T2] a difference in white space alone is visible', () => {
  const { lines } = renderDiff(change('\ta\nb\n', '    a\nb \n'), screenOf(60), { all: false });
  expect(lines.slice(-4)).toEqual(['│-→   a', '│-b', '│+····a', '│+b·']);
});

test('[T2] a long difference shows head and tail, and counts the lines between exactly', () => {
  const long = change(null, Array.from({ length: 1_000 }, (_, i) => `line ${i}\n`).join(''));
  const bounded = renderDiff(long, screenOf(null), { all: false });
  const shown = bounded.lines.filter((line) => line.startsWith('+line')).length;
  expect(bounded.linesNotShown).toBe(1_000 - shown);
  expect(bounded.lines).toContain(`… ${bounded.linesNotShown} more lines not shown (--full shows them) …`);
  expect(shown).toBeLessThanOrEqual(DIFF_VIEW_LIMITS.linesMax);
  expect(bounded.lines.at(-1)).toBe('+line 999');
  const all = renderDiff(long, screenOf(null), { all: true });
  expect(all.linesNotShown).toBe(0);
  expect(all.lines.filter((line) => line.startsWith('+line'))).toHaveLength(1_000);
});

test('[T2] a flood of blank lines is one line with its count, and what follows is seen', () => {
  const { lines, linesNotShown } = renderDiff(change('a\n', `a\n${'\n'.repeat(100_000)}evil\n`), screenOf(60), {
    all: false,
  });
  expect(lines.slice(-2)).toEqual(['│+… 100,000 blank lines …', '│+evil']);
  expect(linesNotShown).toBe(0);
});

test('[T2] one line of 2 MB is cut, counted as not shown, and shown whole when asked', () => {
  const wide = change(null, `${'x'.repeat(2_000_000)}\n`);
  const cut = renderDiff(wide, screenOf(null), { all: false });
  expect(cut.linesNotShown).toBe(1);
  expect(cut.lines.at(-1)).toMatch(/^\+x+ … [\d,]+ bytes not shown … x+$/);
  expect(renderDiff(wide, screenOf(null), { all: true }).lines.at(-1)).toHaveLength(2_000_001);
});

test('[T2] a hostile path is one heading of ours', () => {
  const screen = screenOf(60);
  const { lines } = renderDiff(change('a\n', 'b\n', { path: `x\n--- a/safe\u001b[2J${' '.repeat(300)}y` }), screen, {
    all: false,
  });
  expectSafe(lines, screen);
  expect(lines.join('\n')).toContain('\\u{A}--- a/safe\\u{1B}[2J');
});

test('a rename of a binary file says all there is to say', () => {
  const bytes = (length: number) => ({ bytes: new Uint8Array(length), mode: 0o644 });
  const moved: FileChange = { path: 'b.png', from: 'a.png', before: bytes(1_234), after: bytes(2_345) };
  expect(renderDiff(moved, screenOf(60), { all: false }).lines).toEqual([
    'a.png → b.png',
    'renamed · binary, 1,234 → 2,345 bytes',
  ]);
});
