import canonicalize from 'canonicalize';
import { CountersignError } from './errors.ts';
import { concat, equalBytes, textOf, utf8 } from './bytes.ts';

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Levels of nesting. Deeper input is hostile: no format of ours nests more than ten. */
const DEPTH_MAX = 64;
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * RFC 8785 bytes of a JSON value. Members whose value is `undefined` are left out.
 *
 * Throws: `bad-input` for a lone surrogate, a number that is not finite, a forbidden key or nesting past 64.
 */
export function canonicalBytes(value: unknown): Uint8Array {
  check(value, 0);
  const text = canonicalize(value);
  if (text === undefined) throw new CountersignError('bad-input', 'The value has no JSON form.');
  return utf8(text);
}

/**
 * The canonical bytes of `{ ...rest, [key]: value }`, where `bytes` are already the canonical bytes of the value:
 * what was encoded once, for its hash, is not encoded again for what holds it. `rest` must not have the key.
 */
export function canonicalWith(rest: object, key: string, bytes: Uint8Array): Uint8Array {
  const entries = Object.entries(rest);
  // Members stand in the order of their UTF-16 code units, which is how `<` compares.
  const before = members(entries.filter(([other]) => other < key));
  const after = members(entries.filter(([other]) => other > key));
  const head = `{${before}${before === '' ? '' : ','}${JSON.stringify(key)}:`;
  return concat(utf8(head), bytes, utf8(after === '' ? '}' : `,${after}}`));
}

function members(entries: readonly (readonly [string, unknown])[]): string {
  const text = textOf(canonicalBytes(Object.fromEntries(entries)));
  return (text ?? '').slice(1, -1);
}

/**
 * The value of canonical bytes.
 *
 * Throws: `bad-input` unless the bytes are exactly what `canonicalBytes` makes of the value, so that two
 * readers can never see two values in the same signed bytes.
 */
export function parseCanonical(bytes: Uint8Array): Json {
  const value = parseJson(bytes);
  if (!equalBytes(canonicalBytes(value), bytes))
    throw new CountersignError('bad-input', 'The bytes are not canonical JSON.');
  return value;
}

function parseJson(bytes: Uint8Array): Json {
  const text = textOf(bytes);
  if (text === undefined) throw new CountersignError('bad-input', 'The bytes are not UTF-8.');
  try {
    // reason: JSON.parse returns JSON or throws a SyntaxError
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw new CountersignError('bad-input', 'The bytes are not JSON.', { cause });
  }
}

function check(value: unknown, depth: number): void {
  if (depth > DEPTH_MAX) throw new CountersignError('bad-input', `JSON may nest ${DEPTH_MAX} levels at most.`);
  if (typeof value === 'string') return checkText(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value))
      throw new CountersignError('bad-input', 'JSON has no form for a number that is not finite.');
    return;
  }
  if (value === null || typeof value === 'boolean' || value === undefined) return;
  if (Array.isArray(value)) {
    for (const item of value) {
      if (item === undefined) throw new CountersignError('bad-input', 'A JSON array cannot hold undefined.');
      check(item, depth + 1);
    }
    return;
  }
  if (typeof value !== 'object') throw new CountersignError('bad-input', `JSON has no form for a ${typeof value}.`);
  for (const [key, member] of Object.entries(value)) {
    if (FORBIDDEN_KEYS.has(key)) throw new CountersignError('bad-input', `The key ${key} is not allowed.`);
    checkText(key);
    check(member, depth + 1);
  }
}

function checkText(text: string): void {
  if (!text.isWellFormed())
    throw new CountersignError('bad-input', 'Text with half a surrogate pair has no UTF-8 form.');
}
