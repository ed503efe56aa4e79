import { parseArgs, type ParseArgsConfig } from 'node:util';
import { UsageError } from './usage-error.ts';

/** A flag: `text` takes a value, `list` takes one each time it is given. */
export type FlagKind = 'flag' | 'text' | 'list';
export type Flags = Readonly<Record<string, FlagKind>>;

/** What was typed, by the flags of one command. */
export interface ParsedArgs {
  readonly positionals: readonly string[];
  flag(name: string): boolean;
  text(name: string): string | undefined;
  /** Every value given; those separated by commas or spaces after the flag count one by one. */
  list(name: string): readonly string[];
}

export interface ArgsShape {
  readonly flags: Flags;
  /** Positional arguments the command takes. */
  readonly operands: { readonly min: number; readonly max: number };
}

/** Flags of every command. */
const COMMON_FLAGS = {
  workspace: 'text',
  state: 'text',
  json: 'flag',
  help: 'flag',
} as const satisfies Flags;

/** Throws `UsageError` with a sentence that names what is wrong. */
export function parseCommandArgs(command: string, shape: ArgsShape, argv: readonly string[]): ParsedArgs {
  const flags: Flags = { ...COMMON_FLAGS, ...shape.flags };
  const { tokens } = parseStrictly(command, flags, argv);
  const positionals: string[] = [];
  const lists = new Map<string, string[]>();
  const texts = new Map<string, string>();
  const set = new Set<string>();
  let openList: string[] | undefined;
  for (const token of tokens) {
    if (token.kind === 'option-terminator') openList = undefined;
    else if (token.kind === 'positional') (openList ?? positionals).push(token.value);
    else {
      openList = undefined;
      set.add(token.name);
      if (token.value !== undefined && flags[token.name] === 'text') texts.set(token.name, token.value);
      if (token.value !== undefined && flags[token.name] === 'list') {
        openList = lists.get(token.name) ?? [];
        openList.push(...token.value.split(',').filter((part) => part !== ''));
        lists.set(token.name, openList);
      }
    }
  }
  checkOperands(command, shape, positionals);
  return {
    positionals,
    flag: (name) => set.has(name),
    text: (name) => texts.get(name),
    list: (name) => lists.get(name) ?? [],
  };
}

type Option = NonNullable<ParseArgsConfig['options']>[string];

function parseStrictly(command: string, flags: Flags, argv: readonly string[]) {
  const options: Record<string, Option> = { help: { type: 'boolean', short: 'h' } };
  for (const [name, kind] of Object.entries(flags)) {
    if (name !== 'help') options[name] = kind === 'flag' ? { type: 'boolean' } : { type: 'string', multiple: true };
  }
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, strict: true, tokens: true });
  } catch (error) {
    // parseArgs throws TypeErrors with codes of its own for what it does not know.
    const sentence = error instanceof Error ? (error.message.split(/\. |\n/, 1)[0] ?? '') : String(error);
    throw new UsageError(`${sentence.replace(/\.$/, '')} (see: countersign help ${command})`);
  }
}

function checkOperands(command: string, shape: ArgsShape, positionals: readonly string[]): void {
  const { min, max } = shape.operands;
  if (positionals.length < min) {
    throw new UsageError(
      `${command} needs ${min === 1 ? 'an argument' : `${min} arguments`} (see: countersign help ${command})`,
    );
  }
  if (positionals.length > max) {
    throw new UsageError(
      `${command} does not know what to do with ${JSON.stringify(positionals[max])} (see: countersign help ${command})`,
    );
  }
}

/** A number flag within bounds. Throws `UsageError`. */
export function numberFlag(
  args: ParsedArgs,
  name: string,
  bounds: { readonly min: number; readonly max: number },
): number | undefined {
  const text = args.text(name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < bounds.min || value > bounds.max) {
    throw new UsageError(`--${name} takes a number from ${bounds.min} to ${bounds.max}, not ${JSON.stringify(text)}`);
  }
  return value;
}

/** A flag that takes one of a few words. Throws `UsageError`. */
export function wordFlag<const W extends string>(args: ParsedArgs, name: string, words: readonly W[]): W | undefined {
  const text = args.text(name);
  if (text === undefined) return undefined;
  const word = words.find((candidate) => candidate === text);
  if (word === undefined)
    throw new UsageError(`--${name} takes one of ${words.join(', ')}, not ${JSON.stringify(text)}`);
  return word;
}
