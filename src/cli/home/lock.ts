import { createConnection, createServer, type Server } from 'node:net';
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CountersignError, messageOf } from '../../base/errors.ts';
import type { FolderIdentity } from '../state/workspace-place.ts';
import { codeOf } from '../state/node-errors.ts';
import { makePrivateDir } from '../state/folder.ts';

const LOCK_LIMITS = {
  /** Milliseconds a holder has to say who it is. A stopped one never does and still holds. */
  answerMsMax: 1_000,
  /** Bytes of that answer: one line with paths in it. */
  answerBytesMax: 16 * 1024,
} as const;

/**
 * Bytes of an abstract socket name. Older libuv binds all of `sun_path`, newer only what was given: a name that
 * fills it is the same name for both, so that homes under different Node versions still meet.
 */
const ABSTRACT_NAME_BYTES = 108;

/** Who holds a folder, in its own words. */
export interface Holder {
  readonly homeId: string;
  readonly pid: number;
  readonly stateDir: string;
  /** Real path of the folder that is held. */
  readonly root: string;
}

export type LockPurpose = 'home' | 'workspace';

/** A folder held by this process until `release`, or until the kernel sees the process end. */
export interface FolderLock {
  release(): Promise<void>;
}

export type Locked =
  | { readonly type: 'held'; readonly lock: FolderLock }
  /** `holder` is `null` when it does not answer. */
  | { readonly type: 'taken'; readonly holder: Holder | null };

/** Takes the lock of a folder, or says who has it (DR-7). Independent of path spelling and of the state folder. */
export async function lockFolder(purpose: LockPurpose, folder: FolderIdentity, self: Holder): Promise<Locked> {
  const name = await lockName(purpose, folder);
  const line = `${JSON.stringify(self)}\n`;
  if (process.platform === 'linux' || process.platform === 'win32') return listenOrAsk(name, line);
  return withTakeoverGate(name, async () => {
    const first = await listenOrAsk(name, line);
    if (first.type === 'held' || first.holder !== null || (await answers(name))) return first;
    // A socket file that refuses connections belongs to nobody: its process has ended.
    await rm(name, { force: true });
    return listenOrAsk(name, line);
  });
}

/** Who holds this folder now; `undefined` when nobody does. */
export async function holderOf(purpose: LockPurpose, folder: FolderIdentity): Promise<Holder | null | undefined> {
  return askHolder(await lockName(purpose, folder));
}

/** Who listens on this socket; `undefined` when nobody does, `null` when it says nothing in time. */
export function askHolder(name: string): Promise<Holder | null | undefined> {
  return new Promise((resolve) => {
    const socket = createConnection(name);
    let text = '';
    const end = (holder: Holder | null | undefined): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(holder);
    };
    const timer = setTimeout(() => end(null), LOCK_LIMITS.answerMsMax);
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('\n') || text.length > LOCK_LIMITS.answerBytesMax) end(parseHolder(text));
    });
    socket.on('end', () => end(parseHolder(text)));
    socket.on('error', (error) => end(isNobody(error) ? undefined : null));
  });
}

/** The sentence for a person who wanted a folder that is taken. */
export function takenSentence(root: string, holder: Holder | null): string {
  if (holder === null) {
    return `${root} is guarded by another home that does not answer (it may be stopped); end that process first.`;
  }
  return `${root} is guarded by home ${holder.homeId} (process ${holder.pid}, state ${holder.stateDir}).`;
}

async function listenOrAsk(name: string, line: string): Promise<Locked> {
  // A holder may end between our bind and our question: then the name is free again, and we ask for it again.
  for (let tries = 0; tries < 3; tries++) {
    const server = await listen(name, line);
    if (server !== undefined) return { type: 'held', lock: { release: () => closeServer(server) } };
    const holder = await askHolder(name);
    if (holder !== undefined) return { type: 'taken', holder };
  }
  return { type: 'taken', holder: null };
}

/** `undefined` when the name is taken. */
function listen(name: string, line: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      // A visitor that leaves early is no concern of ours.
      socket.on('error', () => socket.destroy());
      socket.end(line);
    });
    server.once('error', (cause) => {
      if (codeOf(cause) === 'EADDRINUSE') return resolve(undefined);
      reject(new CountersignError('storage', `The folder cannot be locked: ${messageOf(cause)}.`, { cause }));
    });
    server.listen({ path: name }, () => resolve(server));
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

async function answers(name: string): Promise<boolean> {
  return (await askHolder(name)) !== undefined;
}

function isNobody(error: Error): boolean {
  const code = codeOf(error);
  return code === 'ECONNREFUSED' || code === 'ENOENT';
}

function parseHolder(text: string): Holder | null {
  try {
    // reason: checked member by member below
    const value = JSON.parse(text.split('\n', 1)[0] ?? '') as Partial<Record<keyof Holder, unknown>> | null;
    const { homeId, pid, stateDir, root } = value ?? {};
    if (typeof homeId !== 'string' || typeof pid !== 'number') return null;
    if (typeof stateDir !== 'string' || typeof root !== 'string') return null;
    return { homeId, pid, stateDir, root };
  } catch {
    // Not JSON: whoever holds the name does not speak our words, and still holds it.
    return null;
  }
}

async function lockName(purpose: LockPurpose, folder: FolderIdentity): Promise<string> {
  const name = `countersign-${purpose}-${folder.dev}-${folder.ino}`;
  if (process.platform === 'linux') return `\0${name}`.padEnd(ABSTRACT_NAME_BYTES, '\0');
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`;
  const dir = join(tmpdir(), `countersign-${process.getuid?.() ?? 0}`);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await makePrivateDir(dir);
  return join(dir, `${name}.sock`);
}

/**
 * Where sockets are files, a dead holder's file must be removed before a new one can be made, and two that do so at
 * once would remove each other's. A database lock, which the kernel frees, lets one in at a time.
 */
async function withTakeoverGate<T>(name: string, task: () => Promise<T>): Promise<T> {
  const { default: Database } = await import('better-sqlite3');
  const gate = new Database(`${name}.gate`, { timeout: 10_000 });
  try {
    gate.exec('BEGIN EXCLUSIVE');
    return await task();
  } finally {
    gate.close();
  }
}
