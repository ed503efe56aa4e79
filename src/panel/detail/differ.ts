import { diffFile, type FileChange, type FileDiff } from '../../model/file-diff.ts';

/** Compares files. A worker does it off the page's thread, so that a long difference blocks nobody's scrolling. */
export type Differ = (change: FileChange) => Promise<FileDiff>;

/** For pages that cannot start a worker. */
export const differHere: Differ = (change) => Promise.resolve(diffFile(change));
