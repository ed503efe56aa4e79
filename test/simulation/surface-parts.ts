import type { JsonObject } from '../../src/base/canonical-json.ts';
import { CountersignError } from '../../src/base/errors.ts';
import type { ApplyContext, Described, Outcome, RevertOutcome, Surface } from '../../src/authority/ports.ts';
import type { EffectClass } from '../../src/model/content.ts';
import type { ToolListing } from '../../src/model/tool-result.ts';
import type { ToolRates } from './rates.ts';
import type { World } from './world.ts';

/** What every surface of the simulated world is given. */
export interface Ground {
  readonly world: World;
  readonly life: number;
  /** Grows when the tools change: another description is another digest. */
  readonly version: number;
  readonly tools: ToolRates;
  /** As version 1 knew them: no effect in its own tables, and no window of a key. */
  readonly older: boolean;
}

const DOUBT = { type: 'in-doubt', why: 'The service does not know.' } as const;

export function strings(input: unknown, names: readonly string[]): Readonly<Record<string, string>> {
  const given = (input ?? {}) as Readonly<Record<string, unknown>>;
  const found: Record<string, string> = {};
  for (const name of names) {
    const value = given[name];
    if (typeof value !== 'string') throw new CountersignError('bad-input', `${name}: expected a string.`);
    found[name] = value;
  }
  return found;
}

export function listing(name: string, version: number, readOnlyHint = false): ToolListing {
  return {
    name,
    title: name,
    description: `${name}, version ${version}`,
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint },
  };
}

export function described(
  effect: JsonObject,
  is: {
    readonly writes: readonly string[];
    readonly effectClass: EffectClass;
    readonly reversible: boolean;
  } & Partial<Described>,
): Described {
  return {
    effect,
    preconditions: [],
    reversibleWhy: is.reversible ? 'What was there before is kept.' : 'It cannot be unsent.',
    awaitDecision: false,
    verdict: { autoApprovable: isEven(effect), reason: 'Even texts are harmless.' },
    lane: null,
    unchanged: false,
    ...is,
  };
}

function isEven(effect: JsonObject): boolean {
  return /[02468]$/.test(String(effect['text']));
}

export function card(title: string, field: string): Surface['card'] {
  return {
    title: `${title} {0}`,
    target: `/arguments/${field}`,
    fields: [{ label: field, pointer: `/arguments/${field}`, as: 'text' }],
  };
}

/** Begins the effect of one class; `land` answers why it could not happen. */
export function applying(
  { world, life }: Ground,
  context: ApplyContext,
  signal: AbortSignal,
  land: () => Outcome | undefined,
  evidence: JsonObject = {},
): Promise<Outcome> {
  const { content, intent } = context;
  return world.begin<Outcome>(
    { verb: 'apply', key: intent.idempotencyKey, attempt: intent.attempt, content, life },
    {
      signal,
      land,
      answers: {
        good: { type: 'applied', evidence, drift: null },
        failed: { type: 'failed', why: 'The service refused.' },
        doubt: DOUBT,
      },
    },
  );
}

export function reverting(
  { world, life }: Ground,
  context: ApplyContext,
  signal: AbortSignal,
  land: () => RevertOutcome | undefined,
): Promise<RevertOutcome> {
  const { content, intent } = context;
  return world.begin<RevertOutcome>(
    { verb: 'revert', key: intent.idempotencyKey, attempt: intent.attempt, content, life },
    {
      signal,
      land,
      answers: {
        good: { type: 'reverted' },
        failed: { type: 'refused', why: 'The service refused.', canRetry: true },
        doubt: DOUBT,
      },
    },
  );
}
