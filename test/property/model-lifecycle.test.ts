import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isLive, type Action, type ActionState, type AttentionKind } from '../../src/model/action.ts';
import type { Transition, TransitionKind } from '../../src/model/event.ts';
import { step, TRANSITION_TABLE, type Command } from '../../src/model/lifecycle.ts';
import { APPLIED, attention, common, frozen, inState, INTENT } from '../unit/model/make-action.ts';
import { sampleTransitions } from '../unit/model/transitions.ts';

const KINDS = Object.keys(sampleTransitions('pending')) as TransitionKind[]; // reason: the keys of a mapped type
const ATTENTION: readonly AttentionKind[] = [
  'stale',
  'conflict',
  'tool-changed',
  'premise-withdrawn',
  'reissued',
  'rule-gone',
];

/** The fields each state has besides the common ones, by hand: nothing of an earlier state may stay behind. */
const OWN_FIELDS: Record<ActionState, readonly string[]> = {
  pending: ['attention'],
  approved: ['by', 'atMs'],
  held: ['parked', 'attention'],
  applying: ['by', 'intent'],
  applied: ['applied', 'contradicted'],
  failed: ['why'],
  'in-doubt': ['intent', 'why'],
  'not-applied': ['known', 'mayHappenTwice', 'contradicted'],
  reverting: ['applied', 'intent'],
  'revert-in-doubt': ['applied', 'intent', 'why'],
  reverted: ['applied'],
  rejected: ['because', 'by', 'reason', 'felledBy', 'afterDidNot'],
};
const COMMON_FIELDS = Object.keys(common(1));

interface Draw {
  readonly kind: TransitionKind;
  readonly attention: AttentionKind;
  readonly known: 'surface' | 'probe' | 'settled';
  /** Now and then a number, a digest or a piece of evidence that does not fit. */
  readonly odd: boolean;
}

const draws = fc.array(
  fc.record<Draw>({
    kind: fc.constantFrom(...KINDS),
    attention: fc.constantFrom(...ATTENTION),
    known: fc.constantFrom('surface', 'probe', 'settled'),
    odd: fc.integer({ min: 0, max: 9 }).map((die) => die === 0),
  }),
  { maxLength: 60, size: 'max' },
);

/** Turns a draw into a transition that fits the action's numbers, unless it is an odd one. */
function transitionFor(action: Action, draw: Draw, entry: number): Transition {
  const sample = sampleTransitions(draw.odd ? 'pending' : action.state)[draw.kind];
  const attempt = draw.odd ? 9 : 'intent' in action ? action.intent.attempt : action.attempts + 1;
  if (sample.kind === 'attention-raised') return { ...sample, attention: attention(draw.attention, entry) };
  if (sample.kind === 'reissued') {
    const oldDigest = draw.odd ? action.content.toolDigest : action.digest;
    return { ...sample, oldDigest, attention: attention('reissued', entry) };
  }
  if (sample.kind === 'intent-recorded') return { ...sample, intent: { ...INTENT, attempt } };
  if (sample.kind === 'applied') return { ...sample, applied: { ...APPLIED, attempt, known: draw.known } };
  if (sample.kind === 'revert-begun')
    return { ...sample, intent: { ...INTENT, attempt: draw.odd ? 9 : action.revertAttempts + 1 } };
  if (sample.kind === 'not-applied') return { ...sample, known: draw.known === 'settled' ? 'settled' : 'probe' };
  return sample;
}

/** What the world outside one action would hold while its life goes on. */
interface Outside {
  readonly shown: boolean;
  readonly attemptsPerformed: number;
}

function obey(outside: Outside, command: Command): Outside {
  if (command.type === 'enter-overlay') return { ...outside, shown: true };
  if (command.type === 'leave-overlay') return { ...outside, shown: false };
  return command.type === 'perform' ? { ...outside, attemptsPerformed: command.attempt } : outside;
}

/** Every promise that this step broke, in words. */
function brokenBy(before: Action, kind: TransitionKind, next: Action, outside: Outside): readonly string[] {
  const allowed: readonly TransitionKind[] = TRANSITION_TABLE[before.state];
  const fields = Object.keys(next).filter(
    (key) => key !== 'newestAttention' && key !== 'givenUp' && !optional(next, key),
  );
  const expected = [...COMMON_FIELDS, 'state', ...OWN_FIELDS[next.state]];
  const undecided = next.state === 'pending' || next.state === 'held';
  const promises: readonly (readonly [string, boolean])[] = [
    ['only what the table allows happens', allowed.includes(kind)],
    ['the overlay shows exactly what is live', outside.shown === isLive(next)],
    ['every attempt is performed once, in order', next.attempts === outside.attemptsPerformed],
    ['past the commit point an attempt ends as the law says', before.state !== 'applying' || ENDS.has(next.state)],
    ['only evidence moves a rejected action', before.state !== 'rejected' || kind === 'contradicted'],
    ['no attention is forgotten', !undecided || next.attention === (next.newestAttention ?? null)],
    ['a state holds its own fields only', fields.toSorted().join() === expected.toSorted().join()],
  ];
  return promises.filter(([, kept]) => !kept).map(([promise]) => promise);
}

/** What is raised after a failure waits there for the retry. */
function optional({ state }: Action, key: string): boolean {
  return key === 'attention' && (state === 'failed' || state === 'not-applied');
}

const ENDS: ReadonlySet<ActionState> = new Set<ActionState>(['applied', 'failed', 'in-doubt', 'approved']);

/**
 * Goal: no sequence of events breaks what a life promises.
 * Method: random events, most of them fitting, on one action from its proposal; after each, every promise is checked.
 */
test('[LC-1] [LC-2] no sequence of events breaks the promises of a life', () => {
  fc.assert(
    fc.property(draws, (sequence) => {
      let outside: Outside = { shown: true, attemptsPerformed: 0 };
      let action: Action = frozen(inState('pending'));
      for (const [at, draw] of sequence.entries()) {
        const transition = frozen(transitionFor(action, draw, 100 + at));
        const result = step(action, transition, 9_000 + at);
        expect(result.ok || /#1\b.+\.$/.test(result.why), 'a refusal is a sentence').toBe(true);
        if (!result.ok) continue;
        for (const command of result.commands) outside = obey(outside, command);
        if (transition.kind === 'attempt-voided') outside = { ...outside, attemptsPerformed: action.attempts - 1 };
        expect(brokenBy(action, transition.kind, frozen(result.action), outside)).toEqual([]);
        action = result.action;
      }
    }),
    { numRuns: 800 },
  );
});

test('[LC-1] the same events give the same action', () => {
  fc.assert(
    fc.property(draws, (sequence) => {
      expect(lived(sequence)).toEqual(lived(sequence));
    }),
    { numRuns: 60 },
  );
});

function lived(sequence: readonly Draw[]): Action {
  let action: Action = inState('pending');
  for (const [at, draw] of sequence.entries()) {
    const result = step(action, transitionFor(action, draw, 100 + at), 9_000 + at);
    if (result.ok) action = result.action;
  }
  return action;
}
