/** The command line itself is wrong: one sentence on stderr, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
