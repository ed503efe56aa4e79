import { openAuthority, type Authority } from '../../src/authority/authority.ts';
import type { AuthorityOptions } from '../../src/authority/options.ts';
import type { Outlet } from '../../src/authority/publish/outlet.ts';
import type { SurfacePack } from '../../src/authority/ports.ts';
import { CountersignError, messageOf } from '../../src/base/errors.ts';
import { SimJournal } from './journal.ts';
import { noteGround, noteReads, noteSurfaces } from './note-surfaces.ts';
import { serviceSurfaces } from './service-surfaces.ts';
import type { Stage } from './stage.ts';

interface Life {
  readonly n: number;
  /** Which of the homes it belongs to. */
  readonly home: number;
  readonly journal: SimJournal;
  authority: Authority | undefined;
  state: 'starting' | 'up' | 'stopping' | 'over';
  fatal: unknown;
}

/** Which tools a life has: another version has another digest, and one can be missing. */
export interface Tools {
  readonly version: number;
  readonly without: string | undefined;
}

export interface RunnerHooks {
  readonly outlet: Outlet | undefined;
  /** Decisions that were saved while nothing ran. */
  readonly beforeDrain: (authority: Authority) => Promise<void>;
  readonly onUp: (authority: Authority) => void;
  readonly onOver: () => void;
  /** The head must say something else of the workspace. */
  readonly onPublished: () => void;
}

/** The authority's process: it starts, stops and dies on the same disk, under the lock that lets one home pass. */
export class Runner {
  readonly #stage: Stage;
  readonly #hooks: RunnerHooks;
  #life: Life | undefined;
  #lives = 0;
  #fence = 1;
  #lastHome = 0;
  tools: Tools = { version: 1, without: undefined };

  constructor(stage: Stage, hooks: RunnerHooks) {
    this.#stage = stage;
    this.#hooks = hooks;
  }

  get journal(): SimJournal | undefined {
    return this.#life?.journal;
  }

  /** Which of its lives it lives now. */
  get life(): number {
    return this.#lives;
  }

  get state(): 'down' | 'starting' | 'up' | 'stopping' {
    const state = this.#life?.state ?? 'over';
    return state === 'over' ? 'down' : state;
  }

  get authority(): Authority | undefined {
    return this.#life?.state === 'up' ? this.#life.authority : undefined;
  }

  get quarantined(): boolean {
    return this.#life?.journal.health.state === 'quarantined';
  }

  get fatal(): unknown {
    return this.#life?.fatal;
  }

  /** A home tries to run here. The lock is held by whoever runs; another home takes over with a new fence. */
  start(home: number): string {
    const { disk, household, judge, occurred } = this.#stage;
    if (this.#life !== undefined) {
      occurred('lock: held elsewhere');
      return `home ${home} is refused, home ${this.#life.home} runs`;
    }
    if (home !== this.#lastHome) this.#fence += 1;
    this.#lastHome = home;
    const journal = new SimJournal(disk, household.crypto.sha256);
    const commit = journal.commit.bind(journal);
    journal.commit = (batch) => {
      judge.asked(batch.rows);
      const stored = commit(batch);
      if (journal.health.state === 'quarantined') this.#mustFail(stored);
      return stored;
    };
    const life: Life = { n: ++this.#lives, home, journal, authority: undefined, state: 'starting', fatal: undefined };
    this.#life = life;
    judge.running += 1;
    judge.lifeAtMs = this.#stage.time.nowMs();
    occurred(`start: ${journal.health.state}`);
    openAuthority(this.#options(life), (authority) => this.#hooks.beforeDrain(authority)).then(
      (authority) => this.#opened(life, authority),
      (error: unknown) => this.#notOpened(life, error),
    );
    return `home ${home} starts, ${journal.health.state}, fence ${this.#fence}`;
  }

  /** Dies at once. What it had asked of the disk is there or not; what it had sent may still arrive. */
  crash(): string {
    const life = this.#life;
    if (life === undefined) return 'nothing runs';
    const disk = life.journal.crash(this.#stage.dice.split(`crash ${life.n}`));
    this.#stage.occurred(`crash: ${disk.replaceAll(/\d+/g, 'n')}`);
    this.#over(life);
    return disk;
  }

  stop(): string {
    const life = this.#life;
    if (life?.authority === undefined || life.state !== 'up') return 'nothing to stop';
    life.state = 'stopping';
    life.authority.stop().then(
      () => this.#over(life),
      (error: unknown) => {
        if (!CountersignError.is(error)) this.#stage.fail('bug', `stop: ${messageOf(error)}`);
        else if (life.state !== 'over') this.#over(life);
      },
    );
    return 'stops';
  }

  /** 16 (EF-7): what is in quarantine does not pass the boot gate. */
  #mustFail(stored: Promise<void>): void {
    stored.then(
      () => this.#stage.fail('invariant 16: Nothing passes the boot gate in quarantine', 'something was written'),
      () => undefined,
    );
  }

  #opened(life: Life, authority: Authority): void {
    if (life.state !== 'starting') return;
    life.authority = authority;
    life.state = 'up';
    this.#hooks.onUp(authority);
  }

  #notOpened(life: Life, error: unknown): void {
    if (life.state === 'over') return;
    if (!CountersignError.is(error)) this.#stage.fail('bug', `start: ${stackOf(error)}`);
    else this.#stage.occurred(`start: ${error.code}`);
    if (life.fatal === undefined) {
      life.journal.close().catch(() => undefined);
      this.#over(life);
    }
  }

  #over(life: Life): void {
    life.state = 'over';
    this.#life = undefined;
    this.#stage.judge.running -= 1;
    this.#stage.time.end(ownerOf(life));
    this.#stage.world.end(life.n);
    this.#hooks.onOver();
  }

  #options(life: Life): AuthorityOptions {
    const { household, occurred, time, dice } = this.#stage;
    const { outlet } = this.#hooks;
    return {
      home: household.home,
      workspace: household.workspace,
      fence: this.#fence,
      journal: life.journal,
      packs: [this.#pack(life)],
      crypto: household.crypto,
      signer: household.signer,
      clock: time.clock(ownerOf(life)),
      random: dice.split(`authority ${life.n}`).random,
      roster: household.roster,
      ...(outlet === undefined
        ? {}
        : {
            publish: {
              outlet,
              name: 'simulated',
              root: '/simulated',
              keys: () => household.keys(),
              devices: () => household.devices(),
              lastPublished: () => household.published(),
              onPublished: (published) => {
                household.setPublished(published);
                this.#hooks.onPublished();
              },
            },
          }),
      onAlarm: (text) => occurred(`alarm: ${text.replaceAll(/\d+/g, 'n').slice(0, 40)}`),
      onFatal: (error) => {
        life.fatal ??= error;
      },
    };
  }

  #pack(life: Life): SurfacePack {
    const ground = {
      world: this.#stage.world,
      life: life.n,
      version: this.tools.version,
      tools: this.#stage.rates.tools,
      older: this.#stage.older !== undefined,
    };
    const surfaces = [...noteSurfaces(ground), ...serviceSurfaces(ground)];
    const kept = surfaces.filter(({ tool }) => tool.name !== this.tools.without);
    return {
      name: 'simulated',
      surfaces: kept,
      reads: noteReads(ground),
      ...(ground.tools.branches ? { ground: noteGround(ground) } : {}),
    };
  }
}

function ownerOf(life: Life): string {
  return `authority ${life.home}`;
}

export function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
