#!/usr/bin/env node
import { processIo } from './commands/io.ts';
import { runCommandLine } from './commands/run-command-line.ts';

process.exitCode = await runCommandLine(process.argv.slice(2), processIo());
