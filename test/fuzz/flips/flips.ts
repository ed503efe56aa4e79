import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { anyOf, diceAt } from '../../support/fuzz-dice.ts';
import { makeHistory, scratchFolder, type History, type Moment } from '../../support/fuzz-history.ts';
import type { Dice } from '../../support/hostile-dice.ts';
import { damaged } from './damage.ts';
import { judgeExport } from './judge-export.ts';
import { JournalBench, type Changes, type Verdict } from './judge-journal.ts';
import { judgeLog } from './judge-log.ts';

export interface FlipsRun {
  readonly seed: number;
  readonly count: number;
  /** Number of the first: one alone can be tried again. */
  readonly from?: number;
  /** Actions in the history: a hundred meet every part of the formats, and more of them only take longer to read. */
  readonly actions?: number;
  readonly onProgress: (line: string) => void;
}

export interface FlipsReport {
  /** By target, and in the end by verdict. */
  readonly tally: ReadonlyMap<string, number>;
  readonly count: (type: Verdict['type']) => number;
  /** One line a damage that ended wrongly. */
  readonly wrong: readonly string[];
}

const TARGETS = ['database', 'WAL', 'head log', 'audit log', 'audit tiles'] as const;
type Target = (typeof TARGETS)[number];

/** Of a hundred. Verification reads everything there is, and takes ten times as long as a start. */
const SHARES: Readonly<Record<Target, number>> = {
  database: 36,
  WAL: 22,
  'head log': 20,
  'audit log': 3,
  'audit tiles': 19,
};
const TARGET_OF = TARGETS.flatMap((target) => Array.from({ length: SHARES[target] }, () => target));

/** Processor time in which anything here ends; the slowest verification takes a tenth of it. */
const HANG_MS = 5_000;
/** Of those that are called equal, one in so many is written to. */
const WRITTEN_TO = 20;

