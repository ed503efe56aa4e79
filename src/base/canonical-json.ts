import { CountersignError } from './errors.ts';
import { textOf, utf8 } from './bytes.ts';

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
  return utf8(canonicalText(value));
}

/** The same, as text. */
export function canonicalText(value: unknown): string {
  return written(value, 0);
}

/**
 * The canonical text of `{ ...rest, [key]: value }`, where `text` is already the canonical text of the value: what was
 * encoded once, for its hash, is not encoded again for what holds it. `rest` must not have the key.
 */
export function canonicalWith(rest: object, key: string, text: string): string {
  return writtenObject(rest, 1, { key, text });
}

/**
 * The value of canonical bytes.
 *
 * Throws: `bad-input` unless the bytes are exactly what `canonicalBytes` makes of the value, so that two
 * readers can never see two values in the same signed bytes.
 */
export function parseCanonical(bytes: Uint8Array): Json {
  const text = textOf(bytes);
  if (text === undefined) throw new CountersignError('bad-input', 'The bytes are not UTF-8.');
  const value = parseJson(text);
  // Bytes of valid UTF-8 are equal when their texts are.
  if (canonicalText(value) !== text) throw new CountersignError('bad-input', 'The bytes are not canonical JSON.');
  return value;
}

function parseJson(text: string): Json {
  try {
    // reason: JSON.parse returns JSON or throws a SyntaxError
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw new CountersignError('bad-input', 'The bytes are not JSON.', { cause });
  }
}

/** One pass that refuses and writes. RFC 8785 takes the text of numbers and strings from ECMAScript, so it is the engine's. */
function written(value: unknown, depth: number): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return String(value);
    throw new CountersignError('bad-input', 'JSON has no form for a number that is not finite.');
  }
  if (value === null) return 'null';
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (typeof value !== 'object') throw new CountersignError('bad-input', `JSON has no form for a ${typeof value}.`);
  if (depth >= DEPTH_MAX) throw new CountersignError('bad-input', `JSON may nest ${DEPTH_MAX} levels at most.`);
  return Array.isArray(value) ? writtenArray(value, depth + 1) : writtenObject(value, depth + 1);
}

function writtenArray(items: readonly unknown[], depth: number): string {
  let text = '[';
  for (const item of items) text += (text === '[' ? '' : ',') + written(item, depth);
  return `${text}]`;
}

/** `known`: a member that `value` does not have, and whose canonical text is there already. */
function writtenObject(value: object, depth: number, known?: { readonly key: string; readonly text: string }): string {
  let text = '';
  // reason: any object is a bag of members of unknown types
  const members = value as Readonly<Record<string, unknown>>;
  const keys = Object.keys(members);
  if (known !== undefined) keys.push(known.key);
  for (const key of inOrder(keys)) {
    const name = nameOf(key);
    const member = key === known?.key ? known.text : memberText(members[key], depth);
    if (member !== undefined) text += (text === '' ? '' : ',') + name + member;
  }
  return `{${text}}`;
}

function memberText(member: unknown, depth: number): string | undefined {
  return member === undefined ? undefined : written(member, depth);
}

/** Keys from which on moving each to its place costs more than the engine's own sort. */
const FEW_KEYS = 32;

/**
 * By UTF-16 code units, as the RFC asks. A few keys, and most objects have no more, are put in order where they are: of
 * the engine's sort they would be paying for the calls.
 */
function inOrder(keys: string[]): readonly string[] {
  if (keys.length > FEW_KEYS) return keys.toSorted();
  for (let at = 1; at < keys.length; at++) {
    const key = keys[at] ?? '';
    let to = at;
    for (; to > 0; to--) {
      const before = keys[to - 1] ?? '';
      if (before < key) break;
      keys[to] = before;
    }
    keys[to] = key;
  }
  return keys;
}

/** Keys come from a small vocabulary; what agents make up beyond it is not kept. */
const NAMES_KEPT_MAX = 1_000;
const names = new Map<string, string>();

/** A key as it stands before its value. */
function nameOf(key: string): string {
  const known = names.get(key);
  if (known !== undefined) return known;
  if (FORBIDDEN_KEYS.has(key)) throw new CountersignError('bad-input', `The key ${key} is not allowed.`);
  const name = `${quoted(key)}:`;
  if (names.size < NAMES_KEPT_MAX && key.length <= 32) names.set(key, name);
  return name;
}

/** Anything but the printable ASCII that stands for itself between quotes. */
const NOT_PLAIN = /[^ !#-[\]-~]/;

function quoted(text: string): string {
  if (!NOT_PLAIN.test(text)) return `"${text}"`;
  if (text.isWellFormed()) return JSON.stringify(text);
  throw new CountersignError('bad-input', 'Text with half a surrogate pair has no UTF-8 form.');
}
