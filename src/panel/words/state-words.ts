import type { ActionState, Attention } from '../../model/action.ts';

/** How loud a state is. Colour only repeats what symbol and word say. */
export type Tone = 'wait' | 'good' | 'busy' | 'bad' | 'doubt' | 'quiet' | 'held';

export interface StateWords {
  /** Different for each state, so that nothing hangs on colour. */
  readonly symbol: string;
  readonly word: string;
  readonly tone: Tone;
}

const STATES: Readonly<Record<ActionState, StateWords>> = {
  pending: { symbol: '○', word: 'undecided', tone: 'wait' },
  approved: { symbol: '●', word: 'approved', tone: 'good' },
  held: { symbol: '‖', word: 'held', tone: 'held' },
  applying: { symbol: '▸', word: 'applying', tone: 'busy' },
  applied: { symbol: '✓', word: 'applied', tone: 'good' },
  failed: { symbol: '✗', word: 'failed, nothing changed', tone: 'bad' },
  'in-doubt': { symbol: '?', word: 'in doubt: did it happen?', tone: 'doubt' },
  'not-applied': { symbol: '∅', word: 'not applied', tone: 'bad' },
  reverting: { symbol: '◂', word: 'reverting', tone: 'busy' },
  'revert-in-doubt': { symbol: '¿', word: 'revert in doubt: did it happen?', tone: 'doubt' },
  reverted: { symbol: '↩', word: 'reverted', tone: 'quiet' },
  rejected: { symbol: '×', word: 'rejected', tone: 'quiet' },
};

export function stateWords(state: ActionState): StateWords {
  return STATES[state];
}

const ATTENTIONS: Readonly<Record<Attention['kind'], string>> = {
  stale: 'Approved too long ago: asked again',
  conflict: 'Conflict: changed on both sides',
  'tool-changed': 'Its tool has changed',
  'premise-withdrawn': 'What it was based on was withdrawn',
  reissued: 'Changed since you saw it',
  'rule-gone': 'The rule that approved it is gone',
};

/** Why it must be looked at again, in a few words. A kind of a newer runtime still says that much. */
export function attentionWords(kind: string): string {
  return new Map<string, string>(Object.entries(ATTENTIONS)).get(kind) ?? 'Look at it again';
}
