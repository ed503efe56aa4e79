import { runRelay } from '../../../sync-server/run-relay.ts';
import type { ParsedArgs } from '../args/parse.ts';
import type { Run } from './command.ts';
import { RELAY_FLAGS } from './relay-flags.ts';

/** Runs the sync server in this process until a signal ends it. */
export const run: Run = ({ args, io }) =>
  runRelay({
    args: Object.entries(RELAY_FLAGS).flatMap(([name, kind]) => wordsOf(args, name, kind)),
    environment: process.env,
    say: (line) => io.out(line),
    complain: (line) => io.note(line),
  });

function wordsOf(args: ParsedArgs, name: string, kind: 'flag' | 'text' | 'list'): readonly string[] {
  if (kind === 'flag') return args.flag(name) ? [`--${name}`] : [];
  const values = kind === 'list' ? args.list(name) : [args.text(name)];
  return values.flatMap((value) => (value === undefined ? [] : [`--${name}`, value]));
}
