/** The `code` of a Node system error: `ENOENT`, `EACCES` …; `undefined` for everything else. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
  ENOTDIR: 'a part of its path is not a folder',
  ELOOP: 'its symbolic links go in a circle',
  ENAMETOOLONG: 'its path is too long',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
};

/** A system error in words that end a sentence. */
export function wordsOf(error: unknown): string {
  const code = codeOf(error);
  if (code === undefined) return error instanceof Error ? error.message : String(error);
  return WORDS[code] ?? code;
}
