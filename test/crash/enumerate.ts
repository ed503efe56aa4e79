import { join } from 'node:path';
import { STOPPED_CODE, type ChildOrder } from '../support/crash-order.ts';
import type { CrashPlace } from '../support/crash-home.ts';
import { NEWER_SCHEMA } from '../support/crash-newer-schema.ts';
import type { Plant } from '../support/crash-plants.ts';
import type { Said } from '../support/crash-scenes.ts';
import { sinkQuiet } from '../support/crash-sink-client.ts';
import { traced, type Aimed, type Fault, type Point, type Traced } from '../support/crash-strace.ts';
import type { Bench } from './bench-place.ts';
import type { Fate } from './ends.ts';
import { judge } from './judge.ts';
import { judgePublished } from './judge-published.ts';
import { CrashWindow } from './window.ts';
import type { Scenario } from './scenarios.ts';

export interface Enumeration {
  readonly scenario: Scenario;
  readonly points: readonly Point[];
  readonly tried: Readonly<Record<Fault, number>>;
  /** Cases that ended with something in doubt, shown as such. */
  readonly doubts: number;
  /** Cases that struck the call before or after the one that was meant: where how often it comes is not determined. */
  readonly beside: number;
  /** One line for each broken promise, with what replays it. */
  readonly wrong: readonly string[];
}

interface Tools {
  readonly plant?: Plant;
  /** Only cases whose name, as a failure gives it, holds this. */
  readonly cases?: RegExp;
  /** Of those every `stride`-th. */
  readonly stride: number;
}

/** Runs a scenario once to see its calls, and then once for every call and fault. Workers share the cases. */
export async function enumerate(scenario: Scenario, benches: readonly Bench[], tools: Tools): Promise<Enumeration> {
  const [first] = benches;
  if (first === undefined) throw new Error('An enumeration has at least one worker.');
  const clean = await run(scenario, { bench: first, tools });
  const { points } = clean;
  const cases = points.flatMap((at) => faultsOf(at).map((fault): Aimed => ({ at, fault })));
  const named = cases.filter((each) => tools.cases?.test(nameOf(each)) ?? true);
  const chosen = named.filter((_, index) => index % tools.stride === 0);
  const wrong = points.length === 0 || clean.exit !== 0 ? [`${scenario.name}: ${notClean(clean)}`] : [];
  if (tools.plant === undefined) wrong.push(...(await unlikeCold(scenario, points, { bench: first, tools })));
  let doubts = 0;
  let beside = 0;
  const next = chosen.values();
  const work = async (bench: Bench): Promise<void> => {
    for (const each of next) {
      const found = await tryCase(scenario, each, { bench, tools });
      wrong.push(...found.wrong.map((what) => `${scenario.name}, ${nameOf(each)}: ${what}`));
      doubts += Number(found.doubts > 0);
      beside += Number(found.beside);
    }
  };
  await Promise.all(benches.map(work));
  const tried = { KILL: 0, EIO: 0, ENOSPC: 0 };
  for (const { fault } of chosen) tried[fault] += 1;
  return { scenario, points, tried, doubts, beside, wrong };
}

function notClean({ exit, said, stderr }: Traced): string {
  return `the clean run ended with ${exit} after ${JSON.stringify(said.at(-1))} ${stderr.slice(0, 300)}`;
}

function nameOf({ at, fault }: Aimed): string {
  return `${fault} at ${at.syscall} ${at.nth} on ${at.on.replace(/^.*\//, '')}`;
}

/** A warm start does what one from nothing does, call for call; sockets aside, where that is not determined. */
async function unlikeCold(scenario: Scenario, warm: readonly Point[], use: Use): Promise<readonly string[]> {
  if (scenario.window !== undefined) return [];
  const cold = await run(scenario, { ...use, cold: true });
  await use.bench.clear(cold.place);
  const named = (points: readonly Point[]): string => points.map(({ on, syscall }) => `${syscall} ${on}`).join('\n');
  return named(cold.points) === named(warm) ? [] : [`${scenario.name}: a start from nothing makes other calls`];
}

/** Errors are for disks; a full disk refuses what takes space, and a flush can find out late that there was none. */
function faultsOf({ on, syscall }: Point): readonly Fault[] {
  if (!on.startsWith('/')) return ['KILL'];
  return syscall === 'unlink' || syscall === 'rmdir' ? ['KILL', 'EIO'] : ['KILL', 'EIO', 'ENOSPC'];
}

interface Use {
  readonly bench: Bench;
  readonly tools: Tools;
}

interface Tried {
  readonly wrong: readonly string[];
  readonly doubts: number;
  readonly beside: boolean;
}

async function tryCase(scenario: Scenario, each: Aimed, use: Use): Promise<Tried> {
  const done = await struck(scenario, { ...use, each });
  try {
    const beside = done.fired?.nth !== each.at.nth;
    if (done.fired === undefined || (beside && scenario.window === undefined))
      return { wrong: ['the fault was never injected'], doubts: 0, beside: false };
    const ports = scenario.scene === 'migrate' ? { schema: NEWER_SCHEMA } : undefined;
    const place = { ...done.place, seed: done.place.seed + 1, ...blindRetry(use.tools) };
    const shown = scenario.window === undefined ? [] : await judgePublished(place, done.window);
    const judged = await judge(
      { ...place, seed: place.seed + 1 },
      {
        said: [...done.said, ...(done.window?.said ?? [])],
        fate: fateOf(each),
        ...(ports === undefined ? {} : { ports }),
      },
    );
    return { wrong: [...wrongEndOf(each, done), ...shown, ...judged.wrong], doubts: judged.doubts, beside };
  } finally {
    await use.bench.clear(done.place);
  }
}

