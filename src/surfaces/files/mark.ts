import { errnoOf } from './errno.ts';

/** Whether an effect may have become visible. What throws while it is not `begun` surely changed nothing. */
export interface Mark {
  begun: boolean;
}

/** Answers after which the one call that makes an effect visible has surely done nothing. */
const REFUSALS: ReadonlySet<string> = new Set([
  'EACCES',
  'EBUSY',
  'EDQUOT',
  'EEXIST',
  'EISDIR',
  'ELOOP',
  'EMLINK',
  'ENAMETOOLONG',
  'ENOENT',
  'ENOSPC',
  'ENOSYS',
  'ENOTDIR',
  'ENOTEMPTY',
  'ENOTSUP',
  'EOPNOTSUPP',
  'EPERM',
  'EROFS',
  'EXDEV',
]);

/** Makes the one system call that turns the old state into the new one. */
export function commit(mark: Mark, call: () => void): void {
  mark.begun = true;
  try {
    call();
  } catch (error) {
    if (REFUSALS.has(errnoOf(error) ?? '')) mark.begun = false;
    throw error;
  }
}

/** Errors of `link` that mean: not on this file system, or not for you. */
export const NO_LINKS = ['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK'] as const;
