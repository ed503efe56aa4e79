import { expect, test } from 'vitest';
import type { Action } from '../../../src/model/action.ts';
import type { Decision } from '../../../src/model/decision.ts';
import { digestOf } from '../../../src/model/digest.ts';
import type { EventBody } from '../../../src/model/event.ts';
import { ruleId } from '../../../src/model/ids.ts';
import { contentOf } from '../../support/action-content.ts';
import { BRANCH } from '../note-surfaces.ts';
import { HandMade } from './hand-made.ts';
import { INVARIANTS } from './index.ts';

const BY = { type: 'authority' } as const;
const REJECTED = { kind: 'rejected', because: 'person', by: BY, reason: null, felledBy: null } as const;
const HELD = { kind: 'held', parked: { own: true, heldWith: [] }, by: BY } as const;

test('an honest journal breaks no invariant', () => {
  const hand = new HandMade();
  const [first, second] = [hand.propose(), hand.propose()];
  hand.apply(first);
  hand.decide('hold', second);
  hand.step(second, HELD);
  hand.decide('reject', second);
  hand.step(second, REJECTED);
  hand.judge.receipt({ hash: [...hand.chronicle.decisions.keys()][0]!, refused: null });
  hand.judge.read({ text: 'text 1', askedSeq: hand.chronicle.seq });
  hand.judge.answer({ text: 'Queued.' });
  hand.judge.whole();
  expect(hand.wrong).toEqual([]);
});

/** For every invariant a journal, or a world, in which it is broken; and no other. */
const BROKEN: Readonly<Record<number, (hand: HandMade, action: Action) => void>> = {
  1: (hand, action) => {
    hand.apply(action);
    hand.world.happened('key 1', { keyed: false });
    hand.judge.whole();
  },
  2: (hand, action) => {
    hand.approve(action);
    const intent = { attempt: 1, idempotencyKey: 'key 1', atMs: 0, deadlineMs: 1 };
    hand.row({ kind: 'intent-recorded', intent, action: action.id, n: 1, digest: action.digest }, { witnessed: false });
    hand.call(action, intent);
  },
  3: (hand, action) => {
    const other = hand.propose({ lane: 'other' });
    const { n } = hand.decide('approve', action, 0, { digest: other.digest });
    hand.step(action, { kind: 'approved', by: { type: 'decision', device: hand.household.members[0]!.id, n } });
    hand.intend(action);
  },
  4: (hand, action) => {
    hand.approve(action);
    hand.decide('hold', action, 1);
    hand.intend(action);
  },
  5: (hand, action) => {
    hand.approve(action);
    hand.call(action, hand.intend(action));
    hand.applied(action);
  },
  6: (hand, action) => {
    hand.approve(action);
    hand.call(action, hand.intend(action));
    hand.step(action, { kind: 'attempt-voided' });
  },
  7: (hand, action) => {
    const second = hand.propose();
    expect(second.lane).toBe(action.lane);
    hand.approve(second);
    hand.intend(second);
  },
  8: (hand, action) => {
    hand.apply(action);
    const second = hand.propose({ needs: [action.id] });
    const intent = { attempt: 1, idempotencyKey: 'r1', atMs: 0, deadlineMs: 1 };
    hand.step(action, { kind: 'revert-begun', intent, by: BY });
    hand.approve(second);
    hand.intend(second);
  },
  9: (hand, action) => {
    hand.approve(action);
    hand.call(action, hand.intend(action));
    hand.world.happened('key 1', { keyed: false });
    hand.step(action, { kind: 'failed', why: 'it says' });
  },
  10: (hand, action) => {
    hand.approve(action);
    hand.call(action, hand.intend(action), { ...action.content, effect: { name: 'a', text: 'other' } });
  },
  11: (hand, action) => {
    // What its device said last came first: whoever lets the last one count that came is wrong.
    hand.decide('hold', action, 0, { n: 2 });
    hand.approve(action, 0, { n: 1 });
  },
  12: (hand, action) => {
    // Applied first, and rejected all the same: only then is nothing else wrong with what needs it.
    hand.apply(action);
    hand.decide('reject', action);
    const second = hand.propose({ needs: [action.id] });
    hand.approve(second);
    hand.intend(second);
  },
  13: (hand, action) => {
    const { hash } = hand.decide('approve', action);
    hand.disk.heads.length -= 1;
    hand.judge.receipt({ hash, refused: null });
  },
  14: (hand, action) => {
    hand.decide('reject', action, 0, { signer: 1 });
  },
  15: (hand, action) => {
    const kind = 'attention-raised';
    const attention = { kind: 'stale', entry: 3, why: '' } as const;
    hand.row({ kind, attention, action: action.id, n: 1, digest: action.digest }, { change: { kind: 'approved' } });
  },
  16: (hand) => {
    hand.judge.running = 2;
    hand.row({ kind: 'started', fence: 1, keyGen: 1 });
  },
  17: (hand, action) => {
    hand.decide('reject', action);
    hand.step(action, REJECTED);
    hand.judge.read({ text: 'text 1', askedSeq: hand.chronicle.seq });
  },
  18: (hand) => {
    hand.judge.answer({ text: Buffer.from(hand.household.secrets[0].secret).toString('hex') });
  },
  20: (hand, action) => {
    hand.approve(action);
    hand.decide('retract', action);
    hand.intend(action);
  },
  21: (hand, action) => {
    hand.apply(action);
    const intent = { attempt: 1, idempotencyKey: 'r1', atMs: 0, deadlineMs: 1 };
    hand.step(action, { kind: 'revert-begun', intent, by: BY });
    hand.step(action, { kind: 'reverted' });
  },
  22: (hand) => {
    hand.row({ kind: 'mode-set', mode: 'plan', by: BY });
    hand.propose();
  },
  23: (hand, action) => {
    hand.disk.table('action').delete(action.id);
    hand.judge.whole();
  },
  24: (hand, action) => {
    const second = hand.propose({ place: 1, needs: [action.id] });
    expect(second.place).toBe(action.place);
    hand.judge.whole();
  },
  25: (hand) => {
    const second = hand.propose({
      lane: 'other',
      content: contentOf({ effect: { name: 'a', text: 'b', before: 'c' } }),
    });
    hand.approve(second);
    hand.intend(second);
  },
  26: (hand, action) => {
    hand.approve(action, 0, { seen: null });
  },
  27: (hand) => {
    const overlay = [{ resource: 'note:b', value: {} }];
    hand.propose({ overlay });
    hand.propose({ content: contentOf({ writes: ['note:b'] }) });
  },
  28: (hand, action) => {
    const second = hand.propose();
    hand.decide('reject', action);
    hand.step(action, REJECTED);
    hand.step(second, { ...REJECTED, because: 'cascade', felledBy: action.id });
  },
  29: (hand, action) => {
    hand.propose({ needs: [action.id] });
    hand.step(action, HELD);
  },
  30: (hand, action) => {
    const { session } = action.lineage;
    const kept = { table: 'notice', key: `${session}/1`, order: 1, live: true, value: new Uint8Array() } as const;
    hand.disk.table('notice').set(kept.key, kept);
    hand.row({ kind: 'notices-told', session, through: 1 });
  },
  31: (hand, action) => {
    hand.apply(action);
    hand.apply(hand.propose({ needs: [action.id] }));
    const intent = { attempt: 1, idempotencyKey: 'r1', atMs: 0, deadlineMs: 1 };
    hand.step(action, { kind: 'revert-begun', intent, by: BY });
  },
  32: (hand, action) => {
    const { device, n } = hand.approveList([action, hand.propose({ lane: 'other' })]);
    const part = { table: 'meta', key: `bulk/${device}/n${n}/${n}`, order: n, live: true, value: new Uint8Array() };
    hand.disk.table('meta').set(part.key, { ...part, table: 'meta' });
    hand.intend(action);
  },
  33: (hand, action) => {
    hand.approve(action);
    hand.row({ kind: 'started', fence: 2, keyGen: 1 });
    hand.intend(action);
  },
};

