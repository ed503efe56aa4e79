import { textOf, utf8 } from '../base/bytes.ts';
import type { Json, JsonObject } from '../base/canonical-json.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { Action, Applied, Resolved } from '../model/action.ts';
import type { ActionContent } from '../model/content.ts';
import { digestOf } from '../model/digest.ts';
import type { Digest } from '../model/ids.ts';
import { valueAt } from '../model/json-pointer.ts';
import {
  printReference,
  REFERENCE_PREFIX,
  referencesIn,
  referencesInText,
  withStrings,
  type Reference,
} from '../model/reference.ts';
import type { ToolResult } from '../model/tool-result.ts';
import { blobRefsOf } from './blob-refs.ts';
import type { Core } from './core.ts';
import type { Surface } from './ports.ts';
import { resultOf } from './results.ts';

/** UTF-16 units of what may take the place of a reference: a name or an address, never a document. */
const VALUE_CHARS_MAX = 2_048;

type ReadBlob = (hash: Digest) => Uint8Array;

/** The references that a content carries, in its own values and in the texts it refers to, each once. */
export function carriedBy(content: Pick<ActionContent, 'arguments' | 'effect'>, blob: ReadBlob): readonly Reference[] {
  const said: Json = [content.arguments, content.effect];
  const found = new Map<string, Reference>();
  const add = (reference: Reference): void => void found.set(printReference(reference), reference);
  for (const reference of referencesIn(said)) add(reference);
  for (const { $blob } of blobRefsOf(said))
    for (const reference of referencesInText(blobText(blob, $blob))) add(reference);
  return [...found.values()];
}

/**
 * What the surface gets of an action that carries references: everything they stand for put in their place, by what
 * the applied makers declared and answered, and by nothing else (SM-4). `undefined`: it carries none. A text that
 * names no action of this workspace is no reference of ours.
 */
export function resolve(core: Core, action: Action): Result<Resolved | undefined> {
  if (!core.mintsReferences) return ok(undefined);
  const values = new Map<string, string>();
  for (const reference of carriedBy(action.content, (hash) => core.store.blob(hash))) {
    const maker = core.action(reference.maker);
    if (maker === undefined) continue;
    const value = valueOf(core, maker, reference.output);
    if (!value.ok) return value;
    values.set(printReference(reference), value.value);
  }
  if (values.size === 0) return ok(undefined);
  const resolved = resolvedWith(core, action.content, values);
  const left = carriedBy(resolved.content, (hash) => core.store.blob(hash)).map(printReference);
  const missed = left.find((printed) => values.has(printed));
  return missed === undefined ? ok(resolved) : err(`${missed} stands where nothing can take its place.`);
}

/** The content as the surface gets it. */
export function contentFor(action: Action): ActionContent {
  return action.resolved?.content ?? action.content;
}

/** For a person: what its references became; `null` when it carries none. */
export function resolvedWhy({ resolved }: Action): string | null {
  if (resolved === undefined) return null;
  const said = resolved.values.map(({ reference, value }) => `${reference} is ${value}`);
  return `${said.join('; ')}.`;
}

/** What is locked while the action is looked at and applied: also what its references stand for. */
export function writesOf(core: Core, action: Action): ActionContent['writes'] {
  const resolved = core.mintsReferences && action.resolved === undefined ? resolve(core, action) : ok(action.resolved);
  if (!resolved.ok || resolved.value === undefined) return action.content.writes;
  return [...new Set([...action.content.writes, ...resolved.value.content.writes])];
}

/** What stands for a reference to this action; an error is the sentence that says why nothing does. */
export function valueOf(core: Core, maker: Action, output: string): Result<string> {
  if (maker.state !== 'applied') return err(`What #${maker.seq} makes has no name yet: it is ${maker.state}.`);
  return outputOf(core.surfaceOf(maker), output, maker.seq, { applied: maker.applied, result: resultOf(core, maker) });
}

export function outputOf(
  surface: Surface | undefined,
  output: string,
  seq: number,
  { applied, result }: { readonly applied: Pick<Applied, 'evidence'>; readonly result: ToolResult },
): Result<string> {
  const pointer = surface?.outputs?.[output];
  if (pointer === undefined) return err(`#${seq} does not make a ${output}.`);
  // reason: a stored result is plain JSON, which its interface type cannot say
  const answered = { evidence: applied.evidence, result } as unknown as JsonObject;
  const value = valueAt(answered, pointer);
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text === '' || text.length > VALUE_CHARS_MAX || text.includes(REFERENCE_PREFIX))
    return err(`#${seq} was applied, but did not say which ${output} it made.`);
  return ok(text);
}

/** The value with each of these references replaced. */
export function withValues<T extends Json>(value: T, values: ReadonlyMap<string, string>): T {
  return withStrings(value, (text) => replaced(text, values));
}

function replaced(text: string, values: ReadonlyMap<string, string>): string {
  let now = text;
  for (const reference of referencesInText(text)) {
    const printed = printReference(reference);
    now = now.replaceAll(printed, () => values.get(printed) ?? printed);
  }
  return now;
}

/** New bytes are stored with the next commit, which is the intent's. */
function resolvedWith(core: Core, content: ActionContent, values: ReadonlyMap<string, string>): Resolved {
  const blobs = new Map<Digest, { readonly hash: Digest; readonly bytes: number; readonly before: number }>();
  // reason: an ActionContent is plain JSON, which its interface type cannot say
  const whole = content as unknown as JsonObject;
  for (const { $blob, bytes: before } of blobRefsOf(whole)) {
    const text = blobText((hash) => core.store.blob(hash), $blob);
    const anew = replaced(text, values);
    if (anew === text) continue;
    const bytes = utf8(anew);
    blobs.set($blob, { hash: core.store.keepBlob(bytes), bytes: bytes.length, before });
  }
  const strings = withStrings(whole, (text) => renamed(replaced(text, values), blobs));
  // reason: only strings and counts of bytes differ from the content it is made of
  const resolved = recounted(strings, [...blobs.values()]) as unknown as ActionContent;
  return {
    content: { ...resolved, toolDigest: content.toolDigest },
    digest: digestOf(core.options.crypto.sha256, { ...resolved, toolDigest: content.toolDigest }),
    values: [...values].map(([reference, value]) => ({ reference, value })),
  };
}

/** A text that was resolved has another address: whatever named its bytes (a fingerprint, a precondition) follows. */
function renamed(text: string, blobs: ReadonlyMap<Digest, { readonly hash: Digest }>): string {
  let now = text;
  for (const [before, { hash }] of blobs) if (now.includes(before)) now = now.replaceAll(before, hash);
  return now;
}

function recounted(
  value: Json,
  blobs: readonly { readonly hash: Digest; readonly bytes: number; readonly before: number }[],
): Json {
  if (value === null || typeof value !== 'object' || blobs.length === 0) return value;
  if (Array.isArray(value)) return value.map((item: Json) => recounted(item, blobs));
  const members = Object.entries(value).map(([name, member]) => [name, recounted(member, blobs)] as const);
  const blob = blobs.find(({ before, hash }) => {
    const object = Object.fromEntries(members);
    return object['bytes'] === before && Object.values(object).includes(hash);
  });
  return Object.fromEntries(members.map(([name, member]) => [name, name === 'bytes' && blob ? blob.bytes : member]));
}

/** The text of stored bytes; empty for what is no text, in which no reference can stand. */
function blobText(blob: ReadBlob, hash: Digest): string {
  return textOf(blob(hash)) ?? '';
}
