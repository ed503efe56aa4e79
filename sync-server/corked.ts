import type { Duplex } from 'node:stream';

/**
 * Writes that leave together: what one turn of the event loop sends to a socket is one call to the system, and no
 * later for it, since the turn ends before anything else is read.
 */
export class Corked {
  readonly #sockets = new Set<Duplex>();

  write(socket: Duplex, bytes: Uint8Array): void {
    if (this.#sockets.size === 0) process.nextTick(() => this.#flush());
    if (!this.#sockets.has(socket)) {
      this.#sockets.add(socket);
      socket.cork();
    }
    socket.write(bytes);
  }

  #flush(): void {
    const sockets = [...this.#sockets];
    this.#sockets.clear();
    for (const socket of sockets) socket.uncork();
  }
}
