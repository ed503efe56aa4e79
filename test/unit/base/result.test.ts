import { expect, test } from 'vitest';
import { assert, InvariantError, unreachable } from '../../../src/base/assert.ts';
import { CountersignError, ERROR_TABLE, messageOf } from '../../../src/base/errors.ts';
import { err, ok, type Result } from '../../../src/base/result.ts';

test('a result carries its value or its error, and narrows on ok', () => {
  const half = (n: number): Result<number> => (n % 2 === 0 ? ok(n / 2) : err(`${n} is odd`));
  expect(half(4)).toEqual({ ok: true, value: 2 });
  expect(half(3)).toEqual({ ok: false, error: '3 is odd' });
});

test('an assertion that holds is silent, one that does not is a bug', () => {
  expect(() => assert(true, 'never')).not.toThrow();
  expect(() => assert(0, 'zero is false')).toThrow(new InvariantError('zero is false'));
  expect(() => unreachable('x' as never)).toThrow(InvariantError); // reason: what a wrong cast elsewhere would bring here
});

test('an operational error takes its effect from the table unless told', () => {
  expect(new CountersignError('full', 'The disk is full.').effect).toBe('none');
  expect(new CountersignError('storage', 'The disk failed.').effect).toBe('unknown');
  expect(new CountersignError('closed', 'Gone.', { effect: 'unknown' }).effect).toBe('unknown');
});

test('an operational error keeps its cause and can be told from others', () => {
  const cause = new Error('ENOSPC');
  const error = new CountersignError('full', 'The disk is full.', { cause });
  expect(error.cause).toBe(cause);
  expect(CountersignError.is(error)).toBe(true);
  expect(CountersignError.is(cause)).toBe(false);
  expect('cause' in new CountersignError('full', 'x')).toBe(false);
});

test('[EF-2] nothing whose effect is unknown may be retried by code', () => {
  for (const [code, row] of Object.entries(ERROR_TABLE)) {
    if (row.effect === 'unknown') expect(row.retry, code).toBe('never');
  }
});

test('anything thrown has a message', () => {
  expect(messageOf(new Error('a'))).toBe('a');
  expect(messageOf('b')).toBe('b');
  expect(messageOf(undefined)).toBe('undefined');
});
