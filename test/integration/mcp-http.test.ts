import { createServer } from 'node:http';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { CountersignError } from '../../src/base/errors.ts';
import type { Random } from '../../src/base/random.ts';
import { HTTP_LIMITS } from '../../src/cli/mcp/http-sessions.ts';
import { type McpServerOptions, serveMcpHttp } from '../support/home-mcp-http.ts';
import type { AgentPort, SessionHello } from '../../src/model/agent-port.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { AWKWARD_TEXT, type FakeAgentPort, fakeAgentPort, id, PNG_BASE64 } from '../support/fake-agent-port.ts';
import { type RawRequest, rawHttp } from '../support/raw-http.ts';

const TOKEN = 'correct-horse-battery-staple-0123456789';
const ORIGIN = 'http://panel.example:4711';
const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});

const systemRandom: Random = { bytes: (count) => crypto.getRandomValues(new Uint8Array(count)) };

function options(): McpServerOptions {
  return {
    agentFor: async () => fakeAgentPort(),
    info: { name: 'countersign', version: '0.0.0-test' },
    token: TOKEN,
    port: 0,
    workspaceDir: '/home/someone/project',
    origins: [ORIGIN],
    clock: new FakeClock(),
    random: systemRandom,
    onBug: (thrown) => {
      throw thrown;
    },
  };
}

async function serve(changes: Partial<McpServerOptions> = {}) {
  const clock = new FakeClock();
  const opened: { readonly hello: SessionHello; readonly port: FakeAgentPort }[] = [];
  const agentFor = async (hello: SessionHello): Promise<AgentPort> => {
    const port = fakeAgentPort();
    opened.push({ hello, port });
    return port;
  };
  const server = await serveMcpHttp({ ...options(), agentFor, clock, ...changes });
  onTestFinished(() => server.close());
  return { server, clock, opened };
}

