/**
 * Types of messages on a socket, each a varUint before its payload (lib0). The first four are those of y-websocket,
 * unchanged. The others are sent only to who asked for the subprotocol `PROTOCOL`, since a stock client complains.
 */
export const MESSAGE = {
  sync: 0,
  awareness: 1,
  auth: 2,
  queryAwareness: 3,
  /** Relay → writer. `varUint n`: the first n messages with changes that came over this socket are on disk. */
  durable: 100,
  /** Relay → everyone of a home: its newest signed head. `varString` of the canonical JSON `{payload, signature}`. */
  head: 101,
} as const;

export const SYNC_LIMITS = {
  /** Bytes of one frame. A ledger record is ≤ 8 KiB; larger states travel as snapshots over HTTP. */
  frameBytesMax: 1024 * 1024,
  /** Bytes of changes sent in one frame; a writer puts more as a snapshot, a reader is told to fetch one. */
  updateBytesMax: 512 * 1024,
  /** Bytes of one snapshot: of a ledger of 10,000 open actions. */
  snapshotBytesMax: 20 * 1024 * 1024,
  /** Bytes of one sealed blob. */
  blobBytesMax: 32 * 1024 * 1024 + 64,
  /** Bytes of one awareness message: one heartbeat is about 500. */
  awarenessBytesMax: 4 * 1024,
} as const;
