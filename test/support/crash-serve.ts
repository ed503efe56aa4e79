/**
 * Plays what it is ordered to on its standard input, every order in a process of its own. The program is loaded and has
 * played once before that, so that a start costs a fork: the crash proofs start thousands of times, and loading and
 * compiling are three quarters of a start. `node PROGRAM ADDON WARM-UP`; without a warm-up it plays one order itself.
 */
import { readSync, writeSync } from 'node:fs';
import { assert } from '../../src/base/assert.ts';
import { GO, type Told } from './crash-order.ts';

/** What `crash-fork.c` exports. */
interface Forking {
  readonly awaitEnd: () => number;
  readonly end: (code: number) => never;
  readonly fork: () => number;
  readonly traceable: () => number;
}

const STDIN = 0;
const STDOUT = 1;

export async function serve<Order>(play: (order: Order) => Promise<void>): Promise<void> {
  const [, , addon = '', warmUp = ''] = process.argv;
  const forking = addon === '' ? undefined : loaded(addon);
  // reason, here and below: written by the harness, a program of ours
  if (forking !== undefined && warmUp !== '') {
    await play(JSON.parse(warmUp) as Order);
    await forkedFor(forking, play);
    return;
  }
  forking?.traceable();
  const line = nextLine();
  if (line === undefined) return;
  tell({ tell: 'started', pid: process.pid });
  await begun(() => play(JSON.parse(line) as Order));
}

async function forkedFor<Order>(forking: Forking, play: (order: Order) => Promise<void>): Promise<void> {
  for (let line = nextLine(); line !== undefined; line = nextLine()) {
    // Meant for one that was killed before it read it.
    if (line === GO) continue;
    const pid = forking.fork();
    assert(pid >= 0, 'there is room for one more process');
    if (pid === 0) {
      forking.traceable();
      Object.assign(process, { reallyExit: forking.end });
      const order = JSON.parse(line) as Order;
      return begun(() => play(order));
    }
    tell({ tell: 'started', pid });
    tell({ tell: 'ended', status: forking.awaitEnd() });
  }
}

/** Whoever started it may want to look at it first. */
async function begun(play: () => Promise<void>): Promise<void> {
  if (nextLine() === GO) await play();
}

function loaded(addon: string): Forking {
  const module = { exports: {} };
  process.dlopen(module, addon);
  // reason: what `crash-fork.c` exports
  return module.exports as Forking;
}

/** On a line of its own, whatever a kill has cut before it. */
function tell(told: Told): void {
  writeSync(STDOUT, `\n${JSON.stringify(told)}\n`);
}

/** Byte by byte: the next line is for whichever process reads it. */
function nextLine(): string | undefined {
  const byte = Buffer.alloc(1);
  let line = '';
  while (readSync(STDIN, byte) === 1) {
    const each = byte.toString('latin1');
    if (each === '\n') return line;
    line += each;
  }
  return undefined;
}
