// One server of the bench as a process of its own: `sync-peer.mjs NAME FOLDER`. It says its port, and the bytes on its
// wire. JavaScript, and our relay as it is built: a compiler in the process would be in its memory, too.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Server as Hocuspocus } from '@hocuspocus/server';
import { setupWSConnection } from '@y/websocket-server/utils';
import { WebSocketServer } from 'ws';

/** @type {Readonly<Record<string, (folder: string) => Promise<import('node:http').Server>>>} */
const PEERS = { echo, stock, hocuspocus, ours };

const [name = '', folder = ''] = process.argv.slice(2);
const serve = PEERS[name];
if (serve === undefined) throw new Error(`no such peer: ${name}`);
const serving = await serve(folder);
/** @type {Set<import('node:net').Socket>} */
const sockets = new Set();
let endedBytes = 0;
serving.on('connection', (/** @type {import('node:net').Socket} */ socket) => {
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
process.send?.({ port: portOf(serving) });

/** @param {import('node:net').Socket} socket */
function bytesOf(socket) {
  return socket.bytesRead + socket.bytesWritten;
}

/** Hands every message to everybody else in the room, and does nothing with it. */
function echo() {
  /** @type {Map<string | undefined, Set<import('ws').WebSocket>>} */
  const rooms = new Map();
  const upgrades = new WebSocketServer({ noServer: true });
  upgrades.on('connection', (socket, { url }) => {
    const room = rooms.get(url) ?? new Set();
    rooms.set(url, room.add(socket));
    socket.on('close', () => room.delete(socket));
    socket.on('message', (message) => {
      for (const other of room) if (other !== socket) other.send(message);
    });
  });
  return listening(upgrades);
}

/** `@y/websocket-server` as its own program sets it up: nothing is stored. */
function stock() {
  const upgrades = new WebSocketServer({ noServer: true });
  upgrades.on('connection', setupWSConnection);
  return listening(upgrades);
}

/** Without an extension Hocuspocus stores nothing either. */
async function hocuspocus() {
  const server = new Hocuspocus({ port: 0, address: '127.0.0.1', quiet: true });
  await server.listen();
  return server.httpServer;
}

/**
 * Our relay as its own program sets it up: every change is in SQLite, synchronous=FULL, before it is acknowledged.
 *
 * @param {string} store
 */
async function ours(store) {
  const built = new URL('../dist/sync-server/relay.js', import.meta.url).href;
  /** @type {typeof import('../sync-server/relay.ts')} */
  const { openRelay, openSqliteStore } = await import(built);
  const server = createServer();
  await listen(server);
  const relay = await openRelay({
    store: await openSqliteStore(store),
    admission: { open: true, homes: [], tokens: [] },
    origins: [`ws://127.0.0.1:${portOf(server)}`],
    pageOrigins: [],
    onFatal(cause) {
      throw cause;
    },
  });
  server.on('request', (request, response) => {
    if (!relay.handleRequest(request, response)) response.writeHead(404).end();
  });
  server.on('upgrade', (request, socket, head) => relay.handleUpgrade(request, socket, head));
  return server;
}

/** @param {WebSocketServer} upgrades */
async function listening(upgrades) {
  const server = createServer();
  server.on('upgrade', (request, socket, head) => {
    upgrades.handleUpgrade(request, socket, head, (opened) => upgrades.emit('connection', opened, request));
  });
  await listen(server);
  return server;
}

/** @param {import('node:http').Server} server */
async function listen(server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

/** @param {import('node:http').Server} server */
function portOf(server) {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}
