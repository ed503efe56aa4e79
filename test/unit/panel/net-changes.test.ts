import { expect, test } from 'vitest';
import type { PathChange } from '../../../src/model/file-changes.ts';
import { netChanges } from '../../../src/panel/detail/net-changes.ts';
import { hashOf } from '../../support/panel-fixture-data.ts';

const file = (hash: number, mode = 0o644) =>
  ({ type: 'file', mode, content: { $blob: hashOf(hash), bytes: 1 } }) as const;
const edit = (path: string, from: number | null, to: number): PathChange => ({
  path,
  from: null,
  before: from === null ? null : file(from),
  after: file(to),
});

test('five edits of one file are one change, from before the first to after the last', () => {
  const steps = [1, 2, 3, 4, 5].map((at) => [edit('a', at, at + 1)]);
  expect(netChanges(steps)).toEqual([{ ...edit('a', 1, 6), broken: false }]);
});

test('a step that begins elsewhere than the one before it ended is said', () => {
  expect(netChanges([[edit('a', 1, 2)], [edit('a', 3, 4)]])).toMatchObject([{ path: 'a', broken: true }]);
});

test('a file that is edited, moved and edited keeps its first path and its last bytes', () => {
  const moved = { type: 'file', mode: 0o644, content: null } as const;
  const move: PathChange = { path: 'b', from: 'a', before: moved, after: moved };
  expect(netChanges([[edit('a', 1, 2)], [move]])).toMatchObject([
    { path: 'b', from: 'a', before: file(1), after: file(2) },
  ]);
  expect(netChanges([[move], [edit('b', 2, 3)]])).toMatchObject([
    { path: 'b', from: 'a', after: file(3), broken: false },
  ]);
});

test('what is made and taken away again is nothing; other paths keep their order', () => {
  const gone: PathChange = { path: 'a', from: null, before: file(1), after: null };
  const changes = netChanges([[edit('a', null, 1)], [edit('z', 8, 9)], [edit('b', null, 2)], [gone]]);
  expect(changes.map(({ path }) => path)).toEqual(['z', 'b']);
});
