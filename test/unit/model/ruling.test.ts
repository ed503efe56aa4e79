import { describe, expect, test } from 'vitest';
import type { Action } from '../../../src/model/action.ts';
import type { DeviceId } from '../../../src/model/ids.ts';
import { factsOf, foldStances, rule, type AcceptedStance, type Ruling } from '../../../src/model/ruling.ts';
import { attention, did, digestOf, inState } from './make-action.ts';

const NOBODY = { revoked: new Set<DeviceId>(), frozen: new Set<DeviceId>() };
const LAPTOP = did(1);
const PHONE = did(2);

let hashes = 0;

function stance(
  device: DeviceId,
  n: number,
  kind: AcceptedStance['kind'],
  more: Partial<AcceptedStance> = {},
): AcceptedStance {
  hashes += 1;
  return { device, n, kind, digest: digestOf(1), hash: digestOf(5_000 + hashes), holdsLifted: [], ...more };
}

function ruled(taken: readonly AcceptedStance[], action: Action = inState('pending'), devices = NOBODY): Ruling {
  return rule(foldStances(taken), factsOf(action, devices));
}

describe('one device', () => {
  test('[DC-4] its newest number is its stance, whichever arrives first', () => {
    const approve = stance(LAPTOP, 1, 'approve');
    const hold = stance(LAPTOP, 2, 'hold');
    expect(ruled([hold, approve])).toMatchObject({ type: 'held', by: [{ hash: hold.hash }] });
    expect(ruled([stance(LAPTOP, 3, 'approve'), hold, approve])).toMatchObject({ type: 'approved', by: { n: 3 } });
  });

  test('[DC-11] retract takes back its own approve or hold, never its reject', () => {
    const retract = stance(LAPTOP, 2, 'retract');
    expect(ruled([stance(LAPTOP, 1, 'approve'), retract])).toEqual({ type: 'none' });
    expect(ruled([stance(LAPTOP, 1, 'hold'), retract])).toEqual({ type: 'none' });
    expect(ruled([stance(LAPTOP, 1, 'reject'), retract])).toMatchObject({ type: 'rejected' });
  });

  test('[DC-11] retract leaves what other devices said', () => {
    const taken = [stance(PHONE, 1, 'approve'), stance(LAPTOP, 1, 'approve'), stance(LAPTOP, 2, 'retract')];
    expect(ruled(taken)).toMatchObject({ type: 'approved', by: { device: PHONE } });
  });
});

describe('across devices', () => {
  test('[DC-3] reject > hold > approve > none', () => {
    const approve = stance(LAPTOP, 9, 'approve');
    const hold = stance(PHONE, 1, 'hold');
    const reject = stance(did(3), 1, 'reject', { note: 'Wrong file.' });
    expect(ruled([])).toEqual({ type: 'none' });
    expect(ruled([approve])).toMatchObject({ type: 'approved' });
    expect(ruled([approve, hold])).toMatchObject({ type: 'held' });
    expect(ruled([approve, hold, reject])).toEqual({
      type: 'rejected',
      by: { device: did(3), n: 1, hash: reject.hash },
      because: 'person',
      reason: 'Wrong file.',
      change: null,
    });
  });

  test('[DC-3] a hold is lifted by its own device or by a release that names its hash', () => {
    const approve = stance(LAPTOP, 1, 'approve');
    const hold = stance(PHONE, 1, 'hold');
    const unnamed = stance(did(3), 1, 'release');
    const named = stance(did(3), 2, 'release', { holdsLifted: [hold.hash] });
    expect(ruled([approve, hold, unnamed])).toMatchObject({ type: 'held' });
    expect(ruled([approve, hold, named])).toMatchObject({ type: 'approved' });
    expect(ruled([approve, hold, stance(PHONE, 2, 'release')])).toMatchObject({ type: 'approved' });
    expect(ruled([approve, hold, named, stance(PHONE, 3, 'hold')]), 'a new hold is another hold').toMatchObject({
      type: 'held',
    });
  });

  test('a revoked device loses its approvals and holds, and keeps its rejects (the pure part of DC-8)', () => {
    const gone = { ...NOBODY, revoked: new Set([PHONE]) };
    expect(ruled([stance(PHONE, 1, 'approve')], inState('pending'), gone)).toEqual({ type: 'none' });
    expect(ruled([stance(PHONE, 1, 'hold')], inState('pending'), gone)).toEqual({ type: 'none' });
    expect(ruled([stance(PHONE, 1, 'reject')], inState('pending'), gone)).toMatchObject({ type: 'rejected' });
  });

  test('[DC-2] a device with two decisions of one number approves and releases nothing; its holds and rejects count', () => {
    const twice = [stance(PHONE, 2, 'approve'), stance(PHONE, 2, 'retract')];
    expect(ruled([...twice, stance(PHONE, 3, 'approve')])).toEqual({ type: 'none' });
    const hold = stance(LAPTOP, 1, 'hold');
    expect(ruled([...twice, hold, stance(PHONE, 3, 'release', { holdsLifted: [hold.hash] })])).toMatchObject({
      type: 'held',
    });
    expect(ruled([...twice, stance(PHONE, 1, 'hold')])).toMatchObject({ type: 'held' });
    expect(ruled([...twice, stance(PHONE, 1, 'reject')])).toMatchObject({ type: 'rejected' });
  });
});

