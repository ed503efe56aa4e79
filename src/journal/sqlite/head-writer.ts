import { join } from 'node:path';
import { assert } from '../../base/assert.ts';
import { concat } from '../../base/bytes.ts';
import { CountersignError } from '../../base/errors.ts';
import { codeOf, type Disk, type DiskFile } from './disk.ts';
import { fullHeadFile, HEAD_FILE, NEXT_HEAD_FILE, type NewestSegment } from './head-files.ts';
import { encodeHeadRecord, HEAD_RECORD_BYTES, type HeadRecord } from './head-record.ts';
import type { JournalLimits } from './limits.ts';

/** Bytes by which a segment grows when the disk has no room for a chunk. */
const PAGE_BYTES = 4096;

interface WriterOptions {
  readonly disk: Disk;
  readonly folder: string;
  readonly limits: JournalLimits;
}

/** Where a head log goes on: the row of the open file's first slot, full files before it, the newest record. */
interface Position {
  readonly base: number;
  readonly fullFiles: number;
  readonly last: HeadRecord | undefined;
}

/**
 * Appends to the head log. Space is written ahead by `prepare`, before the database commits, so that `append`
 * fails only when the disk is broken.
 *
 * Throws: `full` when the disk is full and nothing was witnessed; anything else is the end of this journal.
 */
export class HeadLogWriter {
  readonly #options: WriterOptions;
  #file: DiskFile;
  #bytes: number;
  #base: number;
  #fullFiles: number;
  #last: HeadRecord | undefined;

  private constructor(options: WriterOptions, file: DiskFile, at: Position) {
    this.#options = options;
    this.#file = file;
    this.#bytes = Math.floor(file.size() / HEAD_RECORD_BYTES) * HEAD_RECORD_BYTES;
    this.#base = at.base;
    this.#fullFiles = at.fullFiles;
    this.#last = at.last;
  }

  /** A head log without records. */
  static create(options: WriterOptions): HeadLogWriter {
    const file = createSegment(options, HEAD_FILE, undefined);
    options.disk.syncFolder(options.folder);
    return new HeadLogWriter(options, file, { base: 1, fullFiles: 0, last: undefined });
  }

  /** Goes on after `last`, the record up to which the log is whole; what stands after it is written anew. */
  static resume(options: WriterOptions, newest: NewestSegment, last: HeadRecord | undefined): HeadLogWriter {
    const { disk, folder } = options;
    if (newest.interrupted) {
      disk.rename(join(folder, NEXT_HEAD_FILE), join(folder, HEAD_FILE));
      disk.syncFolder(folder);
    }
    const { segment, fullFiles } = newest;
    return new HeadLogWriter(options, disk.open(join(folder, HEAD_FILE), 'existing'), {
      base: segment.base,
      fullFiles,
      last,
    });
  }

  /**
   * Makes room for records through row `lastSeq`. `settled`: every row before them is witnessed.
   * `lean`: takes only what they need, from a disk that is full but for the reserve.
   */
  prepare(lastSeq: number, { settled, lean }: { readonly settled: boolean; readonly lean: boolean }): void {
    const slotsUsed = this.#last === undefined ? 0 : this.#last.seq - this.#base + 1;
    if (settled && !lean && slotsUsed >= this.#options.limits.segmentRecords) this.#rotate();
    const missing = (lastSeq - this.#base + 1) * HEAD_RECORD_BYTES - this.#bytes;
    if (missing > 0) this.#extend(roundUp(missing, lean ? PAGE_BYTES : this.#options.limits.chunkBytes));
  }

  /** Writes the records in one piece and makes them durable: the commit point. */
  append(records: readonly HeadRecord[]): void {
    const first = records[0];
    const last = records.at(-1);
    if (first === undefined || last === undefined) return;
    assert(first.seq === (this.#last?.seq ?? 0) + 1, 'head records are written without gaps');
    const position = (first.seq - this.#base) * HEAD_RECORD_BYTES;
    write(this.#file, concat(...records.map(encodeHeadRecord)), position);
    this.#file.sync();
    this.#last = last;
  }

  close(): void {
    this.#file.close();
  }

  #extend(bytes: number): void {
    write(this.#file, new Uint8Array(bytes), this.#bytes);
    this.#file.sync();
    this.#bytes += bytes;
  }

  /** At every instant one of the two names holds a whole segment whose first record is the old one's last. */
  #rotate(): void {
    const { disk, folder } = this.#options;
    const anchor = this.#last;
    assert(anchor !== undefined, 'a full segment has a last record');
    const file = createSegment(this.#options, NEXT_HEAD_FILE, anchor);
    this.#file.close();
    disk.rename(join(folder, HEAD_FILE), join(folder, fullHeadFile(this.#fullFiles + 1)));
    disk.rename(join(folder, NEXT_HEAD_FILE), join(folder, HEAD_FILE));
    disk.syncFolder(folder);
    this.#file = file;
    this.#fullFiles += 1;
    this.#base = anchor.seq;
    this.#bytes = this.#options.limits.chunkBytes;
  }
}

function createSegment(
  { disk, folder, limits }: WriterOptions,
  name: string,
  anchor: HeadRecord | undefined,
): DiskFile {
  const file = disk.open(join(folder, name), 'create');
  try {
    const bytes = new Uint8Array(limits.chunkBytes);
    if (anchor !== undefined) bytes.set(encodeHeadRecord(anchor));
    write(file, bytes, 0);
    file.sync();
    return file;
  } catch (cause) {
    file.close();
    disk.remove(join(folder, name));
    throw cause;
  }
}

function roundUp(bytes: number, unit: number): number {
  return Math.ceil(bytes / unit) * unit;
}

/** A full disk is an answer; a failed sync never is, so only the write is looked at. */
function write(file: DiskFile, bytes: Uint8Array, position: number): void {
  try {
    file.write(bytes, position);
  } catch (cause) {
    if (!['ENOSPC', 'EDQUOT'].includes(codeOf(cause) ?? '')) throw cause;
    throw new CountersignError('full', 'The disk is full.', { cause });
  }
}
