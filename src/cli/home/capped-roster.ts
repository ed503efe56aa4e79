import type { RosterDevice, RosterPort } from '../../authority/options.ts';
import { rightAtMost } from '../../access/rights.ts';
import type { Right } from '../../model/decision.ts';
import type { DeviceId } from '../../model/ids.ts';

/** What the command line may do at most while an agent that is not contained could be the one who types (T22). */
const CAP = 'approve-reversible';

/**
 * The roster with the command line's right lowered while a session below *contained* is live. Who typed before that
 * session came was no agent: what was decided then stands.
 */
export function cappedRoster(roster: RosterPort, commandLine: DeviceId, uncontainedLive: () => boolean): RosterPort {
  return {
    number: () => roster.number(),
    device(id): RosterDevice | undefined {
      const device = roster.device(id);
      if (device === undefined || id !== commandLine) return device;
      return { ...device, right: cappedRight(device.right, uncontainedLive()), lastingRight: device.right };
    },
  };
}

/** The command line's present right. */
export function cappedRight(right: Right, uncontainedLive: boolean): Right {
  return !uncontainedLive || rightAtMost(right, CAP) ? right : CAP;
}
