import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { assert } from '../../src/base/assert.ts';
import type { ChildOrder } from './crash-order.ts';
import type { Said } from './crash-scenes.ts';
import type { Ended, Starter } from './crash-starter.ts';

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

/** A call of the main thread. */
export interface Point {
  readonly syscall: Syscall;
  /** What it was called on: a path, without the place's own folder; `stdout`, `stderr` or `socket`. */
  readonly on: string;
  /** The how-manieth of its kind on that, counted from the start. */
  readonly nth: number;
  /** The how-manieth of its kind on whatever. */
  readonly n: number;
  /** The call before it, and what that was on. */
  readonly after: string;
}

export interface Aimed {
  readonly fault: Fault;
  readonly at: Point;
}

export interface Traced extends Ended {
  /** Between what the scene called its begin and its end; of a run without a fault, which alone is seen whole. */
  readonly points: readonly Point[];
  /** The call at which the fault was injected. */
  readonly fired: Point | undefined;
  /** The last call of the kind that was meant. */
  readonly last: Point | undefined;
}

/** Absolute: a name looked up on the PATH could be anything. */
const STRACE = '/usr/bin/strace';

/** `undefined`, where strace is not installed or may not trace. */
export function straceVersion(): string | undefined {
  const tried = spawnSync(STRACE, ['-qq', '-o', '/dev/null', 'true'], { timeout: 10_000 });
  if (tried.status !== 0) return undefined;
  return /version (\S+)/.exec(spawnSync(STRACE, ['-V'], { encoding: 'utf8' }).stdout)?.[1];
}

interface TracedStart {
  readonly starter: Starter;
  readonly order: ChildOrder;
  /** Where strace writes. */
  readonly trace: string;
  /** Hears every line at once. */
  readonly onSaid?: ((said: Said) => void) | undefined;
}

/** Starts once and sees it to its end under strace, with a fault at one call. */
export async function traced({ onSaid, order, starter, trace }: TracedStart, aimed?: Aimed): Promise<Traced> {
  const root = dirname(order.state);
  let looking: Looking | undefined;
  const ended = await starter.start(order, {
    onStarted: async (pid) => {
      looking = await attached(pid, ['-o', trace, ...optionsFor(pid, root, aimed)]);
    },
    ...(onSaid === undefined ? {} : { onSaid }),
  });
  await looking?.ended;
  const calls = callsOf(readFileSync(trace, 'utf8'), root);
  if (aimed === undefined) return { ...ended, points: sceneOf(calls), fired: undefined, last: undefined };
  const same = calls.filter(({ point }) => point.syscall === aimed.at.syscall && point.on === aimed.at.on);
  const struck = aimed.fault === 'KILL' ? /= \?$|<unfinished/ : /\(INJECTED\)/;
  return { ...ended, points: [], fired: same.find(({ rest }) => struck.test(rest))?.point, last: same.at(-1)?.point };
}

/**
 * strace counts the calls on one path only, whatever else happens between them. A socket has none, and a path below an
 * open folder is not the same every time: there it counts all calls of the kind, and of one thread, for others write to
 * wake the event loop.
 */
function optionsFor(pid: number, root: string, aimed: Aimed | undefined): readonly string[] {
  const options = ['-y', '-s', '48', '-e', `trace=${SYSCALLS.join(',')}`];
  if (aimed === undefined) return [...options, '-f'];
  const { at, fault } = aimed;
  const path = pathOf(pid, root, at.on);
  const what = fault === 'KILL' ? 'signal=KILL' : `error=${fault}`;
  options.push('-e', `inject=${at.syscall}:${what}:when=${path === undefined ? at.n : at.nth}`);
  return path === undefined ? options : [...options, '-f', '-P', path];
}

function pathOf(pid: number, root: string, on: string): string | undefined {
  if (on === 'socket' || on.startsWith(OPEN_FOLDER)) return undefined;
  const descriptor = STREAMS.indexOf(on);
  if (descriptor !== -1) return readlinkSync(`/proc/${String(pid)}/fd/${String(descriptor)}`);
  return on.startsWith(BELOW) ? join(root, on.slice(BELOW.length)) : on;
}

const STREAMS: readonly string[] = ['stdin', 'stdout', 'stderr'];
/** A path below the place begins so. */
const BELOW = '/.';
/** And so one below a folder that is open, whose number depends on what else is. */
const OPEN_FOLDER = '/proc/self/fd/*';

interface Looking {
  readonly ended: Promise<void>;
}

/** Resolves when strace sees every call. */
function attached(pid: number, options: readonly string[]): Promise<Looking> {
  const strace = spawn(STRACE, [...options, '-p', String(pid)], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise<void>((resolve) => void strace.on('close', () => resolve()));
  return new Promise((resolve, reject) => {
    let told = '';
    strace.stderr.on('data', (part: Buffer) => {
      told += part.toString();
      if (told.includes(' attached')) resolve({ ended });
    });
    strace.on('error', reject);
    strace.on('close', () => reject(new Error(`strace did not attach: ${told}`)));
  });
}

const CALL = /^(?:(\d+) +)?([a-z0-9]+)\((.*)$/;
const ON = /^(?:(\d+)<([^>]*)>|"([^"]*)")/;

interface Call {
  readonly point: Point;
  readonly rest: string;
}

function sceneOf(calls: readonly Call[]): readonly Point[] {
  const begin = calls.findIndex(({ rest }) => rest.includes('\\"say\\":\\"begin\\"'));
  const end = calls.findIndex(({ rest }) => rest.includes('\\"say\\":\\"end\\"'));
  const within = begin === -1 ? [] : calls.slice(begin + 1, end === -1 ? undefined : end);
  return within.map(({ point }) => point).filter(({ on }) => on !== WAKE);
}

/** The event loop waking itself, which happens when the machine likes. */
const WAKE = 'wake';

/** What the main thread called, in order. */
function callsOf(text: string, root: string): readonly Call[] {
  const lines = text.split('\n').flatMap((line) => {
    const [, thread = '', name, rest = ''] = CALL.exec(line) ?? [];
    return name === undefined ? [] : [{ thread, name, rest }];
  });
  const counts = new Map<string, number>();
  const counted = (key: string): number => {
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count;
  };
  let after = '';
  return lines.flatMap(({ thread, name, rest }) => {
    const syscall = SYSCALLS.find((each) => each === name);
    if (syscall === undefined) return [];
    const on = calledOn(rest, root);
    const main = thread === lines[0]?.thread;
    assert(main || on === WAKE, `only the main thread touches files, and another called ${name} on ${on}`);
    if (!main) return [];
    const point = { syscall, on, nth: counted(`${syscall} ${on}`), n: counted(syscall), after };
    after = `${syscall} ${on}`;
    return [{ point, rest }];
  });
}

function calledOn(rest: string, root: string): string {
  const [, descriptor = '', open, path = ''] = ON.exec(rest) ?? [];
  const on = open ?? path;
  const stream = STREAMS[Number(descriptor || NaN)];
  if (stream !== undefined) return stream;
  if (on.startsWith('socket:')) return 'socket';
  if (on.startsWith('anon_inode:')) return WAKE;
  if (on.startsWith(`${root}/`)) return BELOW + on.slice(root.length);
  return on.replace(/^\/proc\/self\/fd\/\d+/, OPEN_FOLDER);
}
