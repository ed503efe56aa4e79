import { describe, expect, test } from 'vitest';
import { findAction } from '../../src/cli/args/action-ref.ts';
import { numberFlag, parseCommandArgs, wordFlag } from '../../src/cli/args/parse.ts';
import { testsOf } from '../../src/cli/args/rule-args.ts';
import { UsageError } from '../../src/cli/args/usage-error.ts';
import type { QueueRow } from '../../src/model/owner-port.ts';

const SHAPE = {
  flags: { all: 'flag', through: 'text', except: 'list', port: 'text' },
  operands: { min: 0, max: Number.POSITIVE_INFINITY },
} as const;

function row(seq: number, id: string): QueueRow {
  // reason: only these two fields are looked at
  return { seq, id } as QueueRow;
}

describe('arguments', () => {
  test('what follows a list flag belongs to it, with commas or spaces', () => {
    const args = parseCommandArgs('approve', SHAPE, ['--all', '--except', '12,#13', '14', '--json', '7']);
    expect(args.list('except')).toEqual(['12', '#13', '14']);
    expect(args.positionals).toEqual(['7']);
    expect([args.flag('all'), args.flag('json'), args.flag('help')]).toEqual([true, true, false]);
  });

  test.each([
    [['--nope'], /--nope/],
    [['--through'], /--through/],
    [['--all=yes'], /--all/],
  ])('%j is a usage error that names it', (argv, named) => {
    expect(() => parseCommandArgs('approve', SHAPE, argv)).toThrow(UsageError);
    expect(() => parseCommandArgs('approve', SHAPE, argv)).toThrow(named);
  });

  test('too many and too few operands are usage errors', () => {
    const one = { flags: {}, operands: { min: 1, max: 1 } };
    expect(() => parseCommandArgs('show', one, [])).toThrow(/needs an argument/);
    expect(() => parseCommandArgs('show', one, ['1', '2'])).toThrow(/"2"/);
  });

  test('numbers and words are checked', () => {
    const args = parseCommandArgs('up', SHAPE, ['--port', '70000', '--through', 'x']);
    expect(() => numberFlag(args, 'port', { min: 0, max: 65_535 })).toThrow(/0 to 65535/);
    expect(() => wordFlag(args, 'through', ['applied'])).toThrow(/applied/);
  });
});

describe('naming an action', () => {
  const rows = [
    row(1, 'a-abcdefghijklmnopqrstuvwx22'),
    row(12, 'a-abcdzzghijklmnopqrstuvwx22'),
    row(3, 'a-zzzzefghijklmnopqrstuvwx22'),
  ];

  test.each([
    ['12', 12],
    ['#12', 12],
    ['a-abcdzzghijklmnopqrstuvwx22', 12],
    ['a-zzzz', 3],
  ])('%s is #%i', (ref, seq) => {
    const found = findAction(rows, ref);
    expect(found.ok && found.value.seq).toBe(seq);
  });

  test.each([
    ['99', /no action #99/],
    ['0', /not an action/],
    ['a-ab', /too short/],
    ['a-abcd', /both #1 and #12/],
    ['a-yyyy', /no action/],
    ['all', /not an action/],
  ])('%s is refused with a sentence', (ref, why) => {
    const found = findAction(rows, ref);
    expect(!found.ok && found.error).toMatch(why);
  });
});

test('[DR-2] a wrong --where says what can be tested, and how', () => {
  const fields = [
    { label: 'File', pointer: '/effect/path', as: 'path' },
    { label: 'After', pointer: '/effect/after', as: 'diff' },
    { label: 'Size', pointer: '/effect/size', as: 'bytes' },
  ] as const;
  const ways = 'what can be tested: File=…, Size<=…';
  expect(() => testsOf(['Folder=a'], fields)).toThrow(ways);
  expect(() => testsOf(['After=a'], fields)).toThrow(`is no test of that field; ${ways}`);
  expect(() => testsOf(['path=/etc/*'], fields)).toThrow('Write it as it stands in the workspace, like docs/**');
  expect(() => testsOf(['Size<=many'], fields)).toThrow('--where "Size<=many"');
  expect(testsOf(['file=docs/**', 'Size<=10'], fields)).toHaveLength(2);
});
