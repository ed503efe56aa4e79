import { expect, test } from 'vitest';
import { utf8 } from '../../../src/base/bytes.ts';
import { nobleCrypto } from '../../../src/crypto/noble.ts';
import { breakAt, chainRoot, EMPTY_HEAD } from '../../../src/journal/chain.ts';
import { chainRoot as trustRoot, GENESIS_ROOT } from '../../../src/trust/audit.ts';
import { rowsAfter, START } from '../../contract/journal-rows.ts';

const { sha256 } = nobleCrypto;

test('the journal checks the chain that the log is signed over', () => {
  expect(EMPTY_HEAD.root).toEqual(GENESIS_ROOT);
  const audit = utf8('{"seq":1}');
  const before = sha256(utf8('before'));
  expect(chainRoot(sha256, before, audit)).toEqual(trustRoot(sha256, before, audit));
});

test('a row that was changed in any part does not continue the chain', () => {
  const [row, next] = rowsAfter(START, [{}, {}]);
  if (row === undefined || next === undefined) throw new Error('two rows were made');
  expect(breakAt(sha256, EMPTY_HEAD, row)).toBeUndefined();
  expect(breakAt(sha256, row, next)).toBeUndefined();
  expect(breakAt(sha256, EMPTY_HEAD, next)).toBe('row 2 follows row 0');
  expect(breakAt(sha256, EMPTY_HEAD, { ...row, event: utf8('{}') })).toMatch(/does not match its hash/);
  expect(breakAt(sha256, EMPTY_HEAD, { ...row, audit: utf8('{}') })).toMatch(/does not chain/);
  expect(breakAt(sha256, row, { ...next, root: row.root })).toMatch(/does not chain/);
});
