import type { Run } from './command.ts';

/** Runs the sync server in this process; it ends by a signal. */
export const run: Run = async () => {
  // It reads its own arguments, as if it had been started by itself.
  process.argv.splice(2, 1);
  // Its main module is the program itself: it reads its own port and starts when it is loaded.
  await import('../../../sync-server/main.ts');
  return 0;
};
