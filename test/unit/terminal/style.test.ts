import { expect, test } from 'vitest';
import { coloursWanted, styleFor } from '../../../src/cli/terminal/style.ts';

test.each([
  [{}, true, true],
  [{}, false, false],
  [{ NO_COLOR: '1' }, true, false],
  [{ NO_COLOR: '' }, true, true],
  [{ FORCE_COLOR: '1' }, false, true],
  [{ FORCE_COLOR: '0' }, true, false],
  [{ FORCE_COLOR: 'false' }, true, false],
  [{ NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
  [{ TERM: 'dumb' }, true, false],
])('with %j and a terminal: %j, colours: %j', (env, isTTY, wanted) => {
  expect(coloursWanted({ env, isTTY })).toBe(wanted);
  expect(styleFor({ env, isTTY }).red('x').includes('\u001b')).toBe(wanted);
});
