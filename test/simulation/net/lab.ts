import { openAuthority, type Authority } from '../../../src/authority/authority.ts';
import type { Journal } from '../../../src/authority/ports.ts';
import { CountersignError } from '../../../src/base/errors.ts';
import type { AgentPort } from '../../../src/model/agent-port.ts';
import type { ItemKind, Right } from '../../../src/model/decision.ts';
import { memoryJournal } from '../../../src/testing/index.ts';
import { HELLO } from '../../support/hello.ts';
import { shelf, type Shelf } from '../../support/shelf-surface.ts';
import { put } from '../../support/workshop.ts';
import type { NetRates } from '../contract.ts';
import { makeDice } from '../dice.ts';
import { SimHousehold } from '../household.ts';
import { quickCrypto, realCrypto } from '../sim-crypto.ts';
import { Time } from '../sim-time.ts';
import { makeNet } from './index.ts';
import type { SimNet } from './net.ts';
import type { Rows } from './truth.ts';

/** One authority over a shelf of notes behind a net, driven from one seed: enough to try the net by itself. */
export interface NetLab {
  readonly net: SimNet;
  readonly household: SimHousehold;
  readonly shelf: Shelf;
  readonly journal: Journal;
  readonly trace: readonly string[];
  readonly occurred: ReadonlyMap<string, number>;
  authority(): Authority;
  run(steps: number): Promise<void>;
  step(what: NetLabMove): Promise<void>;
  /** The authority ends without a word, and another begins on the same journal. */
  restart(): Promise<void>;
  /** Ends all trouble, and delivers everything. */
  heal(): Promise<void>;
  close(): Promise<void>;
}

export type NetLabMove = 'net' | 'task' | 'timer' | 'person' | 'agent' | 'restart' | 'roster';

export interface NetLabOptions {
  readonly seed: number;
  readonly rates?: Partial<NetRates>;
  readonly rights?: readonly Right[];
  readonly realSignatures?: boolean;
  readonly moves?: readonly NetLabMove[];
  /** What the net takes for the journal, instead of it. */
  readonly truth?: Rows;
}

const QUIET: NetRates = {
  devices: 3,
  faults: false,
  hostileRelay: false,
  hostileReplica: false,
  clocks: false,
  lives: false,
};

const MOVES: readonly NetLabMove[] = [
  ...Array.from({ length: 14 }, (): NetLabMove => 'net'),
  ...Array.from({ length: 6 }, (): NetLabMove => 'task'),
  'timer',
  'person',
  'person',
  'agent',
];
const KINDS: readonly ItemKind[] = [
  ...Array.from({ length: 8 }, (): ItemKind => 'approve'),
  ...(['reject', 'hold', 'release', 'release', 'retract', 'revert'] as const),
];
const HEALED_STEPS_MAX = 60_000;
/** Time that passes after healing: a ledger goes on in another room once a minute, and heartbeats for ever. */
const HEALED_MS = 3 * 60_000;

