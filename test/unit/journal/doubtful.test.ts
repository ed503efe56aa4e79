import { expect, test } from 'vitest';
import { intentsAfter, openIntents } from '../../../src/journal/sqlite/doubtful.ts';
import type { HeadRecord } from '../../../src/journal/sqlite/head-record.ts';
import type { EventKind } from '../../../src/model/event.ts';

const HASH = new Uint8Array(32);

function records(...steps: readonly (readonly [EventKind, number, number])[]): readonly HeadRecord[] {
  return steps.map(([kind, actionSeq, attempt], at) => ({
    kind,
    actionSeq,
    attempt,
    seq: at + 1,
    eventHash: HASH,
    root: HASH,
    previousRoot: HASH,
  }));
}

test('[EF-7] intents in rows the database has lost are in doubt, whatever followed them', () => {
  const log = records(['intent-recorded', 1, 1], ['applied', 1, 1], ['intent-recorded', 2, 1], ['applied', 2, 1]);
  expect(intentsAfter(log, 2)).toEqual([{ actionSeq: 2, attempt: 1 }]);
  expect(intentsAfter(log, 4)).toEqual([]);
});

test('[EF-7] with no database at all, intents without a known end are in doubt', () => {
  const log = records(
    ['intent-recorded', 1, 1],
    ['applied', 1, 1],
    ['intent-recorded', 2, 1],
    ['doubted', 2, 1],
    ['intent-recorded', 3, 1],
    ['failed', 3, 1],
    ['intent-recorded', 3, 2],
    ['revert-begun', 1, 1],
    ['intent-recorded', 4, 1],
    ['attempt-voided', 4, 1],
  );
  expect(openIntents(log)).toEqual([
    { actionSeq: 2, attempt: 1 },
    { actionSeq: 3, attempt: 2 },
    { actionSeq: 1, attempt: 1, revert: true },
  ]);
  const refused = openIntents([...log, ...records(['revert-refused', 1, 1])]);
  expect(refused.map(({ actionSeq }) => actionSeq)).toEqual([2, 3]);
});
