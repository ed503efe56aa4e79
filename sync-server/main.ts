// The relay as a program.
import { runRelay } from './run-relay.ts';

process.exitCode = await runRelay({
  args: process.argv.slice(2),
  environment: process.env,
  say: (line) => console.log(line),
  complain: (line) => console.error(line),
});
