import * as fc from 'fast-check';
import { ITEM_KINDS, type ItemKind } from '../../../src/model/decision.ts';
import type { DeviceId, Digest } from '../../../src/model/ids.ts';
import type { AcceptedStance, RulingFacts } from '../../../src/model/ruling.ts';
import { attention, did, digestOf } from '../../unit/model/make-action.ts';

export const DEVICES = [did(1), did(2), did(3)] as const;
const NUMBERS_MAX = 6;
const DIGESTS = [digestOf(1), digestOf(2)] as const;

/** A decision's hash: one per device and number, two where a device contradicts itself. */
function hashOf(device: number, n: number, copy: boolean): Digest {
  return digestOf(1_000 + 100 * device + 10 * n + (copy ? 1 : 0));
}

const anyHash = fc
  .record({ device: fc.nat(2), n: fc.integer({ min: 1, max: NUMBERS_MAX }) })
  .map(({ device, n }) => hashOf(device, n, false));

export function stanceOf(kinds: readonly ItemKind[]): fc.Arbitrary<AcceptedStance> {
  return fc
    .record({
      device: fc.nat(2),
      n: fc.integer({ min: 1, max: NUMBERS_MAX }),
      copy: fc.integer({ min: 0, max: 14 }).map((die) => die === 0),
      kind: fc.constantFrom(...kinds),
      digest: fc.constantFrom(DIGESTS[0], DIGESTS[0], DIGESTS[0], DIGESTS[1]),
      attention: fc.constantFrom(undefined, undefined, 40, 50),
      lifts: fc.uniqueArray(anyHash, { maxLength: 3 }),
    })
    .map(({ device, n, copy, kind, digest, attention: entry, lifts }) => ({
      device: DEVICES[device] ?? DEVICES[0],
      n,
      hash: hashOf(device, n, copy),
      kind,
      digest,
      ...(entry === undefined ? {} : { attention: entry }),
      holdsLifted: kind === 'release' ? lifts : [],
    }));
}

function decisionsOf(kinds: readonly ItemKind[]): fc.Arbitrary<readonly AcceptedStance[]> {
  return fc.uniqueArray(stanceOf(kinds), { selector: (stance) => stance.hash, maxLength: 12, size: 'max' });
}

export const decisions = fc.oneof(
  decisionsOf(ITEM_KINDS),
  decisionsOf(['approve', 'hold', 'release', 'retract']),
  decisionsOf(['approve', 'hold', 'release']),
);

export const facts: fc.Arbitrary<RulingFacts> = fc.record({
  digest: fc.constantFrom(DIGESTS[0], DIGESTS[0], DIGESTS[1]),
  attention: fc.constantFrom(
    null,
    null,
    attention('stale', 40),
    attention('reissued', 50),
    attention('conflict', 50),
    attention('tool-changed', 40),
  ),
  revoked: fc.subarray([...DEVICES], { maxLength: 1 }).map((devices) => new Set<DeviceId>(devices)),
  frozen: fc.integer({ min: 0, max: 9 }).map((die) => new Set<DeviceId>(die === 0 ? [DEVICES[2]] : [])),
});
