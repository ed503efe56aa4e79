import type { Json, JsonObject } from '../base/canonical-json.ts';
import { err, ok, type Result } from '../base/result.ts';
import { parseActionId, type ActionId } from './ids.ts';

/**
 * Stands for something that an action will have made: nobody knows its real name yet, and later actions can carry
 * this one (SM-4). `output` is the name under which the maker's surface declares what it answers.
 */
export interface Reference {
  readonly output: string;
  readonly maker: ActionId;
}

/** The text in its whole length; no part of it is optional, so that it is found inside other text as well. */
const REFERENCE = /countersign:ref:([a-z][a-z0-9-]{0,39}):(a-[a-z2-7]{26})/gu;

/** What every reference begins with: a text without it holds none. */
export const REFERENCE_PREFIX = 'countersign:ref:';

export function printReference({ maker, output }: Reference): string {
  return `${REFERENCE_PREFIX}${output}:${maker}`;
}

export function parseReference(text: string): Result<Reference> {
  const [found, ...more] = referencesInText(text);
  if (found === undefined || more.length > 0 || printReference(found) !== text)
    return err('A reference is countersign:ref:, the name of an output, and the id of the action that makes it.');
  return ok(found);
}

/** The references in a text, each as often as it stands there. */
export function referencesInText(text: string): readonly Reference[] {
  if (!text.includes(REFERENCE_PREFIX)) return [];
  return [...text.matchAll(REFERENCE)].flatMap(([, output = '', id]) => {
    const maker = parseActionId(id);
    return maker.ok ? [{ output, maker: maker.value }] : [];
  });
}

/** The references in the strings of a value. In the name of a member one is found, too: it cannot be replaced there. */
export function* referencesIn(value: Json): Generator<Reference> {
  if (typeof value === 'string') yield* referencesInText(value);
  else if (Array.isArray(value)) for (const item of value) yield* referencesIn(item);
  else if (value !== null && typeof value === 'object')
    for (const [name, member] of Object.entries(value)) {
      yield* referencesInText(name);
      yield* referencesIn(member);
    }
}

/** The value with every string put through `change`. Names of members stay. */
export function withStrings<T extends Json>(value: T, change: (text: string) => string): T {
  // reason: strings become strings, and everything around them keeps its shape
  return changed(value, change) as T;
}

function changed(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item: Json) => changed(item, change));
  if (value === null || typeof value !== 'object') return value;
  // reason: Array.isArray does not narrow readonly arrays away
  const members = Object.entries(value as JsonObject).map(([name, member]) => [name, changed(member, change)]);
  return Object.fromEntries(members);
}
