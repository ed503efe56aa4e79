import type { Json, JsonObject } from '../base/canonical-json.ts';

/** What an RFC 6901 pointer names; `undefined` when nothing is there or the pointer is malformed. */
export function valueAt(root: Json, pointer: string): Json | undefined {
  if (pointer === '') return root;
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return undefined;
  let value: Json | undefined = root;
  for (const token of pointer.slice(1).split('/').map(unescapeToken)) {
    value = member(value, token);
    if (value === undefined) return undefined;
  }
  return value;
}

export interface Leaf {
  readonly pointer: string;
  readonly value: Json;
}

/** Every value that is no object or array, or an empty one, or a blob reference, in key order, with its pointer. */
export function leaves(root: JsonObject): readonly Leaf[] {
  const found: Leaf[] = [];
  const visit = (value: Json, pointer: string): void => {
    const inner = entries(value);
    if (inner.length === 0 || '$blob' in Object(value)) found.push({ pointer, value });
    else for (const [key, item] of inner) visit(item, `${pointer}/${escapeToken(key)}`);
  };
  for (const [key, value] of entries(root)) visit(value, `/${escapeToken(key)}`);
  return found;
}

function entries(value: Json): readonly (readonly [string, Json])[] {
  return value !== null && typeof value === 'object' ? Object.entries(value) : [];
}

function member(value: Json, token: string): Json | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  if (Array.isArray(value) && !/^(?:0|[1-9]\d*)$/.test(token)) return undefined;
  // reason: an own property of JSON is JSON; an array's indexes are its own properties
  return Object.hasOwn(value, token) ? (value as JsonObject)[token] : undefined;
}

function escapeToken(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function unescapeToken(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}
