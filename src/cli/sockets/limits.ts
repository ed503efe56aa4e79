/** Bounds of the local sockets. */
export const SOCKET_LIMITS = {
  /** Bytes of a socket's path. Systems cut at 103 to 107, some without a word. */
  pathBytesMax: 100,
  /** Connections of one socket: agents, their children and command lines of one person. */
  connectionsMax: 256,
  /** Milliseconds to connect to a socket on this machine. */
  connectMsMax: 5_000,
  /** Milliseconds a peer has to read what was sent before its connection is cut at close. */
  closeMsMax: 2_000,
} as const;
