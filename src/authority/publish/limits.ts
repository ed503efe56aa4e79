export const PUBLISH_LIMITS = {
  /** Milliseconds between two publications while things keep changing. The first after a pause waits for nothing. */
  coalesceMs: 25,
  /** Parts of time left to proposals and decisions for one in which records are made, while there is more to tell. */
  pausePerWork: 3,
  /** Records of one update: signing and sealing that many takes some 15 ms, in which nobody is answered. */
  recordsPerUpdate: 64,
  /** Bytes of stored updates after which the document is stored whole; more for one that is larger than this. */
  updateBytesMax: 256 * 1024,
  /** Stored updates a start reads at most. */
  updatesMax: 1_000,
  /** Milliseconds between two new rooms for a ledger that was damaged: whoever damages it gains one room a minute. */
  roomEveryMs: 60_000,
  /** Milliseconds between two heartbeats of an idle workspace (DC-5), and from a change to the one that tells of it. */
  heartbeatMs: 15_000,
  /** Milliseconds between two heartbeats in the head of an idle workspace: each is a head on every disk (DC-5). */
  headBeatMs: 10 * 60_000,
  settleMs: 200,
  /** Milliseconds until what a full disk refused is tried again, where nothing else asks for it. */
  againMs: 5_000,
  /** Bytes of payloads put for all open actions together; of what is beyond, the card says that it is not there. */
  openBlobBytesMax: 64 * 1024 * 1024,
  /** Blobs remembered as put: some 100 bytes each. A forgotten one is put again, as the same bytes. */
  putsKept: 50_000,
  /** Audit rows read at once while a tile catches up with the log: sealing that many takes some 10 ms. */
  rowsPerRead: 128,
  /** Rows since the newest publication that a start looks through for actions it has to tell of. */
  unpublishedRowsMax: 20_000,
  /** Removed devices that keep their name in the ledger, those that were added last: some 250 bytes each. */
  removedDevicesMax: 64,
  /** UTF-8 bytes of each text in a record that would otherwise be longer than a record may be. */
  shortTextBytes: 256,
  /** Decisions of an inbox taken in one commit. */
  decisionsPerTurn: 64,
  /** Decisions of one device looked at, lowest numbers first: what a device may have waiting. More come when it prunes. */
  inboxDecisionsMax: 20_000,
  /** Decisions looked at in one piece: opening and verifying that many takes some 30 ms. */
  decisionsPerLook: 128,
  /** Receipts of one device in the ledger, oldest first: 2 MB of the longest, which every other device reads. */
  receiptsPerDeviceMax: 256,
  /** Milliseconds a start waits for the inboxes of a relay that answers, so that a reject that lies there wins. */
  inboxWaitMs: 1_500,
} as const;
