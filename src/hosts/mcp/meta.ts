import * as z from 'zod';
import { CountersignError } from '../../base/errors.ts';
import type { Mode } from '../../model/standing.ts';

/** Keys of ours inside MCP's `_meta`. */
export const META = {
  session: 'countersign/session',
  callId: 'countersign/callId',
  /** `act` or `plan`: what the host has its agent do with this call (DR-8). */
  mode: 'countersign/mode',
  action: 'countersign/action',
  seq: 'countersign/seq',
  state: 'countersign/state',
  refused: 'countersign/refused',
} as const;

/** Characters of a session's name or of a call id. */
const TEXT_CHARS_MAX = 256;

/** What one tools/call asks for, before the tool is known. */
export interface Asked {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** CP-2 and CP-4: what the request says of itself. */
  readonly callId: string | null;
  readonly session: string | null;
  readonly mode: Mode | undefined;
}

const text = z.string().min(1).max(TEXT_CHARS_MAX).optional();
const metaSchema = z.looseObject({
  [META.session]: text,
  [META.callId]: text,
  [META.mode]: z.enum(['act', 'plan']).optional(),
});
const argumentsSchema = z.record(z.string(), z.unknown());

/** Throws: `bad-input` with a sentence that names the field, for the model to read. */
export function parseAsked(tool: string, params: Readonly<Record<string, unknown>>): Asked {
  const meta = metaSchema.safeParse(params['_meta'] ?? {});
  if (!meta.success) {
    const field = ['_meta', ...(meta.error.issues[0]?.path ?? [])].map(String).join('.');
    const what = field.endsWith(META.mode) ? 'act or plan' : `a text of 1 to ${TEXT_CHARS_MAX} characters`;
    throw new CountersignError('bad-input', `${field} must be ${what}.`);
  }
  const given = argumentsSchema.safeParse(params['arguments'] ?? {});
  if (!given.success || Array.isArray(params['arguments'])) {
    throw new CountersignError('bad-input', 'arguments must be an object with a member for each field of the tool.');
  }
  return {
    tool,
    arguments: given.data,
    callId: meta.data[META.callId] ?? null,
    session: meta.data[META.session] ?? null,
    mode: meta.data[META.mode],
  };
}
