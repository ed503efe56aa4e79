import { expect, test } from 'vitest';
import { renderTable, type Column } from '../../../src/cli/terminal/table.ts';
import { widthOf } from '../../../src/cli/terminal/width.ts';
import { screenOf } from '../../support/screens.ts';

const COLUMNS: readonly Column[] = [
  { header: '#', align: 'right', dropOrder: 0 },
  { header: 'what', widthMin: 8, cut: 'middle', dropOrder: 0 },
  { header: 'kind', dropOrder: 2 },
  { header: 'age', align: 'right', dropOrder: 1 },
];
const ROWS = [
  ['#1', 'Write src/app.ts', 'file.write', '3 min ago'],
  ['#12', 'Write 東京/とても長い名前.ts', 'file.write', '2 h ago'],
].map((row) => row.map((text) => ({ text })));

function drawn(columns: number | null): string {
  const { header, rows } = renderTable(COLUMNS, ROWS, screenOf(columns));
  return [header, ...rows].join('\n');
}

test('a table takes the room it needs', () => {
  expect(drawn(null)).toMatchInlineSnapshot(`
    "  #  what                          kind              age
     #1  Write src/app.ts              file.write  3 min ago
    #12  Write 東京/とても長い名前.ts  file.write    2 h ago"
  `);
});

test('a narrow screen first loses the column that matters least, then shortens the one that may', () => {
  expect(drawn(50)).toMatchInlineSnapshot(`
    "  #  what                    kind              age
     #1  Write src/app.ts        file.write  3 min ago
    #12  Write 東京/…い名前.ts   file.write    2 h ago"
  `);
  expect(drawn(30)).toMatchInlineSnapshot(`
    "  #  what                  age
     #1  Write s…app.ts  3 min ago
    #12  Write …前.ts      2 h ago"
  `);
  expect(drawn(18)).toMatchInlineSnapshot(`
    "  #  what
     #1  Write …app.ts
    #12  Write …前.ts"
  `);
});

test('no line is wider than the screen', () => {
  for (let columns = 14; columns < 90; columns += 1)
    for (const line of drawn(columns).split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(columns);
});

test('[T2] a right-to-left value keeps its neighbours in place', () => {
  const { rows } = renderTable(COLUMNS, [['#1', 'שלום 12', 'x', '3 min'].map((text) => ({ text }))], screenOf(null));
  expect(rows[0]).toBe('#1  \u200eשלום 12\u200e  x     3 min');
});
