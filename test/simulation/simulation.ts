import { InvariantError } from '../../src/base/assert.ts';
import { CountersignError } from '../../src/base/errors.ts';
import { Chronicle } from './chronicle.ts';
import type { Dice, MakeNet, Net } from './contract.ts';
import { makeDice } from './dice.ts';
import { SimDisk } from './disk.ts';
import { heal } from './healing.ts';
import { SimHousehold } from './household.ts';
import { Judge } from './judge.ts';
import { Moves } from './moves.ts';
import { asVersionOne, drawOlder, type OlderLife } from './older/life.ts';
import { drawRates, type Mode, type Rates } from './rates.ts';
import { stackOf } from './runner.ts';
import { quickCrypto, realCrypto } from './sim-crypto.ts';
import { Time } from './sim-time.ts';
import type { Stage } from './stage.ts';
import { Trace } from './trace.ts';
import { World } from './world.ts';

export interface SimOptions {
  readonly seed: number;
  readonly steps: number;
  readonly mode: Mode;
  /** Devices and their network; without it people stand at the authority's door. */
  readonly makeNet: MakeNet | undefined;
  readonly print?: (line: string) => void;
  /** Milliseconds by which every device's clock is off: nothing may depend on it (19). */
  readonly deviceClockMs?: number;
}

export interface SimResult {
  readonly seed: number;
  readonly steps: number;
  readonly hash: string;
  readonly line: string;
  readonly occurred: ReadonlyMap<string, number>;
  readonly failure: { readonly what: string; readonly why: string; readonly step: number } | undefined;
  readonly tail: readonly string[];
}

const FULL_CHECK_EVERY = 1_000;
/** Steps in mode `liveness` after which faults stop for a while. */
const HEAL_EVERY = 75;

/** Lets every promise that can go on go on: nothing of a step is left for the next one. */
const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** One simulation: a seed, and everything that follows from it. */
export class Simulation {
  readonly #options: SimOptions;
  readonly #trace: Trace;
  readonly #occurred = new Map<string, number>();
  #failure: SimResult['failure'];
  #step = 0;

  constructor(options: SimOptions) {
    this.#options = options;
    this.#trace = new Trace(options.print);
  }

  async run(): Promise<SimResult> {
    const { seed, steps, mode } = this.#options;
    const dice = makeDice(seed, mode);
    const drawn = drawRates(dice.split('rates'), mode);
    const older = drawOlder(dice.split('older journal'), drawn);
    const rates = older === undefined ? drawn : asVersionOne(older.rates);
    const line = firstLine(seed, drawn);
    this.#trace.add(line);
    const stray = (error: unknown): void => this.#stray(error);
    process.on('unhandledRejection', stray);
    const stage = this.#stage(dice, rates, older);
    try {
      const net = await this.#net(stage);
      const moves = new Moves(stage, net);
      const every = mode === 'liveness' ? HEAL_EVERY : steps;
      for (let taken = 0; taken < steps && this.#failure === undefined;) {
        for (let left = every; left > 0 && taken < steps && this.#failure === undefined; left--, taken++) {
          await this.#take(stage, moves);
          this.#step += 1;
        }
        await this.#heal(stage, moves, net);
        stage.world.heal(rates.world);
      }
      net?.close();
    } catch (error) {
      this.#fail('simulation', stackOf(error));
    } finally {
      process.off('unhandledRejection', stray);
    }
    return {
      seed,
      steps: this.#step,
      hash: this.#trace.digest(),
      line,
      occurred: this.#occurred,
      failure: this.#failure,
      tail: this.#trace.tail,
    };
  }

