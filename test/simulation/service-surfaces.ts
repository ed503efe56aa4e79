import type { JsonObject } from '../../src/base/canonical-json.ts';
import { CountersignError } from '../../src/base/errors.ts';
import type { Outcome, Probed, RevertOutcome, Surface } from '../../src/authority/ports.ts';
import type { EffectClass } from '../../src/model/content.ts';
import { KEY_WINDOW_MS } from './world.ts';
import { applying, card, described, listing, reverting, strings, type Ground } from './surface-parts.ts';

interface Said {
  readonly to: string;
  readonly text: string;
}

interface Service {
  readonly tool: string;
  readonly effectClass: EffectClass;
  readonly reversible: boolean;
  readonly awaits: boolean;
  /** A lane of its own for each whom it is said to. */
  readonly ownLane: boolean;
}

/** One service for every class but E1: our own table, a keyed service, a mailbox that can be asked, and two that cannot. */
const SERVICES: readonly Service[] = [
  { tool: 'add', effectClass: 'E0', reversible: true, awaits: false, ownLane: false },
  { tool: 'post', effectClass: 'E2', reversible: true, awaits: false, ownLane: false },
  { tool: 'mail', effectClass: 'E3', reversible: false, awaits: false, ownLane: false },
  { tool: 'hook', effectClass: 'E4', reversible: false, awaits: false, ownLane: false },
  { tool: 'ask', effectClass: 'E4', reversible: false, awaits: true, ownLane: true },
];

export const SERVICE_TOOLS: readonly string[] = SERVICES.map(({ tool }) => tool);

/** Makes what nobody can name before it is there (SM-4). */
export const MINT = 'make';
const MINTING: Service = { tool: MINT, effectClass: 'E2', reversible: false, awaits: false, ownLane: false };
const OUTPUT = 'thing';

/** What the world calls the thing that this key has made. */
const thingOf = (key: string): JsonObject => ({ [OUTPUT]: `thing ${key.slice(0, 12)}` });

export function serviceSurfaces(ground: Ground): readonly Surface[] {
  const known = ground.older ? SERVICES.filter(({ effectClass }) => effectClass !== 'E0') : SERVICES;
  const services = ground.tools.mints ? [...known, MINTING] : known;
  return services.map((service) => serviceSurface(ground, service)) as unknown as readonly Surface[];
}

function serviceSurface(ground: Ground, service: Service): Surface<Said> {
  const { world, life } = ground;
  const { tool, effectClass, reversible, awaits, ownLane } = service;
  const keyed = effectClass === 'E2';
  const kind = { tag: `service.${tool}`, label: `${tool} something` };
  const surface: Surface<Said> = {
    kind,
    tool: {
      ...listing(tool, ground.version),
      parse: (input) => {
        const { to = '', text = '' } = strings(input, ['to', 'text']);
        return { to, text };
      },
    },
    card: card(tool, 'to'),
    describe: async ({ to, text }) => {
      await world.ask('describe', life);
      return described(
        { to, text },
        {
          writes: [`${tool}:${to}`],
          effectClass,
          reversible,
          awaitDecision: awaits,
          lane: ownLane ? `${tool}:${to}` : null,
          ...(keyed && !ground.older ? { keyWindowMs: KEY_WINDOW_MS } : {}),
        },
      );
    },
    apply: (context, signal) =>
      applying(
        ground,
        context,
        signal,
        (): Outcome | undefined => {
          world.happened(context.intent.idempotencyKey, { keyed, what: whatOf(tool, context.content.effect) });
          return undefined;
        },
        tool === MINT ? thingOf(context.intent.idempotencyKey) : {},
      ),
    ...(tool === MINT ? { outputs: { [OUTPUT]: `/evidence/${OUTPUT}` } } : {}),
    ...(effectClass === 'E0' ? transactional : {}),
  };
  return {
    ...surface,
    ...(awaits
      ? {}
      : {
          simulate: async (effect, overlay) => {
            overlay.put(`${tool}:${String(effect['to'])}`, { text: String(effect['text']) });
            const said = tool === MINT ? overlay.reference(OUTPUT) : `${tool} ${String(effect['text'])}`;
            return { content: [{ type: 'text', text: said }] };
          },
        }),
    ...(effectClass === 'E4' || effectClass === 'E0' ? {} : { probe: (context) => probe(ground, service, context) }),
    ...(reversible && effectClass !== 'E0'
      ? { revert: (context, signal) => revert(ground, tool, context, signal) }
      : {}),
  };
}

async function probe(
  { world, life }: Ground,
  { effectClass, tool }: Service,
  { intent }: Parameters<NonNullable<Surface['probe']>>[0],
): Promise<Probed> {
  await world.ask('probe', life);
  const key = intent.idempotencyKey;
  if (world.mayLand(key)) return { answer: 'unknown', why: 'It may still arrive.' };
  if (world.isGone(key)) return { answer: 'not-applied', why: 'It was taken back.', final: true };
  const { count } = world.effect(key);
  if (effectClass === 'E2' && !world.knowsKey(key) && count > 0)
    return { answer: 'unknown', why: 'The service forgets its keys after a while.' };
  if (count > 0) return { answer: 'applied', evidence: tool === MINT ? thingOf(key) : {} };
  return { answer: 'not-applied', why: 'The service has never heard of it.', final: true };
}

function revert(
  ground: Ground,
  tool: string,
  context: Parameters<NonNullable<Surface['revert']>>[0],
  signal: AbortSignal,
): Promise<RevertOutcome> {
  return reverting(ground, context, signal, () => {
    ground.world.reverted(context.intent.idempotencyKey, whatOf(tool, context.content.effect));
    return undefined;
  });
}

/** Our own table: what happened to a key stands in the journal's transaction, with the intent and the outcome. */
const transactional: Pick<Surface<Said>, 'applyInTransaction' | 'revertInTransaction'> = {
  applyInTransaction: ({ intent, content }, rows) => {
    if (String(content.effect['text']).endsWith('7'))
      throw new CountersignError('denied', 'Our table takes no sevens.');
    const { count = 0 } = rows.get(intent.idempotencyKey) ?? {};
    rows.put(intent.idempotencyKey, { count: Number(count) + 1, reverts: 0 });
    return { type: 'applied', evidence: {}, drift: null };
  },
  revertInTransaction: ({ intent }, rows) => {
    rows.put(intent.idempotencyKey, { count: 0, reverts: 1 });
    return { type: 'reverted' };
  },
};

function whatOf(tool: string, effect: JsonObject): string {
  return `${tool} ${String(effect['to'])} ${String(effect['text'])}`;
}
