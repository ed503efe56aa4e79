import type { Json, JsonObject } from '../../src/base/canonical-json.ts';
import { CountersignError } from '../../src/base/errors.ts';
import type { ApplyContext, Outcome, ReadTool, Surface, SurfacePack } from '../../src/authority/ports.ts';

/**
 * A tracker far away that gives its own ids: `open_ticket` makes one that is known only afterwards, `comment` names a
 * ticket, `get_ticket` reads one and `list_tickets` names all. `received` holds everything that ever left for it, byte for byte.
 */
export interface Tracker {
  readonly tickets: Map<string, { readonly title: string; readonly comments: string[] }>;
  readonly received: string[];
  readonly pack: SurfacePack;
  readonly hooks: {
    /** What opening a ticket answers, in place of the id that was given. */
    answer?: (id: string) => Outcome;
    /** After a ticket is there and before anybody heard of it. */
    afterOpen?: () => Promise<void>;
  };
}

const listing = (name: string, readOnlyHint: boolean) => ({
  name,
  title: name,
  description: name,
  inputSchema: { type: 'object' },
  annotations: { readOnlyHint },
});

const resource = (id: string): string => `ticket:${id}`;

export function tracker(): Tracker {
  const tickets: Tracker['tickets'] = new Map();
  const received: string[] = [];
  const hooks: Tracker['hooks'] = {};
  const world = { tickets, received, hooks };
  const surfaces = [openSurface(world), commentSurface(world)] as unknown as readonly Surface[];
  const reads = [getTool(tickets), listTool(tickets)] as unknown as readonly ReadTool[];
  return { ...world, pack: { name: 'tracker', surfaces, reads } };
}

type World = Omit<Tracker, 'pack'>;

function text(input: unknown, name: string): string {
  const value = (input as Record<string, unknown> | null)?.[name];
  if (typeof value !== 'string') throw new CountersignError('bad-input', `${name}: expected a string.`);
  return value;
}

/** What every call of this far world has in common. */
const far = (effect: JsonObject, writes: readonly string[]) => ({
  effect,
  preconditions: [],
  writes,
  effectClass: 'E3' as const,
  reversible: true,
  reversibleWhy: 'It can be taken down again.',
  awaitDecision: false,
  verdict: { autoApprovable: false, reason: 'It leaves the machine.' },
  lane: null,
  unchanged: false,
});

function openSurface({ tickets, received, hooks }: World): Surface<{ title: string }> {
  const byKey = new Map<string, string>();
  return {
    kind: { tag: 'ticket.open', label: 'Open a ticket' },
    tool: { ...listing('open_ticket', false), parse: (input) => ({ title: text(input, 'title') }) },
    card: {
      title: 'Open {0}',
      target: '/arguments/title',
      fields: [{ label: 'Title', pointer: '/arguments/title', as: 'text' }],
    },
    outputs: { ticket: '/evidence/ticket' },
    describe: async ({ title }) => far({ title }, ['tracker:']),
    async simulate(effect, overlay) {
      const id = overlay.reference('ticket');
      overlay.put(resource(id), { title: effect['title'] ?? '' });
      return { content: [{ type: 'text', text: id }] };
    },
    async apply({ content, intent }) {
      received.push(JSON.stringify(content));
      const id = `T-${tickets.size + 1}`;
      tickets.set(id, { title: String(content.effect['title']), comments: [] });
      byKey.set(intent.idempotencyKey, id);
      await hooks.afterOpen?.();
      if (hooks.answer !== undefined) return hooks.answer(id);
      return opened(id);
    },
    async probe({ intent }) {
      const id = byKey.get(intent.idempotencyKey);
      if (id === undefined) return { answer: 'not-applied', why: 'It never arrived.' };
      return { answer: 'applied', evidence: { ticket: id } };
    },
    async revert({ applied }) {
      tickets.delete(String(applied.evidence['ticket']));
      return { type: 'reverted' };
    },
  };
}

function opened(id: string): Outcome {
  return { type: 'applied', evidence: { ticket: id }, drift: null, result: { content: [{ type: 'text', text: id }] } };
}

function commentSurface({ tickets, received }: World): Surface<{ ticket: string; text: string }> {
  return {
    kind: { tag: 'ticket.comment', label: 'Comment on a ticket' },
    tool: {
      ...listing('comment', false),
      parse: (input) => ({ ticket: text(input, 'ticket'), text: text(input, 'text') }),
    },
    card: {
      title: 'Comment on {0}',
      target: '/arguments/ticket',
      fields: [
        { label: 'Ticket', pointer: '/arguments/ticket', as: 'text' },
        { label: 'Text', pointer: '/arguments/text', as: 'text' },
      ],
    },
    async describe({ ticket, text: said }, overlay) {
      if (overlay.lookup(resource(ticket)) === undefined && !tickets.has(ticket))
        throw new CountersignError('bad-input', `There is no ticket ${ticket}.`);
      const kept: Json = { $blob: overlay.putBlob(new TextEncoder().encode(said)), bytes: said.length };
      return far({ ticket, text: kept }, [resource(ticket)]);
    },
    async simulate(effect) {
      return { content: [{ type: 'text', text: `Commented on ${String(effect['ticket'])}` }] };
    },
    async look({ content }) {
      const id = String(content.effect['ticket']);
      return tickets.has(id) ? { type: 'ready' } : { type: 'moved', why: `There is no ticket ${id} any more.` };
    },
    async apply(context) {
      const { content } = context;
      const said = saidIn(context);
      received.push(JSON.stringify(content), said);
      const id = String(content.effect['ticket']);
      tickets.get(id)?.comments.push(said);
      return { type: 'applied', evidence: {}, drift: null, result: answerOf(`Commented on ${id}`) };
    },
    async probe(context) {
      const there = tickets.get(String(context.content.effect['ticket']))?.comments.includes(saidIn(context)) === true;
      return there ? { answer: 'applied', evidence: {} } : { answer: 'not-applied', why: 'It is not there.' };
    },
    async revert(context) {
      const comments = tickets.get(String(context.content.effect['ticket']))?.comments ?? [];
      const at = comments.indexOf(saidIn(context));
      if (at === -1) return { type: 'refused', why: 'It is not there.', canRetry: false };
      comments.splice(at, 1);
      return { type: 'reverted' };
    },
  };
}

function saidIn({ blob, content }: Pick<ApplyContext, 'blob' | 'content'>): string {
  const kept = content.effect['text'] as { $blob: Parameters<typeof blob>[0] };
  return new TextDecoder().decode(blob(kept.$blob));
}

const answerOf = (said: string) => ({ content: [{ type: 'text' as const, text: said }] });

function getTool(tickets: Tracker['tickets']): ReadTool<{ ticket: string }> {
  return {
    tool: { ...listing('get_ticket', true), parse: (input) => ({ ticket: text(input, 'ticket') }) },
    async read({ ticket }, view) {
      const layer = view.lookup(resource(ticket));
      return answerOf(layer === undefined ? (tickets.get(ticket)?.title ?? 'none') : String(layer.value?.['title']));
    },
  };
}

function listTool(tickets: Tracker['tickets']): ReadTool<object> {
  return {
    tool: { ...listing('list_tickets', true), parse: () => ({}) },
    async read(_, view) {
      const pending = [...view.children('ticket:').keys()].map((one) => one.slice('ticket:'.length));
      return answerOf([...tickets.keys(), ...pending].toSorted().join(' '));
    },
  };
}
