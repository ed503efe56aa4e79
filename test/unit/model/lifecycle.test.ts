import { describe, expect, test } from 'vitest';
import type { Action, ActionState, AttentionKind } from '../../../src/model/action.ts';
import type { Transition, TransitionKind } from '../../../src/model/event.ts';
import { step, TRANSITION_TABLE, type StepResult } from '../../../src/model/lifecycle.ts';
import { APPLIED, attention, digestOf, frozen, inState, INTENT } from './make-action.ts';
import { sampleTransitions } from './transitions.ts';

type Cell = { readonly to: ActionState; readonly commands?: readonly string[] };

const LEAVE = ['leave-overlay'];
const ENTER = ['enter-overlay'];

/** Semantics §2, written down once more by hand. Every cell that is not here must be refused. */
const LAW: Record<ActionState, Partial<Record<TransitionKind, Cell>>> = {
  pending: {
    retried: { to: 'approved' },
    approved: { to: 'approved' },
    'attention-raised': { to: 'pending' },
    reissued: { to: 'pending', commands: ENTER },
    held: { to: 'held' },
    rejected: { to: 'rejected', commands: LEAVE },
    contradicted: { to: 'applied', commands: LEAVE },
  },
  approved: {
    'approval-withdrawn': { to: 'pending' },
    'attention-raised': { to: 'pending' },
    reissued: { to: 'pending', commands: ENTER },
    held: { to: 'held' },
    rejected: { to: 'rejected', commands: LEAVE },
    'intent-recorded': { to: 'applying', commands: ['perform 1'] },
    contradicted: { to: 'applied', commands: LEAVE },
  },
  held: {
    held: { to: 'held' },
    released: { to: 'pending' },
    'attention-raised': { to: 'held' },
    reissued: { to: 'held', commands: ENTER },
    rejected: { to: 'rejected', commands: LEAVE },
    contradicted: { to: 'applied', commands: LEAVE },
  },
  applying: {
    applied: { to: 'applied', commands: LEAVE },
    failed: { to: 'failed' },
    doubted: { to: 'in-doubt' },
    'attempt-voided': { to: 'approved' },
  },
  applied: {
    'revert-begun': { to: 'reverting', commands: ['perform-revert 1'] },
    'revert-refused': { to: 'applied' },
    contradicted: { to: 'not-applied', commands: ENTER },
    applied: { to: 'applied' },
  },
  failed: {
    'attention-raised': { to: 'failed' },
    retried: { to: 'approved' },
    rejected: { to: 'rejected', commands: LEAVE },
    contradicted: { to: 'applied', commands: LEAVE },
  },
  'in-doubt': {
    applied: { to: 'applied', commands: LEAVE },
    'not-applied': { to: 'not-applied' },
    contradicted: { to: 'applied', commands: LEAVE },
  },
  'not-applied': {
    'attention-raised': { to: 'not-applied' },
    retried: { to: 'approved' },
    rejected: { to: 'rejected', commands: LEAVE },
    contradicted: { to: 'applied', commands: LEAVE },
  },
  reverting: {
    reverted: { to: 'reverted', commands: LEAVE },
    'revert-refused': { to: 'applied' },
    'revert-doubted': { to: 'revert-in-doubt' },
  },
  'revert-in-doubt': { reverted: { to: 'reverted', commands: LEAVE }, 'revert-refused': { to: 'applied' } },
  reverted: {},
  rejected: { contradicted: { to: 'applied' } },
};

const STATES = Object.keys(LAW) as ActionState[]; // reason: the keys of a Record over ActionState
const KINDS = Object.keys(sampleTransitions('pending')) as TransitionKind[]; // reason: likewise

/** The sample of a state for which the transition is allowed, if the table allows it at all. */
function sample(state: ActionState, kind?: TransitionKind): Action {
  if (state === 'applied')
    return {
      ...inState('applied', 1, { revertAttempts: 0 }),
      applied: { ...APPLIED, known: 'settled' },
      contradicted: kind === 'applied',
    };
  // Evidence that the first attempt happened, which a person had given up for lost.
  if (kind === 'contradicted' && state === 'in-doubt') return inState(state, 1, { attempts: 2 });
  if (kind === 'contradicted' && (state === 'failed' || UNDECIDED.has(state)))
    return inState(state, 1, { attempts: 2 });
  if (state === 'pending' && kind === 'retried') return inState(state, 1, { attempts: 1, givenUp: true });
  if (state === 'rejected') return { ...inState('rejected', 1, { attempts: 1 }), afterDidNot: true };
  return inState(state);
}

