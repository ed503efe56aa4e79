import {
  commitPoint,
  failedIsNothing,
  intentFirst,
  oneEffect,
  recordIsTrue,
  revertRestores,
  sameBytes,
} from './effects.ts';
import {
  approvedByPerson,
  nothingForged,
  nothingStopped,
  orderDoesNotMatter,
  undoHolds,
  graceIsWhole,
  planQueuesNothing,
} from './decisions.ts';
import type { Invariant } from './invariant.ts';
import {
  copyNeeds,
  fenceAndKey,
  holdParksGroup,
  listsCountWhole,
  lookedFirst,
  onlyNeedsFall,
  overwriteNeeds,
  revertFromTheTop,
  seenLately,
  toldOnce,
} from './promises.ts';
import { laneOrder, needsFirst, noCycle, rejectIsFinal } from './order.ts';
import { everyStepAudited, noGhostReads, noSecrets, oneAuthority, receiptsHold, tablesEqualRows } from './record.ts';

/**
 * Semantics §9 by number. 19 is a comparison of two runs, and liveness is checked once everything has healed.
 * From 25 on: what single rules promise beside it.
 */
export const INVARIANTS: readonly Invariant[] = [
  oneEffect,
  intentFirst,
  approvedByPerson,
  nothingStopped,
  recordIsTrue,
  commitPoint,
  laneOrder,
  needsFirst,
  failedIsNothing,
  sameBytes,
  orderDoesNotMatter,
  rejectIsFinal,
  receiptsHold,
  nothingForged,
  everyStepAudited,
  oneAuthority,
  noGhostReads,
  noSecrets,
  undoHolds,
  graceIsWhole,
  revertRestores,
  planQueuesNothing,
  tablesEqualRows,
  noCycle,
  lookedFirst,
  seenLately,
  overwriteNeeds,
  copyNeeds,
  onlyNeedsFall,
  holdParksGroup,
  toldOnce,
  revertFromTheTop,
  listsCountWhole,
  fenceAndKey,
];
