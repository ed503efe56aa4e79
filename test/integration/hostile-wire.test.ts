import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { wireTo } from '../support/hostile-wire.ts';

/** The ear of the proof that nothing readable leaves the runtime, seen to hear: what it misses would prove anything. */
async function echoBehindWire() {
  const server = createServer((request, response) => response.end(`you asked for ${request.url}`));
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => socket.on('message', (data: Buffer) => socket.send(`heard ${data.toString()}`)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const wire = await wireTo(() => address.port);
  onTestFinished(async () => {
    await wire.close();
    server.closeAllConnections();
    server.close();
  });
  return wire;
}

test('a wire hears requests, answers and the frames of both sides, masked or not, of every length', async () => {
  const wire = await echoBehindWire();
  await fetch(`http://127.0.0.1:${wire.port}/canary-in-a-path`, { headers: { 'x-say': 'canary-in-a-header' } });
  const socket = new WebSocket(`ws://127.0.0.1:${wire.port}/`);
  await once(socket, 'open');
  for (const size of [1, 200, 70_000]) {
    socket.send(`canary-of-${size}${'.'.repeat(size)}`);
    await once(socket, 'message');
  }
  const heard = wire.heard().toString('latin1');
  for (const said of ['you asked for /canary-in-a-path', 'canary-in-a-header', 'heard canary-of-1'])
    expect(heard).toContain(said);
  for (const size of [1, 200, 70_000]) expect(heard.split(`canary-of-${size}.`).length - 1, `${size}`).toBe(2);
});

test('a wire that is cut carries nothing, and carries again once it is mended', async () => {
  const wire = await echoBehindWire();
  const socket = new WebSocket(`ws://127.0.0.1:${wire.port}/`);
  await once(socket, 'open');
  const closed = once(socket, 'close');
  wire.cut();
  await closed;
  await expect(fetch(`http://127.0.0.1:${wire.port}/`)).rejects.toThrow('fetch failed');
  wire.mend();
  expect(await (await fetch(`http://127.0.0.1:${wire.port}/again`)).text()).toBe('you asked for /again');
});
