import type { ActionState } from '../../src/model/action.ts';
import type { Right } from '../../src/model/decision.ts';
import type { Dice, NetRates } from './contract.ts';
import { about, SHARES, type Subject } from './subjects.ts';

export const MODES = ['safety', 'liveness', 'two-homes', 'upgrade'] as const;
export type Mode = (typeof MODES)[number];

export interface WorldRates {
  /** Per cent of effects that do not simply happen and say so. */
  readonly effectFails: number;
  /** Per cent of reverts that do not, where they differ. */
  readonly revertFails?: number;
  readonly lies: boolean;
  /** Per cent of first attempts that go wrong whose answer comes after its deadline. */
  readonly late: number;
  /** What most attempts come to that go wrong after the first, or all of them where nothing is late. */
  readonly again: 'refuses' | null;
  /** Per cent of a surface's own look-ups that take a while, and that fail. */
  readonly askSlow: number;
  readonly askFails: number;
}

/** What the simulated tools can do in one seed. */
export interface ToolRates {
  /** Writes of one note after the other are one effect. */
  readonly coalesces: boolean;
  /** Tools that make what later calls name before it exists. */
  readonly mints: boolean;
  /** Notes are of a branch, and all of them can be exchanged at once. */
  readonly branches: boolean;
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
  readonly tools: ToolRates;
  /** The agents' hosts have them plan now and then. */
  readonly hostPlans: boolean;
  /** The process dies when something it has begun is under way, more often than at other times. */
  readonly diesMidway: boolean;
  /** What every second call is, where agents have one; rare kinds of effects meet each other there. */
  readonly favourite: (typeof FAVOURITES)[number] | 'ask' | null;
  /** What all of it is about, where it is about something. */
  readonly subject: Subject | null;
  /** How likely what comes after its deadline is the next to happen; 0 is as likely as all else in the world. */
  readonly lateness: number;
  /** Where an action is when an earlier attempt of it answers, more often than elsewhere. */
  readonly overtaken: ActionState | null;
  /** What was read before something that has failed since is withdrawn, and the process dies before an intent counts. */
  readonly undermines: boolean;
  /** Rules are taken back while something waits that they have approved. */
  readonly fickle: boolean;
  /** Tools are others, or missing, after a start. */
  readonly toolsChange: boolean;
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
  | 'nonsense'
  | 'edits'
  /** A revert that takes back what stands on it, too, signed by its hash. */
  | 'plans'
  /** Approvals that count whole or not at all, in several decisions. */
  | 'lists'
  /** What is applied is looked at as often as what asks for something. */
  | 'regrets'
  /** What is applied is settled, too: an alarm that stands on it is answered so. */
  | 'acknowledges'
  /** What hangs is given up for lost, and tried again; what waits to be applied is thought over. */
  | 'impatient'
  | 'wavers'
  /** What is tried again is held before it begins. */
  | 'parks'
  /** What failed is left as it is for a while. */
  | 'hesitates'
  /** What plan mode keeps back is applied anyway. */
  | 'passes'
  /** What is approved already, by a rule or somebody else, is approved besides. */
  | 'confirms';

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
  /** The machine sleeps for more than a day. */
  readonly sleep: number;
  readonly roster: number;
  readonly forge: number;
  /** Pauses, plan mode and rules; each of them can be switched off besides. */
  readonly standing: number;
  readonly net: number;
}

/** Tools of which a seed can have more than of others. */
const FAVOURITES = ['add', 'post', 'mail', 'hook'] as const;

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

/**
 * Every seed picks its own rates, and leaves whole features out: rare things meet more often where others are missing.
 * Each feature has dice of its own, so that one more leaves every seed that has it not as it was.
 */
