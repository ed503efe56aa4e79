export interface JournalLimits {
  /** Head records in a segment, after which the next flush opens a new one. Boot reads one segment: 8 MiB, a tenth of a second. */
  readonly segmentRecords: number;
  /** Bytes by which a segment grows: zeros written ahead, so that the sync of a record moves no metadata. */
  readonly chunkBytes: number;
  /** Bytes kept back for the outcome of an effect that is under way when the disk is full. */
  readonly reserveBytes: number;
  /** Rows, newest first, whose chain is checked at every opening. The whole chain is for `audit verify`. */
  readonly tailRows: number;
  /** Pages of WAL not yet in the database file that set off a checkpoint: 4 MB, SQLite's own default. */
  readonly walPages: number;
  /** Flushes after which the size of the WAL is looked at: asking SQLite costs half as much as a small write. */
  readonly flushesPerTidy: number;
}

export const JOURNAL_LIMITS: JournalLimits = {
  segmentRecords: 65_536,
  chunkBytes: 1024 * 1024,
  reserveBytes: 1024 * 1024,
  tailRows: 1_000,
  walPages: 1_000,
  flushesPerTidy: 8,
};

/** Milliseconds SQLite waits for a lock. Readers hold one only while they recover a WAL. */
export const BUSY_MS = 5_000;
