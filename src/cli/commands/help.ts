import { UsageError } from '../args/usage-error.ts';
import type { Run } from './command.ts';
import { COMMANDS, findCommand } from './table.ts';

const COMMON = [
  'Every command takes --workspace DIR (default: the guarded folder around this one), --state DIR and --json.',
  'Exit codes: 0 done, 1 refused or failed, 2 usage.',
];

export const run: Run = ({ args, io }) => {
  const [name] = args.positionals;
  for (const line of name === undefined ? overview() : usageOf(name)) io.out(line);
  return Promise.resolve(0);
};

export function overview(): readonly string[] {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  return [
    'Usage: countersign COMMAND …',
    '',
    ...COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    ...COMMON,
  ];
}

/** Throws `UsageError` for a command that does not exist. */
export function usageOf(name: string): readonly string[] {
  const spec = findCommand(name);
  if (spec === undefined) throw new UsageError(`there is no command ${JSON.stringify(name)} (see: countersign help)`);
  return [
    `Usage: countersign ${[spec.name, spec.usage].filter(Boolean).join(' ')}`,
    '',
    `  ${spec.summary}`,
    '',
    ...(spec.notes === undefined ? [] : [...spec.notes.map((line) => `  ${line}`.trimEnd()), '']),
    ...COMMON,
  ];
}
