import type { Gate } from '../gates.ts';

/** GM-4: everything moved under the lane at once; a person says what becomes of it before anything is applied there. */
export const groundGate: Gate = (core, action) => {
  const moved = core.ground.movedUnder(action.lane);
  return moved === undefined ? undefined : { code: 'ground-moved', why: moved.why, untilMs: null };
};
