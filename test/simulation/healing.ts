import { AUTHORITY_LIMITS } from '../../src/authority/options.ts';
import { leftOver } from './left-over.ts';
import type { Net } from './contract.ts';
import type { Moves } from './moves.ts';
import { HEALED_WORLD } from './rates.ts';
import type { Stage } from './stage.ts';

/** Milliseconds after which every deadline and every pause has passed, but the time a list waits for its rest. */
const HEALED_AFTER_MS = 150_000;
/** Milliseconds without a row after which nothing goes on by itself: longer than a grace period. */
const QUIET_MS = 15_000;
const STEPS_MAX = 20_000;

/**
 * Faults stop, everything is delivered, time passes. Then nothing may be left over (24): every line it yields is a
 * step, and the last ones are the checks.
 */
export async function* heal(stage: Stage, moves: Moves, net: Net | undefined): AsyncGenerator<string> {
  const { time, world, disk, judge, fail } = stage;
  disk.space = 'free';
  disk.nextError = 'none';
  world.heal(HEALED_WORLD);
  net?.heal();
  yield 'healing';
  yield* restart(moves);
  const restMs = time.nowMs() + HEALED_AFTER_MS + AUTHORITY_LIMITS.restMsMax;
  let [untilMs, seq] = [time.nowMs() + HEALED_AFTER_MS, -1];
  for (let steps = 0; steps < STEPS_MAX; steps++) {
    // One timer can pass all of it, and what it does can begin a pause of its own.
    if (stage.chronicle.seq !== seq) untilMs = Math.max(untilMs, time.nowMs() + QUIET_MS);
    ({ seq } = stage.chronicle);
    const line = moves.goOn() ?? liftStanding(stage, moves) ?? sendRest(moves);
    if (line !== undefined) yield line;
    else if (time.nowMs() >= untilMs && (time.nowMs() >= restMs || !waitsForRest(moves))) break;
    else if (moves.runner.state === 'down') yield `start: ${moves.runner.start(0)}`;
    else if (time.timers > 0) yield `timer: ${time.runTimer()}`;
    else time.pass(HEALED_AFTER_MS);
    if (steps === STEPS_MAX - 1) fail('liveness', `still busy after ${STEPS_MAX} steps`);
  }
  judge.whole();
  for (const left of leftOver(stage, moves)) fail('invariant 24: nothing is left over after healing', left);
  for (const wrong of net?.check({ final: true }) ?? []) fail('net', wrong);
  yield 'healed';
}

/** Does a list wait for a part that nobody sends any more? It is given back in time (DR-11). */
function waitsForRest({ runner }: Moves): boolean {
  return runner.authority?.queue({ all: true }).some(({ gate }) => gate?.code === 'bulk') === true;
}

/** What is damaged is repaired, and what stands in quarantine starts anew. */
async function* restart(moves: Moves): AsyncGenerator<string> {
  const { runner } = moves;
  while (runner.state === 'starting' || runner.state === 'stopping') {
    const line = moves.goOn();
    if (line === undefined) break;
    yield line;
  }
  if (!moves.damaged && !runner.quarantined) return;
  if (runner.state !== 'down') yield `crash: ${runner.crash()}`;
  yield moves.repair();
}

/** Whoever may do everything lets work go on. */
function liftStanding({ chronicle }: Stage, { doors, runner }: Moves): string | undefined {
  const { mode, pauses } = chronicle.standing;
  const [pause] = pauses;
  const [first] = doors;
  if (first === undefined || runner.authority === undefined || first.outbox.length > 0) return undefined;
  if (pause === undefined && mode === 'act') return undefined;
  first.look(runner.authority);
  if (pause === undefined) return first.set('mode', { mode: 'act' });
  return first.set('resume', pause.session === null ? {} : { session: pause.session });
}

function sendRest(moves: Moves): string | undefined {
  const { authority } = moves.runner;
  const sender = moves.doors.find(({ outbox }) => outbox.length > 0);
  if (authority === undefined || sender === undefined) return undefined;
  void sender.send(authority);
  return `${sender.id.slice(-4)} sends the rest`;
}
