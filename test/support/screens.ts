import { createColors } from 'picocolors';
import { expect } from 'vitest';
import type { Screen } from '../../src/cli/terminal/style.ts';
import { widthOf } from '../../src/cli/terminal/width.ts';
import { forbiddenIn } from './seen-text.ts';
import { NOW_MS } from './queue-rows.ts';

/** What picocolors writes, and nothing else that begins with ESC. */
// oxlint-disable-next-line no-control-regex -- reason: the escapes are what is looked for
const SGR = /\u001b\[(?:0|1|2|22|3\d|39|90)m/g;

export function screenOf(columns: number | null, options: { readonly colours: boolean } = { colours: false }): Screen {
  return { style: createColors(options.colours), columns, nowMs: NOW_MS };
}

export const WIDTHS = [60, 100, 200] as const;

/** Our own colours and left-to-right marks taken off: what is left must all be visible. */
export function uncoloured(lines: readonly string[]): readonly string[] {
  return lines.map((line) => line.replace(SGR, ''));
}

/** Asserts that a view is safe on this screen: one line each, nothing but our own SGR, and nothing past the edge. */
export function expectSafe(lines: readonly string[], screen: Screen): void {
  const plain = screen.style.isColorSupported ? uncoloured(lines) : lines;
  const bad = plain.filter((line) => forbiddenIn(line.replaceAll('\u200e', '')).length > 0);
  expect(bad).toEqual([]);
  const { columns } = screen;
  expect(columns === null ? [] : plain.filter((line) => widthOf(line) > columns)).toEqual([]);
}
