export const REPLICA_LIMITS = {
  /** Times a decision is signed anew because another window took its number first. Each time one of them got on. */
  numberTriesMax: 64,
  /** Decisions without a receipt: a person's day of bulk gestures, all waiting for a runtime that sleeps. */
  waitingMax: 20_000,
  /** Numbers in this device's own inbox beyond those it gave out that are looked at: one is enough to know of a copy. */
  beyondMax: 64,
  /** Answers *refused* kept to be shown, newest. */
  refusedMax: 256,
  /** Bytes of sealed blobs kept: what is open and within this is fetched before anybody asks. */
  blobBytesMax: 64 * 1024 * 1024,
  /** Blobs fetched at one time, and milliseconds before a blob the relay had not got is asked for again. */
  blobFetchesMax: 4,
  blobAgainMs: 30_000,
  /**
   * Milliseconds until a blob that is not there is asked for again, time after time; then it counts as lost. A ledger
   * can be quicker here than the blobs it names are at the relay.
   */
  blobSoonMs: [300, 1_000, 3_000, 10_000],
  /** Milliseconds in which the cards that came are told together. */
  cardsToldMs: 20,
  /** Milliseconds the cache may take to hand out what it holds; then the replica starts without it. */
  cacheMsMax: 4_000,
  /** Milliseconds without a heartbeat after which the runtime counts as asleep: three are missed. */
  asleepMs: 45_000,
  /** Of what others show in a room: the authority is one, and a few windows. */
  presencesMax: 32,
  /** Ends of a log that were seen signed, kept to hold the log against: one a day for years, thinned out. */
  witnessedMax: 512,
  /** Records of one change whose signatures are checked before they are shown, about a millisecond each in a page. */
  verifiedAtOnceMax: 16,
  verifiedInSliceMax: 64,
  /** Records opened in one slice, about a tenth of a millisecond each. */
  openedInSliceMax: 500,
  /** Bytes of records hashed in one slice, about ten milliseconds in a page. */
  hashedInSliceBytes: 256 * 1024,
  /** Milliseconds a ledger may be incomplete while it is connected; after that something is being withheld. */
  incompleteMs: 30_000,
  /** Milliseconds of work in one piece before the event loop gets its turn. */
  sliceMs: 12,
  /** Audit tiles kept open in memory, newest used. One has 1,000 entries. */
  tilesMax: 16,
  /** Milliseconds the newest entries of a log may take to come before it is shown without them. */
  tileMsMax: 5_000,
} as const;