export async function netLab(options: NetLabOptions): Promise<NetLab> {
  const { moves = MOVES, seed, rights = ['approve-all', 'approve-all', 'approve-all'] } = options;
  const dice = makeDice(seed);
  const { pick } = dice.split('schedule');
  const sim = options.realSignatures === true ? realCrypto : quickCrypto();
  const household = new SimHousehold({ sim, dice: dice.split('household'), rights });
  const time = new Time();
  const world = shelf();
  const journal = memoryJournal({ sha256: sim.crypto.sha256 });
  const trace: string[] = [];
  const occurred = new Map<string, number>();
  const rates = { ...QUIET, devices: rights.length, ...options.rates };
  const net = await makeNet({
    dice: dice.split('net'),
    time,
    household,
    rates,
    occurred: (what) => void occurred.set(what, (occurred.get(what) ?? 0) + 1),
    journal: () => options.truth ?? journal,
  });
  let lives = 0;
  let authority: Authority;
  let port: AgentPort | undefined;
  const begin = async (): Promise<void> => {
    lives += 1;
    const own = lives;
    const owner = `authority ${own}`;
    authority = await openAuthority(
      {
        home: household.home,
        workspace: household.workspace,
        fence: 1,
        journal: whileAlive(journal, () => own === lives),
        packs: [world.pack],
        crypto: sim.crypto,
        signer: household.signer,
        clock: time.clock(owner),
        random: dice.split(owner).random,
        roster: household.roster,
        publish: {
          outlet: net.outlet,
          name: 'shelf',
          root: '/shelf',
          keys: () => household.keys(),
          devices: () => household.devices(),
          lastPublished: () => household.published(),
          onPublished: (published) => {
            if (own !== lives) return;
            household.setPublished(published);
            net.householdChanged();
          },
        },
        onAlarm: () => undefined,
        onFatal: (error) => {
          throw error;
        },
      },
      async (opened) => {
        net.onDamaged((room) => opened.roomDamaged(room));
        net.onForgotten(() => opened.putAgain());
        net.onDecisions((device, inbox) => opened.takeInbox(device, inbox));
        await Promise.resolve();
      },
    );
    port = await authority.agent(HELLO);
  };
  const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
  let notes = 0;
  const lab: NetLab = {
    net,
    household,
    shelf: world,
    journal,
    trace,
    occurred,
    authority: () => authority,
    async run(steps) {
      for (let step = 0; step < steps; step++) await lab.step(moves[pick(moves.length)] ?? 'net');
    },
    async step(what) {
      switch (what) {
        case 'net':
          if (net.moves() > 0) trace.push(net.step(pick));
          else if (time.tasks > 0) time.runTask();
          break;
        case 'task':
          if (time.tasks > 0) trace.push(`task ${time.runTask()}`);
          break;
        case 'timer':
          trace.push(`timer ${time.runTimer()}`);
          break;
        case 'person':
          void decideSomething(net, pick).then((line) => trace.push(line));
          break;
        case 'agent':
          void propose(port, `n${pick(5)}`, `text ${(notes += 1)}`);
          break;
        case 'roster':
          trace.push(changeRoster(household, pick));
          net.householdChanged();
          void authority.rosterChanged();
          break;
        case 'restart':
          await lab.restart();
      }
      await settled();
    },
    async restart() {
      lives += 1;
      net.onDecisions(undefined);
      net.onDamaged(undefined);
      time.end(`authority ${lives - 1}`);
      trace.push('restart');
      await begin();
    },
    async heal() {
      net.heal();
      const untilMs = time.nowMs() + HEALED_MS;
      for (let step = 0; step < HEALED_STEPS_MAX && time.nowMs() < untilMs; step++) {
        if (net.moves() > 0 && (time.tasks === 0 || pick(2) === 0)) trace.push(net.step(pick));
        else if (time.tasks > 0) time.runTask();
        else time.runTimer();
        await settled();
      }
    },
    async close() {
      net.close();
      await authority.abandon();
    },
  };
  await begin();
  await settled();
  return lab;
}

function whileAlive(journal: Journal, isAlive: () => boolean): Journal {
  return new Proxy(journal, {
    get(target, name: keyof Journal) {
      const value = target[name];
      if (name === 'commit')
        return (...args: Parameters<Journal['commit']>) =>
          isAlive() ? target.commit(...args) : new Promise<void>(() => undefined);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

async function decideSomething(net: SimNet, pick: (n: number) => number): Promise<string> {
  const person = net.people[pick(net.people.length)];
  const seen = person?.sees() ?? [];
  const kind = KINDS[pick(KINDS.length)] ?? 'reject';
  const open = seen.filter(({ state }) =>
    kind === 'release' ? state === 'held' : kind === 'revert' || state === 'pending',
  );
  const first = pick(2) === 0 ? 0 : pick(open.length);
  const ids = open.slice(first, first + 1 + pick(3)).map(({ id }) => id);
  if (person === undefined || ids.length === 0) return 'nothing to decide';
  return person.decide({ kind, ids });
}

async function propose(port: AgentPort | undefined, name: string, text: string): Promise<void> {
  try {
    await (port && put(port, name, text));
  } catch (thrown) {
    // A runtime that ends, or an action that was rejected before: agents meet it all the time.
    if (!CountersignError.is(thrown)) throw thrown;
  }
}

function changeRoster(household: SimHousehold, pick: (n: number) => number): string {
  const present = household.members.filter(({ revoked }) => !revoked);
  const member = present[pick(present.length)];
  if (member === undefined) return 'nobody is left';
  if (present.length > 2 && pick(3) === 0) {
    household.revoke(member.id);
    return `revoked ${member.nickname}`;
  }
  const right = (['view', 'reject-only', 'approve-reversible', 'approve-all'] as const)[pick(4)] ?? 'view';
  household.setRight(member.id, right);
  return `${member.nickname} may ${right}`;
}
