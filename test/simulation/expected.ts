import { ITEM_KINDS } from '../../src/model/decision.ts';
import { FORGERIES } from './forgeries.ts';
import { RELAY_FAULTS } from './net/hostile-relay.ts';
import type { Mode } from './rates.ts';
import { EFFECT_FAULTS } from './requests.ts';

const each = (before: string, names: readonly string[]): readonly string[] => names.map((name) => `${before}${name}`);

/** The sentences by which a decision, or one item of it, is refused; a device's right and a state stand for all. */
const REFUSALS = [
  '#n cannot be reverted:',
  '#n had begun before this arrived.',
  '#n has changed since this was decided;',
  '#n is applied:',
  '#n is approved:',
  '#n is failed:',
  '#n is held:',
  '#n is in conflict',
  '#n is in doubt about attempt n,',
  '#n is in-doubt:',
  '#n is not-applied:',
  '#n is parked with what it needs:',
  '#n is pending:',
  '#n is rejected:',
  '#n may happen twice if it is tried again;',
  'Something about #n was raised',
  'The decision comes from a device that is not on the roster.',
  'The decision is not signed by the key it should be signed by.',
  'This device has neither approved nor held #n;',
  'This device signed two different decisions under one number',
  'Plan mode is off,',
  'That is not paused.',
  'There is no such rule any more.',
  'To approve a device needs the right approve-reversible;',
  'To approve what cannot be undone a device needs the right approve-all;',
  'To hold a device needs the right reject-only;',
];

/** What a big run must have met, besides every transition. A line stands for all that begin with it and a space. */
export const EXPECTED: { readonly always: readonly string[] } & Partial<Record<Mode, readonly string[]>> = {
  always: [
    ...each('effect: apply ', EFFECT_FAULTS),
    ...each('effect: revert ', EFFECT_FAULTS),
    ...each('began: apply ', ['E1', 'E2', 'E3', 'E4']),
    ...each('began: revert ', ['E1', 'E2']),
    ...each('ask: ', ['describe fails', 'look fails', 'read fails', 'probe fails', 'reissue fails']),
    ...each('crash: ', ['nothing under way', 'transaction lost', 'transaction kept, n of n witnessed']),
    'crash: transaction kept, n of n witnessed, the last torn',
    ...each('start: ', ['sound', 'ahead', 'quarantined', 'full']),
    ...each('way: ', [
      'several as one effect',
      'a reference became a name',
      'edited by a person',
      'approved by a decision',
      'approved by a rule',
    ]),
    ...each('way: approval withdrawn, ', ['retracted', 'rule-gone', 'revoked', 'list']),
    ...each('way: attention, ', ['stale', 'conflict', 'tool-changed', 'premise-withdrawn', 'reissued', 'rule-gone']),
    ...each('way: rejected, ', ['person', 'cascade', 'withdrawn', 'user-edited', 'surface-removed']),
    ...each('damage: ', ['rolled back', 'row flipped', 'head flipped', 'head lost']),
    ...each('disk: ', ['full', 'free', 'EIO, database', 'EIO, head log']),
    ...each('forged: ', FORGERIES),
    ...each('hostile relay: ', RELAY_FAULTS),
    ...each('healed: ', ['another relay', 'unsound rooms deleted']),
    ...each('person: says ', ['did-not, and it did', 'happened, and it did not']),
    ...each('roster: ', ['revoked', 'another right']),
    ...each('standing: ', ['pause', 'mode', 'rule']),
    ...each('call: ', [
      'simulated',
      'awaiting',
      'passthrough',
      'refused bad-input',
      'refused not-found',
      'refused plan',
    ]),
    ...each('call: refused ', ['rejected', 'full', 'quarantined', 'failed']),
    ...each('withdraw: ', ['withdrawn', 'refused']),
    ...each('wait: ', ['undecided', 'applied', 'rejected', 'failed', 'in-doubt']),
    ...each('row: ', ['started', 'stopped', 'session-opened', 'decision-taken', 'decision-refused', 'notices-told']),
    ...each('row: ', ['checkpointed', 'mode-set', 'paused', 'resumed', 'rule-added', 'rule-removed']),
    ...each(
      'decided: ',
      ITEM_KINDS.map((kind) => `${kind}, received`),
    ),
    ...each('refused: ', REFUSALS),
    'decided: reject, late',
    'clock: of the authority is wrong',
    'ground: moved',
    'ground: another branch',
    'move: sleep',
  ],
  'two-homes': ['lock: held elsewhere'],
  upgrade: ['tools: another version', 'tools: one is missing'],
};

/** What no simulation reaches yet. A line that one has reached leaves this list. */
export const NOT_YET: ReadonlySet<string> = new Set<string>([]);
