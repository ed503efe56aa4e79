import { equalBytes } from '../../base/bytes.ts';
import { nodeDisk, type Disk } from './disk.ts';
import { readAllSegments } from './head-files.ts';
import { recordsOf } from './head-segment.ts';
import type { HeadRecord } from './head-record.ts';

export interface HeadLogReport {
  readonly records: number;
  readonly newest: HeadRecord | undefined;
  /** One sentence for each thing that is wrong; empty when the log is whole. */
  readonly faults: readonly string[];
}

/** Reads every file of a head log and checks each record, and that they follow each other without a gap. */
export function verifyHeadLog(dir: string, disk: Disk = nodeDisk): HeadLogReport {
  const { records, faults } = allHeadRecords(dir, disk);
  return { records: records.length, newest: records.at(-1), faults };
}

/** Every record once, in order: a file's first record repeats the last one of the file before it. */
export function allHeadRecords(
  dir: string,
  disk: Disk,
): { readonly records: readonly HeadRecord[]; readonly faults: readonly string[] } {
  const records: HeadRecord[] = [];
  const faults: string[] = [];
  for (const { name, segment } of readAllSegments(disk, dir)) {
    if (segment.broken !== undefined) faults.push(`${name}: ${segment.broken}.`);
    for (const seq of segment.holes) faults.push(`${name}: the record of row ${seq} is damaged.`);
    const before = records.at(-1);
    const found = recordsOf(segment);
    const anchor = found[0];
    if (before !== undefined && anchor !== undefined && !sameRecord(before, anchor))
      faults.push(`${name}: its first record is not the last one of the file before it.`);
    for (const record of found) if (record !== anchor || before === undefined) records.push(record);
  }
  return { records, faults };
}

function sameRecord(a: HeadRecord, b: HeadRecord): boolean {
  return a.seq === b.seq && equalBytes(a.root, b.root) && equalBytes(a.previousRoot, b.previousRoot);
}
