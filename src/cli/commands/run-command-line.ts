import { InvariantError } from '../../base/assert.ts';
import { CountersignError, messageOf } from '../../base/errors.ts';
import { parseCommandArgs } from '../args/parse.ts';
import { UsageError } from '../args/usage-error.ts';
import type { ExitCode, Invocation } from './command.ts';
import type { Io } from './io.ts';
import { findCommand } from './table.ts';

/** Runs one command line. Everything that goes wrong becomes one sentence on stderr and an exit code. */
export async function runCommandLine(argv: readonly string[], io: Io): Promise<ExitCode> {
  try {
    return await dispatch(argv, io);
  } catch (error) {
    if (error instanceof UsageError) {
      io.note(`countersign: ${error.message}`);
      return 2;
    }
    io.note(`countersign: ${sentenceOf(error)}`);
    return 1;
  }
}

async function dispatch(argv: readonly string[], io: Io): Promise<ExitCode> {
  const [typed = '--help', ...rest] = argv;
  const name = { '--help': 'help', '-h': 'help', '--version': 'version', '-V': 'version' }[typed] ?? typed;
  const spec = findCommand(name);
  if (spec === undefined) throw new UsageError(`there is no command ${JSON.stringify(typed)} (see: countersign help)`);
  if (rest.includes('--help') || rest.includes('-h')) {
    const { usageOf } = await import('./help.ts');
    for (const line of usageOf(name)) io.out(line);
    return 0;
  }
  const invocation: Invocation = { command: name, args: parseCommandArgs(name, spec, rest), io };
  const { run } = await spec.load();
  return run(invocation);
}

function sentenceOf(error: unknown): string {
  if (CountersignError.is(error)) return error.message;
  const stack = error instanceof Error ? error.stack : undefined;
  if (error instanceof InvariantError)
    return `This is a bug in Countersign, please report it: ${stack ?? error.message}`;
  return `This went wrong unexpectedly: ${stack ?? messageOf(error)}`;
}
