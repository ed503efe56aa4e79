import { SYNC_LIMITS } from '../src/sync/messages.ts';

/** What one relay process lets its callers take. */
export interface RelayLimits {
  /** Sockets open at once: ten homes with a dozen devices each, every device with a few windows. */
  readonly connectionsMax: number;
  /** Sockets of one address: a household behind one, with every window of every device open. */
  readonly connectionsPerAddressMax: number;
  /** Milliseconds a caller has to send its request head. Longer is a caller that holds a socket on purpose. */
  readonly headMsMax: number;
  /** Milliseconds from the upgrade until the room answers: reading a full one from disk takes under one second. */
  readonly handshakeMsMax: number;
  /** Bytes that may arrive before the room answers: a first step, an awareness state, and a queue that is sent again. */
  readonly handshakeBytesMax: number;
  /** Milliseconds that open requests get to end after the relay was told to stop. */
  readonly stopMsMax: number;

  /** Bytes in one frame. A ledger record is ≤ 8 KiB; larger states travel as snapshots over HTTP. */
  readonly frameBytesMax: number;
  /** Bytes of an answer on a socket whose other side can fetch a snapshot instead. */
  readonly answerBytesMax: number;
  /** Bytes waiting to be read by one socket. A ledger in use makes 100 KB a second: this is a device that is gone. */
  readonly bufferedBytesMax: number;
  /** Frames a socket may send at once, and a second: an agent's burst is 5,000 updates, coalesced at home. */
  readonly framesBurst: number;
  readonly framesPerSecond: number;
  /** Bytes a socket may send at once, and a second. */
  readonly bytesBurst: number;
  readonly bytesPerSecond: number;

  /** Rooms in memory of one home: ledger, inboxes of 256 devices, tiles in use. */
  readonly roomsPerHomeMax: number;
  /** Sockets of one room, and of one device among its readers. */
  readonly socketsPerRoomMax: number;
  readonly readersPerDeviceMax: number;
  /** Milliseconds a room stays in memory after its last socket left: a page that is loaded anew comes back sooner. */
  readonly roomIdleMs: number;
  /** Bytes of one document: a ledger may have 16 MiB. */
  readonly roomBytesMax: number;
  /** Structs of one document that wait for others. With one writer on an ordered stream none ever does. */
  readonly pendingStructsMax: number;
  /** Client ids that ever wrote one document; each is 10 bytes of every state vector. */
  readonly clientIdsMax: number;
  /** Bytes of one awareness message and client ids of one socket in it. A heartbeat is about 500. */
  readonly awarenessBytesMax: number;
  readonly awarenessClientsMax: number;

  /** Bytes of one snapshot and of one object. */
  readonly snapshotBytesMax: number;
  readonly objectBytesMax: number;
  /** Bytes stored of one home, when its token says nothing else. */
  readonly homeBytesMax: number;
  /** Bytes stored of all rooms that belong to no home. */
  readonly freeBytesMax: number;
  /** Homes known at once. */
  readonly homesMax: number;
  /** Large bodies (snapshots, objects) on their way at once; each may take 32 MiB. */
  readonly bodiesMax: number;

  /** Challenges that wait for their proof, and milliseconds they wait. */
  readonly challengesMax: number;
  readonly challengeMs: number;
  /** Tickets that are good at once, and milliseconds they are. */
  readonly ticketsMax: number;
  readonly ticketMs: number;
}

export const RELAY_LIMITS: RelayLimits = {
  connectionsMax: 1_024,
  connectionsPerAddressMax: 256,
  headMsMax: 10_000,
  handshakeMsMax: 10_000,
  handshakeBytesMax: 2 * 1024 * 1024,
  stopMsMax: 5_000,

  frameBytesMax: SYNC_LIMITS.frameBytesMax,
  answerBytesMax: SYNC_LIMITS.updateBytesMax,
  bufferedBytesMax: 4 * 1024 * 1024,
  framesBurst: 20_000,
  framesPerSecond: 5_000,
  bytesBurst: 32 * 1024 * 1024,
  bytesPerSecond: 8 * 1024 * 1024,

  roomsPerHomeMax: 1_024,
  socketsPerRoomMax: 512,
  readersPerDeviceMax: 16,
  roomIdleMs: 30_000,
  roomBytesMax: 20 * 1024 * 1024,
  pendingStructsMax: 64,
  clientIdsMax: 4_096,
  awarenessBytesMax: SYNC_LIMITS.awarenessBytesMax,
  awarenessClientsMax: 4,

  snapshotBytesMax: SYNC_LIMITS.snapshotBytesMax,
  objectBytesMax: SYNC_LIMITS.blobBytesMax,
  homeBytesMax: 2 * 1024 * 1024 * 1024,
  freeBytesMax: 256 * 1024 * 1024,
  homesMax: 1_024,
  bodiesMax: 8,

  challengesMax: 4_096,
  challengeMs: 30_000,
  ticketsMax: 4_096,
  ticketMs: 10 * 60_000,
};
