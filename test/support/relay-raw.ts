import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A WebSocket by hand, which reads only when it is told to. */
export async function upgradedByHand(port: number, room: string): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port });
  onTestFinished(() => void socket.destroy());
  const head = [
    `GET /${room} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${Buffer.alloc(16, 1).toString('base64')}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  await once(socket, 'readable');
  socket.read();
  return socket;
}

export async function bytesUntilEnd(socket: Socket): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of socket) parts.push(part as Buffer); // reason: no encoding was set
  return Buffer.concat(parts);
}

/** The code of the close frame that ends a stream of frames. */
export function closeCodeIn(stream: Buffer): number | undefined {
  for (let at = stream.length - 4; at >= Math.max(0, stream.length - 200); at--)
    if (stream[at] === 0x88 && stream[at + 1] === stream.length - at - 2) return stream.readUInt16BE(at + 2);
  return undefined;
}
