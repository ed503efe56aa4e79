import type { ArgsShape, ParsedArgs } from '../args/parse.ts';
import type { Io } from './io.ts';

/** 0 done · 1 refused or failed · 2 usage; `audit verify` has its own beyond 2. */
export type ExitCode = number;

export interface Invocation {
  /** The word that was typed: one module may serve several. */
  readonly command: string;
  readonly args: ParsedArgs;
  readonly io: Io;
}

export type Run = (invocation: Invocation) => Promise<ExitCode>;

/** One command as the command line knows it before its code is loaded. */
export interface CommandSpec extends ArgsShape {
  readonly name: string;
  /** What follows the name, as help shows it. */
  readonly usage: string;
  /** One sentence, lower case, no full stop. */
  readonly summary: string;
  /** Lines below the usage: examples, complete, and what each form does. */
  readonly notes?: readonly string[];
  readonly load: () => Promise<{ readonly run: Run }>;
}
