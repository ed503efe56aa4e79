import { performance } from 'node:perf_hooks';
import { inspect } from 'node:util';
import { diceAt } from '../../support/fuzz-dice.ts';
import { TARGETS } from './targets.ts';
import type { Bench, Target } from './target.ts';

export interface MalformedRun {
  readonly seed: number;
  /** Inputs of all targets together. */
  readonly count: number;
  /** One target alone, and the number of its first input: to try one again. */
  readonly only?: string;
  readonly from?: number;
  readonly onProgress: (line: string) => void;
}

export interface MalformedReport {
  readonly inputs: number;
  /** One line an input that did harm, with how to try it again. */
  readonly wrong: readonly string[];
}

/** An input may hold the event loop so long. Collections and other processes hold it, too: the second try counts. */
const INPUT_MS = 50;
/** Inputs between two looks at everything. */
const COMPARED_EVERY = 2_000;
/** A target that fails and fails has told enough. */
const WRONG_MAX = 5;

/** Feeds hostile input to everything that takes some, and sees that nothing comes of it. */
export async function runMalformed({
  count,
  from = 0,
  only,
  onProgress,
  seed,
}: MalformedRun): Promise<MalformedReport> {
  const chosen = TARGETS.filter(({ name }) => only === undefined || name === only);
  // Most inputs are refused by what is thrown, and where it was thrown takes longer to say than to throw it. One that is
  // tried alone says it.
  const stackTraceLimit = Error.stackTraceLimit;
  if (count > 1) Error.stackTraceLimit = 0;
  try {
    return await runTargets(chosen, { count, from, onProgress, seed });
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

async function runTargets(
  chosen: readonly Target<unknown>[],
  { count, from, onProgress, seed }: Required<Omit<MalformedRun, 'only'>>,
): Promise<MalformedReport> {
  const shares = chosen.reduce((sum, { share }) => sum + share, 0);
  const wrong: string[] = [];
  let inputs = 0;
  for (const each of chosen) {
    const until = from + Math.ceil((count * each.share) / shares);
    const cpu = process.cpuUsage();
    const found = await runTarget(each, { seed, from, until });
    wrong.push(...found);
    inputs += until - from;
    const { system, user } = process.cpuUsage(cpu);
    const ms = Math.round((system + user) / 1000);
    onProgress(`${each.name}: ${until - from} inputs, wrong ${found.length}, ${ms} ms of processor time`);
  }
  return { inputs, wrong };
}

async function runTarget(
  each: Target<unknown>,
  { from, seed, until }: { readonly seed: number; readonly from: number; readonly until: number },
): Promise<readonly string[]> {
  const wrong: string[] = [];
  let bench = await each.open();
  for (let index = from; index < until && wrong.length < WRONG_MAX; index += 1) {
    const input = each.make(diceAt(seed, index));
    const last = index % COMPARED_EVERY === COMPARED_EVERY - 1 || index === until - 1;
    const why = (await harmOf(each, bench, input)) ?? (last ? bench.compare() : undefined);
    if (why === undefined) continue;
    wrong.push(`--only ${JSON.stringify(each.name)} --from ${index} --count 1: ${why}\n${JSON.stringify(input)}`);
    await bench.close();
    bench = await each.open();
  }
  await bench.close();
  return wrong;
}

/** What an input does that it should not; `undefined` for nothing. */
export async function harmOf(
  each: Pick<Target<unknown>, 'open'>,
  bench: Bench<unknown>,
  input: unknown,
): Promise<string | undefined> {
  const beganMs = performance.now();
  const why = await saidOf(bench, input);
  if (why !== undefined || performance.now() - beganMs < INPUT_MS) return why;
  const again = await each.open();
  const cpu = process.cpuUsage();
  await saidOf(again, input);
  const { system, user } = process.cpuUsage(cpu);
  await again.close();
  const ms = (user + system) / 1000;
  return ms < INPUT_MS ? undefined : `it takes ${Math.round(ms)} ms`;
}

async function saidOf(bench: Bench<unknown>, input: unknown): Promise<string | undefined> {
  // What nobody waits for would end the process, and say nothing of the input.
  const loose: unknown[] = [];
  const keep = (thrown: unknown): void => void loose.push(thrown);
  for (const event of LOOSE) process.on(event, keep);
  try {
    const why = await bench.feed(input);
    return loose.length === 0 ? why : `it throws, with nobody to catch it: ${inspect(loose[0])}`;
  } catch (thrown) {
    // Whatever it is: the bench lets through what the code under test should have caught.
    return `it throws ${inspect(thrown)}`;
  } finally {
    for (const event of LOOSE) process.off(event, keep);
  }
}

const LOOSE = ['uncaughtException', 'unhandledRejection'] as const;