const UNDECIDED: ReadonlySet<ActionState> = new Set<ActionState>(['pending', 'approved', 'held']);

function take(action: Action, transition: Transition): Action {
  const result = step(frozen(action), frozen(transition), 9_000);
  if (!result.ok) throw new Error(result.why);
  return result.action;
}

function commandsOf(result: StepResult): readonly string[] {
  if (!result.ok) return [];
  return result.commands.map((command) => ('attempt' in command ? `${command.type} ${command.attempt}` : command.type));
}

describe('every state × every transition', () => {
  test('[LC-1] there are 12 states and 19 transitions, and the published table is the law', () => {
    expect(STATES).toHaveLength(12);
    expect(KINDS).toHaveLength(19);
    for (const state of STATES)
      expect([...TRANSITION_TABLE[state]].toSorted()).toEqual(Object.keys(LAW[state]).toSorted());
  });

  for (const state of STATES) {
    test.each(KINDS)(`[LC-1] ${state} × %s`, (kind) => {
      const action = frozen(sample(state, kind));
      const result = step(action, frozen(sampleTransitions(state)[kind]), 9_000);
      expect(told(result)).toEqual(lawful(state, LAW[state][kind]));
    });
  }
});

/** What must come of it, by the law. */
function lawful(state: ActionState, cell: Cell | undefined): unknown {
  if (cell === undefined) return { refused: expect.stringMatching(new RegExp(`^#1 is ${state}; .+\\.$`)) };
  return { id: sample(state).id, seq: 1, lineage: sample(state).lineage, to: cell.to, commands: cell.commands ?? [] };
}

function told(result: StepResult): unknown {
  if (!result.ok) return { refused: result.why };
  const { id, seq, lineage, state } = result.action;
  return { id, seq, lineage, to: state, commands: commandsOf(result) };
}

describe('what a transition leaves in the action', () => {
  test('[LC-1] the time of an approval is the time of its event', () => {
    expect(take(inState('pending'), sampleTransitions('pending').approved)).toMatchObject({ atMs: 9_000 });
    expect(take(inState('failed'), sampleTransitions('failed').retried)).toMatchObject({
      state: 'approved',
      atMs: 9_000,
    });
  });

  test('[LC-2] an intent opens the next attempt and no other', () => {
    const approved = inState('approved', 1, { attempts: 1 });
    const wrong = step(approved, { kind: 'intent-recorded', intent: INTENT }, 9_000);
    expect(wrong).toEqual({ ok: false, why: '#1 was tried 1 times, so attempt 1 is not its next.' });
    const intent = { ...INTENT, attempt: 2 };
    expect(take(approved, { kind: 'intent-recorded', intent })).toMatchObject({
      state: 'applying',
      attempts: 2,
      intent,
    });
  });

  test('[LC-2] a void attempt never counted, and its approval stands', () => {
    const approved = inState('approved');
    const applying = take(approved, { kind: 'intent-recorded', intent: INTENT });
    const back = take(applying, { kind: 'attempt-voided' });
    expect(back).toEqual({ ...approved, atMs: INTENT.atMs });
  });

  test('[F10] [EF-6] what version 1 approved after a retry was taken back is approved, and may still happen twice', () => {
    const again = inState('pending', 1, { attempts: 1, givenUp: true });
    const { approved, retried } = sampleTransitions('pending');
    expect(take(again, approved)).toMatchObject({ state: 'approved', givenUp: true });
    expect(step(inState('pending', 1, { attempts: 1 }), retried, 9_000)).toMatchObject({ ok: false });
  });

  test('[LC-2] an outcome belongs to the attempt that is open', () => {
    const late: Transition = { kind: 'applied', applied: { ...APPLIED, attempt: 2 }, result: null };
    for (const state of ['applying', 'in-doubt'] as const)
      expect(step(inState(state), late, 9_000)).toMatchObject({ ok: false });
  });

  test('[LC-3] a failed attempt has no evidence and keeps its simulated effect', () => {
    const failed = take(inState('applying'), { kind: 'failed', why: 'The target is a folder.' });
    expect(failed).toEqual({ ...inState('failed'), why: 'The target is a folder.' });
  });

  test('the real answer replaces the simulated one; without one the simulated stays', () => {
    expect(take(inState('applying'), sampleTransitions('applying').applied).result).toEqual({ blob: digestOf(801) });
    const settled: Transition = { kind: 'applied', applied: { ...APPLIED, known: 'settled' }, result: null };
    expect(take(inState('in-doubt'), settled).result).toEqual({ blob: digestOf(701) });
  });

  test('a revert that did not happen leaves the action applied and says why', () => {
    const back = take(inState('reverting'), { kind: 'revert-refused', why: 'The file was edited since.' });
    expect(back).toMatchObject({ state: 'applied', remark: 'The file was edited since.', revertAttempts: 1 });
    const intent = { ...INTENT, attempt: 1 };
    expect(step(back, { kind: 'revert-begun', intent, by: { type: 'authority' } }, 9_000)).toMatchObject({ ok: false });
  });

  test('[LC-6] a rejected action says because of what, by whom, and what took it down', () => {
    for (const because of ['person', 'cascade', 'withdrawn', 'user-edited', 'surface-removed'] as const) {
      const felledBy = because === 'cascade' ? inState('pending', 2).id : null;
      const ending: Transition = { kind: 'rejected', because, by: { type: 'authority' }, reason: 'No.', felledBy };
      expect(take(inState('approved'), ending)).toEqual({
        ...inState('rejected'),
        because,
        by: { type: 'authority' },
        reason: 'No.',
        felledBy,
      });
    }
  });
});

