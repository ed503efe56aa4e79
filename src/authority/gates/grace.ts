import type { Gate } from '../gates.ts';

/** DR-5: what cannot be undone does not begin before its grace period is over. */
export const graceGate: Gate = (core, action) => {
  const grace = core.graces.of(action.id);
  if (grace === undefined) return undefined;
  return {
    code: 'grace',
    why: 'It cannot be undone, so it waits a moment in which it can still be stopped.',
    untilMs: grace.untilMs,
    opensInMs: Math.ceil(grace.leftMs),
  };
};
