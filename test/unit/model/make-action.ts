import type { Action, ActionState, Applied, Attention, Common, Intent, Lineage } from '../../../src/model/action.ts';
import type { ActionContent } from '../../../src/model/content.ts';
import {
  actionId,
  deviceId,
  parseDigest,
  sessionId,
  workspaceId,
  type ActionId,
  type DeviceId,
  type Digest,
  type SessionId,
} from '../../../src/model/ids.ts';

/** Small numbers as ids: `aid(12)` is always the same action. */
export const aid = (n: number): ActionId => actionId(numbered(n));
export const did = (n: number): DeviceId => deviceId(numbered(n));
export const sid = (n: number): SessionId => sessionId(numbered(n));

export function digestOf(n: number): Digest {
  const digest = parseDigest(n.toString(16).padStart(64, '0'));
  if (!digest.ok) throw new Error(digest.error);
  return digest.value;
}

export const LINEAGE: Lineage = { session: sid(1), root: sid(1), turn: 1, callId: null, sawThrough: 0 };

export const CONTENT: ActionContent = {
  v: 1,
  workspace: workspaceId(numbered(1)),
  kind: { tag: 'file.write', label: 'Write a file' },
  tool: 'write_file',
  toolDigest: digestOf(900),
  arguments: { path: 'src/app.ts' },
  effect: { path: 'src/app.ts' },
  preconditions: [],
  writes: ['file:src/app.ts'],
  effectClass: 'E1',
  reversible: true,
  awaitDecision: false,
  lane: null,
};

export const INTENT: Intent = { attempt: 1, idempotencyKey: 'key', atMs: 5_000, deadlineMs: 65_000 };
export const APPLIED: Applied = { attempt: 1, atMs: 6_000, evidence: {}, drift: null, known: 'surface' };

export function attention(kind: Attention['kind'], entry: number): Attention {
  return { kind, entry, why: `${kind} raised by entry ${entry}` };
}

export function common(n: number, changes: Partial<Common> = {}): Common {
  return {
    id: aid(n),
    seq: n,
    place: n,
    lane: 'session:1',
    content: CONTENT,
    digest: digestOf(n),
    verdict: { autoApprovable: false, reason: 'Nothing is known of it.' },
    reversibleWhy: 'The old bytes are kept.',
    lineage: LINEAGE,
    proposedAtMs: 1_000,
    needs: [],
    overlay: [{ resource: 'file:src/app.ts', value: { v: n } }],
    result: { blob: digestOf(700 + n) },
    attempts: 0,
    revertAttempts: 0,
    remark: null,
    ...changes,
  };
}

/** An action in each state, as plain as that state allows. */
export function inState<S extends ActionState>(
  state: S,
  n = 1,
  changes: Partial<Common> = {},
): Extract<Action, { state: S }> {
  const begun = { ...common(n, { attempts: 1, ...changes }) };
  const samples: { [K in ActionState]: Extract<Action, { state: K }> } = {
    pending: { ...common(n, changes), state: 'pending', attention: changes.newestAttention ?? null },
    approved: { ...common(n, changes), state: 'approved', by: { type: 'decision', device: did(1), n: 1 }, atMs: 2_000 },
    held: {
      ...common(n, changes),
      state: 'held',
      parked: { own: true, heldWith: [] },
      attention: changes.newestAttention ?? null,
    },
    applying: { ...begun, state: 'applying', by: { type: 'decision', device: did(1), n: 1 }, intent: INTENT },
    applied: { ...begun, state: 'applied', applied: APPLIED, contradicted: false },
    failed: { ...begun, state: 'failed', why: 'The target is a folder.' },
    'in-doubt': { ...begun, state: 'in-doubt', intent: INTENT, why: 'It did not answer in time.' },
    'not-applied': {
      ...begun,
      state: 'not-applied',
      known: 'settled',
      mayHappenTwice: false,
      contradicted: false,
    },
    reverting: { ...begun, revertAttempts: 1, state: 'reverting', applied: APPLIED, intent: INTENT },
    'revert-in-doubt': {
      ...begun,
      revertAttempts: 1,
      state: 'revert-in-doubt',
      applied: APPLIED,
      intent: INTENT,
      why: 'It did not answer in time.',
    },
    reverted: { ...begun, revertAttempts: 1, state: 'reverted', applied: APPLIED },
    rejected: {
      ...common(n, changes),
      state: 'rejected',
      because: 'person',
      by: { type: 'device', device: did(1), n: 2 },
      reason: null,
      felledBy: null,
      afterDidNot: false,
    },
  };
  return samples[state];
}

/** Freezes a value all the way down: whoever changes it in place throws. */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) frozen(member);
  }
  return value;
}

function numbered(n: number): Uint8Array {
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setUint32(0, n);
  return bytes;
}