export function drawRates(dice: Dice, mode: Mode): Rates {
  const draw = drawing(dice);
  const publish = draw.of('publish', PUBLISH);
  const people = 2 + draw.pick('people', publish === 'net' ? 3 : 5);
  const { on } = draw;
  const rates: Rates = {
    mode,
    realCrypto: on('real crypto', 10),
    publish,
    rights: ['approve-all', ...Array.from({ length: people - 1 }, (_, at) => draw.of(`right ${at}`, RIGHTS))],
    agents: 1 + draw.pick('agents', 3),
    notes: 1 + draw.pick('notes', 5),
    world: {
      effectFails: on('effects fail') ? draw.of('how many', [5, 20, 50]) : 0,
      lies: on('lies', 30),
      late: 0,
      again: null,
      askSlow: on('slow') ? draw.of('how slow', [10, 40]) : 0,
      askFails: on('asks fail', 40) ? draw.of('how often', [1, 5]) : 0,
    },
    net: {
      devices: people,
      faults: on('faults'),
      hostileRelay: on('hostile relay', 40),
      hostileReplica: on('hostile replica', 40),
      clocks: on('device clocks'),
      lives: on('lives'),
    },
    weights: drawWeights(draw),
    standing: (['pause', 'mode', 'rule', 'rule'] as const).filter((what, at) => on(`standing ${what} ${at}`, 70)),
    decide: drawDecide(draw),
    tools: { coalesces: on('coalesces', 50), mints: on('mints', 25), branches: on('branches', 20) },
    hostPlans: on('host plans', 15),
    diesMidway: on('dies midway', 30),
    favourite: on('favourite', 40) ? draw.of('favourite', FAVOURITES) : null,
    subject: null,
    lateness: 0,
    overtaken: null,
    undermines: false,
    fickle: false,
    toolsChange: on('changing tools', mode === 'upgrade' ? 100 : 15),
  };
  // Rules and modes are set at the door, and devices with a network have enough to be about.
  const plain = publish === 'net' || !on('one thing', 45);
  return plain ? rates : about(draw.of('about', SHARES), rates, dice.split('about'));
}

/** What is published costs the most: it has a share, and all that does not hang on it meets in the rest. */
const PUBLISH = [
  ...Array.from({ length: 14 }, () => 'none' as const),
  ...Array.from({ length: 2 }, () => 'outlet' as const),
  ...Array.from({ length: 4 }, () => 'net' as const),
];

interface Drawing {
  readonly on: (name: string, percent?: number) => boolean;
  readonly some: (name: string, most: number, percent?: number) => number;
  readonly pick: (name: string, n: number) => number;
  readonly of: <T>(name: string, list: readonly T[]) => T;
}

function drawing(dice: Dice): Drawing {
  const on = (name: string, percent = 60): boolean => dice.split(name).chance(percent);
  const pick = (name: string, n: number): number => dice.split(`${name}, how many`).pick(n);
  return {
    on,
    pick,
    some: (name, most, percent) => (on(name, percent) ? 1 + pick(name, most) : 0),
    of: (name, list) => dice.split(`${name}, which`).of(list),
  };
}

function drawWeights({ on, some, pick, of }: Drawing): Weights {
  return {
    call: 3 + pick('call', 8),
    read: some('read', 4),
    withdraw: some('withdraw', 2),
    wait: some('wait', 2),
    decide: 6 + pick('decide', 8),
    deliver: 6 + pick('deliver', 12),
    disk: 10 + pick('disk', 40),
    world: 10 + pick('world', 40),
    task: 10 + pick('task', 20),
    timer: 3 + pick('timer', 8),
    ground: some('ground', 3),
    crash: on('crash') ? of('crash', [0.1, 0.4, 1.5]) : 0,
    stop: on('stop', 40) ? 0.5 : 0,
    start: 20,
    full: on('full', 40) ? 0.5 : 0,
    eio: on('eio', 30) ? 0.3 : 0,
    damage: on('damage', 20) ? 0.3 : 0,
    clocks: on('clocks', 40) ? 0.5 : 0,
    sleep: on('sleep', 25) ? 0.4 : 0,
    roster: on('roster', 40) ? 0.5 : 0,
    forge: on('forge', 50) ? 1 : 0,
    standing: on('standing', 60) ? of('standing', [0.5, 2]) : 0,
    net: 20 + pick('net', 30),
  };
}

function drawDecide({ on }: Drawing): Rates['decide'] {
  return {
    holds: on('holds'),
    reverts: on('reverts'),
    retries: on('retries'),
    settles: on('settles', 80),
    revertSettles: on('settles reverts', 80),
    retracts: on('retracts'),
    changes: on('changes'),
    reissues: on('reissues'),
    reconsiders: on('reconsiders', 15),
    nonsense: on('nonsense'),
    edits: on('edits', 40),
    plans: on('plans', 70),
    lists: on('lists', 60),
    regrets: on('regrets', 35),
    acknowledges: false,
    impatient: false,
    wavers: false,
    parks: false,
    hesitates: false,
    passes: false,
    confirms: false,
  };
}

/** Nothing goes wrong any more. */
export const HEALED_WORLD: WorldRates = { effectFails: 0, lies: false, late: 0, again: null, askSlow: 0, askFails: 0 };
