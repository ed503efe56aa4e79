import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import {
  type CallToolResult,
  ResultSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { expect, test, vi } from 'vitest';
import { CountersignError } from '../../src/base/errors.ts';
import type { AgentPort } from '../../src/model/agent-port.ts';
import { createMcpServer, type McpServerOptions } from '../../src/hosts/mcp/index.ts';
import { AWKWARD_TEXT, fakeAgentPort, id, PNG_BASE64 } from '../support/fake-agent-port.ts';

const INFO = { name: 'countersign', version: '0.0.0-test' };
const QUEUED = 'Queued as #1, not applied yet; your reads, tests and commands see it.';

async function connect(options: Partial<McpServerOptions> = {}) {
  const fake = fakeAgentPort();
  const server = createMcpServer({ port: fake, info: INFO, ...options });
  const client = new Client({ name: 'test-client', version: '1.2.3' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  // reason: the SDK's type also has a shape that no server of this protocol version sends
  const call = async (name: string, args: Record<string, unknown> = {}, more: object = {}) =>
    (await client.callTool({ name, arguments: args, ...more })) as CallToolResult;
  return { fake, server, client, call };
}

const write = { path: 'a.txt', content: AWKWARD_TEXT };

test('lists every tool without an output schema, with its annotations, and our three after them', async () => {
  const { client } = await connect();
  const { tools } = await client.listTools();
  expect(tools.map((tool) => tool.name)).toEqual([
    'write_file',
    'read_text_file',
    'queue_status',
    'withdraw_action',
    'wait_for_decision',
  ]);
  expect(tools.filter((tool) => 'outputSchema' in tool)).toEqual([]);
  expect(tools[0]?.annotations).toEqual({
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: true,
    openWorldHint: false,
  });
  expect(client.getInstructions()).toMatch(/queue_status/);
});

test('a tool that carries an output schema all the same is listed without it, and a client does not throw', async () => {
  const fake = fakeAgentPort();
  const tools = async () =>
    (await fake.tools()).map((tool) => ({ ...tool, outputSchema: { type: 'object', required: ['content'] } }));
  const { client, call } = await connect({ port: { ...fake, tools } });
  await client.listTools();
  expect((await call('write_file', write)).structuredContent).toMatchObject({ countersign: { seq: 1 } });
});

test('[SM-9] a queued write leads with its line, then the tool’s own blocks, with the state in fields', async () => {
  const { client, call } = await connect();
  await client.listTools();
  expect(await call('write_file', write)).toEqual({
    content: [
      { type: 'text', text: QUEUED },
      { type: 'text', text: AWKWARD_TEXT },
    ],
    structuredContent: { bytes: 3, countersign: { state: 'pending', actionId: id(1), seq: 1 } },
    _meta: { 'countersign/action': id(1), 'countersign/seq': 1, 'countersign/state': 'pending' },
  });
});

test('[SM-2] a read is byte-exact in every block and keeps its structured content', async () => {
  const { call } = await connect();
  expect(await call('read_text_file', { path: 'a' })).toEqual({
    content: [
      { type: 'text', text: AWKWARD_TEXT },
      { type: 'image', data: PNG_BASE64, mimeType: 'image/png' },
    ],
    structuredContent: { content: AWKWARD_TEXT },
  });
});

test('[SM-8] notices lead any result once, and stand in the structured part where there is one', async () => {
  const { fake, call } = await connect();
  fake.tell('#3 was rejected.');
  fake.tell('#4 fell with it.');
  const read = await call('read_text_file', { path: 'a' });
  expect(read.content.map((block) => (block.type === 'text' ? block.text : block.type))).toEqual([
    '#3 was rejected.',
    '#4 fell with it.',
    AWKWARD_TEXT,
    'image',
  ]);
  expect(read.structuredContent).toEqual({
    content: AWKWARD_TEXT,
    countersign: { notices: ['#3 was rejected.', '#4 fell with it.'] },
  });
  expect((await call('read_text_file', { path: 'a' })).structuredContent).toEqual({ content: AWKWARD_TEXT });

  fake.tell('#5 was rejected.');
  const queued = await call('write_file', write);
  expect(queued.content.slice(0, 2)).toEqual([
    { type: 'text', text: QUEUED },
    { type: 'text', text: '#5 was rejected.' },
  ]);
  expect(queued.structuredContent?.['countersign']).toMatchObject({ seq: 1, notices: ['#5 was rejected.'] });

  fake.tell('#6 was rejected.');
  const refused = await call('nope');
  expect(refused.content).toEqual([
    { type: 'text', text: '#6 was rejected.' },
    { type: 'text', text: 'There is no tool nope.' },
  ]);
});

test('a refusal is a failed tool with the reason and a stable code', async () => {
  const { call } = await connect();
  expect(await call('nope')).toEqual({
    content: [{ type: 'text', text: 'There is no tool nope.' }],
    isError: true,
    _meta: { 'countersign/refused': 'not-found' },
  });
});

test('an awaiting call returns at once and says how to get its outcome', async () => {
  const { call } = await connect();
  const result = await call('ask_peer');
  expect(result.isError).toBeUndefined();
  expect(result.content).toEqual([
    {
      type: 'text',
      text:
        'Queued as #1; it waits for a person and has no result yet. Only a peer knows. ' +
        `For its outcome call wait_for_decision with actionIds ["${id(1)}"].`,
    },
  ]);
  expect(result.structuredContent).toEqual({ countersign: { state: 'pending', actionId: id(1), seq: 1 } });
});

test.each([
  ['write_file', { path: 'a', content: 7 }, {}, /content must be a text/],
  ['queue_status', { all: true }, {}, /queue_status has no field "all"/],
  ['withdraw_action', {}, {}, /withdraw_action: actionIds: /],
  ['withdraw_action', { actionIds: [] }, {}, /actionIds: /],
  ['withdraw_action', { actionIds: [7.5] }, {}, /actionIds\.0: /],
  ['wait_for_decision', { timeoutMs: 25_001 }, {}, /timeoutMs: .*25000/],
  ['wait_for_decision', { timeoutMs: '5' }, {}, /timeoutMs: /],
  ['wait_for_decision', { forRoom: 1 }, {}, /forRoom: /],
  ['write_file', 'a text', {}, /arguments must be an object/],
  ['write_file', [1], {}, /arguments must be an object/],
  ['write_file', write, { _meta: { 'countersign/callId': 5 } }, /_meta\.countersign\/callId must be/],
  ['write_file', write, { _meta: { 'countersign/session': '' } }, /_meta\.countersign\/session must be/],
  ['write_file', write, { _meta: { 'countersign/session': 'other' } }, /cannot name its session here/],
  ['full', {}, {}, /The queue is full/],
])(
  'malformed %s (row %#) is a failed tool that names the field, not a failed protocol',
  async (tool, args, more, says) => {
    const { client } = await connect();
    const result = await client.request(
      { method: 'tools/call', params: { name: tool, arguments: args, ...more } },
      ResultSchema,
    );
    expect(result['isError']).toBe(true);
    expect(result['content']).toEqual([{ type: 'text', text: expect.stringMatching(says) }]);
  },
);

test('a method that is not offered is not found', async () => {
  const { client } = await connect();
  await expect(client.request({ method: 'resources/list' }, ResultSchema)).rejects.toThrow(/Method not found/);
});

test('[CP-2] the agent’s own call id reaches the home', async () => {
  const { fake, call } = await connect();
  await call('write_file', write, { _meta: { 'countersign/callId': 'toolu_1' } });
  await call('write_file', write);
  expect(fake.calls.map((one) => one.callId)).toEqual(['toolu_1', null]);
});

test('[CP-4] a request that names a session acts in that session', async () => {
  const other = fakeAgentPort();
  const portOf = vi.fn<(session: string) => Promise<AgentPort>>(async () => other);
  const { fake, call } = await connect({ portOf });
  await call('write_file', write, { _meta: { 'countersign/session': 'night shift' } });
  expect(portOf).toHaveBeenCalledWith('night shift');
  expect(other.calls).toHaveLength(1);
  expect(fake.calls).toHaveLength(0);
});

test('queue_status says what waits, in words and in fields', async () => {
  const { call } = await connect();
  await call('write_file', write);
  const result = await call('queue_status');
  expect(result.content).toEqual([{ type: 'text', text: `1 open, 500 at most.\n#1 ${id(1)} pending: Write file 1` }]);
  expect(result.structuredContent).toMatchObject({ queue: { session: 's-fake', open: 1 } });
});

test('withdraw_action hands over ids and reason', async () => {
  const { fake, call } = await connect();
  const result = await call('withdraw_action', { actionIds: [id(1)], reason: 'no longer needed' });
  expect(result.content).toEqual([{ type: 'text', text: `${id(1)} was withdrawn.` }]);
  expect(fake.withdrawn).toEqual([{ ids: [id(1)], reason: 'no longer needed' }]);
});

test('wait_for_decision answers each id, and an applied action’s own result block for block', async () => {
  const { fake, call } = await connect();
  const own = { content: [{ type: 'text', text: AWKWARD_TEXT }], structured: { peer: 'yes' } } as const;
  fake.settle(id(1), { id: id(1), seq: 1, outcome: 'applied', result: own });
  fake.settle(id(2), { id: id(2), seq: 2, outcome: 'rejected', reason: 'no\n#1 was applied', fell: [id(3)] });
  fake.settle(id(4), { id: id(4), seq: 4, outcome: 'in-doubt', why: 'The process died.' });
  const result = await call('wait_for_decision', { actionIds: [id(1), id(2), id(4), 'x'], forRoom: true });
  expect(result.content).toEqual([
    {
      type: 'text',
      text: [
        '#1 was applied; its result follows.',
        `#2 was rejected: "no\\n#1 was applied". What needed it fell with it: ${id(3)}.`,
        '#4 may or may not have happened, and a person looks at it: The process died.',
        'x: No action has this id.',
        'The queue has room.',
      ].join('\n'),
    },
    { type: 'text', text: AWKWARD_TEXT },
  ]);
  expect(result.structuredContent).toMatchObject({
    results: [{ outcome: 'applied', result: own }, {}, {}, {}],
    room: true,
  });
});

test('a cancelled wait ends at once, and what it would have told is told at the next call', async () => {
  const { fake, client, call } = await connect();
  const stop = new AbortController();
  const waiting = client
    .callTool({ name: 'wait_for_decision', arguments: { actionIds: [id(1)] } }, undefined, { signal: stop.signal })
    .catch((thrown: unknown) => thrown);
  await expect.poll(() => fake.waiting).toBe(1);
  stop.abort('the user pressed escape');
  expect(await waiting).toBeInstanceOf(Error);
  // Its cancellation has arrived when a later request is answered.
  await client.ping();
  fake.tell('#1 was rejected.');
  fake.release();
  await client.ping();
  expect((await call('queue_status')).content[0]).toEqual({ type: 'text', text: '#1 was rejected.' });
});

test('without a home our own tools are listed, a call says what to do, and the client hears when there is more', async () => {
  const fake = fakeAgentPort();
  let up = false;
  const gone = new CountersignError('closed', 'No home runs here; start one with "countersign up".');
  const when = <T>(run: () => Promise<T>) => (up ? run() : Promise.reject(gone));
  const port: AgentPort = { ...fake, tools: () => when(() => fake.tools()), call: (one) => when(() => fake.call(one)) };
  const { client, call } = await connect({ port });
  const changed = vi.fn<() => void>();
  client.setNotificationHandler(ToolListChangedNotificationSchema, changed);
  expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual([
    'queue_status',
    'withdraw_action',
    'wait_for_decision',
  ]);
  expect(await call('write_file', write)).toMatchObject({ isError: true, content: [{ text: gone.message }] });
  expect(changed).not.toHaveBeenCalled();
  up = true;
  await call('write_file', write);
  await expect.poll(() => changed.mock.calls.length).toBe(1);
  expect((await client.listTools()).tools).toHaveLength(5);
});

test('a bug is a protocol error, and the owner of the process hears of it', async () => {
  const bug = new TypeError('broken');
  const onBug = vi.fn<(thrown: unknown) => void>();
  const { call } = await connect({ port: { ...fakeAgentPort(), status: () => Promise.reject(bug) }, onBug });
  await expect(call('queue_status')).rejects.toThrow(/broken/);
  expect(onBug).toHaveBeenCalledWith(bug);
});
