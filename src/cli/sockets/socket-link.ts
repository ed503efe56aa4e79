import type { Socket } from 'node:net';
import { utf8 } from '../../base/bytes.ts';
import { lineSplitter } from '../../door/frame.ts';
import type { Link, LinkHandlers } from '../../door/link.ts';

/**
 * A link over a connected socket. While the peer does not read what we send, we do not read what it sends, so that
 * a peer can fill no more memory than the answers to its open requests.
 */
export function socketLink(socket: Socket): Link {
  socket.pause();
  // A reset is an end like any other, and can come before anybody listens; 'close' follows.
  socket.on('error', () => socket.destroy());
  return {
    send(line) {
      if (socket.destroyed || socket.writableEnded) return;
      if (socket.write(utf8(`${line}\n`)) || socket.isPaused()) return;
      socket.pause();
      socket.once('drain', () => socket.resume());
    },
    start: (handlers) => start(socket, handlers),
    close() {
      if (!socket.destroyed) socket.end();
    },
  };
}

function start(socket: Socket, handlers: LinkHandlers): void {
  const splitter = lineSplitter({
    line: (text) => handlers.line(text),
    fault: (error) => handlers.fault(error),
  });
  socket.on('data', (bytes) => splitter.push(bytes));
  if (socket.closed) handlers.end();
  else socket.once('close', () => handlers.end());
  socket.resume();
}