test.each(Object.keys(BROKEN).map(Number))('invariant %i can be broken, and is alone in it', (n) => {
  const hand = new HandMade();
  const action = hand.propose();
  BROKEN[n]?.(hand, action);
  expect(hand.broken, hand.wrong.join('\n')).toEqual([n]);
});

test('no invariant is left out', () => {
  const shown = new Set(INVARIANTS.map(({ n }) => n));
  expect([...shown]).toEqual(Object.keys(BROKEN).map(Number));
});

test.each([
  ['raised', 2, 'approve-all', []],
  ['lowered', 1, 'view', [14]],
] as const)(
  'rows are judged by a right that was %s before others of a higher number were given up',
  (_, at, right, broken) => {
    const hand = new HandMade();
    const action = hand.propose();
    const { id } = hand.household.members[at]!;
    hand.household.setRight(id, right);
    // The disk was full: this and the row before it were asked for, and nothing was stored.
    hand.judge.asked([{ ...hand.disk.rows.at(-1)!, seq: hand.chronicle.seq + 2 }]);
    hand.decide('approve', action, at);
    expect(hand.broken, hand.wrong.join('\n')).toEqual(broken);
  },
);

test.each([
  ['on another branch, where it stands on this one', 'text 1', true, []],
  ['on another branch, where it does not stand on this one', 'else', true, [21]],
  ['on this branch', 'text 1', false, [21]],
] as const)('what was reverted %s, is said not to be', (_, now, leaves, broken) => {
  const hand = new HandMade();
  const action = hand.propose({ content: contentOf({ effect: { name: 'a', text: 'text 1', before: 'text 0' } }) });
  hand.world.notes.set('a', 'text 0');
  hand.apply(action);
  const intent = { attempt: 1, idempotencyKey: 'r1', atMs: 0, deadlineMs: 1 };
  hand.step(action, { kind: 'revert-begun', intent, by: BY });
  hand.world.reverted('r1');
  if (leaves) hand.world.checkout();
  hand.world.notes.set('a', now);
  hand.step(action, { kind: 'revert-refused', why: 'It did not happen.' });
  expect(hand.broken, hand.wrong.join('\n')).toEqual(broken);
});