describe('attention', () => {
  test.each<AttentionKind>(['conflict', 'tool-changed'])('[LC-5] no approval answers %s', (kind) => {
    const raised = take(inState('pending'), { kind: 'attention-raised', attention: attention(kind, 40) });
    expect(step(raised, sampleTransitions('pending').approved, 9_000)).toMatchObject({ ok: false });
  });

  test.each<AttentionKind>(['stale', 'premise-withdrawn', 'reissued', 'rule-gone'])(
    'an approval answers %s',
    (kind) => {
      const raised = take(inState('pending'), { kind: 'attention-raised', attention: attention(kind, 40) });
      expect(take(raised, sampleTransitions('pending').approved)).toMatchObject({ state: 'approved' });
    },
  );

  test('[LC-5] a lesser attention does not hide a conflict', () => {
    const conflict = attention('conflict', 40);
    const first = take(inState('approved'), { kind: 'attention-raised', attention: conflict });
    const second = take(first, { kind: 'attention-raised', attention: attention('stale', 50) });
    expect(second).toMatchObject({ state: 'pending', attention: conflict, newestAttention: conflict });
    const third = take(second, { kind: 'attention-raised', attention: attention('tool-changed', 60) });
    expect(third).toMatchObject({ attention: attention('tool-changed', 60) });
  });

  test('[LC-5] a reissue keeps id, place and lane, changes digest and effect, and asks again', () => {
    for (const state of ['pending', 'approved', 'held'] as const) {
      const conflicted = { ...inState(state, 1, { newestAttention: attention('conflict', 40) }) };
      const anew = take(conflicted, sampleTransitions(state).reissued);
      expect(anew).toMatchObject({
        state: state === 'held' ? 'held' : 'pending',
        id: conflicted.id,
        place: conflicted.place,
        lane: conflicted.lane,
        digest: digestOf(501),
        overlay: [{ value: { v: 501 } }],
        attention: attention('reissued', 41),
        newestAttention: attention('reissued', 41),
      });
    }
  });

  test('[LC-5] a reissue made of another version is refused', () => {
    const other = inState('pending', 1, { digest: digestOf(77) });
    expect(step(other, sampleTransitions('pending').reissued, 9_000)).toMatchObject({ ok: false });
  });

  test('[DR-3] an attention raised after a failure is asked before the retry begins', () => {
    for (const state of ['failed', 'not-applied'] as const) {
      const { retried } = sampleTransitions(state);
      const why = attention('premise-withdrawn', 40);
      const raised = take(inState(state), { kind: 'attention-raised', attention: why });
      expect(raised).toMatchObject({ state, attention: why, newestAttention: why });
      expect(take(raised, retried)).toMatchObject({ state: 'pending', attention: why });
      expect(take(inState(state), retried)).toMatchObject({ state: 'approved' });
    }
  });

  test('[DC-12] an approval that is withdrawn leaves its attention unanswered again', () => {
    const stale = attention('stale', 40);
    const raised = take(inState('approved'), { kind: 'attention-raised', attention: stale });
    const approved = take(raised, sampleTransitions('pending').approved);
    expect(approved).not.toHaveProperty('attention');
    for (const why of ['retracted', 'rule-gone', 'revoked'] as const)
      expect(take(approved, { kind: 'approval-withdrawn', why })).toMatchObject({ state: 'pending', attention: stale });
  });

  test('[DR-9] a held action keeps what is raised meanwhile, and comes back with it', () => {
    const changed = attention('tool-changed', 40);
    const held = take(inState('held'), { kind: 'attention-raised', attention: changed });
    expect(held).toMatchObject({ state: 'held', parked: { own: true, heldWith: [] }, attention: changed });
    const back = take(held, sampleTransitions('held').released);
    expect(back).toMatchObject({ state: 'pending', place: 90, attention: changed });
  });

  test('[DR-9] an action parked for new reasons moves only when it is given a place', () => {
    const parked = { own: false, heldWith: [] };
    const by = { type: 'authority' } as const;
    expect(take(inState('held'), { kind: 'held', parked, by })).toMatchObject({ place: 1, parked });
    expect(take(inState('held'), { kind: 'held', parked, by, place: 12 })).toMatchObject({ place: 12, parked });
  });
});

