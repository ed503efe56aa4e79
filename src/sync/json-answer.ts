import type { Json } from '../base/canonical-json.ts';
import { textOf } from '../base/bytes.ts';
import { read, type Reader } from '../base/shape.ts';
import { notUnderstood } from './relay-error.ts';

/** The JSON value of an answer. Throws: `closed` for anything else. */
export function readJson<T>(reader: Reader<T>, bytes: Uint8Array): T {
  const value = parseJson(textOf(bytes));
  const result = value === undefined ? undefined : read(reader, value);
  if (result?.ok !== true) throw notUnderstood('The relay’s answer was not understood.');
  return result.value;
}

function parseJson(text: string | undefined): Json | undefined {
  if (text === undefined) return undefined;
  try {
    // reason: what JSON.parse makes of text is JSON
    return JSON.parse(text) as Json;
  } catch {
    // It throws a SyntaxError, and nothing else.
    return undefined;
  }
}