describe('what was looked at', () => {
  test('[DC-12] an approve counts only if it names the newest attention', () => {
    const raised = inState('pending', 1, { newestAttention: attention('stale', 40) });
    expect(ruled([stance(LAPTOP, 1, 'approve')], raised)).toEqual({ type: 'none' });
    expect(ruled([stance(LAPTOP, 1, 'approve', { attention: 39 })], raised)).toEqual({ type: 'none' });
    expect(ruled([stance(LAPTOP, 1, 'approve', { attention: 40 })], raised)).toMatchObject({ type: 'approved' });
    expect(ruled([stance(LAPTOP, 1, 'approve', { attention: 40 })])).toEqual({ type: 'none' });
  });

  test('[DC-12] an approval from before an attention does not come back when the one that answered it is retracted', () => {
    const before = stance(PHONE, 1, 'approve');
    const answer = stance(LAPTOP, 1, 'approve', { attention: 40 });
    const approved = inState('approved', 1, { newestAttention: attention('stale', 40) });
    expect(ruled([before, answer], approved)).toMatchObject({ type: 'approved', by: { device: LAPTOP } });
    expect(ruled([before, answer, stance(LAPTOP, 2, 'retract')], approved)).toEqual({ type: 'none' });
  });

  test('[LC-5] conflict and tool-changed are not approved away', () => {
    for (const kind of ['conflict', 'tool-changed'] as const) {
      const raised = inState('pending', 1, { newestAttention: attention(kind, 40) });
      expect(ruled([stance(LAPTOP, 1, 'approve', { attention: 40 })], raised)).toEqual({ type: 'none' });
    }
  });

  test('[LC-5] [DC-1] after a reissue earlier approvals do not match; holds and rejects still stand', () => {
    const anew = inState('pending', 1, { digest: digestOf(2) });
    expect(ruled([stance(LAPTOP, 1, 'approve')], anew)).toEqual({ type: 'none' });
    expect(ruled([stance(LAPTOP, 1, 'hold')], anew)).toMatchObject({ type: 'held' });
    expect(ruled([stance(LAPTOP, 1, 'reject')], anew)).toMatchObject({ type: 'rejected' });
  });
});

describe('how it was rejected', () => {
  test('[LC-6] keep mine says user-edited', () => {
    expect(ruled([stance(LAPTOP, 1, 'reject', { because: 'user-edited' })])).toMatchObject({ because: 'user-edited' });
  });

  test('change carries what to do instead', () => {
    const change = { say: 'Keep the old name.', remarks: [{ path: 'src/app.ts', line: 3, text: 'here' }] };
    expect(ruled([stance(LAPTOP, 1, 'change', { change })])).toMatchObject({ because: 'person', change });
  });
});
