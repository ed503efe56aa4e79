import { pauseOf } from '../../model/standing.ts';
import type { Gate } from '../gates.ts';
import { nameOf } from '../standing.ts';

/** DR-10: a pause stops work and decides nothing. */
export const pauseGate: Gate = (core, action) => {
  const pause = pauseOf(core.standing, action.lineage.root);
  if (pause === undefined) return undefined;
  const what = pause.session === null ? 'The workspace' : 'This session';
  return { code: 'paused', why: `${what} is paused by ${nameOf(core, pause.by)}.`, untilMs: null };
};
