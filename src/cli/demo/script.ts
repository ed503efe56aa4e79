/** One call of the scripted agent, and why it makes it. */
export interface DemoCall {
  readonly say: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

const read = (path: string): DemoCall => ({ say: `reads ${path}`, tool: 'read_text_file', args: { path } });
const edit = (say: string, path: string, ...edits: readonly (readonly [string, string])[]): DemoCall => ({
  say,
  tool: 'edit_file',
  args: { path, edits: edits.map(([oldText, newText]) => ({ oldText, newText })) },
});
const write = (say: string, path: string, content: string): DemoCall => ({
  say,
  tool: 'write_file',
  args: { path, content },
});

const MONEY_TEST = `import test from 'node:test';
import assert from 'node:assert';
import { formatCents } from '../src/money/format.js';

test('formats cents', () => {
  assert.equal(formatCents(1234), '12.34 €');
  assert.equal(formatCents(5), '0.05 €');
});
`;

const DISCOUNT_TEST = `import test from 'node:test';
import assert from 'node:assert';
import { discount } from '../src/discount.js';

test('ten per cent from twenty euros on', () => {
  assert.equal(discount(1999), 0);
  assert.equal(discount(2000), 200);
});
`;

/**
 * A refactoring as an agent would do it: split a junk-drawer module, rename what it exports, move the callers over,
 * mend a boundary bug, add tests, delete what is dead. It reads its own pending work again and again.
 */
export const DEMO_SCRIPT: readonly DemoCall[] = [
  { say: 'looks around', tool: 'directory_tree', args: { path: '.' } },
  read('src/util.js'),
  { say: 'searches for who uses it', tool: 'grep_files', args: { pattern: 'util', path: 'src' } },
  { say: 'makes a home for money', tool: 'create_directory', args: { path: 'src/money' } },
  {
    say: 'moves the module there',
    tool: 'move_file',
    args: { source: 'src/util.js', destination: 'src/money/format.js' },
  },
  edit('renames format to formatCents', 'src/money/format.js', [
    'export function format(cents) {',
    'export function formatCents(cents) {',
  ]),
  edit(
    'adds the currency',
    'src/money/format.js',
    ['return (cents / 100).toFixed(2);', "return (cents / 100).toFixed(2) + ' €';"],
    ['→ "12.34"', '→ "12.34 €"'],
  ),
  write(
    'splits rounding off',
    'src/money/round.js',
    'export function round(value) {\n  return Math.round(value);\n}\n',
  ),
  edit('and takes it out of the old place', 'src/money/format.js', [
    'export function round(value) {\n  return Math.round(value);\n}\n\n',
    '',
  ]),
  edit('moves the cart over', 'src/cart.js', ["from './util.js'", "from './money/round.js'"]),
  edit('moves the discount over', 'src/discount.js', ["from './util.js'", "from './money/round.js'"]),
  edit(
    'moves the receipt over',
    'src/receipt.js',
    ["import { format, pad } from './util.js';", "import { formatCents, pad } from './money/format.js';"],
    ['format(sum - off)', 'formatCents(sum - off)'],
  ),
  read('src/receipt.js'),
  write('tests the format', 'test/money.test.js', MONEY_TEST),
  edit('mends the boundary', 'src/discount.js', ['cents > 2000', 'cents >= 2000']),
  write('and tests it', 'test/discount.test.js', DISCOUNT_TEST),
  edit('names the unknown item', 'src/cart.js', [
    "throw new Error('no price for ' + name)",
    "throw new RangeError('no price for ' + JSON.stringify(name))",
  ]),
  edit('shows the discount on the receipt', 'src/receipt.js', [
    "  lines.push(pad('total', 12)",
    "  if (off > 0) lines.push(pad('discount', 12) + '-' + formatCents(off));\n  lines.push(pad('total', 12)",
  ]),
  read('src/legacy/till.js'),
  { say: 'deletes what nothing imports', tool: 'delete_file', args: { path: 'src/legacy/till.js' } },
  { say: 'and its folder', tool: 'delete_file', args: { path: 'src/legacy' } },
  edit('adds a price', 'src/prices.json', ['  "milk": 129\n', '  "milk": 129,\n  "olives": 410\n']),
  edit('checks the counts', 'src/main.js', [
    '  return [name, Number(count ?? 1)];',
    "  const number = Number(count ?? 1);\n  if (!Number.isInteger(number) || number < 1) throw new RangeError('how many ' + name + '?');\n  return [name, number];",
  ]),
  { say: 'makes a place for docs', tool: 'create_directory', args: { path: 'docs' } },
  write(
    'says how money is handled',
    'docs/money.md',
    '# Money\n\nAmounts are whole cents. `src/money/format.js` is the only place that makes them text.\n',
  ),
  edit('mends the README', 'README.md', [
    '`src/util.js` rounds and formats.',
    '`src/money` rounds and formats; see `docs/money.md`.',
  ]),
  {
    say: 'moves the tests beside the money',
    tool: 'move_file',
    args: { source: 'test/money.test.js', destination: 'test/format.test.js' },
  },
  edit('raises the version', 'package.json', ['"version": "1.2.0"', '"version": "1.3.0"']),
  { say: 'looks for what is left of the old name', tool: 'grep_files', args: { pattern: 'util', path: '.' } },
  write(
    'notes what it did',
    'CHANGELOG.md',
    '# 1.3.0\n\n- Money has its own folder.\n- Ten per cent off from twenty euros on, not above.\n- Unknown items and odd counts are refused.\n',
  ),
];