test('a fence that falls, and a lost row, are seen', () => {
  const hand = new HandMade();
  hand.row({ kind: 'started', fence: 3, keyGen: 1 });
  hand.row({ kind: 'started', fence: 2, keyGen: 1 });
  expect(hand.broken).toEqual([16]);
  const lost = new HandMade();
  const { hash } = lost.decide('approve', lost.propose());
  lost.judge.receipt({ hash, refused: null });
  lost.disk.rows.length -= 1;
  lost.judge.whole();
  expect(lost.broken).toEqual([13]);
});

test.each([
  ['what happened', 'text 1', []],
  ['what its card shows', 'made anew', [10]],
] as const)('[EF-6] of an action that was made anew after it had happened, a revert is given %s', (_, text, broken) => {
  const hand = new HandMade();
  const action = hand.propose();
  hand.apply(action);
  // As after a contradiction: what is open is another version than the attempt that happened.
  const known = hand.chronicle.actions.get(action.id)!;
  const anew = contentOf({ effect: { name: 'a', text: 'made anew' } });
  known.action = { ...known.action, content: anew, digest: digestOf(hand.household.crypto.sha256, anew) };
  const intent = { attempt: 1, idempotencyKey: 'r1', atMs: 0, deadlineMs: 1 };
  hand.step(action, { kind: 'revert-begun', intent, by: BY });
  const content = contentOf({ effect: { name: 'a', text } });
  hand.judge.call({ verb: 'revert', key: 'r1', attempt: 1, content, life: 1 });
  expect(hand.broken, hand.wrong.join('\n')).toEqual(broken);
});

test.each([
  ['the first', 1, []],
  ['neither', 0, [21]],
] as const)('what is reverted, says the second revert, and %s took back', (_, times, broken) => {
  const hand = new HandMade();
  const action = hand.propose();
  hand.apply(action);
  for (const attempt of [1, 2]) {
    const intent = { attempt, idempotencyKey: `r${attempt}`, atMs: 0, deadlineMs: 1 };
    hand.step(action, { kind: 'revert-begun', intent, by: BY });
    if (attempt === 1 && times === 1) hand.world.reverted('r1');
    if (attempt === 1) hand.decide('settle', action, 0, { body: { answer: 'did-not', attempt } });
    if (attempt === 1) hand.step(action, { kind: 'revert-refused', why: 'A person says so.' });
  }
  hand.step(action, { kind: 'reverted' });
  expect(hand.broken, hand.wrong.join('\n')).toEqual(broken);
});

const RULE_ID = ruleId(new Uint8Array(16));
/** Ways to begin what no person and no rule let begin; each breaks the invariant of that number. */
const BEGUN: readonly (readonly [string, number, (hand: HandMade) => void])[] = [
  ['while paused', 4, (hand) => begin(hand, { stop: { kind: 'paused', session: null, by: BY } })],
  ['in plan mode', 4, (hand) => begin(hand, { stop: { kind: 'mode-set', mode: 'plan', by: BY } })],
  ['without its grace period', 20, (hand) => begin(hand, { reversible: false })],
  ['on another branch', 4, (hand) => begin(hand, { branch: 'other' })],
  ['before the rest of its list has come', 32, (hand) => begin(hand, { batch: { id: 'list', index: 0, of: 2 } })],
  ['by a rule that is not there', 3, (hand) => begin(hand, { byRule: true })],
];

test('a copy of what waits that does not need it is seen', () => {
  const hand = new HandMade();
  hand.propose({ content: contentOf({ effect: { name: 'b', text: 'read' } }) });
  const effect = { name: 'a', text: 'read’' };
  hand.propose({ content: contentOf({ tool: 'copy', arguments: { name: 'a', from: 'b' }, effect }) });
  expect(hand.broken).toEqual([27]);
});

test.each(BEGUN)('what begins %s is seen', (_name, n, act) => {
  const hand = new HandMade();
  act(hand);
  expect(hand.broken, hand.wrong.join('\n')).toEqual([n]);
});

function begin(
  hand: HandMade,
  how: {
    readonly stop?: EventBody;
    readonly reversible?: boolean;
    readonly byRule?: boolean;
    readonly branch?: string;
    readonly batch?: Decision['batch'];
  },
): void {
  const preconditions = how.branch === undefined ? [] : [{ resource: BRANCH, expect: how.branch }];
  const action = hand.propose({ content: contentOf({ reversible: how.reversible ?? true, preconditions }) });
  if (how.byRule === true) hand.step(action, { kind: 'approved', by: { type: 'rule', rule: RULE_ID } });
  else if (how.batch === undefined) hand.approve(action);
  else hand.approve(action, 0, { body: { mode: 'all-or-none' }, batch: how.batch });
  if (how.stop !== undefined) hand.row(how.stop);
  hand.intend(action);
}
