import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bare, hocuspocus, stock } from './sync-dialect.ts';
import { introduce, type BenchAccess } from './sync-ours.ts';
import { openSocket, type BenchSocket } from './sync-socket.ts';

export const SIDES = ['echo', 'stock', 'hocuspocus', 'ours'] as const;
export type SideName = (typeof SIDES)[number];

export const TITLES: Readonly<Record<SideName, string>> = {
  echo: 'raw ws echo',
  stock: '@y/websocket-server 0.1.1 in memory',
  hocuspocus: 'Hocuspocus 3.4.4 in memory',
  ours: 'our relay, SQLite FULL',
};

/** One server in a process of its own, and the sockets of those who use it. */
export interface Side {
  readonly name: SideName;
  /** Who may write the room, and who may read it; `at` names one of a few rooms. */
  open(who: 'home' | 'device', at: number): Promise<BenchSocket>;
  /** Bytes on the server's wire since it started: both ways, HTTP included. */
  wireBytes(): Promise<number>;
  /** Resident memory now, in bytes. */
  memoryBytes(): Promise<number>;
  end(): Promise<void>;
}

/** `rooms`: how many of them are used. A home names all of them to everybody who comes. */
export async function startSide(name: SideName, folder: string, rooms: number): Promise<Side> {
  const child = fork(join(import.meta.dirname, '..', 'sync-peer.mjs'), [name, folder], {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const { port = 0 } = await answerOf(child);
  const access = name === 'ours' ? await introduce(port, rooms) : undefined;
  return {
    name,
    open: (who, at) => open({ name, port, access, who, at }),
    async wireBytes() {
      child.send('bytes');
      return (await answerOf(child)).bytes ?? 0;
    },
    memoryBytes: async () => {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      return 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]);
    },
    async end() {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

interface Opening {
  readonly name: SideName;
  readonly port: number;
  readonly access: BenchAccess | undefined;
  readonly who: 'home' | 'device';
  readonly at: number;
}

async function open({ name, port, access, who, at }: Opening): Promise<BenchSocket> {
  const room = access?.room(at) ?? `room-${at}`;
  const protocols = access === undefined ? [] : await access.protocols(who, room);
  const dialect = name === 'echo' ? bare : name === 'hocuspocus' ? hocuspocus(room) : stock;
  return openSocket({ url: `ws://127.0.0.1:${port}/${room}`, protocols, dialect });
}

/** What the child says next, or that it ended. */
async function answerOf(child: ChildProcess): Promise<{ readonly port?: number; readonly bytes?: number }> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the server ended with ${String(code)}`);
  });
  const [message] = await Promise.race([once(child, 'message'), ended]);
  // reason: sync-peer.mjs says nothing else
  return message as { readonly port?: number; readonly bytes?: number };
}
