import { expect, test } from 'vitest';
import { changeSetOf } from '../../../src/model/change-set.ts';
import { inState, LINEAGE, sid } from './make-action.ts';

test('a child’s actions belong to the turn of its root session', () => {
  const child = inState('pending', 1, { lineage: { ...LINEAGE, session: sid(5), root: sid(2), turn: 3 } });
  const own = inState('applied', 2, { lineage: { ...LINEAGE, session: sid(2), root: sid(2), turn: 3 } });
  expect(changeSetOf(child)).toBe(`${sid(2)}/3`);
  expect(changeSetOf(own)).toBe(changeSetOf(child));
});
