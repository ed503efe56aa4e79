import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { assert } from '../../src/base/assert.ts';
import type { Program } from './crash-build.ts';
import type { ChildOrder } from './crash-order.ts';
import type { Said } from './crash-scenes.ts';

/** Calls at which a process is killed or lied to: all that change what a disk holds. */
export const SYSCALLS = [
  'write',
  'pwrite64',
  'fsync',
  'fdatasync',
  'ftruncate',
  'rename',
  'link',
  'unlink',
  'mkdir',
  'rmdir',
] as const;
export type Syscall = (typeof SYSCALLS)[number];

export type Fault = 'KILL' | 'EIO' | 'ENOSPC';

/** The n-th call of its kind in the main thread, counted from the start of the process as strace does. */
export interface Point {
  readonly syscall: Syscall;
  readonly n: number;
  /** The same without the event loop waking itself, which happens when the machine likes. */
  readonly ordinal: number;
  /** What it was called on: the path of a descriptor, or the first path. */
  readonly on: string;
  /** The call before it, and what that was on. */
  readonly after: string;
}

export interface Traced {
  /** Between what the scene called its begin and its end. */
  readonly points: readonly Point[];
  readonly said: readonly Said[];
  readonly exit: number | 'killed';
  /** The call at which the fault was injected. */
  readonly fired: Point | undefined;
  /** The call that was meant, where this run got to it. */
  readonly meant: Point | undefined;
  readonly stderr: string;
}

/** Absolute: a name looked up on the PATH could be anything. */
const STRACE = '/usr/bin/strace';

/** `undefined`, where strace is not installed or may not trace. */
export function straceVersion(): string | undefined {
  const tried = spawnSync(STRACE, ['-qq', '-o', '/dev/null', 'true'], { timeout: 10_000 });
  if (tried.status !== 0) return undefined;
  return /version (\S+)/.exec(spawnSync(STRACE, ['-V'], { encoding: 'utf8' }).stdout)?.[1];
}

interface TracedChild {
  readonly child: Program;
  readonly order: ChildOrder;
  /** Where strace writes. */
  readonly trace: string;
  /** Hears every line at once. */
  readonly onSaid?: ((said: Said) => void) | undefined;
}

/** Runs a child to its end under strace, with a fault at one call. */
export async function traced(
  { child, onSaid, order, trace }: TracedChild,
  fault?: { readonly fault: Fault; readonly at: Point },
): Promise<Traced> {
  // Stops only at the calls that are traced, in all threads. A signal cannot be sent from such a stop; and other threads
  // write, to wake the event loop, which is nobody's fault to see.
  const everywhere = fault?.fault !== 'KILL' && fault?.at.syscall !== 'write';
  const options = ['-qq', '-y', '-s', '48', '-o', trace, '-e', `trace=${SYSCALLS.join(',')}`];
  if (everywhere) options.push('-f', '--seccomp-bpf');
  if (fault !== undefined) options.push('-e', injection(fault));
  const running = spawn(STRACE, [...options, process.execPath, ...child, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // One thread for what is not synchronous: strace counts calls a thread, and the drain makes them in the main one.
    env: { ...process.env, UV_THREADPOOL_SIZE: '1' },
  });
  let stderr = '';
  running.stderr.on('data', (part: Buffer) => (stderr += part.toString()));
  const ended = new Promise<number | 'killed'>((resolve) =>
    running.on('close', (code, signal) => resolve(signal === null ? (code ?? 0) : 'killed')),
  );
  const said = await linesOf(running.stdout, onSaid);
  const exit = await ended;
  return { ...readTrace(readFileSync(trace, 'utf8'), fault), said, exit, stderr };
}

function injection({ at, fault }: { readonly fault: Fault; readonly at: Point }): string {
  return `inject=${at.syscall}:${fault === 'KILL' ? 'signal=KILL' : `error=${fault}`}:when=${at.n}`;
}

/** A line that a kill has cut is not said. */
async function linesOf(
  stream: NodeJS.ReadableStream,
  onSaid: (said: Said) => void = () => undefined,
): Promise<readonly Said[]> {
  const said: Said[] = [];
  for await (const line of createInterface({ input: stream })) {
    if (!line.endsWith('}')) continue;
    // reason: written by the child, a program of ours
    const each = JSON.parse(line) as Said;
    said.push(each);
    onSaid(each);
  }
  return said;
}

const CALL = /^(?:(\d+) +)?([a-z0-9]+)\((.*)$/;
const ON = /^(?:(\d+)<([^>]*)>|"([^"]*)")/;

function readTrace(
  text: string,
  fault: { readonly fault: Fault; readonly at: Point } | undefined,
): Pick<Traced, 'points' | 'fired' | 'meant'> {
  const calls = callsOf(text);
  const begin = calls.findIndex(({ rest }) => rest.includes('\\"say\\":\\"begin\\"'));
  const end = calls.findIndex(({ rest }) => rest.includes('\\"say\\":\\"end\\"'));
  const within = begin === -1 ? [] : calls.slice(begin + 1, end === -1 ? undefined : end);
  const real = within.filter(({ point }) => !isWake(point));
  const points = real.map(({ point }) => point);
  if (fault === undefined) return { points, fired: undefined, meant: undefined };
  const { at, fault: what } = fault;
  const struck = what === 'KILL' ? /= \?$|<unfinished/ : /\(INJECTED\)/;
  const fired = calls.find(({ point, rest }) => point.syscall === at.syscall && struck.test(rest))?.point;
  const meant = points.find((point) => point.syscall === at.syscall && point.ordinal === at.ordinal);
  return { points, fired, meant };
}

interface Call {
  readonly point: Point;
  readonly rest: string;
}

/** What the main thread called, in order. */
function callsOf(text: string): readonly Call[] {
  const lines = text.split('\n').flatMap((line) => {
    const [, thread = '', name, rest = ''] = CALL.exec(line) ?? [];
    return name === undefined ? [] : [{ thread, name, rest }];
  });
  const counts = new Map<Syscall, { readonly n: number; readonly ordinal: number }>();
  let after = '';
  return lines.flatMap(({ thread, name, rest }) => {
    const syscall = SYSCALLS.find((each) => each === name);
    if (syscall === undefined) return [];
    const [, descriptor, open, path] = ON.exec(rest) ?? [];
    const on = descriptor === '1' ? 'stdout' : (open ?? path ?? '');
    const main = thread === lines[0]?.thread;
    assert(main || isWake({ on }), `only the main thread touches files, and another called ${name} on ${on}`);
    if (!main) return [];
    const { n, ordinal } = counts.get(syscall) ?? { n: 0, ordinal: 0 };
    const point = { syscall, on, n: n + 1, ordinal: isWake({ on }) ? ordinal : ordinal + 1, after };
    after = `${syscall} ${on}`;
    counts.set(syscall, point);
    return [{ point, rest }];
  });
}

/** The event loop waking itself. */
export function isWake({ on }: Pick<Point, 'on'>): boolean {
  return on.startsWith('anon_inode:');
}