describe('evidence against a settle', () => {
  test('only a person’s word can be contradicted: what the surface or a probe knows stands', () => {
    const denies: Transition = { kind: 'contradicted', evidence: 'not-applied', applied: null };
    for (const known of ['surface', 'probe'] as const)
      expect(step({ ...inState('applied'), applied: { ...APPLIED, known } }, denies, 9_000)).toMatchObject({
        ok: false,
      });
    const settled: Action = { ...inState('applied'), applied: { ...APPLIED, known: 'settled' } };
    expect(take(settled, denies)).toMatchObject({ state: 'not-applied', known: 'probe', contradicted: true });
  });

  test('only a rejection after a person’s did-not can be contradicted', () => {
    const { rejected, contradicted } = sampleTransitions('rejected');
    const didNot = take(inState('not-applied'), rejected);
    expect(didNot).toMatchObject({ afterDidNot: true });
    expect(take(didNot, contradicted)).toMatchObject({ state: 'applied', contradicted: true });
    const probed = take({ ...inState('not-applied'), known: 'probe' }, rejected);
    const early = take(inState('pending'), rejected);
    for (const action of [probed, early]) {
      expect(action).toMatchObject({ afterDidNot: false });
      expect(step(action, contradicted, 9_000)).toMatchObject({ ok: false });
    }
  });

  test('[EF-6] evidence that an earlier attempt happened is followed wherever a retry has got to since', () => {
    const happened: Transition = { kind: 'contradicted', evidence: 'applied', applied: APPLIED };
    for (const state of ['pending', 'approved', 'held', 'not-applied'] as const) {
      expect(take(inState(state, 1, { attempts: 1 }), happened)).toMatchObject({
        state: 'applied',
        contradicted: true,
      });
      expect(step(inState(state, 1, { attempts: 0 }), happened, 9_000)).toMatchObject({ ok: false });
    }
    for (const state of ['failed', 'in-doubt'] as const) {
      expect(take(inState(state, 1, { attempts: 2 }), happened)).toMatchObject({
        state: 'applied',
        contradicted: true,
      });
      expect(step(inState(state, 1, { attempts: 1 }), happened, 9_000), 'the surface said so itself').toMatchObject({
        ok: false,
      });
    }
  });

  test('[EF-6] two attempts that both happened are named, and a person’s settle takes the alarm away', () => {
    const both: Action = { ...inState('applied', 1, { attempts: 2 }), applied: { ...APPLIED, attempt: 2 } };
    const happened: Transition = { kind: 'contradicted', evidence: 'applied', applied: APPLIED };
    const twice = take(both, happened);
    expect(twice).toMatchObject({ state: 'applied', contradicted: true, remark: expect.stringContaining('twice') });
    expect(step(inState('applied'), happened, 9_000), 'the same attempt again is no news').toMatchObject({ ok: false });
    const settles: Transition = { kind: 'applied', applied: { ...APPLIED, attempt: 2 }, result: null };
    expect(take(twice, settles)).toMatchObject({ state: 'applied', contradicted: false });
    expect(step(inState('applied'), settles, 9_000)).toMatchObject({ ok: false });
  });

  test('evidence must contradict, and must be there', () => {
    const agrees: Transition = { kind: 'contradicted', evidence: 'not-applied', applied: null };
    expect(step(inState('not-applied'), agrees, 9_000)).toMatchObject({ ok: false });
    const empty: Transition = { kind: 'contradicted', evidence: 'applied', applied: null };
    expect(step(inState('not-applied'), empty, 9_000)).toMatchObject({ ok: false });
  });
});
