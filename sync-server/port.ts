import { parseArgs } from 'node:util';
import { CountersignError, messageOf } from '../src/base/errors.ts';

const PORT_DEFAULT = 4420;

/**
 * The port to listen on: `--port`, else `COUNTERSIGN_RELAY_PORT`, else 4420. 0 is any free one.
 *
 * Throws: `bad-input` with a sentence that names what was wrong.
 */
export function readPort(args: readonly string[], environment: NodeJS.ProcessEnv): number {
  const text = portOption(args) ?? environment['COUNTERSIGN_RELAY_PORT'] ?? String(PORT_DEFAULT);
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new CountersignError('bad-input', `The port must be a number from 0 to 65535, not ${JSON.stringify(text)}.`);
  return Number(text);
}

function portOption(args: readonly string[]): string | undefined {
  try {
    return parseArgs({ args: [...args], options: { port: { type: 'string' } } }).values.port;
  } catch (cause) {
    // parseArgs throws a TypeError on an option it does not know, and on nothing else.
    throw new CountersignError('bad-input', `${messageOf(cause)} The relay takes --port N.`, { cause });
  }
}