async function connect(url: string) {
  const client = new Client({ name: 'test-client', version: '1.2.3' });
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${TOKEN}` } },
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call = async (name: string, args: Record<string, unknown> = {}) =>
    // reason: the SDK's type also has a shape that no server of this protocol version sends
    (await client.callTool({ name, arguments: args })) as CallToolResult;
  return { client, transport, call };
}

describe('streamable HTTP', () => {
  test('a client works through it, and results are byte-exact', async () => {
    const { server, opened } = await serve();
    const { client, transport, call } = await connect(server.url);
    expect((await client.listTools()).tools).toHaveLength(5);
    const queued = await call('write_file', { path: 'a', content: AWKWARD_TEXT });
    expect(queued.content[1]).toEqual({ type: 'text', text: AWKWARD_TEXT });
    expect(queued.structuredContent).toEqual({
      bytes: 3,
      countersign: { state: 'pending', actionId: id(1), seq: 1 },
    });
    expect((await call('read_text_file')).content).toEqual([
      { type: 'text', text: AWKWARD_TEXT },
      { type: 'image', data: PNG_BASE64, mimeType: 'image/png' },
    ]);
    expect(opened.map(({ hello }) => hello)).toEqual([
      {
        name: null,
        client: { name: 'test-client', version: '1.2.3' },
        transportId: transport.sessionId,
        host: 'mcp',
        workspaceDir: '/home/someone/project',
      },
    ]);
  });

  test('the address can name the workspace; a relative one is refused in a sentence', async () => {
    const { server, opened } = await serve({ workspaceDir: null });
    const { call } = await connect(`${server.url}?workspace=${encodeURIComponent('/srv/ünï code')}`);
    await call('queue_status');
    expect(opened[0]?.hello.workspaceDir).toBe('/srv/ünï code');
    await expect(connect(`${server.url}?workspace=src`)).rejects.toThrow(/Name the workspace in the address/);
    await expect(connect(server.url)).rejects.toThrow(/Name the workspace in the address/);
  });

  test('two clients have two sessions, and each is closed with its own', async () => {
    const { server, opened } = await serve();
    const one = await connect(server.url);
    const two = await connect(server.url);
    await one.call('write_file', { path: 'a', content: 'one' });
    await two.call('queue_status');
    expect(opened).toHaveLength(2);
    const ended = one.transport.sessionId ?? '';
    await one.transport.terminateSession();
    await expect.poll(() => opened[0]?.port.closed).toBe(true);
    expect(opened[1]?.port.closed).toBe(false);
    expect((await two.call('queue_status')).isError).toBeUndefined();
    const late = await rawHttp('127.0.0.1', server.port, ping(server.port, ended));
    expect(late.status).toBe(404);
    expect(late.body).toContain('There is no such session here; begin a new one.');
  });

  test('a session that cannot open is a failed tool with the reason', async () => {
    const refused = new CountersignError('not-found', 'No workspace is guarded there.');
    const { server } = await serve({ agentFor: () => Promise.reject(refused) });
    const { call } = await connect(server.url);
    expect(await call('queue_status')).toMatchObject({ isError: true, content: [{ text: refused.message }] });
  });

  test('[CP-3] sessions are bounded: the one that was idle longest makes room', async () => {
    const { server } = await serve();
    const begin = async () => {
      const answer = await rawHttp('127.0.0.1', server.port, valid(server.port));
      return /mcp-session-id: (\S+)/i.exec(answer.head)?.[1];
    };
    const ids: (string | undefined)[] = [];
    for (let n = 0; n < HTTP_LIMITS.sessionsMax; n += 1) ids.push(await begin());
    expect(new Set(ids).size).toBe(HTTP_LIMITS.sessionsMax);
    const ask = (sessionId: string | undefined) =>
      rawHttp('127.0.0.1', server.port, ping(server.port, sessionId ?? ''));
    expect((await ask(ids[0])).status).toBe(200);
    await begin();
    const statuses = await Promise.all([ids[0], ids[1], ids[2]].map(async (one) => (await ask(one)).status));
    expect(statuses.filter((status) => status === 404)).toHaveLength(1);
  });

  test('[CP-3] a session without a request or a stream ends after its idle time', async () => {
    const { server, clock, opened } = await serve();
    const first = await rawHttp('127.0.0.1', server.port, valid(server.port));
    const sessionId = /mcp-session-id: (\S+)/i.exec(first.head)?.[1] ?? '';
    await rawHttp('127.0.0.1', server.port, callStatus(server.port, sessionId));
    clock.advance(HTTP_LIMITS.idleMsMax - 1);
    expect((await rawHttp('127.0.0.1', server.port, ping(server.port, sessionId))).status).toBe(200);
    clock.advance(HTTP_LIMITS.idleMsMax);
    expect((await rawHttp('127.0.0.1', server.port, ping(server.port, sessionId))).status).toBe(404);
    await expect.poll(() => opened[0]?.port.closed).toBe(true);
  });

  test('a first request that is no initialize leaves no session behind', async () => {
    const { server } = await serve();
    const answer = await rawHttp('127.0.0.1', server.port, {
      ...valid(server.port),
      ...body('{"jsonrpc":"2.0","id":1,"method":"ping"}', server.port),
    });
    expect(answer.status).toBe(400);
    expect(/mcp-session-id/i.test(answer.head)).toBe(false);
  });

  test('requests that begin nothing push no session out', async () => {
    const { server } = await serve();
    const first = await rawHttp('127.0.0.1', server.port, valid(server.port));
    const sessionId = /mcp-session-id: (\S+)/i.exec(first.head)?.[1] ?? '';
    const nothing = { ...valid(server.port), ...body('{"jsonrpc":"2.0","id":1,"method":"ping"}', server.port) };
    for (let n = 0; n < HTTP_LIMITS.sessionsMax; n += 1) await rawHttp('127.0.0.1', server.port, nothing);
    expect((await rawHttp('127.0.0.1', server.port, ping(server.port, sessionId))).status).toBe(200);
  });

  test('a port in use is one sentence', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void taken.close());
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    await expect(serve({ port })).rejects.toMatchObject({
      code: 'busy',
      message: `Port ${port} is in use by another program; choose another with --port.`,
    });
  });

  test('a port in use on ::1 alone is in use, or somebody else would answer to localhost', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '::1', resolve));
    onTestFinished(() => void taken.close());
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    await expect(serve({ port })).rejects.toMatchObject({ code: 'busy' });
  });

  test('both loopback addresses answer', async () => {
    const { server } = await serve();
    for (const host of ['127.0.0.1', '::1']) {
      expect((await rawHttp(host, server.port, valid(server.port))).status).toBe(200);
    }
  });

  test('close ends streams that are open', async () => {
    const { server } = await serve();
    const first = await rawHttp('127.0.0.1', server.port, valid(server.port));
    const sessionId = /mcp-session-id: (\S+)/i.exec(first.head)?.[1] ?? '';
    const stream = rawHttp('127.0.0.1', server.port, {
      ...valid(server.port),
      method: 'GET',
      headers: headers(server.port, { 'mcp-session-id': sessionId, accept: 'text/event-stream' }),
      body: '',
    });
    await rawHttp('127.0.0.1', server.port, ping(server.port, sessionId));
    await server.close();
    expect((await stream).status).toBe(200);
  });
});

type HeaderChanges = Readonly<Record<string, string | readonly string[] | null>>;

/** What is changed in a request that would be let through. */
interface Change {
  readonly method?: string;
  readonly target?: string;
  readonly body?: string;
  /** `null` leaves a header out, a list sends it more than once. */
  readonly set?: HeaderChanges;
}

const set = (changes: HeaderChanges) => (): Change => ({ set: changes });

/** A row: what is wrong, the status it must get, the change. */
const ROWS: readonly (readonly [string, number, (port: number) => Change])[] = [
  ['nothing', 200, () => ({})],
  ['Host 127.0.0.1', 200, (port) => ({ set: { host: `127.0.0.1:${port}` } })],
  ['Host localhost', 200, (port) => ({ set: { host: `localhost:${port}` } })],
  ['Host [::1]', 200, (port) => ({ set: { host: `[::1]:${port}` } })],
  ['Host missing', 400, set({ host: null })],
  ['Host empty', 403, set({ host: '' })],
  ['Host a rebound name', 403, (port) => ({ set: { host: `evil.example:${port}` } })],
  ['Host a rebound name without a port', 403, set({ host: 'evil.example' })],
  ['Host without a port', 403, set({ host: '127.0.0.1' })],
  ['Host with another port', 403, (port) => ({ set: { host: `127.0.0.1:${port + 1}` } })],
  ['Host 0.0.0.0', 403, (port) => ({ set: { host: `0.0.0.0:${port}` } })],
  ['Host another address of this machine', 403, (port) => ({ set: { host: `127.0.0.2:${port}` } })],
  ['Host with a suffix', 403, (port) => ({ set: { host: `localhost.evil.example:${port}` } })],
  ['Host with a trailing dot', 403, (port) => ({ set: { host: `localhost.:${port}` } })],
  ['Host with a user', 403, (port) => ({ set: { host: `evil@localhost:${port}` } })],
  ['Host as a decimal address', 403, (port) => ({ set: { host: `2130706433:${port}` } })],
  ['Host twice', 400, (port) => ({ set: { host: [`127.0.0.1:${port}`, 'evil.example'] } })],
  ['Origin in the list', 200, set({ origin: ORIGIN })],
  ['Origin null', 403, set({ origin: 'null' })],
  ['Origin empty', 403, set({ origin: '' })],
  ['Origin of a foreign page', 403, set({ origin: 'https://evil.example' })],
  ['Origin of this address itself', 403, (port) => ({ set: { origin: `http://127.0.0.1:${port}` } })],
  ['Origin with another scheme', 403, set({ origin: ORIGIN.replace('http:', 'https:') })],
  ['Origin with another port', 403, set({ origin: 'http://panel.example:4712' })],
  ['Origin with a suffix', 403, set({ origin: `${ORIGIN}.evil.example` })],
  ['Origin with a slash', 403, set({ origin: `${ORIGIN}/` })],
  ['Origin in capitals', 403, set({ origin: ORIGIN.toUpperCase() })],
  ['Origin twice', 400, set({ origin: [ORIGIN, 'https://evil.example'] })],
  ['token missing', 401, set({ authorization: null })],
  ['token empty', 401, set({ authorization: 'Bearer ' })],
  ['token wrong', 401, set({ authorization: 'Bearer wrong' })],
  ['token cut', 401, set({ authorization: `Bearer ${TOKEN.slice(0, -1)}` })],
  ['token with more', 401, set({ authorization: `Bearer ${TOKEN}x` })],
  ['token in capitals', 401, set({ authorization: `Bearer ${TOKEN.toUpperCase()}` })],
  ['token without a scheme', 401, set({ authorization: TOKEN })],
  ['token as Basic', 401, set({ authorization: `Basic ${TOKEN}` })],
  ['token twice', 400, set({ authorization: [`Bearer ${TOKEN}`, 'Bearer wrong'] })],
  ['token in the address only', 401, () => ({ target: `/mcp?token=${TOKEN}`, set: { authorization: null } })],
  ['token in a cookie only', 401, set({ authorization: null, cookie: `token=${TOKEN}` })],
  ['scheme in lower case', 200, set({ authorization: `bearer ${TOKEN}` })],
  ['GET without a session', 400, () => ({ method: 'GET' })],
  ['DELETE without a session', 400, () => ({ method: 'DELETE' })],
  ['PUT', 405, () => ({ method: 'PUT' })],
  ['PATCH', 405, () => ({ method: 'PATCH' })],
  ['HEAD', 405, () => ({ method: 'HEAD' })],
  ['OPTIONS', 405, () => ({ method: 'OPTIONS' })],
  ['OPTIONS of a foreign page', 403, () => ({ method: 'OPTIONS', set: { origin: 'https://evil.example' } })],
  ['GET of a foreign page', 403, () => ({ method: 'GET', set: { origin: 'https://evil.example' } })],
  ['POST as a form', 415, set({ 'content-type': 'application/x-www-form-urlencoded' })],
  ['POST as multipart', 415, set({ 'content-type': 'multipart/form-data; boundary=x' })],
  ['POST as text', 415, set({ 'content-type': 'text/plain' })],
  ['POST as text that mentions JSON', 415, set({ 'content-type': 'text/plain; x=application/json' })],
  ['POST without a type', 415, set({ 'content-type': null })],
  ['POST as JSON with a charset', 200, set({ 'content-type': 'application/json; charset=utf-8' })],
  ['POST of a type twice', 400, set({ 'content-type': ['application/json', 'text/plain'] })],
  ['POST that is too large', 413, set({ 'content-length': String(HTTP_LIMITS.bodyBytesMax + 1) })],
  ['POST that is not JSON', 400, () => ({ body: '{', set: { 'content-length': '1' } })],
  ['POST to another path', 404, () => ({ target: '/' })],
  ['POST to a longer path', 404, () => ({ target: '/mcp/x' })],
  ['POST to a path with a slash', 404, () => ({ target: '/mcp/' })],
  ['POST to a whole address', 400, () => ({ target: 'http://evil.example/mcp' })],
  ['POST to a path of another host', 400, () => ({ target: '//evil.example/mcp' })],
  ['POST to a session that is not', 404, set({ 'mcp-session-id': 'f'.repeat(32) })],
  ['POST to a session twice', 400, set({ 'mcp-session-id': ['a', 'b'] })],
];

