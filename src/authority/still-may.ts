import { mayDecide, type DecidableKind } from '../access/rights.ts';
import type { Action } from '../model/action.ts';
import type { DeviceId } from '../model/ids.ts';
import type { Core } from './core.ts';

/**
 * Could this device decide this now, as it did once (DC-8)? Not when it was removed or frozen, and not when its right was
 * lowered since. `action`: `null` for what is about none.
 */
export function stillMay(core: Core, device: DeviceId, kind: DecidableKind, action: Action | null): boolean {
  const known = core.options.roster.device(device);
  if (known?.revoked !== false || core.frozen.has(device)) return false;
  return mayDecide(known.lastingRight ?? known.right, kind, action && { reversible: action.content.reversible }).ok;
}
