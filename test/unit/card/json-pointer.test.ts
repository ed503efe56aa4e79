import { expect, test } from 'vitest';
import { leaves, valueAt } from '../../../src/model/json-pointer.ts';

const DOCUMENT = { foo: ['bar', 'baz'], '': 0, 'a/b': 1, 'c%d': 2, 'm~n': 8, ' ': 7, deep: { x: null } };

test.each([
  ['', DOCUMENT],
  ['/foo', ['bar', 'baz']],
  ['/foo/0', 'bar'],
  ['/', 0],
  ['/a~1b', 1],
  ['/c%d', 2],
  ['/m~0n', 8],
  ['/ ', 7],
  ['/deep/x', null],
  ['/foo/01', undefined],
  ['/foo/-', undefined],
  ['/foo/2', undefined],
  ['/foo/length', undefined],
  ['/toString', undefined],
  ['/foo/0/0', undefined],
  ['foo', undefined],
  ['/m~2n', undefined],
  ['/deep/x/y', undefined],
])('RFC 6901 pointer %j', (pointer, value) => {
  expect(valueAt(DOCUMENT, pointer)).toEqual(value);
});

test('leaves name every value by a pointer that finds it again', () => {
  const found = leaves(DOCUMENT);
  expect(found.map(({ pointer }) => pointer)).toEqual([
    '/foo/0',
    '/foo/1',
    '/',
    '/a~1b',
    '/c%d',
    '/m~0n',
    '/ ',
    '/deep/x',
  ]);
  for (const { pointer, value } of found) expect(valueAt(DOCUMENT, pointer)).toEqual(value);
});
