import type { ActionState } from '../../../src/model/action.ts';
import type { Transition, TransitionKind } from '../../../src/model/event.ts';
import { APPLIED, attention, CONTENT, did, digestOf, INTENT, sid } from './make-action.ts';

/** One transition of each kind, fit for the action `inState` makes in `state`. */
export function sampleTransitions(state: ActionState): {
  readonly [K in TransitionKind]: Extract<Transition, { readonly kind: K }>;
} {
  const device = { type: 'device', device: did(2), n: 7 } as const;
  return {
    approved: { kind: 'approved', by: { type: 'decision', device: did(2), n: 7 } },
    'approval-withdrawn': { kind: 'approval-withdrawn', why: 'retracted' },
    'attention-raised': { kind: 'attention-raised', attention: attention('tool-changed', 40) },
    reissued: {
      kind: 'reissued',
      oldDigest: digestOf(1),
      content: { ...CONTENT, effect: { path: 'src/app.ts', merged: true } },
      digest: digestOf(501),
      overlay: [{ resource: 'file:src/app.ts', value: { v: 501 } }],
      needs: [],
      reversibleWhy: 'The old bytes are kept.',
      verdict: { autoApprovable: true, reason: 'Merged.' },
      attention: attention('reissued', 41),
    },
    held: { kind: 'held', parked: { own: false, heldWith: [] }, by: device },
    released: { kind: 'released', place: 90, by: device },
    rejected: { kind: 'rejected', because: 'person', by: device, reason: 'Not this way.', felledBy: null },
    'intent-recorded': { kind: 'intent-recorded', intent: INTENT },
    'attempt-voided': { kind: 'attempt-voided' },
    applied: { kind: 'applied', applied: APPLIED, result: { blob: digestOf(801) } },
    failed: { kind: 'failed', why: 'The target is a folder.' },
    doubted: { kind: 'doubted', why: 'It did not answer in time.' },
    'not-applied': { kind: 'not-applied', known: 'settled', mayHappenTwice: true },
    retried: { kind: 'retried', by: { type: 'decision', device: did(2), n: 7 } },
    'revert-begun': { kind: 'revert-begun', intent: INTENT, by: { type: 'session', session: sid(1) } },
    reverted: { kind: 'reverted' },
    'revert-refused': { kind: 'revert-refused', why: 'The file was edited since.' },
    'revert-doubted': { kind: 'revert-doubted', why: 'It did not answer in time.' },
    contradicted:
      state === 'applied'
        ? { kind: 'contradicted', evidence: 'not-applied', applied: null }
        : { kind: 'contradicted', evidence: 'applied', applied: APPLIED },
  };
}
