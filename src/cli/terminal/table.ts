import type { Paint, Screen } from './style.ts';
import { isolated } from './seen.ts';
import { pad, truncate, widthOf } from './width.ts';

export interface Column {
  readonly header: string;
  readonly align?: 'left' | 'right';
  /** Columns it may shrink to; a column without it never shrinks. */
  readonly widthMin?: number;
  /** Which part of a value gives way: a path is known by its end. */
  readonly cut?: 'end' | 'middle';
  /** On a narrow screen the highest goes first; 0 always stays. */
  readonly dropOrder: number;
}

/** `text` is displayed already. */
export interface Cell {
  readonly text: string;
  readonly paint?: Paint;
}

export interface Table {
  readonly header: string;
  /** One line a row, in order. */
  readonly rows: readonly string[];
}

const GAP = 2;

/** Rows under one another within the screen's columns; values that do not fit end in `…`. */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  { style, columns: screenColumns }: Pick<Screen, 'style' | 'columns'>,
): Table {
  const widths = layOut(columns, rows, screenColumns);
  const header = line(columns, widths, (index) => ({ text: columns[index]?.header ?? '', paint: style.dim }));
  return { header, rows: rows.map((row) => line(columns, widths, (index) => row[index] ?? { text: '' })) };
}

/** Width of each column; 0 for one that was dropped. */
function layOut(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  screenColumns: number | null,
): readonly number[] {
  const natural = columns.map((column, index) =>
    rows.reduce((most, row) => Math.max(most, widthOf(row[index]?.text ?? '')), widthOf(column.header)),
  );
  if (screenColumns === null) return natural;
  const widths = [...natural];
  const byDropOrder = columns
    .map((column, index) => ({ ...column, index }))
    .toSorted((a, b) => b.dropOrder - a.dropOrder);
  for (const { index, dropOrder } of byDropOrder) {
    if (dropOrder === 0 || smallest(columns, widths) <= screenColumns) break;
    widths[index] = 0;
  }
  return shrink(columns, widths, screenColumns);
}

/** Takes what is too much from the widest column that can give, one column at a time. */
function shrink(columns: readonly Column[], given: readonly number[], screenColumns: number): readonly number[] {
  const widths = [...given];
  for (let excess = total(widths) - screenColumns; excess > 0; excess -= 1) {
    let widest = -1;
    widths.forEach((width, index) => {
      if (width > floorOf(columns[index], width) && width > (widths[widest] ?? 0)) widest = index;
    });
    if (widest === -1) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function smallest(columns: readonly Column[], widths: readonly number[]): number {
  return total(widths.map((width, index) => floorOf(columns[index], width)));
}

function floorOf(column: Column | undefined, width: number): number {
  return Math.min(width, column?.widthMin ?? width);
}

function total(widths: readonly number[]): number {
  const used = widths.filter((width) => width > 0);
  return used.reduce((sum, width) => sum + width, 0) + GAP * Math.max(0, used.length - 1);
}

function line(columns: readonly Column[], widths: readonly number[], cellAt: (index: number) => Cell): string {
  const parts = columns.flatMap((column, index) => {
    const width = widths[index] ?? 0;
    if (width === 0) return [];
    const { text, paint } = cellAt(index);
    const cut = truncate(text, width, column.cut);
    const padded = pad(isolated(cut), width, column.align);
    return [paint === undefined ? padded : paint(padded)];
  });
  return parts.join(' '.repeat(GAP)).trimEnd();
}
