import type { Action } from '../model/action.ts';
import { interpretCard, type Card } from '../model/card.ts';
import type { Core } from './core.ts';

/** The card of an action: its content through its surface's template; without the surface it cannot be inspected. */
export function cardOf(core: Core, action: Action): Card {
  return interpretCard(core.surfaceOf(action)?.card ?? null, action.content);
}
