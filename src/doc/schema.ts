/**
 * The layout of every document: names, envelopes, derivations. Raised when any of them changes; a test holds the hash
 * of the frozen bytes beside it. Readers of another version meet an envelope they do not know and say so.
 */
export const DOC_SCHEMA = 2;

/** The one shared type of each document. */
export const ROOT = {
  /** `Y.Array` of sealed records. */
  ledger: 'records',
  /** `Y.Map`, `<workspace>:<n>` → sealed decision. */
  inbox: 'decisions',
  /** `Y.Map`, number of the entry → sealed entry. */
  tile: 'entries',
} as const;

export const DOC_LIMITS = {
  /** UTF-8 bytes of a record's id. The longest is a receipt's: a device id, a slash and a number of 16 digits. */
  recordIdBytesMax: 64,
  /** Entries of an audit tile, and bytes of its document: one screen of history, one request. */
  tileEntriesMax: 1_000,
  tileBytesMax: 512 * 1024,
  /** Tiles in one page of a manifest; an older page is named by its hash. */
  manifestTilesMax: 256,
} as const;
