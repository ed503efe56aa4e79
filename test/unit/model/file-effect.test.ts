import { expect, test } from 'vitest';
import { changesOfEffect } from '../../../src/model/file-changes.ts';
import { readEffect } from '../../../src/model/file-effect.ts';

const hash = 'ab'.repeat(32);
const file = { type: 'file', content: { $blob: hash, bytes: 3 }, mode: 0o644 };

test.each([
  [{ op: 'write', path: 'a', before: { type: 'absent' }, after: file }, ['a']],
  [{ op: 'mkdir', path: 'a/b', paths: ['a', 'a/b'], mode: 0o755 }, ['a', 'a/b']],
  [
    {
      op: 'delete',
      path: 'a',
      entries: [
        { type: 'dir', path: '', mode: 0o755 },
        { ...file, path: 'x' },
      ],
    },
    ['a', 'a/x'],
  ],
  [{ op: 'move', from: 'a', to: 'b', entries: [{ type: 'file', path: '', sha256: hash, bytes: 1, mode: 0 }] }, ['b']],
  [{ op: 'nothing', path: 'a', says: 'It is already so.' }, []],
])('an effect of files is read as what it does, path by path (%j)', (effect, paths) => {
  const found = readEffect(effect);
  expect(found.ok && changesOfEffect(found.value).map(({ path }) => path)).toEqual(paths);
});

test.each([
  [{ op: 'chown', path: 'a' }, 'op'],
  [{ op: 'write', path: 'a', before: { type: 'link' }, after: file }, 'before'],
  [{ op: 'write', path: 'a', before: { type: 'absent' }, after: { ...file, mode: 0o10000 } }, 'after.mode'],
  [{ op: 'mkdir', path: 'a', paths: [], mode: 0 }, 'paths'],
  [{ op: 'delete', path: 'a', entries: [{ type: 'file', path: 'x', mode: 0 }] }, 'entries[0].content'],
  [{ op: 'nothing', path: 'a', says: 'x', also: 1 }, 'also'],
])('an effect of a runtime that is newer than this device is a sentence, not a crash (%j)', (effect, place) => {
  const found = readEffect(effect);
  expect(found.ok ? '' : found.error).toContain(place);
});