describe('[T14] who may ask', () => {
  let port = 0;
  let close = async (): Promise<void> => {};
  beforeAll(async () => {
    const server = await serveMcpHttp(options());
    port = server.port;
    close = () => server.close();
  });
  afterAll(() => close());

  test.each(ROWS)('%s → %i', async (_what, status, change) => {
    const { set: changes = {}, ...rest } = change(port);
    const request: RawRequest = { ...valid(port), ...rest, headers: headers(port, changes) };
    const answer = await rawHttp('127.0.0.1', port, request);
    expect(answer.status).toBe(status);
    // Refused by us, before the protocol saw it; only what is malformed inside may be the protocol's to refuse.
    expect(/content-type: text\/plain/i.test(answer.head) || status === 200 || status === 400).toBe(true);
    expect(answer.head).not.toMatch(/access-control-allow|set-cookie/i);
    expect(answer.body).not.toContain(TOKEN);
  });

  test('a refusal is one sentence and ends the connection', async () => {
    const answer = await rawHttp('127.0.0.1', port, {
      ...valid(port),
      headers: headers(port, { authorization: null }),
    });
    expect(answer.head).toMatch(/content-type: text\/plain/i);
    expect(answer.head).toMatch(/connection: close/i);
    expect(answer.head).toMatch(/www-authenticate: Bearer/i);
    expect(answer.body).toContain(
      'The request needs the header "Authorization: Bearer" with the token of this home.\n',
    );
  });
});

