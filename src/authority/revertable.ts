import { CountersignError } from '../base/errors.ts';
import type { ActionDetail } from '../model/owner-port.ts';
import type { Action } from '../model/action.ts';
import type { Core } from './core.ts';
import { canRevert } from './effect-class.ts';
import { contentThen } from './outcome.ts';
import { withinTime } from './within.ts';

export type Revertable = ActionDetail['revertable'];

/** Could this one be reverted by itself, as the world is now (CA-2)? */
export async function revertableAlone(core: Core, action: Action): Promise<Revertable> {
  if (action.state !== 'applied') return null;
  const surface = core.surfaceOf(action);
  if (!action.content.reversible || surface === undefined || !canRevert(surface))
    return { feasible: false, why: action.reversibleWhy };
  if (surface.canRevert === undefined) return { feasible: true, why: action.reversibleWhy };
  const content = contentThen(core, action, action.applied.attempt);
  const blob: Parameters<NonNullable<typeof surface.canRevert>>[0]['blob'] = (hash) => core.store.blob(hash);
  try {
    return await withinTime(core, surface.canRevert.bind(surface, { content, applied: action.applied, blob }));
  } catch (error) {
    if (CountersignError.is(error) && error.code === 'busy') return { feasible: false, why: error.message };
    throw error;
  }
}
