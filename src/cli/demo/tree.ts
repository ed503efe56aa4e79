/** A small source tree for the demo: a till that prints receipts. Path → text. */
export const DEMO_TREE: Readonly<Record<string, string>> = {
  'README.md': `# Till

Adds up what is on the counter and prints a receipt.

    node src/main.js apples:3 bread:1

Prices live in \`src/prices.json\`, in cents. \`src/util.js\` rounds and formats.
`,
  'package.json': `{
  "name": "till",
  "version": "1.2.0",
  "type": "module",
  "scripts": { "test": "node --test" }
}
`,
  'src/prices.json': `{
  "apples": 45,
  "bread": 320,
  "cheese": 899,
  "milk": 129
}
`,
  'src/util.js': `/** 1234 → "12.34" */
export function format(cents) {
  return (cents / 100).toFixed(2);
}

export function round(value) {
  return Math.round(value);
}

export function pad(text, width) {
  return text.padEnd(width);
}
`,
  'src/cart.js': `import prices from './prices.json' with { type: 'json' };
import { round } from './util.js';

export function total(items) {
  let sum = 0;
  for (const [name, count] of items) {
    if (!(name in prices)) throw new Error('no price for ' + name);
    sum += prices[name] * count;
  }
  return round(sum);
}
`,
  'src/discount.js': `import { round } from './util.js';

export function discount(cents) {
  if (cents > 2000) return round(cents * 0.1);
  return 0;
}
`,
  'src/receipt.js': `import { format, pad } from './util.js';
import { total } from './cart.js';
import { discount } from './discount.js';

export function receipt(items) {
  const sum = total(items);
  const off = discount(sum);
  const lines = items.map(([name, count]) => pad(name, 12) + count);
  lines.push(pad('total', 12) + format(sum - off));
  return lines.join('\\n');
}
`,
  'src/main.js': `import { receipt } from './receipt.js';

const items = process.argv.slice(2).map((arg) => {
  const [name, count] = arg.split(':');
  return [name, Number(count ?? 1)];
});
console.log(receipt(items));
`,
  'src/legacy/till.js': `// The till before receipts. Nothing imports this any more.
var util = require('./util');
module.exports = function () {
  return util.format(0);
};
`,
  'test/cart.test.js': `import test from 'node:test';
import assert from 'node:assert';
import { total } from '../src/cart.js';

test('adds up', () => {
  assert.equal(total([['apples', 2], ['milk', 1]]), 219);
});
`,
};
