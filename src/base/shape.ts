import type { Json, JsonObject } from './canonical-json.ts';
import { utf8 } from './bytes.ts';
import { err, ok, type Result } from './result.ts';

/**
 * Reads one JSON value, or throws a `ShapeError` that names the place. Small on purpose and without code made at
 * run time: these readers run in pages whose Content-Security-Policy forbids that, even as a probe.
 */
export type Reader<T> = (value: Json, at: string) => T;

type Fields = Readonly<Record<string, Reader<unknown>>>;
type Read<R> = R extends Reader<infer T> ? T : never;
type Needed<F extends Fields> = { readonly [K in keyof F]: Read<F[K]> };
type Allowed<F extends Fields> = { readonly [K in keyof F]?: Read<F[K]> };

class ShapeError extends Error {
  override readonly name = 'ShapeError';
}

/** The value as `reader` understands it, or a sentence about the first thing that is wrong with it. */
export function read<T>(reader: Reader<T>, value: Json): Result<T> {
  try {
    return ok(reader(value, ''));
  } catch (thrown) {
    if (thrown instanceof ShapeError) return err(thrown.message);
    throw thrown;
  }
}

/** Ends the reading of a value with a sentence about what is at fault. */
export function wrong(at: string, what: string): never {
  throw new ShapeError(`${at === '' ? 'The value' : shortened(at)} ${what}.`);
}

/** UTF-16 units of a place that a sentence names: a stranger chose the words, and the sentence goes into receipts. */
const PLACE_MAX = 120;

function shortened(at: string): string {
  return at.length <= PLACE_MAX ? at : `${at.slice(0, PLACE_MAX).toWellFormed()}…`;
}

/** An object with exactly these members; unknown ones are refused. */
export function record<F extends Fields>(required: F): Reader<Needed<F>>;
export function record<F extends Fields, O extends Fields>(required: F, optional: O): Reader<Needed<F> & Allowed<O>>;
export function record(required: Fields, optional: Fields = {}): Reader<unknown> {
  const needed = Object.entries(required);
  const allowed = Object.entries(optional);
  return (value, at) => {
    const object = jsonObject(value, at);
    const members: Record<string, unknown> = {};
    for (const [key, reader] of needed) {
      const member = own(object, key);
      if (member === undefined) wrong(place(at, key), 'is missing');
      members[key] = reader(member, place(at, key));
    }
    for (const [key, reader] of allowed) {
      const member = own(object, key);
      if (member !== undefined) members[key] = reader(member, place(at, key));
    }
    for (const key of Object.keys(object)) {
      if (!Object.hasOwn(members, key)) wrong(place(at, key), 'is not known');
    }
    return members;
  };
}

/** Any object; its members are the business of who uses it. */
export function jsonObject(value: Json, at: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) wrong(at, 'must be an object');
  return value as JsonObject; // reason: Array.isArray does not narrow a readonly array away
}

export function list<T>(
  item: Reader<T>,
  limits: { readonly max: number; readonly min?: number },
): Reader<readonly T[]> {
  const min = limits.min ?? 0;
  return (value, at) => {
    if (!Array.isArray(value)) wrong(at, 'must be a list');
    if (value.length > limits.max) wrong(at, `may hold ${limits.max} at most`);
    if (value.length < min) wrong(at, `must hold ${min} at least`);
    return value.map((member: Json, index) => item(member, `${at}[${index}]`));
  };
}

/** Text of at most `bytesMax` UTF-8 bytes. */
export function text(limits: { readonly bytesMax: number; readonly bytesMin?: number }): Reader<string> {
  const bytesMin = limits.bytesMin ?? 0;
  return (value, at) => {
    if (typeof value !== 'string') wrong(at, 'must be text');
    // A UTF-16 unit is one to three bytes: most texts are short enough, or long enough, without a count.
    if (value.length >= bytesMin && 3 * value.length <= limits.bytesMax) return value;
    const bytes = utf8(value).length;
    if (bytes > limits.bytesMax) wrong(at, `may have ${limits.bytesMax} bytes at most`);
    if (bytes < bytesMin) wrong(at, 'must not be empty');
    return value;
  };
}

/** A whole number that JSON carries exactly, `min` or more. */
export function whole(min: number): Reader<number> {
  return (value, at) => {
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) wrong(at, 'must be a whole number');
    if (value < min) wrong(at, `must be ${min} or more`);
    return value;
  };
}

export function flag(value: Json, at: string): boolean {
  if (typeof value !== 'boolean') wrong(at, 'must be true or false');
  return value;
}

export function oneOf<const T extends string | number>(...allowed: readonly T[]): Reader<T> {
  return (value, at) => {
    const found = allowed.find((word) => word === value);
    if (found === undefined) wrong(at, `must be ${allowed.join(' or ')}`);
    return found;
  };
}

export function nullable<T>(reader: Reader<T>): Reader<T | null> {
  return (value, at) => (value === null ? null : reader(value, at));
}

/** What has its own parser: ids, digests. */
export function parsed<T>(parse: (value: unknown) => Result<T>): Reader<T> {
  return (value, at) => {
    const result = parse(value);
    if (!result.ok) wrong(at, `is malformed: ${result.error.replace(/\.$/, '')}`);
    return result.value;
  };
}

/** Refuses a list in which two members share the key, such as two items for one action. */
export function distinct<T>(reader: Reader<readonly T[]>, keyOf: (member: T) => string): Reader<readonly T[]> {
  return (value, at) => {
    const members = reader(value, at);
    if (new Set(members.map(keyOf)).size !== members.length) wrong(at, 'names the same one twice');
    return members;
  };
}

function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function place(at: string, key: string): string {
  return at === '' ? key : `${at}.${key}`;
}
