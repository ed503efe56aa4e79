// npm run build: the sources as JavaScript in dist, the command executable.
import './lib/node-version.mjs';
import { build } from './lib/build.mjs';
import { setUp } from './lib/set-up.mjs';

process.exitCode = setUp() && build() ? 0 : 1;
