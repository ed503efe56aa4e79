import { expect, test } from 'vitest';
import { CARD_LIMITS, interpretCard, type CardTemplate } from '../../../src/model/card.ts';
import { contentOf, digestOf } from '../../support/action-content.ts';

const WRITE: CardTemplate = {
  title: 'Write {0}',
  target: 'path',
  fields: [
    { label: 'path', pointer: '/effect/path', as: 'path' },
    { label: 'content', pointer: '/arguments/content', as: 'text' },
  ],
};

test('[T1] a template becomes title, target and typed fields', () => {
  expect(interpretCard(WRITE, contentOf())).toEqual({
    title: 'Write src/app.ts',
    target: 'src/app.ts',
    fields: [
      { label: 'path', kind: 'path', type: 'string', value: 'src/app.ts', blob: null, flags: [], cutBytes: 0 },
      { label: 'content', kind: 'text', type: 'string', value: 'hello\n', blob: null, flags: [], cutBytes: 0 },
    ],
    inspectable: true,
    flags: [],
  });
});

test('[T1] the target is named by label, by pointer or by a text of its own', () => {
  for (const target of ['path', '/effect/path', '{0}'])
    expect(interpretCard({ ...WRITE, target }, contentOf()).target).toBe('src/app.ts');
  expect(interpretCard({ ...WRITE, target: 'file {0}' }, contentOf()).target).toBe('file src/app.ts');
});

test('[T1] a value cannot begin a line, fill another placeholder or hide in the title', () => {
  const path = 'a\nTarget: safe.txt {1} \u202e';
  const card = interpretCard(WRITE, contentOf({ effect: { path } }));
  expect(card.title).toBe('Write a\\u{A}Target: safe.txt {1} \\u{202E}');
  expect(card.target).toBe('a\\u{A}Target: safe.txt {1} \\u{202E}');
  expect(card.flags).toEqual(['escaped']);
});

test('[T1] a text of many lines is one line in the title', () => {
  const content = contentOf({ arguments: { content: 'x\nTarget: y' } });
  expect(interpretCard({ ...WRITE, title: 'Write {1}' }, content).title).toBe('Write x\\u{A}Target: y');
});

test('[T1] bytes in the blob store show their size and are the caller’s to fetch', () => {
  const blob = { $blob: digestOf('b'), bytes: 1_234_567 };
  const [, content] = interpretCard(WRITE, contentOf({ arguments: { content: { ...blob } } })).fields;
  expect(content).toMatchObject({ type: 'blob', value: '1,234,567 bytes', blob });
});

test.each([
  { $blob: 'b', bytes: 1 },
  { $blob: 'b'.repeat(64), bytes: -1 },
  { $blob: 'b'.repeat(64), bytes: 1, more: 1 },
])('[T1] %j is no blob and is shown as what it is', (content) => {
  const [, field] = interpretCard(WRITE, contentOf({ arguments: { content } })).fields;
  expect(field).toMatchObject({ type: 'object', blob: null, value: JSON.stringify(content) });
});

test('[T1] what is not there is said, and a card without its target cannot be inspected', () => {
  const card = interpretCard(WRITE, contentOf({ effect: {}, arguments: {} }));
  expect(card.fields.map(({ value, type }) => [value, type])).toEqual([
    ['(absent)', 'absent'],
    ['(absent)', 'absent'],
  ]);
  expect(card.inspectable).toBe(false);
});

test.each([
  ['url', 'https://\u0430pple.com', 'https://xn--pple-43d.com/'],
  ['recipient', 'b\u043eb@example.com', 'b\u043eb@example.com'],
  ['amount', 1e21, '1e+21'],
  ['amount', '5', '5'],
  ['amount', '5\n6', '5\\u{A}6'],
  ['bytes', 2048, '2,048 bytes'],
  ['text', '', '(empty)'],
  ['text', [1, 'two'], '[1,"two"]'],
  ['text', null, 'null'],
] as const)('[T1] a %s of %j', (as, value, shown) => {
  const template: CardTemplate = { title: 'Do', target: 'it', fields: [{ label: 'it', pointer: '/arguments/it', as }] };
  expect(interpretCard(template, contentOf({ arguments: { it: value } })).fields[0]?.value).toBe(shown);
});

test('[T1] without a template every argument is shown raw, by pointer and type', () => {
  const content = contentOf({
    tool: 'transfer',
    arguments: { to: 'bob', sum: 5, note: { 'a\nb': [true, '5'] }, tags: [] },
  });
  const card = interpretCard(null, content);
  expect(card).toMatchObject({ title: 'Call transfer', target: 'transfer', inspectable: false });
  expect(card.fields.map(({ label, type, value }) => [label, type, value])).toEqual([
    ['/to', 'string', 'bob'],
    ['/sum', 'number', '5'],
    ['/note/a\\u{A}b/0', 'boolean', 'true'],
    ['/note/a\\u{A}b/1', 'string', '5'],
    ['/tags', 'array', '[]'],
  ]);
});

test('[T2] a card without a template is bounded and counts what it leaves out', () => {
  const card = interpretCard(null, contentOf({ arguments: { all: Array.from({ length: 5_000 }, (_, i) => i) } }));
  expect(card.fields).toHaveLength(CARD_LIMITS.rawFieldsMax + 1);
  expect(card.fields.at(-1)?.value).toBe('4,900 more arguments not shown');
  expect(card.flags).toContain('truncated');
});

test('a template that names a field it does not have is a bug', () => {
  expect(() => interpretCard({ ...WRITE, title: 'Write {7}' }, contentOf())).toThrow(/field 7/);
});
