import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { read } from '../../../src/base/shape.ts';
import { globProblem, matchesGlob } from '../../../src/model/path-glob.ts';
import { covers } from '../../../src/model/rule-match.ts';
import { durationText, ruleText } from '../../../src/model/rule-text.ts';
import { ruleTest, ruleWish } from '../../../src/model/rules.ts';
import { CARD, contentWith, RULE_CASES, ruleWith, TOOL } from '../../support/rule-corpus.ts';

/** A second way to the same answer, slow and written from what the rule says: every split is tried. */
function slowGlob(glob: string, path: string): boolean {
  const plain = path.split('/').every((name) => {
    const odd = name === '' || name === '.' || name === '..' || name.startsWith(' ') || name.endsWith(' ');
    return !odd && !name.endsWith('.') && !/[\\:"<>|\p{C}\p{Zl}\p{Zp}]/u.test(name) && !/(?! )\p{Zs}/u.test(name);
  });
  if (!plain || path.normalize('NFC') !== path || path.length > 4_096 || path.split('/').length > 128) return false;
  const segments = glob.split('/');
  if (segments.at(-1) === '**') segments.push('*');
  return walk(segments, path.split('/'));
}

function walk([first, ...rest]: readonly string[], names: readonly string[]): boolean {
  if (first === undefined) return names.length === 0;
  const [name, ...more] = names;
  if (first === '**') {
    if (walk(rest, names)) return true;
    return name !== undefined && !name.startsWith('.') && walk([first, ...rest], more);
  }
  return (
    name !== undefined &&
    !(name.startsWith('.') && !first.startsWith('.')) &&
    spell(Array.from(first), Array.from(name)) &&
    walk(rest, more)
  );
}

function spell([first, ...rest]: readonly string[], letters: readonly string[]): boolean {
  if (first === undefined) return letters.length === 0;
  if (first === '*') return spell(rest, letters) || (letters.length > 0 && spell([first, ...rest], letters.slice(1)));
  return letters.length > 0 && (first === '?' || first === letters[0]) && spell(rest, letters.slice(1));
}

describe('[T19] no value makes a rule cover what its person did not mean', () => {
  test('the corpus has its size, and both answers in it', () => {
    expect(RULE_CASES.length).toBeGreaterThanOrEqual(300);
    expect(RULE_CASES.filter(({ covered }) => covered).length).toBeGreaterThan(20);
  });

  test.each(RULE_CASES)('$name', ({ covered, test: asked, value }) => {
    const content = contentWith(asked.field, value);
    expect(covers(ruleWith(asked), { content, card: CARD })).toBe(covered);
    if (asked.is === 'path' && typeof value === 'string' && value.length < 400 && asked.field === '/effect/path')
      expect(slowGlob(asked.glob, value) && !value.includes('countersign:ref:'), 'by the slow way').toBe(covered);
  });

  test('another kind, another tool and another field are another thing', () => {
    const content = contentWith('/effect/path', 'src/a');
    const rule = ruleWith({ is: 'path', field: '/effect/path', glob: 'src/**' });
    const facts = { content, card: CARD };
    expect(covers(rule, facts)).toBe(true);
    expect(covers({ ...rule, kind: 'thing.do.more' }, facts)).toBe(false);
    expect(covers({ ...rule, kind: 'thing' }, facts)).toBe(false);
    const other = { ...content, toolDigest: '2'.repeat(64) as typeof TOOL }; // reason: 64 hexadecimal digits
    expect(covers(rule, { ...facts, content: other })).toBe(false);
    const shorter = { ...CARD, fields: CARD.fields.slice(1) };
    expect(covers(rule, { ...facts, card: shorter }), 'what its card does not show is not tested').toBe(false);
  });

  test('globs and paths of few signs: both ways agree', () => {
    const part = fc.constantFrom('a', 'b', '*', '?', '.', 'a*', '*b', '**', '.a', '?*', 'a?b');
    const name = fc.constantFrom('a', 'b', 'ab', 'aab', '.a', '.', '..', '', 'abc', 'a b', ' ');
    const globs = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'));
    const paths = fc.array(name, { minLength: 1, maxLength: 6 }).map((names) => names.join('/'));
    fc.assert(
      fc.property(globs, paths, (glob, path) => {
        fc.pre(globProblem(glob) === null);
        expect(matchesGlob(glob, path)).toBe(slowGlob(glob, path));
      }),
      { numRuns: 3_000 },
    );
  });

  test('a long glob costs no more than its length', () => {
    const glob = Array.from({ length: 60 }, () => '**').join('/');
    expect(globProblem(glob)).toBeNull();
    expect(matchesGlob(`${glob}/x`, Array.from({ length: 120 }, () => 'a').join('/'))).toBe(false);
    expect(matchesGlob(`${'*a'.repeat(120)}b`, 'a'.repeat(4_000))).toBe(false);
  });
});

describe('what a rule may say', () => {
  test.each([
    '/src',
    'src/../a',
    './a',
    'a//b',
    'a\\b',
    'a[bc]',
    'a{b,c}',
    '!a',
    '+(a)',
    'a**',
    'src/**b',
    'a\u202Eb',
    '',
    'a ',
  ])('%j is no glob', (glob) =>
    expect(read(ruleTest, { is: 'path', field: '/effect/path', glob })).toMatchObject({ ok: false }),
  );

  test.each([
    'Example.com',
    'example.com/',
    'https://example.com',
    'a b',
    'exämple.com',
    'example.com:443',
    'u@example.com',
    '',
  ])('%j is no host', (host) =>
    expect(read(ruleTest, { is: 'host', field: '/effect/url', host })).toMatchObject({ ok: false }),
  );

  test('there is no test on a part of a text, and none on what cannot be seen', () => {
    for (const odd of [
      { is: 'prefix', equals: 'npm' },
      { is: 'text', starts: 'npm' },
      { is: 'text', equals: 'a\u200B' },
    ])
      expect(read(ruleTest, { field: '/effect/command', ...odd })).toMatchObject({ ok: false });
  });

  test('bounds are bounds', () => {
    const wish = { kind: 'thing.do', toolDigest: TOOL, where: [], text: 'x' };
    expect(read(ruleWish, wish)).toMatchObject({ ok: true, value: { forMs: null, usesMax: null } });
    for (const odd of [
      { usesMax: 0 },
      { usesMax: 1_000_001 },
      { forMs: 0 },
      { forMs: 1.5 },
      { text: 'x'.repeat(4_000) },
    ])
      expect(read(ruleWish, { ...wish, ...odd })).toMatchObject({ ok: false });
    const tests = Array.from({ length: 9 }, (_, n) => ({ is: 'path', field: '/effect/path', glob: `a${n}` }));
    expect(read(ruleWish, { ...wish, where: tests })).toMatchObject({ ok: false });
  });

  test('it is read as one sentence', () => {
    const kind = { tag: 'thing.do', label: 'Do a thing', toolDigest: TOOL, fields: CARD.fields };
    const where = [
      { is: 'path', field: '/effect/path', glob: 'src/**' },
      { is: 'at-most', field: '/effect/amount', most: 1_000 },
    ] as const;
    expect(ruleText(kind, { where, forMs: 7 * 24 * 3_600_000, usesMax: 20 })).toBe(
      'Approve “Do a thing” (thing.do) without asking, where File matches "src/**" and Amount is at most 1,000, ' +
        'for 7 days, 20 times at most, if it can be undone and its tool calls this one safe',
    );
    expect(ruleText(kind, { where: [], forMs: null, usesMax: 1 })).toContain(
      'whatever it names, until this is removed, once',
    );
    expect([durationText(90_000), durationText(3_600_000), durationText(1)]).toEqual([
      '90 seconds',
      '1 hour',
      '1 millisecond',
    ]);
  });
});