  async #heal(stage: Stage, moves: Moves, net: Net | undefined): Promise<void> {
    if (this.#failure !== undefined) return;
    for await (const healed of heal(stage, moves, net)) {
      this.#step += 1;
      this.#trace.add(healed);
      await this.#after(stage, moves);
      if (this.#failure !== undefined) break;
    }
  }

  #stage(dice: Dice, rates: Rates, older: OlderLife | undefined): Stage {
    const occurred = (what: string): void => void this.#occurred.set(what, (this.#occurred.get(what) ?? 0) + 1);
    const fail = (what: string, why: string): void => this.#fail(what, why);
    const sim = rates.realCrypto ? realCrypto : quickCrypto();
    const household = new SimHousehold({ sim, dice: dice.split('household'), rights: rates.rights });
    const { deviceClockMs } = this.#options;
    const time = new Time(deviceClockMs === undefined ? {} : { deviceClockMs });
    const world = new World({ dice: dice.split('world'), time, rates: rates.world, occurred });
    const disk = new SimDisk();
    const chronicle = new Chronicle();
    const judge = new Judge({ chronicle, world, disk, household, fail, occurred, nowMs: () => time.nowMs() });
    disk.onRows = (rows) => {
      judge.rows(rows);
      for (const row of rows)
        this.#trace.add(
          `  row ${row.seq} ${row.kind} #${row.actionSeq} ${Buffer.from(row.root).toString('hex', 0, 6)}`,
        );
    };
    world.onCall = (call) => judge.call(call);
    world.transacted = (key) => {
      const record = disk.table('row').get(`simulated/${key}`);
      // reason: `applyInTransaction` of our own table put it
      return record && (JSON.parse(Buffer.from(record.value).toString()) as { count: number; reverts: number });
    };
    return { rates, older, dice, time, household, world, disk, chronicle, judge, occurred, fail };
  }

  async #net({ rates, dice, time, household, occurred, judge, disk }: Stage): Promise<Net | undefined> {
    const { makeNet } = this.#options;
    if (rates.publish !== 'net' || makeNet === undefined) return undefined;
    const journal = (): ReturnType<SimDisk['durable']> | undefined => (disk.damaged ? undefined : disk.durable());
    const net = await makeNet({ dice: dice.split('net'), time, household, rates: rates.net, occurred, journal });
    judge.forgedElsewhere = net.forged;
    return net;
  }

  async #take(stage: Stage, moves: Moves): Promise<void> {
    this.#trace.add(`${this.#step} ${moves.next()}`);
    await this.#after(stage, moves);
  }

  async #after(stage: Stage, moves: Moves): Promise<void> {
    await settle();
    const { fatal } = moves.runner;
    if (fatal !== undefined) this.#died(fatal, moves);
    stage.judge.touched();
    if (this.#step % FULL_CHECK_EVERY === FULL_CHECK_EVERY - 1) stage.judge.whole();
    for (const wrong of moves.netWrong()) this.#fail('net', wrong);
  }

  /** The process said that it must stop. A disk that failed is a reason; anything else is a bug. */
  #died(fatal: unknown, moves: Moves): void {
    if (!CountersignError.is(fatal) || fatal instanceof InvariantError) this.#fail('bug', stackOf(fatal));
    else if (fatal.code !== 'storage') this.#fail('bug', `stopped for ${fatal.code}: ${stackOf(fatal)}`);
    this.#trace.add(`  dies: ${moves.runner.crash()}`);
  }

  /** After a disk failed, whoever waited for it may have nobody to tell. Anything else that nobody catches is a bug. */
  #stray(error: unknown): void {
    if (CountersignError.is(error) && error.code === 'storage') return;
    this.#fail('unhandled', stackOf(error));
  }

  #fail(what: string, why: string): void {
    this.#failure ??= { what, why, step: this.#step };
  }
}

function firstLine(seed: number, { mode, net, realCrypto: real, publish, rights, agents, weights }: Rates): string {
  const off = Object.entries(weights)
    .filter(([, weight]) => weight === 0)
    .map(([name]) => name);
  return (
    `seed ${seed} ${mode}: ${real ? 'real signatures' : 'keyed hashes'}, ${publish === 'none' ? 'nothing published' : publish}, ` +
    `${rights.length} people, ${agents} agents, without ${off.join(' ') || 'nothing'}` +
    (publish === 'net' && net.hostileRelay ? ', under a hostile relay' : '')
  );
}
