// One server of the bench as a process of its own: `sync-peer.ts NAME FOLDER`. It says its port, and the bytes on its wire.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { Server as Hocuspocus } from '@hocuspocus/server';
import { setupWSConnection } from '@y/websocket-server/utils';
import { WebSocketServer, type WebSocket } from 'ws';
import { serveOurs } from './lib/sync-peer-ours.ts';

const PEERS: Readonly<Record<string, (folder: string) => Promise<Server>>> = {
  echo,
  stock,
  hocuspocus,
  ours: serveOurs,
};

const [name = '', folder = ''] = process.argv.slice(2);
const serve = PEERS[name];
if (serve === undefined) throw new Error(`no such peer: ${name}`);
const serving = await serve(folder);
const sockets = new Set<Socket>();
let endedBytes = 0;
serving.on('connection', (socket: Socket) => {
  sockets.add(socket);
  socket.once('close', () => {
    sockets.delete(socket);
    endedBytes += bytesOf(socket);
  });
});
process.on('message', () =>
  process.send?.({ bytes: [...sockets].reduce((sum, each) => sum + bytesOf(each), endedBytes) }),
);
process.on('disconnect', () => process.exit(0));
const address = serving.address();
if (address === null || typeof address === 'string') throw new Error('the server has no port');
process.send?.({ port: address.port });

function bytesOf(socket: Socket): number {
  return socket.bytesRead + socket.bytesWritten;
}

/** Hands every message to everybody else in the room, and does nothing with it. */
function echo(): Promise<Server> {
  const rooms = new Map<string | undefined, Set<WebSocket>>();
  return welcoming((socket, url) => {
    const room = rooms.get(url) ?? new Set();
    rooms.set(url, room.add(socket));
    socket.on('close', () => room.delete(socket));
    socket.on('message', (message) => {
      for (const other of room) if (other !== socket) other.send(message);
    });
  });
}

/** `@y/websocket-server` as its own program sets it up: nothing is stored. */
async function stock(): Promise<Server> {
  const upgrades = new WebSocketServer({ noServer: true });
  upgrades.on('connection', setupWSConnection);
  return listening(upgrades);
}

/** Without an extension Hocuspocus stores nothing either. */
async function hocuspocus(): Promise<Server> {
  const server = new Hocuspocus({ port: 0, address: '127.0.0.1', quiet: true });
  await server.listen();
  return server.httpServer;
}

function welcoming(welcome: (socket: WebSocket, url: string | undefined) => void): Promise<Server> {
  const upgrades = new WebSocketServer({ noServer: true });
  upgrades.on('connection', (socket, { url }) => welcome(socket, url));
  return listening(upgrades);
}

async function listening(upgrades: WebSocketServer): Promise<Server> {
  const server = createServer();
  server.on('upgrade', (request, socket, head) => {
    upgrades.handleUpgrade(request, socket, head, (opened) => upgrades.emit('connection', opened, request));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
