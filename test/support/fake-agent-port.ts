import { CountersignError } from '../../src/base/errors.ts';
import type { AgentPort, CallAnswer, ToolCall, WaitRequest, WaitResult } from '../../src/model/agent-port.ts';
import { type ActionId, actionId } from '../../src/model/ids.ts';
import type { ToolListing, ToolResult } from '../../src/model/tool-result.ts';

/** Text that survives only a byte-exact path: CRLF, a BOM, a lone CR, emoji, a line separator, trailing spaces. */
export const AWKWARD_TEXT = '\uFEFFa\r\nb\rc\n\u2028 😀 "quoted" \\ \u0000 end  ';

export const PNG_BASE64 =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

export interface FakeAgentPort extends AgentPort {
  /** What the next call must tell the agent, once. */
  tell(notice: string): void;
  /** Decides what `wait` answers for an id. */
  settle(id: string, result: WaitResult): void;
  readonly calls: readonly ToolCall[];
  readonly withdrawn: readonly { readonly ids: readonly string[]; readonly reason: string | null }[];
  readonly closed: boolean;
  /** Waits under way: each ends when `settle` or `release` is called. */
  readonly waiting: number;
  release(): void;
}

export const id = (seq: number): ActionId => actionId(new Uint8Array(16).fill(seq));

/** An agent's port with a few tools of every kind, in memory. Tool names say what they do. */
export function fakeAgentPort(): FakeAgentPort {
  const notices: string[] = [];
  const settled = new Map<string, WaitResult>();
  const calls: ToolCall[] = [];
  const withdrawn: { ids: readonly string[]; reason: string | null }[] = [];
  let parked: (() => void)[] = [];
  let seq = 0;
  let closed = false;
  const told = (): readonly string[] => notices.splice(0);

  const answer = (call: ToolCall): CallAnswer => {
    const input = call.arguments as Readonly<Record<string, unknown>>; // reason: tests pass objects
    switch (call.tool) {
      case 'write_file': {
        if (typeof input['content'] !== 'string') throw new CountersignError('bad-input', 'content must be a text.');
        seq += 1;
        const result: ToolResult = { content: [{ type: 'text', text: input['content'] }], structured: { bytes: 3 } };
        return { type: 'simulated', actionId: id(seq), seq, state: 'pending', result, notices: told() };
      }
      case 'read_text_file':
        return { type: 'passthrough', result: readResult(), notices: told() };
      case 'ask_peer':
        seq += 1;
        return {
          type: 'awaiting',
          actionId: id(seq),
          seq,
          state: 'pending',
          why: 'Only a peer knows.',
          notices: told(),
        };
      case 'full':
        throw new CountersignError('full', 'The queue is full.');
      default:
        return { type: 'refused', code: 'not-found', why: `There is no tool ${call.tool}.`, notices: told() };
    }
  };

  return {
    calls,
    withdrawn,
    get closed() {
      return closed;
    },
    get waiting() {
      return parked.length;
    },
    tell: (notice) => void notices.push(notice),
    settle(settledId, result) {
      settled.set(settledId, result);
      this.release();
    },
    release() {
      for (const wake of parked.splice(0)) wake();
    },
    tools: async () => LISTINGS,
    async call(call) {
      calls.push(call);
      return answer(call);
    },
    status: async () => ({
      queue: {
        session: 's-fake',
        open: seq,
        openMax: 500,
        actions: Array.from({ length: seq }, (_, index) => ({
          id: id(index + 1),
          seq: index + 1,
          state: 'pending',
          title: `Write file ${index + 1}`,
          attention: null,
          waitsFor: [],
        })),
      },
      notices: told(),
    }),
    async withdraw(ids, reason = null) {
      withdrawn.push({ ids, reason });
      return { results: ids.map((one) => ({ id: one, result: 'withdrawn', why: null, fell: [] })), notices: told() };
    },
    async wait({ ids, forRoom, timeoutMs }: WaitRequest) {
      if (timeoutMs > 0 && !ids.some((one) => settled.has(one))) {
        await new Promise<void>((resolve) => parked.push(resolve));
      }
      const results = ids.map(
        (one): WaitResult =>
          settled.get(one) ?? { id: one, seq: null, outcome: 'unknown', why: 'No action has this id.' },
      );
      return { results, room: forRoom, notices: told() };
    },
    async close() {
      closed = true;
      parked = [];
    },
  };
}

function readResult(): ToolResult {
  return {
    content: [
      { type: 'text', text: AWKWARD_TEXT },
      { type: 'image', data: PNG_BASE64, mimeType: 'image/png' },
    ],
    structured: { content: AWKWARD_TEXT },
  };
}

const LISTINGS: readonly ToolListing[] = [
  {
    name: 'write_file',
    title: 'Write file',
    description: 'Writes a file.',
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string' }, content: { type: 'string' } },
      required: ['path', 'content'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  },
  {
    name: 'read_text_file',
    title: 'Read text file',
    description: 'Reads a file.',
    inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
    annotations: { readOnlyHint: true },
  },
];
