import * as z from 'zod';
import { CountersignError, ERROR_TABLE, type Effect, type ErrorCode } from '../base/errors.ts';

/** One request on a door. Ids are the client's own and come back with the answer. */
export interface Request {
  readonly id: number;
  readonly method: string;
  readonly params: unknown;
}

export type Response =
  | { readonly type: 'result'; readonly id: number; readonly result: unknown }
  | { readonly type: 'error'; readonly id: number; readonly error: WireError }
  /** On the wire an error with `id: null`: no request could be read, and the connection ends after it. */
  | { readonly type: 'broken'; readonly error: WireError };

export interface WireError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly effect: Effect;
}

// reason: the keys of a const table are its codes
const CODES = Object.keys(ERROR_TABLE) as [ErrorCode, ...ErrorCode[]];
const id = z.int().positive();

const requestSchema = z.strictObject({ id, method: z.string().max(64), params: z.unknown() });
const errorSchema = z.strictObject({
  code: z.enum(CODES),
  message: z.string(),
  effect: z.enum(['none', 'applied', 'unknown']),
});
const responseSchema = z.union([
  z.strictObject({ id, result: z.unknown() }),
  z.strictObject({ id: id.nullable(), error: errorSchema }),
]);

/** Throws: `bad-input` for a line that is not a request; the connection cannot go on after one. */
export function parseRequest(line: string): Request {
  const { id: requestId, method, params } = parseParams(requestSchema, parseJson(line), 'request');
  return { id: requestId, method, params };
}

/** Throws: `bad-input` for a line that is not a response. */
export function parseResponse(line: string): Response {
  const value = responseSchema.safeParse(parseJson(line));
  if (!value.success) throw new CountersignError('bad-input', 'The home sent a line that is not an answer.');
  if ('result' in value.data) return { type: 'result', ...value.data };
  const { id: requestId, error } = value.data;
  return requestId === null ? { type: 'broken', error } : { type: 'error', id: requestId, error };
}

/** A value of the schema's shape, or `bad-input` with a sentence that names the first field that is wrong. */
export function parseParams<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new CountersignError('bad-input', problem(parsed.error.issues[0], what));
}

export function wireError(error: CountersignError): WireError {
  return { code: error.code, message: error.message, effect: error.effect };
}

export function fromWireError(error: WireError): CountersignError {
  return new CountersignError(error.code, error.message, { effect: error.effect });
}

function problem(issue: z.core.$ZodIssue | undefined, what: string): string {
  if (issue === undefined) return `The ${what} is malformed.`;
  const field = issue.path.map(String).join('.');
  const inside = field === '' ? `The ${what}` : field;
  if (issue.code === 'unrecognized_keys') return `${inside} has an unknown field: ${issue.keys.map(quote).join(', ')}.`;
  return `${inside}: ${issue.message}.`;
}

/** An unknown key is the sender's text: shortened, and escaped as JSON. */
function quote(key: string): string {
  return JSON.stringify(key.length > 64 ? `${key.slice(0, 64)}…` : key);
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    // JSON.parse throws a SyntaxError on text that is not JSON, and on nothing else.
    throw new CountersignError('bad-input', 'A line is not JSON.', { cause });
  }
}
