import type { Json } from '../../src/base/canonical-json.ts';
import type { CardTemplate } from '../../src/model/card.ts';
import type { ActionContent } from '../../src/model/content.ts';
import { parseDigest, parseWorkspaceId, type Digest } from '../../src/model/ids.ts';
import type { Rule, RuleTest } from '../../src/model/rules.ts';

/**
 * Ways in which a rule could be made to cover what its person did not mean (T19): values that look like one that is
 * allowed, beside those that are. Each is a test, a value, and whether it may be covered.
 */
export interface RuleCase {
  readonly name: string;
  readonly test: RuleTest;
  readonly value: Json;
  readonly covered: boolean;
}

export const CARD: CardTemplate = {
  title: 'Do {0}',
  target: '/effect/path',
  fields: [
    { label: 'File', pointer: '/effect/path', as: 'path' },
    { label: 'Address', pointer: '/effect/url', as: 'url' },
    { label: 'To', pointer: '/effect/to', as: 'recipient' },
    { label: 'Command', pointer: '/effect/command', as: 'text' },
    { label: 'Amount', pointer: '/effect/amount', as: 'amount' },
    { label: 'Size', pointer: '/effect/size', as: 'bytes' },
  ],
};

const must = <T>(result: { readonly ok: true; readonly value: T } | { readonly ok: false }): T => {
  if (!result.ok) throw new Error('the corpus has an id that is none');
  return result.value;
};
export const TOOL: Digest = must(parseDigest('1'.repeat(64)));

export function contentWith(field: string, value: Json): ActionContent {
  return {
    v: 1,
    workspace: must(parseWorkspaceId(`w-${'b'.repeat(26)}`)),
    kind: { tag: 'thing.do', label: 'Do a thing' },
    tool: 'do',
    toolDigest: TOOL,
    arguments: {},
    effect: { [field.slice('/effect/'.length)]: value },
    preconditions: [],
    writes: [],
    effectClass: 'E1',
    reversible: true,
    awaitDecision: false,
    lane: null,
  };
}

export function ruleWith(test: RuleTest): Pick<Rule, 'kind' | 'toolDigest' | 'where'> {
  return { kind: 'thing.do', toolDigest: TOOL, where: [test] };
}

const glob = (pattern: string): RuleTest => ({ is: 'path', field: '/effect/path', glob: pattern });
const host = (name: string): RuleTest => ({ is: 'host', field: '/effect/url', host: name });
const to = (name: string): RuleTest => ({ is: 'recipient', field: '/effect/to', equals: name });
const command = (text: string): RuleTest => ({ is: 'text', field: '/effect/command', equals: text });
const most = (number: number, field = '/effect/amount'): RuleTest => ({ is: 'at-most', field, most: number });

const SRC_ESCAPES = [
  '../etc/passwd',
  'src/../secret',
  'src/../../etc/passwd',
  'src/./../x',
  'src/a/../../x',
  'src/..',
  'src/.',
  'src//a',
  '/src/a',
  'src',
  'src/',
  './src/a',
  'src\\..\\a',
  'src\\a',
  'SRC/a',
  'Src/a',
  'srcx/a',
  'xsrc/a',
  'src /a',
  ' src/a',
  'src/ a',
  'src/a ',
  'src/a.',
  'src/a/.',
  'src/.env',
  'src/.git/hooks/pre-commit',
  'src/a/.ssh/id',
  'src/a:stream',
  'C:/src/a',
  'src/a\u0000b',
  'src/a\n/b',
  'src\n/a',
  'src/\u202Ea',
  'src/a\u200Bb',
  'src/a\u00ADb',
  'src/\uFEFFa',
  'src/e\u0301',
  's\u0440c/a',
  'src\u2044a',
  'src\u2215a',
  'src\uFF0Fa',
  'src%2Fa',
  '%2e%2e/src/a',
  'file:///src/a',
  'src/a?b<c',
  'src/a|b',
  'src/a"b',
  'src/countersign:ref:path:a-' + 'a'.repeat(26),
  'countersign:ref:path:a-' + 'a'.repeat(26),
];
const SRC_INSIDE = ['src/a', 'src/a/b/c.ts', 'src/grüße.ts', 'src/日本/語.md', 'src/a b.txt', "src/it's", 'src/a..b'];

const URL_TRICKS = [
  'https://example.com.evil.org/',
  'https://evil.org/example.com',
  'https://evil.org/?example.com',
  'https://evil.org/#example.com',
  'https://evil.org#@example.com/',
  'https://example.com@evil.org/',
  'https://evil.org@example.com/',
  'https://user:secret@example.com/',
  'https://example.com:443/',
  'https://example.com:8443/',
  'https://EXAMPLE.com/',
  'https://example.com./',
  'https://example.com%2eevil.org/',
  'https://ex\u0430mple.com/',
  'https://xn--exmple-4nf.com/',
  'https:/example.com/',
  'https:example.com/',
  'https://example.com\\@evil.org/',
  'https:\\\\example.com\\',
  'https://example.com/\t',
  ' https://example.com/',
  'https://exam\nple.com/',
  'https://example.com/a/../b',
  'javascript://example.com/%0aalert(1)',
  'ftp://example.com/',
  'file://example.com/etc/passwd',
  'data:text/html,https://example.com/',
  '//example.com/',
  'example.com',
  'http://example.com:80/',
  'https://[::1]/',
  'https://127.0.0.1/',
  'https://0x7f.1/',
  'https://sub.example.com/',
  'https://example.comm/',
  'https://example.co/',
  'https://example.com/countersign:ref:id:a-' + 'a'.repeat(26),
  'blob:https://example.com/1',
  'https://example.com/ä',
  'https://example.com/a b',
];
const URL_INSIDE = [
  'https://example.com/',
  'https://example.com',
  'http://example.com/path?x=1#y',
  'https://example.com/a/b.html',
  'https://example.com/?to=evil.org',
];

