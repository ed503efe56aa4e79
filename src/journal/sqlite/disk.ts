import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs';

/** An open file. `write` writes all of it or throws; `sync` makes what was written durable. */
export interface DiskFile {
  size(): number;
  write(bytes: Uint8Array, position: number): void;
  sync(): void;
  close(): void;
}

/** The few calls to the file system that the journal makes besides SQLite's. Throws Node's own errors. */
export interface Disk {
  makeFolder(path: string): void;
  list(folder: string): readonly string[];
  /** `undefined` when there is no such file. */
  sizeOf(path: string): number | undefined;
  read(path: string): Uint8Array | undefined;
  /** `create` empties what is there. */
  open(path: string, mode: 'create' | 'existing'): DiskFile;
  rename(from: string, to: string): void;
  remove(path: string): void;
  syncFolder(path: string): void;
  freeBytes(path: string): number;
}

/** Only the owner may read a journal: it holds what was sealed for everyone else. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

export const nodeDisk: Disk = {
  makeFolder: (path) => void mkdirSync(path, { recursive: true, mode: FOLDER_MODE }),
  list: (folder) => readdirSync(folder),
  sizeOf: (path) => statSync(path, { throwIfNoEntry: false })?.size,
  read: readIfThere,
  open: (path, mode) => fileOf(openSync(path, mode === 'create' ? 'w+' : 'r+', FILE_MODE)),
  rename: (from, to) => renameSync(from, to),
  remove: (path) => rmSync(path, { force: true }),
  syncFolder,
  freeBytes: (path) => {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  },
};

/** The error code Node or SQLite gave; `undefined` for anything else that was thrown. */
export function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
}

function fileOf(descriptor: number): DiskFile {
  return {
    size: () => fstatSync(descriptor).size,
    write: (bytes, position) => {
      let done = 0;
      while (done < bytes.length) done += writeSync(descriptor, bytes, done, bytes.length - done, position + done);
    },
    sync: () => fdatasyncSync(descriptor),
    close: () => closeSync(descriptor),
  };
}

function readIfThere(path: string): Uint8Array | undefined {
  try {
    return readFileSync(path);
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw cause;
  }
}

function syncFolder(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