function headers(port: number, changes: HeaderChanges = {}): readonly (readonly [string, string])[] {
  const all: HeaderChanges = {
    host: `127.0.0.1:${port}`,
    authorization: `Bearer ${TOKEN}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'content-length': String(Buffer.byteLength(INITIALIZE)),
    ...changes,
  };
  return Object.entries(all).flatMap(([name, value]) =>
    (value === null ? [] : [value].flat()).map((one) => [name, one] as const),
  );
}

function valid(port: number): RawRequest {
  return { method: 'POST', target: '/mcp', headers: headers(port), body: INITIALIZE };
}

function body(
  text: string,
  port: number,
  more: Readonly<Record<string, string>> = {},
): Pick<RawRequest, 'body' | 'headers'> {
  return { body: text, headers: headers(port, { 'content-length': String(Buffer.byteLength(text)), ...more }) };
}

function ping(port: number, sessionId: string): RawRequest {
  return { ...valid(port), ...body('{"jsonrpc":"2.0","id":7,"method":"ping"}', port, { 'mcp-session-id': sessionId }) };
}

function callStatus(port: number, sessionId: string): RawRequest {
  const text = '{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"queue_status","arguments":{}}}';
  return { ...valid(port), ...body(text, port, { 'mcp-session-id': sessionId }) };
}
