import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { unmasked } from './hostile-frames.ts';

/** A wire between two that trust each other: it hears everything, and it can be cut. */
export interface Wire {
  readonly port: number;
  /** All that went through, both ways, with the masks of WebSockets taken off. */
  heard(): Buffer;
  /** Ends what is open, and takes nothing new until it is mended. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

/** Listens on a port of its own and hands everything to the port of this machine that is named when somebody connects. */
export async function wireTo(portNow: () => number): Promise<Wire> {
  const open = new Set<Socket>();
  const conversations: { readonly up: Buffer[]; readonly down: Buffer[] }[] = [];
  let whole = true;
  const server = createServer((near) => {
    if (!whole) {
      near.destroy();
      return;
    }
    const conversation = { up: [] as Buffer[], down: [] as Buffer[] };
    conversations.push(conversation);
    const far = connect(portNow(), '127.0.0.1');
    join(near, far, conversation.up);
    join(far, near, conversation.down);
    for (const socket of [near, far]) {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the wire has no port');
  const end = (): void => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: address.port,
    heard: () => Buffer.concat(conversations.flatMap(({ down, up }) => [unmasked(up), unmasked(down)])),
    cut() {
      whole = false;
      end();
    },
    mend() {
      whole = true;
    },
    async close() {
      end();
      server.close();
      await once(server, 'close');
    },
  };
}

function join(from: Socket, to: Socket, heard: Buffer[]): void {
  from.on('data', (chunk: Buffer) => {
    heard.push(chunk);
    if (!to.write(chunk)) from.pause();
  });
  to.on('drain', () => from.resume());
  from.on('end', () => to.end());
  // A wire has no opinion on errors: both ends hear of them.
  from.on('error', () => to.destroy());
  from.on('close', () => to.destroy());
}
