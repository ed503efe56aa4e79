import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/cli/home/system.ts';
import { listenSocket } from '../../src/cli/sockets/listen.ts';
import type { SessionHello } from '../../src/model/agent-port.ts';
import { serveAgentDoor } from '../../src/door/serve.ts';
import { bundled } from '../support/bundle.ts';
import { AWKWARD_TEXT, fakeAgentPort, id, PNG_BASE64 } from '../support/fake-agent-port.ts';
import { tempDir } from '../support/temp-dir.ts';

let child: string;
beforeAll(async () => {
  ({ child } = await bundled({ child: './mcp-stdio-child.ts' }));
});

async function connect(behind: string) {
  const client = new Client({ name: 'test-client', version: '1.2.3' });
  const transport = new StdioClientTransport({ command: process.execPath, args: [child, behind] });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call = async (name: string, args: Record<string, unknown> = {}) =>
    // reason: the SDK's type also has a shape that no server of this protocol version sends
    (await client.callTool({ name, arguments: args })) as CallToolResult;
  return { client, call };
}

async function home(path: string) {
  const hellos: SessionHello[] = [];
  const fake = fakeAgentPort();
  const onBug = (thrown: unknown): void => {
    throw thrown;
  };
  const server = await listenSocket({
    path,
    clock: systemClock,
    onError: onBug,
    onLink: (link) =>
      serveAgentDoor({
        link,
        onBug,
        open: async (hello) => {
          hellos.push(hello);
          return { session: 's-1', port: { ...fake, close: async () => {} } };
        },
      }),
  });
  onTestFinished(() => server.close());
  return { server, hellos, fake };
}

test('a client works with the process, and results are byte-exact', async () => {
  const { client, call } = await connect('fake');
  expect((await client.listTools()).tools).toHaveLength(5);
  const queued = await call('write_file', { path: 'a', content: AWKWARD_TEXT });
  expect(queued.content).toEqual([
    { type: 'text', text: 'Queued as #1, not applied yet; your reads, tests and commands see it.' },
    { type: 'text', text: AWKWARD_TEXT },
  ]);
  expect(queued.structuredContent).toEqual({ bytes: 3, countersign: { state: 'pending', actionId: id(1), seq: 1 } });
  expect((await call('read_text_file')).content).toEqual([
    { type: 'text', text: AWKWARD_TEXT },
    { type: 'image', data: PNG_BASE64, mimeType: 'image/png' },
  ]);
});

test('a home that is not there, comes, goes and comes back: each call says so or goes through, none hangs', async () => {
  const path = join(await tempDir('cs'), 'agent.sock');
  const { call } = await connect(path);
  const sentence = { isError: true, content: [{ text: 'No home runs here; start one with "countersign up".' }] };
  expect(await call('write_file', { path: 'a', content: 'b' })).toMatchObject(sentence);
  const first = await home(path);
  expect((await call('write_file', { path: 'a', content: 'b' })).isError).toBeUndefined();
  expect(first.hellos).toEqual([
    {
      name: 'from-argv',
      client: { name: 'test-client', version: '1.2.3' },
      transportId: null,
      host: 'mcp',
      workspaceDir: '/w',
    },
  ]);
  await first.server.close();
  expect(await call('queue_status')).toMatchObject(sentence);
  const second = await home(path);
  expect((await call('queue_status')).isError).toBeUndefined();
  expect(second.hellos).toHaveLength(1);
});

test('a wait whose home dies under it ends', async () => {
  const path = join(await tempDir('cs'), 'agent.sock');
  const { server, fake } = await home(path);
  const { call } = await connect(path);
  await call('queue_status');
  const stuck = call('wait_for_decision', { actionIds: ['x'] });
  await expect.poll(() => fake.waiting).toBe(1);
  await server.close();
  expect(await stuck).toMatchObject({ isError: true });
});

test('requests that were sent before the input closed are answered, and the process ends', async () => {
  const running = spawn(process.execPath, [child, 'fake'], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void running.kill('SIGKILL'));
  const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'pipe', version: '1' } };
  const lines = [
    { jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'queue_status', arguments: {} } },
    {
      jsonrpc: '2.0',
      id: 3,
      method: 'tools/call',
      params: { name: 'wait_for_decision', arguments: { actionIds: ['x'] } },
    },
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3 } },
  ];
  running.stdin.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  let text = '';
  running.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const [code] = await once(running, 'close');
  expect(code).toBe(0);
  const answers = text
    .trimEnd()
    .split('\n')
    .map((line): { readonly id: number } => JSON.parse(line));
  expect(answers.map((answer) => answer.id)).toEqual([1, 2]);
});
