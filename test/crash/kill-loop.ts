import { parseCanonical } from '../../src/base/canonical-json.ts';
import { openSqliteJournal } from '../../src/journal/sqlite/index.ts';
import type { Action } from '../../src/model/action.ts';
import { seededRandom } from '../../src/testing/seeded-random.ts';
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
  readonly cycles: number;
  readonly seed: number;
  readonly plant?: Plant;
  /** Cycles after which everything is looked at. */
  readonly every: number;
}

/** Milliseconds: a start takes about forty, so that some kills fall into it. */
const START_MS = 60;
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
  const planted = options.plant === undefined ? {} : { plant: options.plant };
  let seed = options.seed * SEEDS_APART;
  const said: Said[] = [];
  for (let cycle = 1; cycle <= options.cycles; cycle += 1) {
    seed += 1;
    const moment =
      upTo(4) < 1 ? { lines: 0, ms: upTo(START_MS) } : { lines: Math.ceil(upTo(ANSWERS)), ms: upTo(LOAD_MS) };
    const answers = await killedRun(bench, { ...place, seed, ...planted }, moment);
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

async function killedRun({ load }: Bench, order: LoopOrder, { lines, ms }: Moment): Promise<readonly Said[]> {
  let pid = 0;
  let heard = 0;
  let timer: NodeJS.Timeout | undefined;
  const kill = (): void => void (timer = setTimeout(() => process.kill(pid, 'SIGKILL'), ms));
  const { said } = await load.start(order, {
    onStarted: (started) => {
      pid = started;
      if (lines === 0) kill();
    },
    onSaid: () => {
      heard += 1;
      if (heard === lines) kill();
    },
  });
  clearTimeout(timer);
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
