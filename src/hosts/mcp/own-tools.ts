import * as z from 'zod';
import { CountersignError } from '../../base/errors.ts';
import type { WaitRequest } from '../../model/agent-port.ts';
import { DOOR_LIMITS } from '../../door/limits.ts';
import type { ToolListing } from '../../model/tool-result.ts';

/** A call of one of the three tools that every session has, whatever it guards. */
export type OwnCall =
  | { readonly tool: 'queue_status' }
  | { readonly tool: 'withdraw_action'; readonly ids: readonly string[]; readonly reason: string | null }
  | { readonly tool: 'wait_for_decision'; readonly request: WaitRequest };

/** `#12` is written as a number in every result, so it is taken as one, too. */
const oneId = z.union([z.string().min(1).max(DOOR_LIMITS.nameCharsMax), z.int().positive().transform(String)]);
const ids = z.array(oneId).max(DOOR_LIMITS.idsMax);

const SCHEMAS = {
  queue_status: z.strictObject({}),
  withdraw_action: z.strictObject({
    actionIds: ids.min(1),
    reason: z.string().max(DOOR_LIMITS.reasonCharsMax).optional(),
  }),
  wait_for_decision: z.strictObject({
    actionIds: ids.optional(),
    forRoom: z.boolean().optional(),
    timeoutMs: z.int().min(0).max(DOOR_LIMITS.waitMsMax).optional(),
  }),
} as const;

/** The call, or undefined when the tool is not one of ours. Throws: `bad-input` that names the field. */
export function parseOwnCall(tool: string, input: Readonly<Record<string, unknown>>): OwnCall | undefined {
  switch (tool) {
    case 'queue_status':
      parse(SCHEMAS.queue_status, tool, input);
      return { tool };
    case 'withdraw_action': {
      const { actionIds, reason = null } = parse(SCHEMAS.withdraw_action, tool, input);
      return { tool, ids: actionIds, reason };
    }
    case 'wait_for_decision': {
      const given = parse(SCHEMAS.wait_for_decision, tool, input);
      const { actionIds = [], forRoom = false, timeoutMs = DOOR_LIMITS.waitMsMax } = given;
      return { tool, request: { ids: actionIds, forRoom, timeoutMs } };
    }
    default:
      return undefined;
  }
}

function parse<T>(schema: z.ZodType<T>, tool: string, input: unknown): T {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  if (issue?.code === 'unrecognized_keys') {
    throw new CountersignError(
      'bad-input',
      `${tool} has no field ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}.`,
    );
  }
  const field = (issue?.path ?? []).map(String).join('.');
  throw new CountersignError(
    'bad-input',
    `${tool}: ${field === '' ? '' : `${field}: `}${issue?.message ?? 'malformed'}.`,
  );
}

const ACTION_IDS = {
  type: 'array',
  items: { type: ['string', 'integer'] },
  maxItems: DOOR_LIMITS.idsMax,
  description: 'Ids or numbers from the results of queued calls, or from queue_status.',
} as const;

export const OWN_TOOLS: readonly ToolListing[] = [
  {
    name: 'queue_status',
    title: 'Queue status',
    description:
      'Lists your queued actions that are not settled yet: number, state, title and what each one waits for.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'withdraw_action',
    title: 'Withdraw actions',
    description: 'Takes back queued actions of yours that were not applied. What needs them falls with them.',
    inputSchema: {
      type: 'object',
      properties: {
        actionIds: { ...ACTION_IDS, minItems: 1 },
        reason: { type: 'string', description: 'Why, for the person who would have looked at them.' },
      },
      required: ['actionIds'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  {
    name: 'wait_for_decision',
    title: 'Wait for a decision',
    description:
      'Waits until one of these actions is settled, and answers the outcome of each: undecided, rejected, applied ' +
      'with its result, failed or in doubt. May be called again at any time.',
    inputSchema: {
      type: 'object',
      properties: {
        actionIds: { ...ACTION_IDS, description: `${ACTION_IDS.description} Left out: all that are open.` },
        forRoom: { type: 'boolean', description: 'Wait until the queue has room for more.' },
        timeoutMs: { type: 'integer', minimum: 0, maximum: DOOR_LIMITS.waitMsMax },
      },
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
];
