/** What one connection to a relay may cost this side, whatever the relay does. */
export const LINK_LIMITS = {
  /** Milliseconds from asking for a socket until it is open: a relay on another continent takes 1 s. */
  connectMsMax: 10_000,
  /** Sayings of our own presence that may stay without any frame in return before a socket counts as dead. */
  missesMax: 2,
  /** Milliseconds in which the first one has to be answered after this machine slept. */
  wakeMs: 5_000,
  /** Milliseconds between two sayings of our own presence. */
  renewMs: 15_000,
  /** Milliseconds another's presence is shown after it was last said: two renewals may be lost. */
  presenceMsMax: 45_000,
  /** Others whose presence is shown: every window of every device, and room. */
  presencesMax: 256,
  /** Bytes that may wait in a socket for a slow relay. More is dropped with the socket; a new one starts where it was. */
  bufferedBytesMax: 8 * 1024 * 1024,
  /** State vectors answered on one socket. A relay asks once; each answer costs a walk through the document. */
  questionsMax: 16,
  /** Bytes taken between two looks at how large a document has become. */
  bytesPerLook: 8 * 1024 * 1024,
  /** Milliseconds until a document that was sent damaged is asked for again: whatever it was, it may be over. */
  damagedAgainMs: 60_000,
  /** Milliseconds a connection has to last before its end counts as the first of its kind. */
  stableMs: 60_000,
} as const;
