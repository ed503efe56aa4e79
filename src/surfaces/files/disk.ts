import fs from 'node:fs';

/**
 * The system calls that effects are made of, as `node:fs` has them. Synchronous on purpose: between a check and the
 * call it protects nothing else of this process runs, and a crash can be placed between any two of them.
 */
export type Disk = Pick<
  typeof fs,
  | 'openSync'
  | 'closeSync'
  | 'fstatSync'
  | 'lstatSync'
  | 'readFileSync'
  | 'readdirSync'
  | 'readlinkSync'
  | 'writeSync'
  | 'fchmodSync'
  | 'fchownSync'
  | 'fsyncSync'
  | 'renameSync'
  | 'linkSync'
  | 'unlinkSync'
  | 'mkdirSync'
  | 'rmdirSync'
>;

export const nodeDisk: Disk = fs;

/** Linux reaches a name inside an open folder as `/proc/self/fd/<fd>/<name>`, which is what `openat` does elsewhere. */
export const HAS_FD_PATHS = fs.existsSync('/proc/self/fd');
