import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { parseCanonical } from '../../src/base/canonical-json.ts';
import { openSqliteJournal } from '../../src/journal/sqlite/index.ts';
import type { Action } from '../../src/model/action.ts';
import { seededRandom } from '../../src/testing/seeded-random.ts';
import type { Program } from '../support/crash-build.ts';
import { openCrashHome, type CrashPlace } from '../support/crash-home.ts';
import type { LoopOrder } from '../support/crash-order.ts';
import type { Plant } from '../support/crash-plants.ts';
import { settled, type Said } from '../support/crash-scenes.ts';
import { sinkQuiet } from '../support/crash-sink-client.ts';
import type { Bench } from './bench-place.ts';
import { wrongEnd } from './ends.ts';
import { lookAt, unverified } from './judge.ts';

export interface Killed {
  readonly cycles: number;
  /** What was answered: proposals and decisions. */
  readonly answers: number;
  readonly actions: number;
  readonly doubts: number;
  readonly wrong: readonly string[];
}

interface LoopOptions {
  readonly child: Program;
  readonly cycles: number;
  readonly seed: number;
  readonly plant?: Plant;
  /** Cycles after which everything is looked at. */
  readonly every: number;
}

/** Milliseconds: a start takes about two hundred, so that some kills fall into it. */
const START_MS = 250;
/** The other kills come after so many answers, and some milliseconds: into the load. */
const ANSWERS = 16;
const LOAD_MS = 8;
/** Milliseconds after which what still moves is stuck. */
const STILL_MS = 10_000;

/** One state that is killed again and again under load, and must hold what every start of it has answered. */
export async function killLoop(bench: Bench, options: LoopOptions): Promise<Killed> {
  const place = await bench.fresh('loop');
  const dice = seededRandom(options.seed);
  const upTo = (most: number): number => {
    const [a = 0, b = 0] = dice.bytes(2);
    return ((a * 256 + b) / 65_536) * most;
  };
  let seed = options.seed * SEEDS_APART;
  // It ends by itself once, so that what is compiled of it is kept for those that are killed.
  const said = [...(await killedRun({ ...place, seed }, undefined, options))];
  for (let cycle = 1; cycle <= options.cycles; cycle += 1) {
    seed += 1;
    const moment =
      upTo(4) < 1 ? { lines: 0, ms: upTo(START_MS) } : { lines: Math.ceil(upTo(ANSWERS)), ms: upTo(LOAD_MS) };
    const answers = await killedRun({ ...place, seed }, moment, options);
    said.push(...answers);
    await sinkQuiet(bench.port);
    const stopped = answers.find((each) => each.say === 'stopped' || each.say === 'refused');
    const due = cycle % options.every === 0 || cycle === options.cycles || stopped !== undefined;
    if (!due) continue;
    seed += 1;
    const looked = await look({ ...place, seed }, said);
    const wrong = stopped === undefined ? looked.wrong : [...looked.wrong, JSON.stringify(stopped)];
    const answered = said.filter(({ say }) => say === 'proposed' || say === 'received').length;
    if (wrong.length > 0 || cycle === options.cycles)
      return { ...looked, cycles: cycle, answers: answered, wrong: wrong.map((what) => `cycle ${cycle}: ${what}`) };
  }
  throw new Error('A loop has at least one cycle.');
}

/** Ids come from seeds: two loops, and the starts of one, never share one. */
const SEEDS_APART = 100_000;

/** When it is killed: so long after so many lines. */
interface Moment {
  readonly lines: number;
  readonly ms: number;
}

async function killedRun(
  place: CrashPlace,
  moment: Moment | undefined,
  { child, plant }: LoopOptions,
): Promise<readonly Said[]> {
  const order: LoopOrder = {
    ...place,
    ...(plant === undefined ? {} : { plant }),
    ...(moment === undefined ? { turns: 1 } : {}),
  };
  const running = spawn(process.execPath, [...child, JSON.stringify(order)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const kill = (): void => void setTimeout(() => running.kill('SIGKILL'), moment?.ms);
  const ended = new Promise((resolve) => void running.on('close', resolve));
  if (moment?.lines === 0) kill();
  const said: Said[] = [];
  for await (const line of createInterface({ input: running.stdout })) {
    // A line that the kill has cut is not said.
    if (!line.endsWith('}')) continue;
    // reason: written by the child, a program of ours
    const each = JSON.parse(line) as Said;
    said.push(each);
    if (said.length === moment?.lines) kill();
  }
  await ended;
  return said;
}

/** Starts once without a kill, lets everything end, and holds all that was ever answered against journal and world. */
async function look(place: CrashPlace, said: readonly Said[]): Promise<Pick<Killed, 'actions' | 'doubts' | 'wrong'>> {
  const fatal: unknown[] = [];
  const home = await openCrashHome(place, {
    onAlarm: (text) => fatal.push(text),
    onFatal: (error) => fatal.push(error),
  });
  await settled(home, () => undefined, STILL_MS);
  await home.authority.stop();
  const actions = actionsIn(place.state);
  const seen = await lookAt(place, actions);
  const decisions = new Map<string, Set<string>>();
  for (const each of said) {
    if (each.say !== 'received') continue;
    decisions.set(each.id, (decisions.get(each.id) ?? new Set()).add(each.kind));
  }
  const ids = new Set<string>(actions.map(({ id }) => id));
  return {
    actions: actions.length,
    doubts: actions.filter(({ state }) => state === 'in-doubt').length,
    wrong: [
      ...fatal.map(String),
      ...said.flatMap((each) => (each.say === 'proposed' && !ids.has(each.id) ? [`${each.name} is lost`] : [])),
      ...seen.flatMap((each) =>
        wrongEnd(each, { received: decisions.get(each.id) ?? new Set(), last: undefined, fate: 'killed' }),
      ),
      ...(await unverified(place.state)),
    ],
  };
}

const PAGE = 500;

/** Every action there ever was. */
function actionsIn(state: string): readonly Action[] {
  const journal = openSqliteJournal({ dir: state, readOnly: true });
  const actions: Action[] = [];
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const page = journal.recordsBefore('action', before, PAGE);
    // reason: records of this table are actions
    actions.push(...page.map(({ value }) => parseCanonical(value) as unknown as Action));
    const last = page.at(-1);
    if (last === undefined) break;
    before = last.order;
  }
  void journal.close();
  return actions;
}
