import { assert } from '../base/assert.ts';
import type { Json, JsonObject } from '../base/canonical-json.ts';
import type { ActionContent, BlobRef } from './content.ts';
import { displayName, displayPath, displayUrl } from './display-name.ts';
import { display, formatCount, type Displayed, type DisplayFlag } from './display.ts';
import { parseDigest } from './ids.ts';
import { leaves, valueAt } from './json-pointer.ts';

/** How a field's value is meant to be read. */
export type FieldKind = 'path' | 'text' | 'bytes' | 'url' | 'recipient' | 'diff' | 'amount';

/** One line of a card. `pointer` is an RFC 6901 JSON pointer into the action's content (`/arguments/path`). */
export interface CardField {
  readonly label: string;
  readonly pointer: string;
  readonly as: FieldKind;
}

/**
 * What a person is shown, as data: interpreted by the device over the canonical content, never by the agent.
 * `title` holds `{n}` for the n-th field, from 0: `Write {0}`. `target` is the field that names what is touched:
 * its label, its pointer, or a text with `{n}` like the title. `null` instead of a template: "cannot be inspected".
 */
export interface CardTemplate {
  readonly title: string;
  readonly target: string;
  readonly fields: readonly CardField[];
}

/** A template filled in. Every text is displayed already; title, target and labels are one line each. */
export interface Card {
  readonly title: string;
  readonly target: string;
  readonly fields: readonly ShownField[];
  /** False without a template, or when what the template calls the target is not there. */
  readonly inspectable: boolean;
  readonly flags: readonly DisplayFlag[];
}

export interface ShownField {
  readonly label: string;
  readonly kind: FieldKind;
  /** The JSON type of the value, so that `"5"` and `5` can be told apart. */
  readonly type: 'string' | 'number' | 'boolean' | 'null' | 'array' | 'object' | 'blob' | 'absent';
  /** Many lines only for the kinds `text` and `diff`. */
  readonly value: string;
  /** Set when the value lives in the blob store; its claimed size is the action's word until the bytes are fetched. */
  readonly blob: BlobRef | null;
  readonly flags: readonly DisplayFlag[];
  readonly cutBytes: number;
}

export const CARD_LIMITS = {
  /** UTF-16 units of a title and a target. */
  titleChars: 240,
  /** UTF-16 units of one value inside the title. */
  titleValueChars: 120,
  labelChars: 80,
  valueChars: 4096,
  /** Lines of a card without a template; the rest is counted. */
  rawFieldsMax: 100,
} as const;

/**
 * The card of an action, a function of its countersigned content alone (T1): no agent-written text can reach it but
 * through a value that is itself applied, and no value can end its own line.
 */
export function interpretCard(template: CardTemplate | null, content: ActionContent): Card {
  if (template === null) return rawCard(content);
  // reason: an ActionContent is plain JSON, which its interface type cannot say
  const root = content as unknown as JsonObject;
  const values = template.fields.map((field) => ({ field, value: valueAt(root, field.pointer) }));
  const fields = values.map(({ field, value }) => showField(field.label, field.as, value));
  const inline = values.map(({ field, value }) => showInline(field.as, value));
  const named = template.fields.findIndex((f) => f.label === template.target || f.pointer === template.target);
  const target = named === -1 ? fillIn(template.target, inline) : oneLine(inline[named] ?? '');
  return {
    title: fillIn(template.title, inline),
    target,
    fields,
    inspectable: named === -1 || values[named]?.value !== undefined,
    flags: unionOf(fields),
  };
}

function rawCard(content: ActionContent): Card {
  const all = leaves(content.arguments);
  const shown = all.slice(0, CARD_LIMITS.rawFieldsMax);
  const fields = shown.map(({ pointer, value }) => showField(pointer, 'text', value));
  const more = all.length - shown.length;
  if (more > 0) fields.push(moreField(more));
  const tool = displayName(content.tool);
  const flags = unionOf([...fields, tool]);
  return { title: oneLine(`Call ${tool.text}`), target: tool.text, fields, inspectable: false, flags };
}

function moreField(count: number): ShownField {
  const value = `${formatCount(count)} more arguments not shown`;
  return { label: '…', kind: 'text', type: 'absent', value, blob: null, flags: ['truncated'], cutBytes: 0 };
}

function showField(label: string, kind: FieldKind, value: Json | undefined): ShownField {
  const multiline = kind === 'text' || kind === 'diff';
  const shown = showValue(kind, value, { maxChars: CARD_LIMITS.valueChars, multiline });
  return {
    label: display(label, { maxChars: CARD_LIMITS.labelChars }).text,
    kind,
    type: typeOf(value),
    value: shown.text,
    blob: blobRefOf(value),
    flags: shown.flags,
    cutBytes: shown.cutBytes,
  };
}

function showInline(kind: FieldKind, value: Json | undefined): string {
  return showValue(kind, value, { maxChars: CARD_LIMITS.titleValueChars, multiline: false }).text;
}

interface ShowOptions {
  readonly maxChars: number;
  readonly multiline: boolean;
}

function showValue(kind: FieldKind, value: Json | undefined, options: ShowOptions): Displayed {
  if (value === undefined) return display('(absent)');
  const blob = blobRefOf(value);
  if (blob !== null) return display(`${formatCount(blob.bytes)} bytes`);
  if (kind === 'bytes' && typeof value === 'number') return display(`${formatCount(value)} bytes`);
  if (typeof value !== 'string') return display(JSON.stringify(value), { maxChars: options.maxChars });
  if (value === '') return display('(empty)');
  return SHOW_TEXT[kind](value, options);
}

const SHOW_TEXT: Readonly<Record<FieldKind, (text: string, options: ShowOptions) => Displayed>> = {
  path: displayPath,
  url: displayUrl,
  recipient: displayName,
  text: display,
  diff: display,
  bytes: display,
  amount: display,
};

/** Puts the values in, once: a value that itself reads `{1}` stays as it is. */
function fillIn(text: string, inline: readonly string[]): string {
  return oneLine(
    text.replace(/\{(\d+)\}/g, (_, index: string) => {
      const value = inline[Number(index)];
      assert(value !== undefined, `the card template names a field ${index} it does not have`);
      return value;
    }),
  );
}

function oneLine(text: string): string {
  return display(text, { maxChars: CARD_LIMITS.titleChars }).text;
}

function typeOf(value: Json | undefined): ShownField['type'] {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (blobRefOf(value) !== null) return 'blob';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'number') return 'number';
  return typeof value === 'boolean' ? 'boolean' : 'object';
}

function blobRefOf(value: Json | undefined): BlobRef | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return null;
  // reason: Array.isArray does not narrow a readonly array away
  const { $blob, bytes, ...rest } = value as JsonObject;
  const digest = parseDigest($blob);
  if (!digest.ok || typeof bytes !== 'number' || !Number.isSafeInteger(bytes) || bytes < 0) return null;
  return Object.keys(rest).length === 0 ? { $blob: digest.value, bytes } : null;
}

function unionOf(shown: readonly { readonly flags: readonly DisplayFlag[] }[]): readonly DisplayFlag[] {
  return [...new Set(shown.flatMap(({ flags }) => flags))];
}
