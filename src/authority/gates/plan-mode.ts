import type { Approved } from '../begin.ts';
import type { Core } from '../core.ts';
import type { Gate } from '../gates.ts';
import { planModeOf } from '../plan-mode.ts';
import { stillMay } from '../still-may.ts';

/** DR-8: what was queued before plan mode stays where it is, but for what a person lets through by name. */
export const planModeGate: Gate = (core, action) => {
  const by = planModeOf(core, action.lineage.root);
  if (by === undefined || isLetThrough(core, action)) return undefined;
  return {
    code: 'plan-mode',
    why: `Plan mode is on, set by ${by}: nothing begins. You can still have this one applied anyway.`,
    untilMs: null,
  };
};

/** This version, after what was raised about it, by somebody whose word still counts. */
function isLetThrough(core: Core, action: Approved): boolean {
  const { digest, id, newestAttention } = action;
  const through = core.letThrough.get(id);
  if (through === undefined || through.digest !== digest) return false;
  if (through.attention !== (newestAttention?.entry ?? null)) return false;
  return stillMay(core, through.device, 'anyway', action);
}
