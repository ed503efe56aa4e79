import type { FileChange, FileDiff } from '../../model/file-diff.ts';
import { differHere, type Differ } from '../detail/differ.ts';
import { programUrl } from './trusted-url.ts';

export interface DiffRequest {
  readonly id: number;
  readonly change: FileChange;
}

export interface DiffAnswer {
  readonly id: number;
  readonly diff: FileDiff;
}

/** Bytes of both sides up to which a comparison is quicker here than the way to the worker and back. */
const HERE_BYTES_MAX = 16 * 1024;

/** Compares long files in a worker. Where none can be started, or it broke, in the page's own thread. */
export function workerDiffer(): Differ {
  const waiting = new Map<number, { readonly change: FileChange; readonly done: (diff: Promise<FileDiff>) => void }>();
  let worker: Worker | null = new Worker(programUrl('diff-worker.js'), { type: 'module' });
  let next = 1;
  worker.addEventListener('message', ({ data }: MessageEvent<DiffAnswer>) => {
    waiting.get(data.id)?.done(Promise.resolve(data.diff));
    waiting.delete(data.id);
  });
  worker.addEventListener('error', () => {
    worker?.terminate();
    worker = null;
    for (const { change, done } of waiting.values()) done(differHere(change));
    waiting.clear();
  });
  return (change) => {
    const bytes = (change.before?.bytes.length ?? 0) + (change.after?.bytes.length ?? 0);
    if (worker === null || bytes <= HERE_BYTES_MAX) return differHere(change);
    const id = next++;
    return new Promise((resolve) => {
      waiting.set(id, { change, done: resolve });
      worker?.postMessage({ id, change } satisfies DiffRequest);
    });
  };
}
