import * as z from 'zod';
import type { ToolDefinition } from '../../../authority/ports.ts';
import { CountersignError } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/canonical-json.ts';
import type { ToolListing } from '../../../model/tool-result.ts';

/**
 * A tool from its arguments' schema. Arguments that the tool does not have are refused, not dropped: what is
 * countersigned is what the agent meant.
 */
export function defineTool<Args>(
  listing: Omit<ToolListing, 'inputSchema'> & { readonly schema: z.ZodType<Args> },
): ToolDefinition<Args> {
  const { schema, ...rest } = listing;
  return {
    ...rest,
    // reason: a JSON Schema document is JSON
    inputSchema: z.toJSONSchema(schema, { io: 'input' }) as JsonObject,
    parse: (input) => {
      const parsed = schema.safeParse(input ?? {});
      if (parsed.success) return parsed.data;
      throw new CountersignError('bad-input', sentence(parsed.error.issues[0], listing.name), { cause: parsed.error });
    },
  };
}

/** One clear sentence that starts with the field. */
function sentence(issue: z.core.$ZodIssue | undefined, tool: string): string {
  if (issue === undefined) return `arguments: not what ${tool} takes.`;
  const field = fieldOf(issue.path);
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    return `${field === 'arguments' ? key : `${field}.${key}`}: ${tool} has no such argument.`;
  }
  if (issue.code !== 'invalid_type') return `${field}: ${lowerFirst(issue.message)}.`;
  const got = /received (\w+)/u.exec(issue.message)?.[1];
  if (got === 'undefined') return `${field}: is missing; expected ${article(issue.expected)}.`;
  return `${field}: expected ${article(issue.expected)}${got === undefined ? '' : `, got ${article(got)}`}.`;
}

function fieldOf(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'arguments';
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

function article(type: string): string {
  if (type === 'null') return 'null';
  return /^[aeiou]/u.test(type) ? `an ${type}` : `a ${type}`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/u, '');
}
