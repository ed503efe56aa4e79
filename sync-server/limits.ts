import type { BucketLimits } from './bucket.ts';
import { SYNC_LIMITS } from '../src/sync/messages.ts';

const MIB = 1024 * 1024;

/**
 * `author`: a home, or who shares a room that belongs to no home · `device`: in its own inbox · `reader`. Who writes
 * too fast is read more slowly; a reader has nothing to send fast, and is cut.
 */
export type PaceName = 'author' | 'device' | 'reader';

export interface Pace {
  readonly frames: BucketLimits;
  readonly bytes: BucketLimits;
}

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
  /** Milliseconds that open requests get to end after the relay was told to stop. */
  readonly stopMsMax: number;

  /** Bytes in one frame. A ledger record is ≤ 8 KiB; larger states travel as snapshots over HTTP. */
  readonly frameBytesMax: number;
  /** Bytes of an answer on a socket whose other side can fetch a snapshot instead. */
  readonly answerBytesMax: number;
  /** Bytes waiting to be read by one socket. A ledger in use makes 100 KB a second: this is a device that is gone. */
  readonly bufferedBytesMax: number;
  /** Bytes of one writer's changes that wait for the disk; past it nothing more is read of it until they are stored. */
  readonly unstoredBytesMax: number;
  /** What a socket may send, by what it is there for. */
  readonly pace: Readonly<Record<PaceName, Pace>>;
  /** First steps of one socket: each is answered with what is missing, a whole document at the most. */
  readonly steps: BucketLimits;
  /** Requests and upgrades of one address, before anything of them is read: a home sends a blob for every action. */
  readonly requests: BucketLimits;
  /** Proofs of one address: each costs two verifications, whatever it is worth. */
  readonly proofs: BucketLimits;
  /** Addresses whose requests are counted; the oldest is forgotten. */
  readonly addressesMax: number;

  /** Rooms in memory of one home: ledger, inboxes of 256 devices, tiles in use. */
  readonly roomsPerHomeMax: number;
  /** Sockets of one room, and of one device among its readers. */
  readonly socketsPerRoomMax: number;
  readonly readersPerDeviceMax: number;
  /** Milliseconds a room stays in memory after its last socket left: a page that is loaded anew comes back sooner. */
  readonly roomIdleMs: number;
  /** Bytes of one document's state: a ledger may have 16 MiB. */
  readonly roomBytesMax: number;
  /** Characters of one awareness state, and client ids of one socket. A heartbeat is about 500. */
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
  readonly bodiesPerMemberMax: number;
  /** Milliseconds one of them may take: 20 MiB over a slow phone network. */
  readonly bodyMsMax: number;

  /** Challenges that were spent and are remembered, and milliseconds one waits for its proof. */
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
  stopMsMax: 5_000,

  frameBytesMax: SYNC_LIMITS.frameBytesMax,
  answerBytesMax: SYNC_LIMITS.updateBytesMax,
  bufferedBytesMax: 4 * MIB,
  unstoredBytesMax: 2 * MIB,
  pace: {
    author: { frames: { burst: 50_000, perSecond: 20_000 }, bytes: { burst: 64 * MIB, perSecond: 16 * MIB } },
    device: { frames: { burst: 5_000, perSecond: 500 }, bytes: { burst: 16 * MIB, perSecond: 1 * MIB } },
    reader: { frames: { burst: 512, perSecond: 32 }, bytes: { burst: 1 * MIB, perSecond: 64 * 1024 } },
  },
  steps: { burst: 16, perSecond: 1 },
  requests: { burst: 8_192, perSecond: 1_024 },
  proofs: { burst: 1_024, perSecond: 64 },
  addressesMax: 4_096,

  roomsPerHomeMax: 1_024,
  socketsPerRoomMax: 512,
  readersPerDeviceMax: 16,
  roomIdleMs: 30_000,
  roomBytesMax: 20 * MIB,
  awarenessBytesMax: SYNC_LIMITS.awarenessBytesMax,
  awarenessClientsMax: 4,

  snapshotBytesMax: SYNC_LIMITS.snapshotBytesMax,
  objectBytesMax: SYNC_LIMITS.blobBytesMax,
  homeBytesMax: 2 * 1024 * MIB,
  freeBytesMax: 256 * MIB,
  homesMax: 1_024,
  bodiesMax: 16,
  bodiesPerMemberMax: 6,
  bodyMsMax: 5 * 60_000,

  challengesMax: 4_096,
  challengeMs: 30_000,
  ticketsMax: 4_096,
  ticketMs: 10 * 60_000,
};
