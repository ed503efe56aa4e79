import { runRelay } from '../../../sync-server/run-relay.ts';
import type { Run } from './command.ts';

/** Runs the sync server in this process until a signal ends it. */
export const run: Run = ({ args, io }) => {
  const port = args.text('port');
  return runRelay({
    args: port === undefined ? [] : ['--port', port],
    environment: process.env,
    say: (line) => io.out(line),
    complain: (line) => io.note(line),
  });
};
