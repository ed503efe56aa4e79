import type { Authority } from '../../src/authority/authority.ts';
import type { Right } from '../../src/model/decision.ts';
import type { ActionId, Digest } from '../../src/model/ids.ts';
import { planHash, planReverts } from '../../src/model/revert-plan.ts';
import { SimAgent } from './agents.ts';
import type { Dice, Net, Person, SeenAction } from './contract.ts';
import { forge } from './forgeries.ts';
import { haste, late, overtaken, premises, prompt, spared } from './meetings.ts';
import { NoOutlet } from './no-outlet.ts';
import { DoorPerson, hasHappened } from './people.ts';
import { revertIndex } from './revert-index.ts';
import { renewOlder } from './older/life.ts';
import { Runner } from './runner.ts';
import { SERVICE_TOOLS } from './service-surfaces.ts';
import type { Stage } from './stage.ts';
import { setStanding } from './standings.ts';
import { chooseWish } from './wishes.ts';

interface Move {
  readonly name: string;
  /** How likely it is now; 0 while it cannot be made. */
  readonly weight: () => number;
  readonly make: () => string;
}

/** Ten years, by which a clock may be wrong. */
const CLOCK_ERROR_MS = 10 * 365 * 24 * 3_600_000;
/** Longer than what was seen counts for (DC-5). */
const SLEEP_MS = 25 * 3_600_000;
const NOTES = ['a', 'b', 'c', 'd', 'e'];
const RIGHTS: readonly Right[] = ['approve-all', 'approve-reversible', 'reject-only', 'view'];

/** Everything that can happen next, and the one place where the dice choose among it. */
export class Moves {
  readonly runner: Runner;
  readonly agents: readonly SimAgent[];
  readonly people: readonly Person[];
  readonly doors: readonly DoorPerson[];
  readonly #stage: Stage;
  readonly #net: Net | undefined;
  readonly #dice: Dice;
  readonly #moves: readonly Move[];
  readonly #notes: readonly string[];
  #repair: (() => void) | undefined;

