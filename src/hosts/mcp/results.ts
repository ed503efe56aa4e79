import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { CountersignError } from '../../base/errors.ts';
import type { AgentPort, CallAnswer, QueueLine, WaitResult, WithdrawResult } from '../../model/agent-port.ts';
import type { ContentBlock } from '../../model/tool-result.ts';
import { META } from './meta.ts';
import { awaitingLine, queuedLine } from './words.ts';

type Answer<Method extends 'status' | 'withdraw' | 'wait'> = Awaited<ReturnType<AgentPort[Method]>>;

/**
 * The MCP form of a tool's answer. What we say stands in blocks of its own before the tool's blocks, which are
 * byte-exact. Some clients show the model `structuredContent` alone, so notices stand there as well.
 */
export function callResult(answer: CallAnswer): CallToolResult {
  const { notices } = answer;
  switch (answer.type) {
    case 'simulated':
      return {
        content: [...texts([queuedLine(answer.seq), ...notices]), ...blocks(answer.result.content)],
        structuredContent: { ...answer.result.structured, ...stateOf(answer) },
        _meta: metaOf(answer),
      };
    case 'awaiting':
      return {
        content: texts([awaitingLine(answer.seq, answer.actionId, answer.why), ...notices]),
        structuredContent: stateOf(answer),
        _meta: metaOf(answer),
      };
    case 'passthrough': {
      const { content, structured } = answer.result;
      const said = notices.length === 0 ? {} : { countersign: { notices: [...notices] } };
      return {
        content: [...texts(notices), ...blocks(content)],
        ...(structured === undefined ? {} : { structuredContent: { ...structured, ...said } }),
      };
    }
    case 'refused':
      return refusal(answer.code, answer.why, notices);
  }
}

/** An operational failure, as the model reads it: a failed tool, never a failed protocol. */
export function errorResult(error: CountersignError): CallToolResult {
  const look = error.effect === 'none' ? '' : ' Look at queue_status before you repeat it.';
  return refusal(error.code, `${error.message}${look}`, []);
}

export function statusResult({ queue, notices }: Answer<'status'>): CallToolResult {
  const seqOf = new Map<string, number>(queue.actions.map((line) => [line.id, line.seq]));
  const lines = queue.actions.map((line) => queueLine(line, (id) => (seqOf.has(id) ? `#${seqOf.get(id)}` : id)));
  const head = `${queue.open} open, ${queue.openMax} at most.`;
  return own([[head, ...lines].join('\n')], notices, { queue });
}

export function withdrawResult({ results, notices }: Answer<'withdraw'>): CallToolResult {
  return own([results.map(withdrawLine).join('\n')], notices, { results });
}

export function waitResult({ results, room, notices }: Answer<'wait'>, forRoom: boolean): CallToolResult {
  const roomLine = room ? 'The queue has room.' : 'The queue has no room yet.';
  const said = [...results.map(waitLine), ...(forRoom ? [roomLine] : [])];
  const lines = said.length === 0 ? ['Nothing is open.'] : said;
  const result = own([lines.join('\n')], notices, { results, ...(forRoom ? { room } : {}) });
  const applied = results.flatMap((one) => (one.outcome === 'applied' ? blocks(one.result.content) : []));
  return { ...result, content: [...result.content, ...applied] };
}

function own(said: readonly string[], notices: readonly string[], structured: object): CallToolResult {
  const told = notices.length === 0 ? {} : { countersign: { notices: [...notices] } };
  return { content: texts([...notices, ...said]), structuredContent: { ...structured, ...told } };
}

function refusal(code: string, why: string, notices: readonly string[]): CallToolResult {
  return { content: texts([...notices, why]), isError: true, _meta: { [META.refused]: code } };
}

type Queued = Extract<CallAnswer, { readonly type: 'simulated' | 'awaiting' }>;

function stateOf({ state, actionId, seq, notices }: Queued): {
  readonly countersign: Readonly<Record<string, unknown>>;
} {
  const told = notices.length === 0 ? {} : { notices: [...notices] };
  return { countersign: { state, actionId, seq, ...told } };
}

function metaOf({ state, actionId, seq }: Queued): Record<string, unknown> {
  return { [META.action]: actionId, [META.seq]: seq, [META.state]: state };
}

function texts(lines: readonly string[]): CallToolResult['content'] {
  return lines.map((text) => ({ type: 'text', text }));
}

function blocks(content: readonly ContentBlock[]): CallToolResult['content'] {
  return content.map((block) => ({ ...block }));
}

function queueLine(line: QueueLine, nameOf: (id: string) => string): string {
  const waits = line.waitsFor.length === 0 ? '' : `, waits for ${line.waitsFor.map(nameOf).join(' ')}`;
  const attention = line.attention === null ? '' : `, must be looked at again (${line.attention})`;
  return `#${line.seq} ${line.id} ${line.state}: ${line.title}${waits}${attention}`;
}

function withdrawLine({ id, result, why, fell }: WithdrawResult): string {
  if (result === 'refused') return `${id} was not withdrawn: ${why ?? 'no reason was given'}`;
  return `${id} was withdrawn.${fellLine(fell)}`;
}

function waitLine(one: WaitResult): string {
  switch (one.outcome) {
    case 'undecided':
      return `#${one.seq} is not settled yet (${one.state}).`;
    case 'rejected':
      // A person's words, quoted, so that they cannot be taken for a line of ours.
      return `#${one.seq} was rejected${one.reason === null ? '' : `: ${JSON.stringify(one.reason)}`}.${fellLine(one.fell)}`;
    case 'applied':
      return `#${one.seq} was applied; its result follows.`;
    case 'failed':
      return `#${one.seq} failed and changed nothing: ${one.why}`;
    case 'in-doubt':
      return `#${one.seq} may or may not have happened, and a person looks at it: ${one.why}`;
    case 'unknown':
      return `${one.id}: ${one.why}`;
  }
}

function fellLine(fell: readonly string[]): string {
  return fell.length === 0 ? '' : ` What needed it fell with it: ${fell.join(' ')}.`;
}