/** Damages one history in one place at a time, and looks at what the real code says of it. */
export async function runFlips({ actions = 110, count, from = 0, onProgress, seed }: FlipsRun): Promise<FlipsReport> {
  const dir = scratchFolder('flips');
  try {
    const history = await makeHistory(dir, actions);
    const desk = new Desk(dir, history);
    await desk.seesNothingInWhatIsWhole();
    const tally = new Map<string, number>();
    const wrong: string[] = [];
    for (let index = from; index < from + count; index += 1) {
      const { target, type, what, why } = await desk.flip(diceAt(seed, index));
      for (const key of [type, `${target}: ${type}`]) tally.set(key, (tally.get(key) ?? 0) + 1);
      if (type === 'wrong') wrong.push(`--from ${index} --count 1: ${what}: ${why}`);
      if ((index - from) % 1_000 === 999) onProgress(`${index - from + 1} flips, wrong ${wrong.length}`);
    }
    return { tally, wrong, count: (type) => tally.get(type) ?? 0 };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

interface Flipped {
  readonly target: Target;
  readonly type: Verdict['type'];
  readonly what: string;
  readonly why: string;
}

class Desk {
  readonly #history: History;
  readonly #crashed: JournalBench;
  readonly #closed: JournalBench;

  constructor(dir: string, history: History) {
    this.#history = history;
    this.#crashed = new JournalBench(join(dir, 'crashed'), history.crashed.image);
    this.#closed = new JournalBench(join(dir, 'closed'), history.closed.image);
  }

  async seesNothingInWhatIsWhole(): Promise<void> {
    const { crashed, closed, grown, young } = this.#history;
    const verdicts = [
      this.#crashed.look(),
      this.#closed.look(),
      await judgeLog(this.#crashed.dir, crashed.seen),
      await judgeLog(this.#closed.dir, closed.seen),
      await judgeExport(young),
      await judgeExport(grown),
    ];
    for (const verdict of verdicts)
      if (verdict.type !== 'equal') throw new Error(`without damage it is ${verdict.type}: ${verdict.why}`);
  }

  async flip(dice: Dice): Promise<Flipped> {
    const target = anyOf(dice, TARGET_OF);
    const before = process.cpuUsage();
    const { what, ...verdict } = await this.#flipOne(target, dice);
    const { system, user } = process.cpuUsage(before);
    const ms = Math.round((user + system) / 1000);
    if (ms > HANG_MS) return { target, what, type: 'wrong', why: `it took ${ms} ms` };
    return { target, what, type: verdict.type, why: verdict.type === 'equal' ? '' : verdict.why };
  }

  #flipOne(target: Target, dice: Dice): Promise<Verdict & { readonly what: string }> {
    switch (target) {
      case 'database':
        return this.#journal(dice.chance(0.5) ? 'crashed' : 'closed', dice, (name) => name === 'journal.db');
      case 'WAL':
        return this.#journal('crashed', dice, (name) => name.endsWith('-wal'));
      case 'head log':
        return this.#journal(dice.chance(0.5) ? 'crashed' : 'closed', dice, (name) => name.startsWith('head'));
      case 'audit log':
        return this.#log(dice);
      case 'audit tiles':
        return this.#tiles(dice);
    }
  }

  async #journal(
    state: 'crashed' | 'closed',
    dice: Dice,
    which: (name: string) => boolean,
  ): Promise<Verdict & { readonly what: string }> {
    const bench = state === 'crashed' ? this.#crashed : this.#closed;
    const { changes, what } = this.#oneFile(this.#history[state], bench, dice, which);
    const verdict = await bench.damaged(changes, () => {
      const seen = bench.look();
      return seen.type === 'equal' && dice.chance(1 / WRITTEN_TO) ? bench.goOn() : seen;
    });
    return { ...verdict, what: `${state}: ${what}` };
  }

  #oneFile(
    moment: Moment,
    bench: JournalBench,
    dice: Dice,
    which: (name: string) => boolean,
  ): { readonly changes: Changes; readonly what: string } {
    const { middle, other } = this.#history;
    const name = anyOf(dice, [...moment.image.keys()].filter(which));
    const elsewhere = [middle.image.get(name), other.image.get(name)];
    const made = damaged(bench.file(name), { dice, name, elsewhere });
    return { changes: new Map([[name, made.bytes]]), what: made.what };
  }

  /** `audit verify` never calls whole what a start would refuse, or what this device knows to be another log. */
  async #log(dice: Dice): Promise<Verdict & { readonly what: string }> {
    const whole = dice.roll(4) === 0 ? dice.pick(['middle', 'other'] as const) : undefined;
    const { changes, what } =
      whole === undefined
        ? this.#oneFile(this.#history.crashed, this.#crashed, dice, () => true)
        : this.#allFiles(whole);
    const { seen } = this.#history.crashed;
    return this.#crashed.damaged(changes, async () => {
      const { result = '', ...verdict } = await judgeLog(this.#crashed.dir, seen);
      const expected = whole === 'middle' ? 'incomplete' : whole === 'other' ? /^(fork|incomplete)$/ : undefined;
      if (expected !== undefined && !new RegExp(expected).test(result))
        return { type: 'wrong', why: `the log of another time is ${result}`, what };
      const start = this.#crashed.look();
      if (verdict.type === 'equal' && start.type !== 'equal')
        return { type: 'wrong', why: `verified, though a start says: ${start.why}`, what };
      return { ...verdict, what };
    });
  }

  #allFiles(which: 'middle' | 'other'): { readonly changes: Changes; readonly what: string } {
    const { image } = this.#history[which];
    const names = new Set([...image.keys(), ...this.#history.crashed.image.keys()]);
    return { changes: new Map([...names].map((name) => [name, image.get(name) ?? null])), what: `all of ${which}` };
  }

  async #tiles(dice: Dice): Promise<Verdict & { readonly what: string }> {
    const exported = dice.chance(0.5) ? this.#history.young : this.#history.grown;
    const paths = [...exported.objects.keys()].filter((path) => !path.startsWith('b/'));
    const path = anyOf(dice, ['the open tile', ...paths]);
    const bytes = exported.objects.get(path) ?? exported.tile;
    const made = damaged(bytes, { dice, name: path, elsewhere: [undefined, ...exported.objects.values()] });
    const objects = new Map(exported.objects);
    if (made.bytes === null) objects.delete(path);
    else if (objects.has(path)) objects.set(path, made.bytes);
    const tile = objects.has(path) || path !== 'the open tile' ? exported.tile : (made.bytes ?? new Uint8Array());
    const verdict = await judgeExport({ ...exported, objects, tile });
    return { ...verdict, what: made.what };
  }
}