  constructor(stage: Stage, net: Net | undefined) {
    this.#stage = stage;
    this.#net = net;
    this.#dice = stage.dice.split('moves');
    this.#notes = NOTES.slice(0, stage.rates.notes);
    this.agents = Array.from(
      { length: stage.rates.agents },
      (_, at) => new SimAgent(stage, `agent ${at}`, this.#notes),
    );
    this.doors = net === undefined ? stage.household.members.map(({ id }) => new DoorPerson(stage, id)) : [];
    this.people = net?.people ?? this.doors;
    this.runner = new Runner(stage, {
      outlet: net?.outlet ?? (stage.rates.publish === 'none' ? undefined : new NoOutlet()),
      beforeDrain: async (authority) => {
        for (const person of this.doors) await person.send(authority);
      },
      onUp: (authority) => this.#up(authority),
      onPublished: () => net?.householdChanged(),
      onOver: () => {
        net?.onDecisions(undefined);
        net?.onDamaged(undefined);
        net?.onForgotten(undefined);
        for (const agent of this.agents) agent.lost();
      },
    });
    this.#moves = this.#all();
  }

  /** Chooses and makes one move; answers its line. */
  next(): string {
    const weights = this.#moves.map(({ weight }) => Math.round(weight() * 100));
    let left = this.#dice.pick(weights.reduce((sum, weight) => sum + weight, 0));
    for (const [at, { name, make }] of this.#moves.entries()) {
      const weight = weights[at] ?? 0;
      if (left < weight) {
        this.#stage.occurred(`move: ${name}`);
        return `${name}: ${make()}`;
      }
      left -= weight;
    }
    return 'nothing can happen';
  }

  netWrong(): readonly string[] {
    return this.#net?.check({ final: false }) ?? [];
  }

  /** What waits for the disk, the world, a turn or the network: it goes on without anybody wanting anything. */
  goOn(): string | undefined {
    const { time, world } = this.#stage;
    const ready = world.requests.enabled();
    if (this.runner.journal?.busy === true) return `disk: ${this.runner.journal.advance()}`;
    if (ready.length > 0) return `world: ${world.step(this.#dice.of(ready))}`;
    if (time.tasks > 0) return `task: ${time.runTask()}`;
    if ((this.#net?.moves() ?? 0) > 0) return `net: ${this.#net?.step((n) => this.#dice.pick(n))}`;
    return undefined;
  }

  /** Puts a good copy of what was damaged back, while nothing runs. */
  repair(): string {
    this.#repair?.();
    this.#repair = undefined;
    return 'the journal is as it was';
  }

  get damaged(): boolean {
    return this.#repair !== undefined;
  }

  #up(authority: Authority): void {
    this.#net?.onDecisions((device, inbox) => authority.takeInbox(device, inbox));
    this.#net?.onDamaged((room) => authority.roomDamaged(room));
    this.#net?.onForgotten(() => authority.putAgain());
  }

  #all(): readonly Move[] {
    const stage = this.#stage;
    const { time, world, disk } = stage;
    const { mode, weights } = stage.rates;
    const runner = this.runner;
    const up = (weight: number): number => (runner.authority === undefined ? 0 : weight);
    const runs = (weight: number): number => (runner.state === 'down' ? 0 : weight);
    const agent = (what: 'call' | 'read' | 'withdraw' | 'wait'): Move => ({
      name: what,
      weight: () => (runner.authority !== undefined && this.#readyAgents().length > 0 ? weights[what] : 0),
      make: () => this.#agent(what),
    });
    return [
      agent('call'),
      agent('read'),
      agent('withdraw'),
      agent('wait'),
      {
        name: 'premise',
        weight: () => (this.#undermining().length > 0 ? up(weights.decide) : 0),
        make: () => this.#undermine(),
      },
      {
        name: 'decide',
        weight: () => (this.#stage.chronicle.actions.size > 0 ? weights.decide : 0),
        make: () => this.#decide(),
      },
      {
        name: 'deliver',
        weight: () => (this.#senders().length > 0 ? up(weights.deliver) : 0),
        make: () => this.#deliver(),
      },
      { name: 'disk', weight: () => (runner.journal?.busy === true ? weights.disk : 0), make: () => this.#disk() },
      {
        name: 'world',
        weight: () => (prompt(stage).length > 0 ? weights.world : 0),
        make: () => world.step(this.#dice.of(prompt(stage))),
      },
      {
        name: 'late',
        weight: () => (late(stage).length > 0 ? stage.rates.lateness : 0),
        make: () => world.step(this.#dice.of(late(stage))),
      },
      {
        name: 'overtaken',
        weight: () => (overtaken(stage).length > 0 ? weights.world : 0),
        make: () => world.step(this.#dice.of(overtaken(stage))),
      },
      { name: 'task', weight: () => (time.tasks > 0 ? weights.task : 0), make: () => time.runTask() },
      { name: 'timer', weight: () => (time.timers > 0 ? weights.timer : 0), make: () => time.runTimer() },
      { name: 'ground', weight: () => weights.ground, make: () => world.moveGround(this.#notes) },
      {
        name: 'start',
        weight: () => (runner.state === 'down' && !this.damaged ? weights.start : 0),
        make: () => this.#start(),
      },
      { name: 'second home', weight: () => (mode === 'two-homes' ? 2 : 0), make: () => runner.start(1) },
      { name: 'crash', weight: () => runs(weights.crash * haste(stage, runner.journal)), make: () => runner.crash() },
      { name: 'stop', weight: () => up(weights.stop), make: () => runner.stop() },
      { name: 'repair', weight: () => this.#needsRepair(), make: () => this.#repairNow() },
      { name: 'space', weight: () => (disk.space === 'full' ? 5 : weights.full), make: () => this.#space() },
      { name: 'eio', weight: () => runs(weights.eio), make: () => this.#eio() },
      {
        name: 'damage',
        weight: () => (runner.state === 'down' && !this.damaged ? weights.damage * 10 : 0),
        make: () => this.#damage(),
      },
      { name: 'clock', weight: () => weights.clocks, make: () => this.#clock() },
      {
        name: 'sleep',
        weight: () => weights.sleep,
        make: () => {
          time.standStill(SLEEP_MS);
          return 'for more than a day';
        },
      },
      {
        name: 'checkout',
        weight: () => (stage.rates.tools.branches ? 0.5 : 0),
        make: () => world.checkout(),
      },
      { name: 'roster', weight: () => weights.roster, make: () => this.#roster() },
      { name: 'forge', weight: () => (this.#net === undefined ? up(weights.forge) : 0), make: () => this.#forge() },
      {
        name: 'standing',
        weight: () => (this.doors.length > 0 && stage.rates.standing.length > 0 ? stage.rates.weights.standing : 0),
        make: () => setStanding(this.#stage, this.#dice.of(this.doors), this.#dice),
      },
      {
        name: 'net',
        weight: () => ((this.#net?.moves() ?? 0) > 0 ? weights.net : 0),
        make: () => this.#net?.step((n) => this.#dice.pick(n)) ?? '',
      },
    ];
  }

  /** What runs in quarantine is asked for things before somebody puts the journal right. */
  #needsRepair(): number {
    if (!this.damaged) return 0;
    const { start } = this.#stage.rates.weights;
    return this.runner.state === 'up' ? start / 10 : start;
  }

  #readyAgents(): readonly SimAgent[] {
    return this.agents.filter((agent) => agent.ready);
  }

  #agent(what: 'call' | 'read' | 'withdraw' | 'wait'): string {
    const { authority } = this.runner;
    return authority === undefined
      ? 'nothing runs'
      : this.#dice.of(this.#readyAgents()).act(authority, what, this.#dice);
  }

  /** Agents that could withdraw what one of them had read before it asked for what has failed since. */
  #undermining(): readonly (readonly [SimAgent, ActionId])[] {
    const ids = premises(this.#stage);
    return ids.flatMap((id) =>
      this.#readyAgents()
        .filter(({ accepted }) => accepted.has(id))
        .map((agent) => [agent, id] as const),
    );
  }

  #undermine(): string {
    const { authority } = this.runner;
    const [agent, id] = this.#dice.of(this.#undermining());
    return authority === undefined ? 'nothing runs' : agent.undo(authority, id, this.#dice);
  }

  #senders(): readonly DoorPerson[] {
    return this.doors.filter(({ outbox }) => outbox.length > 0);
  }

  #decide(): string {
    const person = this.#dice.of(this.people);
    if (person instanceof DoorPerson && this.#dice.chance(70)) person.look(this.runner.authority);
    const { chronicle, rates, world } = this.#stage;
    // Who has no patience takes what does not answer for lost, and does not look.
    const happened = ({ id, state }: SeenAction): boolean =>
      !(rates.decide.impatient && state === 'in-doubt') && hasHappened(chronicle, world, id);
    const facts = {
      happened,
      spared: spared(this.#stage, this.#dice),
      planHash: (ids: readonly ActionId[]) => this.#planHash(ids),
    };
    const wish = chooseWish(this.#dice, rates, person, facts);
    if (wish === undefined) return `${person.id.slice(-4)} has nothing to decide`;
    const list = rates.decide.lists && wish.kind === 'approve' && wish.ids.length > 1 && person instanceof DoorPerson;
    if (list && this.#dice.chance(40)) return person.approveList(wish.ids, 1 + this.#dice.pick(3));
    void person
      .decide(wish)
      .then((line) => this.#stage.occurred(line.startsWith('no decision') ? 'wish: impossible' : 'wish: saved'));
    return `${person.id.slice(-4)} wants to ${wish.kind} ${wish.ids.length}`;
  }

  /** What a person signs who was shown all that has to go with it. */
  #planHash(ids: readonly ActionId[]): Digest | undefined {
    const { chronicle, rates, household } = this.#stage;
    if (!rates.decide.plans || this.#dice.chance(10)) return undefined;
    const { steps } = planReverts(revertIndex(chronicle), ids);
    return planHash(household.crypto.sha256, household.workspace, steps);
  }

  #deliver(): string {
    const { authority } = this.runner;
    return authority === undefined ? 'nothing runs' : this.#dice.of(this.#senders()).deliver(authority, this.#dice);
  }

  /** The database and the head log are two files: now and then both are done before anything else happens. */
  #disk(): string {
    const { journal } = this.runner;
    if (journal === undefined) return 'nothing runs';
    const first = journal.advance();
    return journal.busy && this.#dice.chance(60) ? `${first}, ${journal.advance()}` : first;
  }

  #start(): string {
    if (this.#stage.rates.toolsChange && this.#dice.chance(60)) {
      const { version } = this.runner.tools;
      const without = this.#dice.chance(40) ? this.#dice.of(SERVICE_TOOLS) : undefined;
      this.runner.tools = { version: version + this.#dice.pick(2), without };
      this.#stage.occurred(`tools: ${without === undefined ? 'another version' : 'one is missing'}`);
    }
    const { chronicle, older } = this.#stage;
    const renewed = older !== undefined && chronicle.seq >= older.rows ? renewOlder(this.#stage) : '';
    return `${renewed}${this.runner.start(this.#stage.rates.mode === 'two-homes' ? this.#dice.pick(2) : 0)}`;
  }

  #repairNow(): string {
    if (this.runner.state === 'down') return this.repair();
    return this.runner.state === 'up' ? this.runner.stop() : this.runner.crash();
  }

  #space(): string {
    const { disk, occurred } = this.#stage;
    disk.space = disk.space === 'full' ? 'free' : 'full';
    if (disk.space === 'free') disk.reserve = 3;
    occurred(`disk: ${disk.space}`);
    return disk.space;
  }

  #eio(): string {
    this.#stage.disk.nextError = this.#dice.of(['database', 'head log']);
    this.#stage.occurred(`disk: EIO, ${this.#stage.disk.nextError}`);
    return this.#stage.disk.nextError;
  }

  #damage(): string {
    const how = this.#dice.of(['rolled back', 'row flipped', 'head flipped', 'head lost'] as const);
    this.#repair = this.#stage.disk.damage(how, this.#dice.pick(64));
    if (this.#repair === undefined) return `${how}: nothing there`;
    this.#stage.occurred(`damage: ${how}`);
    return `${how}; ${this.runner.start(0)}`;
  }

  #clock(): string {
    const errorMs = this.#dice.pick(2 * CLOCK_ERROR_MS) - CLOCK_ERROR_MS;
    this.#stage.time.setError('authority 0', errorMs);
    this.#stage.occurred('clock: of the authority is wrong');
    return `the authority's clock is wrong by ${errorMs} ms`;
  }

  /** Somebody is removed or given another right. The first device stays as it is: somebody must be able to decide. */
  #roster(): string {
    const { household, occurred } = this.#stage;
    const others = household.members.slice(1).filter(({ revoked }) => !revoked);
    if (others.length === 0) return 'nobody to change';
    const { id, nickname } = this.#dice.of(others);
    const revokes = this.#dice.chance(30);
    if (revokes) household.revoke(id);
    else household.setRight(id, this.#dice.of(RIGHTS));
    occurred(revokes ? 'roster: revoked' : 'roster: another right');
    this.#net?.householdChanged();
    this.runner.authority?.rosterChanged().catch(() => undefined); // The runtime has reported it.
    return `${nickname} ${revokes ? 'is revoked' : 'has another right'}`;
  }

  #forge(): string {
    const { authority } = this.runner;
    if (authority === undefined) return 'nothing runs';
    return forge(this.#stage, authority, this.doors, this.#dice);
  }
}
