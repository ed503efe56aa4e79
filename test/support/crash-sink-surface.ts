import type { ApplyContext, Described, Probed, Surface, SurfacePack } from '../../src/authority/ports.ts';
import { CountersignError } from '../../src/base/errors.ts';
import type { EffectClass } from '../../src/model/content.ts';
import { doAtSink, standsAtSink, undoAtSink, type SinkKind, type SinkPlace } from './crash-sink-client.ts';

interface Args {
  readonly name: string;
}

/** One tool for each effect class that leaves the machine. Nothing is simulated: the agent waits for a decision. */
export function sinkPack(at: SinkPlace, { blindRetry }: { readonly blindRetry?: true } = {}): SurfacePack {
  const surfaces = [
    surface(at, { tool: 'post_keyed', kind: 'keyed', effectClass: 'E2' }),
    surface(at, { tool: 'send_message', kind: 'message', effectClass: 'E3' }),
    surface(at, { tool: 'call_hook', kind: 'blind', effectClass: blindRetry === true ? 'E2' : 'E4' }),
  ];
  // reason: the authority gives a surface only arguments that this surface's own `parse` returned
  return { name: 'sink', surfaces: surfaces as unknown as readonly Surface[], reads: [] };
}

interface Kind {
  readonly tool: string;
  readonly kind: SinkKind;
  readonly effectClass: EffectClass;
}

function surface(at: SinkPlace, { effectClass, kind, tool }: Kind): Surface<Args> {
  const base: Surface<Args> = {
    kind: { tag: `sink.${kind}`, label: `Send ${kind}` },
    tool: {
      name: tool,
      title: tool,
      description: tool,
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: false },
      parse: (input) => ({ name: nameIn(input) }),
    },
    card: {
      title: 'Send {0}',
      target: '/effect/name',
      fields: [{ label: 'Name', pointer: '/effect/name', as: 'text' }],
    },
    describe: async ({ name }) => outgoing(name, effectClass),
    apply: async ({ content, intent }) => {
      await doAtSink(at, kind, intent.idempotencyKey, String(content.effect['name']));
      return { type: 'applied', evidence: { key: intent.idempotencyKey }, drift: null, result: { content: [] } };
    },
    revert: async ({ applied }) => {
      await undoAtSink(at, String(applied.evidence['key']));
      return { type: 'reverted' };
    },
  };
  return kind === 'blind' ? base : { ...base, probe: (context) => probe(at, context) };
}

/** The crash proofs wait until a dead sender's connections are closed: a message that is not there never comes. */
async function probe(at: SinkPlace, { intent }: ApplyContext): Promise<Probed> {
  return (await standsAtSink(at, intent.idempotencyKey))
    ? { answer: 'applied', evidence: { key: intent.idempotencyKey } }
    : { answer: 'not-applied', why: 'It has not arrived.', final: true };
}

/** The sink never forgets a key. */
const KEY_WINDOW_MS = 365 * 24 * 3_600_000;

export function outgoing(name: string, effectClass: EffectClass): Described {
  return {
    effect: { name },
    preconditions: [],
    writes: [`sink:${name}`],
    effectClass,
    ...(effectClass === 'E2' ? { keyWindowMs: KEY_WINDOW_MS } : {}),
    reversible: true,
    reversibleWhy: 'The other side takes it back.',
    awaitDecision: true,
    verdict: { autoApprovable: false, reason: 'It leaves the machine.' },
    lane: `sink:${name}`,
    unchanged: false,
  };
}

export function nameIn(input: unknown): string {
  if (typeof input === 'object' && input !== null && 'name' in input && typeof input.name === 'string')
    return input.name;
  throw new CountersignError('bad-input', 'name: expected a string.');
}
