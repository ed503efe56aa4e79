import type { Dice } from './contract.ts';
import type { Rates } from './rates.ts';

/**
 * What a seed can be about. What needs three rare things one after the other hardly ever happens by chance: such a seed
 * has all of them, and little that ends an action before they meet.
 */
export type Subject = 'late evidence' | 'reverts' | 'failures' | 'standing';

/** There is more of those in which more has to meet. */
export const SHARES: readonly Subject[] = [
  ...Array.from({ length: 4 }, () => 'late evidence' as const),
  ...Array.from({ length: 2 }, () => 'reverts' as const),
  ...Array.from({ length: 2 }, () => 'failures' as const),
  'standing',
];

/** The rates of a seed that is about something. */
export function about(subject: Subject, rates: Rates, dice: Dice): Rates {
  return { ...CHANGES[subject](rates, dice), subject };
}

const CHANGES: Readonly<Record<Subject, (rates: Rates, dice: Dice) => Rates>> = {
  'late evidence': lateEvidence,
  reverts,
  failures,
  standing,
};

/** Effects answer long after a person has given them up for lost, and tried again or gone another way (EF-6). */
function lateEvidence(rates: Rates, dice: Dice): Rates {
  const { decide, weights, world } = rates;
  const overtaken = dice.of(OVERTAKEN);
  const wavers = overtaken === 'held' || overtaken === 'pending';
  return {
    ...rates,
    agents: 3,
    world: { ...world, effectFails: 70, lies: false, late: 80, again: overtaken === 'failed' ? 'refuses' : null },
    lateness: 0.2,
    overtaken,
    weights: { ...weights, ...UNDISTURBED, ...ALIVE, ...EAGER, timer: wavers ? 5 : 9, standing: 0.3 },
    rights: ['approve-all'],
    standing: ['pause'],
    decide: { ...decide, ...PLAIN, ...LATE, holds: wavers, wavers, parks: overtaken === 'held' },
    favourite: dice.of(['mail', 'hook', 'ask']),
  };
}

/** Most of what was applied is taken back, and most of that goes wrong. */
function reverts(rates: Rates, dice: Dice): Rates {
  const { decide, weights, world } = rates;
  return {
    ...rates,
    world: { ...world, effectFails: 5, revertFails: 70, lies: true },
    weights: { ...weights, ...UNDISTURBED, ...EAGER, timer: weights.timer + 6 },
    standing: [],
    decide: { ...decide, ...PLAIN, reverts: true, regrets: true, revertSettles: true, settles: true, plans: true },
    favourite: dice.of(['post', null]),
  };
}

/** What fails stays in its lane while what it was made of is withdrawn, and the process dies over an intent. */
function failures(rates: Rates, dice: Dice): Rates {
  const { decide, weights, world } = rates;
  return {
    ...rates,
    world: { ...world, effectFails: 70, again: dice.of(['refuses', null]) },
    weights: { ...weights, ...UNDISTURBED, call: 5, read: 6, withdraw: 0.3, crash: dice.of([0, 0.4, 1.5]) },
    rights: ['approve-all', 'approve-all'],
    standing: [],
    decide: { ...decide, ...PLAIN, holds: true, retries: true, hesitates: true, settles: true },
    diesMidway: true,
    undermines: true,
    favourite: dice.of(['hook', 'ask', 'ask']),
  };
}

/** Modes and rules change under what waits for them. */
function standing(rates: Rates): Rates {
  const { decide, weights } = rates;
  return {
    ...rates,
    weights: { ...weights, ground: 0, sleep: 0, standing: 2 },
    standing: ['mode', 'rule', 'rule'],
    decide: { ...decide, lists: false, passes: true, confirms: true },
    fickle: true,
    hostPlans: false,
  };
}

/** Where an action can be while an earlier attempt of it still hangs. */
const OVERTAKEN = ['pending', 'approved', 'held', 'held', 'failed', 'in-doubt'] as const;
/** Nobody but people and the world's own answers moves anything. */
const UNDISTURBED = { ground: 0, withdraw: 0, sleep: 0, damage: 0, standing: 0 } as const;
const LATE = {
  settles: true,
  acknowledges: true,
  retries: true,
  impatient: true,
  passes: true,
  regrets: true,
} as const;
/** The process, and everybody at it, lives on. */
const ALIVE = { crash: 0, stop: 0, full: 0, eio: 0, roster: 0, forge: 0 } as const;
/** Few actions, and people who have time for each. */
const EAGER = { call: 2, decide: 14, deliver: 16 } as const;
const PLAIN = { nonsense: false, lists: false, reissues: false, edits: false, changes: false } as const;
