import { expect, test } from 'vitest';
import type { Action } from '../../src/model/action.ts';
import type { QueueRow } from '../../src/model/owner-port.ts';
import { HandMade } from './invariants/hand-made.ts';
import { leftOver } from './left-over.ts';

/** What is left over of a journal written by hand, with an authority that says of its actions what the journal says. */
function left(
  hand: HandMade,
  change: { readonly authority?: 'dead' | 'forgetful'; readonly unsent?: number } = {},
): string[] {
  const row = ({ action }: { readonly action: Action }): QueueRow =>
    // reason: no more of a row is looked at
    ({ id: action.id, state: action.state, digest: action.digest, gate: null }) as unknown as QueueRow;
  const rows = change.authority === 'forgetful' ? [] : [...hand.chronicle.actions.values()].map(row);
  const authority = change.authority === 'dead' ? undefined : { queue: () => rows };
  const [member] = hand.household.members;
  const outbox = Array.from<never>({ length: change.unsent ?? 0 });
  const doors = member === undefined ? [] : [{ id: member.id, outbox }];
  return [...leftOver(hand, { runner: { state: authority === undefined ? 'down' : 'up', life: 1, authority }, doors })];
}

test('nothing is left over where all is decided, or waits for a person', () => {
  const hand = new HandMade();
  hand.apply(hand.propose());
  hand.propose();
  expect(left(hand)).toEqual([]);
});

const LEFT: readonly (readonly [string, RegExp, (hand: HandMade) => string[]])[] = [
  [
    'an approved action that could run',
    /could run/,
    (hand) => {
      hand.approve(hand.propose());
      return left(hand);
    },
  ],
  [
    'an effect that is still under way',
    /still applying/,
    (hand) => {
      const action = hand.propose();
      hand.approve(action);
      hand.call(action, hand.intend(action));
      return left(hand);
    },
  ],
  [
    'what needs a rejected action',
    /which it needs, was rejected/,
    (hand) => {
      const action = hand.propose();
      hand.propose({ needs: [action.id] });
      hand.decide('reject', action);
      const by = { type: 'authority' } as const;
      hand.step(action, { kind: 'rejected', because: 'person', by, reason: null, felledBy: null });
      return left(hand);
    },
  ],
  ['a decision without a receipt', /2 decisions without a receipt/, (hand) => left(hand, { unsent: 2 })],
  ['an authority that does not run', /authority is down/, (hand) => left(hand, { authority: 'dead' })],
  [
    'an action that its authority forgot',
    /does not know #1/,
    (hand) => {
      hand.propose();
      return left(hand, { authority: 'forgetful' });
    },
  ],
];

test.each(LEFT)('%s is left over', (_what, says, act) => {
  expect(act(new HandMade()).join('\n')).toMatch(says);
});
