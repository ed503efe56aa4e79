export const REPLICA_LIMITS = {
  /** Times a decision is signed anew because another window took its number first. Each time one of them got on. */
  numberTriesMax: 64,
  /** Decisions without a receipt: a person's day of bulk gestures, all waiting for a runtime that sleeps. */
  waitingMax: 20_000,
  /** Answers *refused* kept to be shown, newest. */
  refusedMax: 256,
  /** Bytes of sealed blobs kept: what is open and within this is fetched before anybody asks. */
  blobBytesMax: 64 * 1024 * 1024,
  /** Blobs fetched at one time, and milliseconds before a blob the relay had not got is asked for again. */
  blobFetchesMax: 4,
  blobAgainMs: 30_000,
  /** Action files kept parsed. A list shows some thousands; each is about 2 KB. */
  filesMax: 12_000,
  /** Milliseconds the cache may take to hand out what it holds; then the replica starts without it. */
  cacheMsMax: 4_000,
  /** Milliseconds without a heartbeat after which the runtime counts as asleep: three are missed. */
  asleepMs: 45_000,
  /** Ends of a log that were seen signed, kept to hold the log against: one a day for years, thinned out. */
  witnessedMax: 512,
  /** Milliseconds of work in one piece before the event loop gets its turn. */
  sliceMs: 12,
  /** Devices whose inboxes are read: those of a roster. */
  inboxesMax: 256,
  /** Audit tiles kept open in memory, newest used. One has 1,000 entries. */
  tilesMax: 16,
} as const;