const NAME_TRICKS = [
  'Ada@example.com',
  'ada@example.com ',
  ' ada@example.com',
  'ada@example.com,eve@evil.org',
  'ada@example.com;eve@evil.org',
  'ada@example.com\neve@evil.org',
  'ada@example.com\u0000',
  'ada@example.com\u200B',
  'ada@ex\u0430mple.com',
  'ada+x@example.com',
  'ada@example.comm',
  'xada@example.com',
  'ada@example.com>',
  '"ada"@example.com',
  'ada@example.com@evil.org',
  'ada%40example.com',
];

const COMMANDS_JOINED = [
  'ls; rm -rf /',
  'ls && rm x',
  'ls || rm x',
  'ls | sh',
  'ls > /etc/passwd',
  'ls < secret',
  'ls `rm x`',
  'ls $(rm x)',
  'ls ${IFS}x',
  'ls\nrm x',
  'ls\rrm x',
  'ls & rm x',
  '(ls)',
  '{ ls; }',
  'ls *',
  'ls ~',
  'ls ?',
  'ls [ab]',
  'ls \\x',
  'ls #x',
  'ls !x',
  'sudo ls; true',
  'ls>x',
  'ls 2>&1',
  'echo $HOME',
];

const of = (test: RuleTest, values: readonly Json[], covered: boolean): readonly RuleCase[] =>
  values.map((value) => ({
    name: `${test.is} ${JSON.stringify(value)?.slice(0, 60)} ${covered ? 'is' : 'is not'} covered`,
    test,
    value,
    covered,
  }));

const TEXT_LOOKALIKES = [
  'npm tests',
  'npm test ',
  ' npm test',
  'npm  test',
  'NPM test',
  'npm test\u0000',
  'npm\u00A0test',
];
const NO_NUMBERS: readonly Json[] = [
  '5',
  '5 ',
  null,
  true,
  [],
  [5],
  {},
  { bytes: 5 },
  { $blob: 'x', bytes: 5 },
  10.5,
  11,
  -1,
];
const NO_TEXTS: readonly Json[] = [null, true, 7, [], ['src/a'], {}, { path: 'src/a' }, ''];

export const RULE_CASES: readonly RuleCase[] = [
  ...of(glob('src/**'), SRC_ESCAPES, false),
  ...of(glob('src/**'), SRC_INSIDE, true),
  ...of(glob('src/*'), ['src/a/b', 'src/.a', 'src', ...SRC_ESCAPES], false),
  ...of(glob('src/*'), ['src/a', 'src/ab.ts'], true),
  ...of(glob('src/**/*.ts'), ['src/a.tsx', 'src/a.ts.sh', 'src/a.ts/b', 'src/.a.ts', 'src/ts', ...SRC_ESCAPES], false),
  ...of(glob('src/**/*.ts'), ['src/a.ts', 'src/a/b.ts', 'src/a/b/c.d.ts'], true),
  ...of(glob('**'), ['.env', 'a/.b', '../a', '/a', 'a//b', ''], false),
  ...of(glob('**'), ['a', 'a/b/c'], true),
  ...of(glob('.config/*'), ['.config/.hidden', '.configs/a', 'a/.config/b'], false),
  ...of(glob('.config/*'), ['.config/a'], true),
  ...of(glob('a?c'), ['ac', 'abbc', 'a/c', 'a\u0301c'], false),
  ...of(glob('a?c'), ['abc', 'aüc', 'a😀c'], true),
  ...of(glob('src/**'), [`src/${'a/'.repeat(200)}b`, `src/${'a'.repeat(5_000)}`], false),
  ...of(glob('src/**'), NO_TEXTS, false),
  ...of(host('example.com'), URL_TRICKS, false),
  ...of(host('example.com'), URL_INSIDE, true),
  ...of(host('example.com:8443'), ['https://example.com:8443/a'], true),
  ...of(
    host('example.com:8443'),
    ['https://example.com/', 'https://example.com:844/', 'https://example.com:84430/'],
    false,
  ),
  ...of(host('example.com'), NO_TEXTS, false),
  ...of(to('ada@example.com'), NAME_TRICKS, false),
  ...of(to('ada@example.com'), ['ada@example.com'], true),
  ...of(to('ada@example.com'), NO_TEXTS, false),
  ...COMMANDS_JOINED.flatMap((text) => of(command(text), [text], false)),
  ...COMMANDS_JOINED.flatMap((text) => of(command('ls'), [text], false)),
  ...of(command('npm test'), TEXT_LOOKALIKES, false),
  ...of(command('npm test'), ['npm test'], true),
  ...of(command('npm test'), NO_TEXTS, false),
  ...of(most(10), NO_NUMBERS, false),
  ...of(most(10), [0, 1, 9.5, 10], true),
  ...of(most(10, '/effect/size'), [{ $blob: TOOL, bytes: 11 }, { $blob: TOOL, bytes: -1 }, { $blob: TOOL }], false),
  ...of(most(10, '/effect/size'), [{ $blob: TOOL, bytes: 10 }, 10], true),
  // A test of one kind over a field of another one says nothing.
  ...of({ is: 'path', field: '/effect/command', glob: '**' }, ['a'], false),
  ...of({ is: 'text', field: '/effect/path', equals: 'a' }, ['a'], false),
  ...of({ is: 'recipient', field: '/effect/url', equals: 'a' }, ['a'], false),
  ...of({ is: 'path', field: '/effect/other', glob: '**' }, ['a'], false),
];
