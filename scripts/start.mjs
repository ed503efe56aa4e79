// npm start [-- COMMAND …]: sets up and builds when needed, then runs the command; the demo when none is named.
import './lib/node-version.mjs';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { buildIfStale } from './lib/build.mjs';
import { ROOT } from './lib/run.mjs';
import { setUp } from './lib/set-up.mjs';

if (!setUp() || !buildIfStale()) process.exit(1);

const asked = process.argv.slice(2);
const main = join(ROOT, 'dist', 'src', 'cli', 'main.js');
const child = spawn(process.execPath, [main, ...(asked.length === 0 ? ['demo'] : asked)], { stdio: 'inherit' });

// A terminal sends Ctrl-C to the child as well; it alone decides how to end, and we end as it did.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => child.kill('SIGTERM'));
process.on('SIGHUP', () => child.kill('SIGHUP'));
child.on('error', (cause) => {
  console.error(`The command did not start: ${cause.message}`);
  process.exitCode = 1;
});
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
