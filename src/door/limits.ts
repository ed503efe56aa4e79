/** Bounds of both doors. */
export const DOOR_LIMITS = {
  /** Version of the messages. A home and a program that differ say so at hello. */
  protocol: 1,
  /** Bytes of one line: a file of 16 MiB as JSON, every byte escaped at worst case in base64 or UTF-16 escapes. */
  lineBytesMax: 64 * 1024 * 1024,
  /** Requests of one connection without an answer. An agent with 64 concurrent callers stays far below it. */
  pendingMax: 256,
  /** Ids in one request: what one decision may cover. */
  idsMax: 512,
  /** Characters of a name, a title or an id: what people and agents type. */
  nameCharsMax: 256,
  /** Characters of a path: Linux's PATH_MAX. */
  pathCharsMax: 4096,
  /** Decisions in one request; each covers 512 items at most, so this is the longest queue there is. */
  decisionsMax: 512,
  /** Characters of a reason: what a person reads on a card. */
  reasonCharsMax: 8 * 1024,
  /** Milliseconds one wait may last: below the shortest call timeout of the agents people use. */
  waitMsMax: 25_000,
} as const;
