// The relay as a program. It answers /healthz; rooms and their documents come with the second device.
import { runRelay } from './run-relay.ts';

process.exitCode = await runRelay({
  args: process.argv.slice(2),
  environment: process.env,
  say: (line) => console.log(line),
  complain: (line) => console.error(line),
});
