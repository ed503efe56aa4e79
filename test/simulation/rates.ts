import type { Right } from '../../src/model/decision.ts';
import type { Dice, NetRates } from './contract.ts';

export const MODES = ['safety', 'liveness', 'two-homes', 'upgrade'] as const;
export type Mode = (typeof MODES)[number];

export interface WorldRates {
  /** Per cent of effects that do not simply happen and say so. */
  readonly effectFails: number;
  readonly lies: boolean;
  /** Per cent of a surface's own look-ups that take a while, and that fail. */
  readonly askSlow: number;
  readonly askFails: number;
}

/** What the swarm switched on for one seed, and how often it happens. What is off never happens in it. */
export interface Rates {
  readonly mode: Mode;
  /** Real Ed25519 and sealing, or keyed hashes behind the same ports. */
  readonly realCrypto: boolean;
  /** `outlet`: everything is published, and nobody reads it. `net`: devices are real replicas. */
  readonly publish: 'none' | 'outlet' | 'net';
  readonly rights: readonly Right[];
  readonly agents: number;
  readonly notes: number;
  readonly world: WorldRates;
  readonly net: NetRates;
  /** Weights of what may happen at a step; 0 is never. */
  readonly weights: Weights;
  readonly standing: readonly ('pause' | 'mode' | 'rule')[];
  readonly decide: Readonly<Record<DecideFeature, boolean>>;
}

export type DecideFeature =
  | 'holds'
  | 'reverts'
  | 'retries'
  | 'settles'
  | 'revertSettles'
  | 'retracts'
  | 'changes'
  | 'reissues'
  | 'reconsiders'
  | 'nonsense';

export interface Weights {
  readonly call: number;
  readonly read: number;
  readonly withdraw: number;
  readonly wait: number;
  readonly decide: number;
  readonly deliver: number;
  readonly disk: number;
  readonly world: number;
  readonly task: number;
  readonly timer: number;
  readonly ground: number;
  readonly crash: number;
  readonly stop: number;
  readonly start: number;
  readonly full: number;
  readonly eio: number;
  readonly damage: number;
  readonly clocks: number;
  readonly roster: number;
  readonly forge: number;
  /** Pauses, plan mode and rules; each of them can be switched off besides. */
  readonly standing: number;
  readonly net: number;
}

const RIGHTS: readonly Right[] = [
  'approve-all',
  'approve-all',
  'approve-all',
  'approve-all',
  'approve-reversible',
  'approve-reversible',
  'reject-only',
  'view',
];

/** Every seed picks its own rates, and leaves whole features out: rare things meet more often where others are missing. */
export function drawRates(dice: Dice, mode: Mode): Rates {
  const on = (percent = 60): boolean => dice.chance(percent);
  const some = (most: number, percent = 60): number => (on(percent) ? 1 + dice.pick(most) : 0);
  const realCrypto = dice.chance(10);
  const publish = dice.of(['none', 'none', 'none', 'outlet', 'net'] as const);
  const people = 2 + dice.pick(publish === 'net' ? 3 : 5);
  const rights: Right[] = ['approve-all', ...Array.from({ length: people - 1 }, () => dice.of(RIGHTS))];
  return {
    mode,
    realCrypto,
    publish,
    rights,
    agents: 1 + dice.pick(3),
    notes: 1 + dice.pick(5),
    world: {
      effectFails: on() ? dice.of([5, 20, 50]) : 0,
      lies: on(30),
      askSlow: on() ? dice.of([10, 40]) : 0,
      askFails: on(40) ? dice.of([1, 5]) : 0,
    },
    net: {
      devices: people,
      faults: on(),
      // A forged room can leave a replica without an action (safety 33): until it cannot, the net's own tests do this.
      hostileRelay: false,
      hostileReplica: on(40),
      clocks: on(),
      lives: on(),
    },
    weights: {
      call: 3 + dice.pick(8),
      read: some(4),
      withdraw: some(2),
      wait: some(2),
      decide: 6 + dice.pick(8),
      deliver: 6 + dice.pick(12),
      disk: 10 + dice.pick(40),
      world: 10 + dice.pick(40),
      task: 10 + dice.pick(20),
      timer: 3 + dice.pick(8),
      ground: some(3),
      crash: on() ? dice.of([0.1, 0.4, 1.5]) : 0,
      stop: on(40) ? 0.5 : 0,
      start: 20,
      full: on(40) ? 0.5 : 0,
      eio: on(30) ? 0.3 : 0,
      damage: on(20) ? 0.3 : 0,
      clocks: on(40) ? 0.5 : 0,
      roster: on(40) ? 0.5 : 0,
      forge: on(50) ? 1 : 0,
      standing: on(60) ? dice.of([0.5, 2]) : 0,
      net: 20 + dice.pick(30),
    },
    standing: (['pause', 'mode', 'rule', 'rule'] as const).filter(() => on(70)),
    decide: {
      holds: on(),
      reverts: on(),
      retries: on(),
      settles: on(80),
      // What needs an action whose revert a person settles does not fall yet.
      revertSettles: false,
      retracts: on(),
      changes: on(),
      reissues: on(),
      reconsiders: on(15),
      nonsense: on(),
    },
  };
}

/** Nothing goes wrong any more. */
export const HEALED_WORLD: WorldRates = { effectFails: 0, lies: false, askSlow: 0, askFails: 0 };