/**
 * Runs until the fault struck the call that was meant, or in the end one beside it: how often a socket is written to, and
 * what is gathered into one write of the relay's database, is not the same every time.
 */
async function struck(scenario: Scenario, use: Use & { readonly each: Aimed }): Promise<Run> {
  const { at: meant, fault } = use.each;
  let at = meant;
  for (let tries = 1; ; tries += 1) {
    const done = await run(scenario, { ...use, each: { fault, at } });
    const enough = done.fired !== undefined && (done.fired.nth === meant.nth || tries >= BESIDE_AFTER);
    if (enough || tries === TRIES_MAX) return done;
    await use.bench.clear(done.place);
    at = nearer(at, meant, done);
  }
}

/** Where to strike next time. Of a run that never came so far, the last call is struck. */
function nearer(at: Point, meant: Point, { fired, last }: Traced): Point {
  if (fired === undefined) return last ?? at;
  return { ...at, n: Math.max(1, at.n + meant.nth - fired.nth) };
}

/** Runs after which a neighbour of the call that was meant is as good. */
const BESIDE_AFTER = 3;
const TRIES_MAX = 8;

function fateOf({ at, fault }: Aimed): Fate {
  if (fault === 'KILL') return 'killed';
  return at.on.includes('/state') ? 'state-fault' : 'files-fault';
}

const FLUSHES: ReadonlySet<string> = new Set(['fsync', 'fdatasync']);
const WRITES: ReadonlySet<string> = new Set(['write', 'pwrite64']);

/** How the process itself must have ended (EF-5, F2). */
function wrongEndOf({ at, fault }: Aimed, { exit, said, stderr }: Traced): readonly string[] {
  if (fault === 'KILL') return exit === 'killed' ? [] : [`it was not killed, but ended with ${exit}`];
  if (exit !== 0 && exit !== STOPPED_CODE)
    return [`it ended with ${exit} and did not say why: ${stderr.slice(0, 300)}`];
  const stopped = said.findIndex((each) => each.say === 'stopped');
  if (exit === STOPPED_CODE && stopped === -1) return ['it stopped without a word'];
  if (stopped !== -1 && stopped !== said.length - 1) return ['it went on after it had said that it stops'];
  if (!at.on.includes('/state')) return exit === 0 ? [] : ['a fault below the files stopped the runtime'];
  const runs = said.some((each) => each.say === 'ready');
  if (fault === 'ENOSPC' && WRITES.has(at.syscall) && runs && exit !== 0) return ['a full disk stopped the runtime'];
  // SQLite syncs the folder right after its own file, and does not listen; whoever opened the database has done it already.
  const unheard = at.syscall === 'fsync' && /\/state(-home|-relay)?$/.test(at.on) && at.after.startsWith('fsync ');
  if (FLUSHES.has(at.syscall) && !unheard) return exit === STOPPED_CODE ? [] : ['a flush failed, and it went on'];
  return [];
}

function blindRetry({ plant }: Tools): { readonly blindRetry?: true } {
  return plant === 'blind-retry' ? { blindRetry: true } : {};
}

interface Run extends Traced {
  readonly place: CrashPlace;
  /** What it was told outlives it. */
  readonly window: CrashWindow | undefined;
}

async function run(
  scenario: Scenario,
  { bench, cold, each, tools }: Use & { readonly each?: Aimed; readonly cold?: true },
): Promise<Run> {
  const template = scenario.prelude === undefined ? undefined : await templateOf(scenario, bench);
  const place = await bench.fresh('case', template);
  const order: ChildOrder = {
    ...place,
    scene: scenario.scene,
    ...(scenario.limits === undefined ? {} : { limits: scenario.limits }),
    ...(tools.plant === undefined ? {} : { plant: tools.plant }),
    ...blindRetry(tools),
  };
  let window: Promise<CrashWindow> | undefined;
  const opens = (said: Said): void => {
    if (said.say === 'ready' && scenario.window !== undefined)
      window = CrashWindow.open(place, { decides: scenario.window === 'decides' });
  };
  const starter = cold === true ? bench.scenes.cold : bench.scenes.warm;
  const done = await traced({ starter, order, trace: join(bench.folder, 'trace'), onSaid: opens }, each);
  await sinkQuiet(bench.port);
  const open = await window;
  await open?.close();
  return { ...done, place, window: open };
}

const templates = new WeakMap<Bench, Map<string, CrashPlace>>();

/** What the run before has left, made once a worker: it dies where the scenario says. */
async function templateOf({ name, prelude }: Scenario, bench: Bench): Promise<CrashPlace> {
  const made = templates.get(bench) ?? new Map<string, CrashPlace>();
  templates.set(bench, made);
  const known = made.get(name);
  if (known !== undefined || prelude === undefined) return known ?? (await bench.fresh('template'));
  const scenario: Scenario = { name: `before ${name}`, scene: prelude.scene };
  const healthy = { stride: 1 };
  const whole = await run(scenario, { bench, tools: healthy });
  let { place } = whole;
  if (prelude.dies !== undefined) {
    const at = prelude.dies(whole.points);
    if (at === undefined) throw new Error(`${name}: the run before it has no such call.`);
    const killed = await struck(scenario, { bench, tools: healthy, each: { fault: 'KILL', at } });
    if (killed.fired?.nth !== at.nth) throw new Error(`${name}: the run before it was not killed.`);
    await bench.clear(place);
    ({ place } = killed);
  }
  made.set(name, place);
  return place;
}
