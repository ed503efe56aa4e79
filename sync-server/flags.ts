import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CountersignError, messageOf } from '../src/base/errors.ts';
import { parseHomeId, type HomeId } from '../src/model/ids.ts';

const PORT_DEFAULT = 4420;
const HOST_DEFAULT = '127.0.0.1';

/** What a relay that runs alone was told. */
export interface RelayFlags {
  /** 0: any free one. */
  readonly port: number;
  readonly host: string;
  readonly dataDir: string;
  /** Path of a file of tokens. */
  readonly admit: string | undefined;
  readonly homes: readonly HomeId[];
  readonly open: boolean;
  readonly pageOrigins: readonly string[];
  /** What proofs must name; empty: the loopback names of the port. */
  readonly publicOrigins: readonly string[];
}

const OPTIONS = {
  port: { type: 'string' },
  host: { type: 'string' },
  data: { type: 'string' },
  admit: { type: 'string' },
  home: { type: 'string', multiple: true },
  open: { type: 'boolean' },
  origin: { type: 'string', multiple: true },
  'public-origin': { type: 'string', multiple: true },
} as const;

const TAKES =
  'The relay takes --port N, --host H, --data DIR, --admit FILE, --home ID, --open, --origin PAGE and --public-origin URL.';

/**
 * What is not said by a flag is said by `COUNTERSIGN_RELAY_PORT` and `COUNTERSIGN_RELAY_DATA`, or has a default.
 *
 * Throws: `bad-input` with a sentence that names what was wrong, or whom to serve when nothing says it.
 */
export function readFlags(args: readonly string[], environment: NodeJS.ProcessEnv): RelayFlags {
  const given = parse(args);
  const flags: RelayFlags = {
    port: portOf(given.port ?? environment['COUNTERSIGN_RELAY_PORT'] ?? String(PORT_DEFAULT)),
    host: given.host ?? HOST_DEFAULT,
    dataDir: given.data ?? environment['COUNTERSIGN_RELAY_DATA'] ?? dataDirOf(environment),
    admit: given.admit,
    homes: (given.home ?? []).map(homeOf),
    open: given.open ?? false,
    pageOrigins: (given.origin ?? []).map((text) => originOf(text, /^https?:$/, 'http://localhost:4321')),
    publicOrigins: (given['public-origin'] ?? []).map((text) => originOf(text, /^wss?:$/, 'wss://relay.example')),
  };
  if (!flags.open && flags.admit === undefined && flags.homes.length === 0)
    throw wrong('Say whom the relay serves: --home ID for a home, --admit FILE for tokens, or --open for everybody.');
  if (!isLoopback(flags.host) && flags.publicOrigins.length === 0)
    throw wrong(
      `On ${flags.host} the relay needs --public-origin: the ws:// or wss:// address that others reach it by.`,
    );
  return flags;
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch (cause) {
    // parseArgs throws a TypeError on an option it does not know, and on nothing else.
    throw new CountersignError('bad-input', `${messageOf(cause)} ${TAKES}`, { cause });
  }
}

function portOf(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw wrong(`The port must be a number from 0 to 65535, not ${JSON.stringify(text)}.`);
  return Number(text);
}

function homeOf(text: string): HomeId {
  const home = parseHomeId(text);
  if (!home.ok) throw wrong(`--home takes the id that "countersign status" prints, not ${JSON.stringify(text)}.`);
  return home.value;
}

function originOf(text: string, protocols: RegExp, example: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const origin = url === undefined ? undefined : `${url.protocol}//${url.host}`;
  if (url === undefined || !protocols.test(url.protocol) || text.replace(/\/$/, '') !== origin)
    throw wrong(`${JSON.stringify(text)} is no origin; one looks like ${example}.`);
  return origin;
}

function dataDirOf(environment: NodeJS.ProcessEnv): string {
  return join(environment['XDG_STATE_HOME'] ?? join(homedir(), '.local', 'state'), 'countersign-relay');
}

function wrong(sentence: string): CountersignError {
  return new CountersignError('bad-input', sentence);
}
