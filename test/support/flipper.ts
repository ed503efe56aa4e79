import fs from 'node:fs';
import { Worker } from 'node:worker_threads';

/** Swaps a folder and a link to another one as fast as it can, until stopped. */
export interface Flipper {
  /** Full swaps so far. */
  readonly flips: number;
  stop(): Promise<void>;
}

// Plain JavaScript: a worker of Node 20 reads nothing else. Three renames never leave a half-made link behind.
const PROGRAM = `
const fs = require('node:fs');
const { workerData } = require('node:worker_threads');
const { folder, parked, link, shared } = workerData;
const state = new Int32Array(shared);
while (Atomics.load(state, 0) === 0) {
  fs.renameSync(folder, parked);
  fs.renameSync(link, folder);
  fs.renameSync(folder, link);
  fs.renameSync(parked, folder);
  Atomics.add(state, 1, 1);
}
`;

/** `folder` is a real folder between swaps, a link to `outside` in the middle of each. */
export async function flipper(folder: string, outside: string): Promise<Flipper> {
  const state = new Int32Array(new SharedArrayBuffer(8));
  const link = `${folder}.link`;
  fs.symlinkSync(outside, link);
  const worker = new Worker(PROGRAM, {
    eval: true,
    workerData: { folder, parked: `${folder}.parked`, link, shared: state.buffer },
  });
  await new Promise((resolve, reject) => {
    worker.once('online', resolve);
    worker.once('error', reject);
  });
  return {
    get flips() {
      return Atomics.load(state, 1);
    },
    stop: async () => {
      const ended = new Promise((resolve) => worker.once('exit', resolve));
      Atomics.store(state, 0, 1);
      await ended;
    },
  };
}
