/** Exit code of a process that SIGTERM ended. */
const TERMINATED = 143;
let listens = false;

/** Acts when this process ends, also when a signal ends it, as vitest ends its workers. */
export function whenProcessEnds(act: () => void): void {
  if (!listens) process.once('SIGTERM', () => process.exit(TERMINATED));
  listens = true;
  process.on('exit', act);
}
