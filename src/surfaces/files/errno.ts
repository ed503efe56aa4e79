/** The code of a failed system call (`ENOENT`); `undefined` for anything else that was thrown. */
export function errnoOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' && /^E[A-Z0-9]+$/u.test(thrown.code) ? thrown.code : undefined;
}

export function hasErrno(thrown: unknown, ...codes: readonly string[]): boolean {
  const code = errnoOf(thrown);
  return code !== undefined && codes.includes(code);
}
