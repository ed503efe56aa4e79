import { expect, test, vi } from 'vitest';
import * as fc from 'fast-check';
import { CountersignError } from '../../src/base/errors.ts';
import { agentDoorClient, ownerDoorClient } from '../../src/door/client.ts';
import { DOOR_LIMITS } from '../../src/door/limits.ts';
import type { OwnerPort } from '../../src/model/owner-port.ts';
import { serveAgentDoor, serveOwnerDoor } from '../../src/door/serve.ts';
import { homeId, workspaceId } from '../../src/model/ids.ts';
import { fakeAgentPort, id } from '../support/fake-agent-port.ts';
import { HELLO } from '../support/hello.ts';
import { type LinkEnd, linkPair } from '../support/link-pair.ts';

const HELLO_LINE = JSON.stringify({ id: 1, method: 'hello', params: { protocol: DOOR_LIMITS.protocol, hello: HELLO } });

function agentDoor(open = async () => ({ session: 's-1', port: fakeAgentPort() })) {
  const { a, b } = linkPair();
  const onBug = vi.fn<(thrown: unknown) => void>();
  serveAgentDoor({ link: b, onBug, open });
  const raw = rawClient(a);
  return { ...raw, link: a, server: b, onBug };
}

/** A client that only keeps what it got. */
function rawClient(link: LinkEnd) {
  const got: { id: number | null; result?: unknown; error?: { code: string; message: string } }[] = [];
  let ended = false;
  link.start({
    line: (text) => got.push(JSON.parse(text)),
    fault: () => undefined,
    end: () => {
      ended = true;
    },
  });
  return { got, isEnded: () => ended };
}

/** Lets every microtask that is on its way happen. */
const settle = async (): Promise<void> => {
  for (let n = 0; n < 50; n += 1) await Promise.resolve();
};

async function ask(method: string, params: unknown) {
  const door = agentDoor();
  door.link.send(HELLO_LINE);
  door.link.send(JSON.stringify({ id: 2, method, params }));
  await settle();
  return { ...door, answer: door.got.find((line) => line.id === 2) };
}

test('hello answers the session and the version', async () => {
  const door = agentDoor();
  door.link.send(HELLO_LINE);
  await settle();
  expect(door.got).toEqual([{ id: 1, result: { protocol: 1, session: 's-1' } }]);
});

test('a program of another version is told so in a sentence, whatever else its hello holds', async () => {
  const door = agentDoor();
  door.link.send(JSON.stringify({ id: 1, method: 'hello', params: { protocol: 2, novel: true } }));
  await settle();
  expect(door.got[0]?.error?.code).toBe('too-new');
  expect(door.got[0]?.error?.message).toMatch(/speaks version 1 .* asked for version 2.*countersign down/);
  expect(door.isEnded()).toBe(true);
});

test('anything before hello is refused and ends the connection', async () => {
  const door = agentDoor();
  door.link.send(JSON.stringify({ id: 9, method: 'tools', params: {} }));
  await settle();
  expect(door.got).toMatchObject([{ id: 9, error: { code: 'bad-input', message: 'The first message is hello.' } }]);
  expect(door.isEnded()).toBe(true);
});

test('a session that cannot open is answered with the reason, and so is what came after hello', async () => {
  const refuse = async () => {
    throw new CountersignError('not-found', 'No workspace is guarded there.');
  };
  const door = agentDoor(refuse);
  door.link.send(HELLO_LINE);
  door.link.send(JSON.stringify({ id: 2, method: 'tools', params: {} }));
  await settle();
  expect(door.got[0]).toMatchObject({ id: 1, error: { code: 'not-found', message: 'No workspace is guarded there.' } });
  expect(door.isEnded()).toBe(true);
  expect(door.onBug).not.toHaveBeenCalled();
});

test.each([
  ['decide', {}, /no method "decide"/],
  ['openWorkspace', { dir: '/', adopt: true, exclusive: false }, /no method "openWorkspace"/],
  ['down', {}, /no method "down"/],
  ['close', {}, /no method "close"/],
  ['constructor', {}, /no method "constructor"/],
  ['__proto__', {}, /no method "__proto__"/],
  ['toString', {}, /no method "toString"/],
  ['tools', { all: true }, /unknown field: "all"/],
  ['tools', null, /The tools: /],
  ['call', { tool: 7, arguments: {}, callId: null }, /^tool: /],
  ['call', { tool: 'x', arguments: {} }, /^callId: /],
  ['call', { tool: 'x', arguments: {}, callId: null, as: 'owner' }, /unknown field: "as"/],
  ['withdraw', { ids: 'a', reason: null }, /^ids: /],
  ['withdraw', { ids: [1], reason: null }, /^ids\.0: /],
  ['withdraw', { ids: Array.from({ length: 513 }, () => 'a'), reason: null }, /^ids: .*512/],
  ['wait', { ids: [], forRoom: 'yes', timeoutMs: 0 }, /^forRoom: /],
  ['wait', { ids: [], forRoom: false, timeoutMs: 25_001 }, /^timeoutMs: .*25000/],
  ['wait', { ids: [], forRoom: false, timeoutMs: -1 }, /^timeoutMs: /],
  ['hello', { protocol: 1, hello: HELLO }, /hello comes once/],
])('[DC-10] the agent door refuses %s (row %#) and names what is wrong', async (method, params, message) => {
  const { answer, isEnded } = await ask(method, params);
  expect(answer?.error?.code).toBe('bad-input');
  expect(answer?.error?.message).toMatch(message);
  expect(isEnded()).toBe(false);
});

test('a key of hostile length is not repeated in full', async () => {
  const { answer } = await ask('tools', { ['k'.repeat(100_000)]: 1 });
  expect(answer?.error?.message.length).toBeLessThan(200);
});

test.each([
  'not json',
  '[]',
  'null',
  '{}',
  '{"id":0,"method":"tools","params":{}}',
  '{"id":"1","method":"tools","params":{}}',
  '{"id":1.5,"method":"tools","params":{}}',
  '{"id":1,"method":"tools","params":{},"token":"x"}',
  `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
])('a line that is no request ends the connection with a reason (row %#)', async (line) => {
  const door = agentDoor();
  door.link.send(HELLO_LINE);
  await settle();
  door.link.send(line);
  door.link.send(JSON.stringify({ id: 3, method: 'tools', params: {} }));
  await settle();
  expect(door.got.at(-1)).toMatchObject({ id: null, error: { code: 'bad-input' } });
  expect(door.got.some((answer) => answer.id === 3)).toBe(false);
  expect(door.isEnded()).toBe(true);
});

test('a fault in the framing is answered, then the connection ends', async () => {
  const door = agentDoor();
  door.server.breakFraming();
  await settle();
  expect(door.got).toMatchObject([{ id: null, error: { message: 'A line is not UTF-8.' } }]);
  expect(door.isEnded()).toBe(true);
});

test('whatever lines arrive, the door neither throws nor hangs, and reports no bug', async () => {
  const line = fc.oneof(
    fc.string(),
    fc.json(),
    fc.record({ id: fc.oneof(fc.integer(), fc.string()), method: fc.string(), params: fc.jsonValue() }).map(stringify),
    fc
      .record({
        id: fc.integer({ min: 1, max: 9 }),
        method: fc.constantFrom('tools', 'call', 'status', 'withdraw', 'wait', 'hello'),
        params: fc.oneof(
          fc.jsonValue(),
          fc.record({ tool: fc.string(), arguments: fc.jsonValue(), callId: fc.constant(null) }),
          fc.record({ ids: fc.array(fc.string()), reason: fc.constant(null) }),
        ),
      })
      .map(stringify),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 12 }), fc.boolean(), async (lines, greets) => {
      const door = agentDoor();
      if (greets) door.link.send(HELLO_LINE);
      for (const text of lines) door.link.send(text);
      await settle();
      expect(door.onBug).not.toHaveBeenCalled();
      expect(door.got.length > 0 || lines.length === 0 || door.isEnded()).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test('[CP-3] a connection may have 256 requests without an answer, and the next is refused at once', async () => {
  const door = agentDoor();
  door.link.send(HELLO_LINE);
  await settle();
  for (let n = 0; n <= DOOR_LIMITS.pendingMax; n += 1) {
    door.link.send(JSON.stringify({ id: n + 2, method: 'wait', params: { ids: ['x'], forRoom: false, timeoutMs: 1 } }));
  }
  await settle();
  expect(door.got.slice(1)).toMatchObject([{ id: DOOR_LIMITS.pendingMax + 2, error: { code: 'busy' } }]);
});

test('an answer that no message can hold is an error, not a broken connection', async () => {
  const port = { ...fakeAgentPort(), tools: async () => [] };
  const huge = 'x'.repeat(DOOR_LIMITS.lineBytesMax);
  const door = agentDoor(async () => ({
    session: 's-1',
    port: { ...port, call: async () => ({ type: 'refused', code: 'x', why: huge, notices: [] }) as const },
  }));
  door.link.send(HELLO_LINE);
  door.link.send(JSON.stringify({ id: 2, method: 'call', params: { tool: 't', arguments: {}, callId: null } }));
  door.link.send(JSON.stringify({ id: 3, method: 'tools', params: {} }));
  await settle();
  expect(door.got.find((line) => line.id === 2)).toMatchObject({ error: { code: 'full' } });
  expect(door.got.find((line) => line.id === 3)).toMatchObject({ result: [] });
});

test('a bug behind the door is not told to the agent, ends the connection and reaches the owner of the process', async () => {
  const bug = new TypeError('secret detail');
  const broken = { ...fakeAgentPort(), status: () => Promise.reject(bug) };
  const door = agentDoor(async () => ({ session: 's-1', port: broken }));
  door.link.send(HELLO_LINE);
  door.link.send(JSON.stringify({ id: 2, method: 'status', params: {} }));
  await settle();
  expect(door.got[1]).toMatchObject({ id: 2, error: { code: 'effect-unknown' } });
  expect(JSON.stringify(door.got)).not.toContain('secret detail');
  expect(door.isEnded()).toBe(true);
  expect(door.onBug).toHaveBeenCalledWith(bug);
});

test('the port is closed when the connection ends', async () => {
  const fake = fakeAgentPort();
  const { a, b } = linkPair();
  serveAgentDoor({
    link: b,
    onBug: vi.fn<(thrown: unknown) => void>(),
    open: async () => ({ session: 's-1', port: fake }),
  });
  const port = await agentDoorClient(a, HELLO);
  await port.close();
  await settle();
  expect(fake.closed).toBe(true);
});

test('when the link dies, a read may be repeated and a call may not: its effect is unknown', async () => {
  const { a, b } = linkPair();
  const stuck = {
    ...fakeAgentPort(),
    status: () => new Promise<never>(() => {}),
    call: () => new Promise<never>(() => {}),
  };
  serveAgentDoor({
    link: b,
    onBug: vi.fn<(thrown: unknown) => void>(),
    open: async () => ({ session: 's-1', port: stuck }),
  });
  const port = await agentDoorClient(a, HELLO);
  const read = port.status().catch((thrown: unknown) => thrown);
  const call = port.call({ tool: 'write_file', arguments: {}, callId: null }).catch((thrown: unknown) => thrown);
  await settle();
  b.close();
  expect(await read).toMatchObject({ code: 'closed', effect: 'none' });
  expect(await call).toMatchObject({ code: 'closed', effect: 'unknown' });
  await expect(port.tools()).rejects.toMatchObject({ code: 'closed', effect: 'none' });
});

test.each([
  'nonsense',
  '{"id":77,"result":1}',
  '{"id":null,"error":{"code":"bad-input","message":"m","effect":"none"}}',
])('a client that reads %s from a home gives up on the connection, and every call says so', async (line) => {
  const { a, b } = linkPair();
  const raw = rawClient(b);
  const opening = agentDoorClient(a, HELLO).catch((thrown: unknown) => thrown);
  b.send(line);
  expect(await opening).toMatchObject({ code: 'closed' });
  await settle();
  expect(raw.isEnded()).toBe(true);
});

test('the owner door asks for a version, judges ids by their one parse door, and passes the rest through', async () => {
  const workspace = workspaceId(new Uint8Array(16));
  const queue = vi.fn<OwnerPort['queue']>(async () => []);
  const waitForChange = vi.fn<OwnerPort['waitForChange']>(async () => []);
  // reason: the other methods are not called here
  const port = {
    queue,
    waitForChange,
    status: async () => ({ homeId: homeId(new Uint8Array(16)) }),
  } as unknown as OwnerPort;
  const { a, b } = linkPair();
  serveOwnerDoor({ link: b, onBug: vi.fn<(thrown: unknown) => void>(), port });
  const owner = await ownerDoorClient(a);
  expect(await owner.queue({ workspace, all: true })).toEqual([]);
  expect(queue).toHaveBeenCalledWith({ workspace, all: true });
  await owner.waitForChange({ workspace, known: { [id(1)]: 'pending' }, timeoutMs: 10 });
  expect(waitForChange).toHaveBeenCalledWith({ workspace, known: { [id(1)]: 'pending' }, timeoutMs: 10 });
  // reason: a program without types
  await expect(owner.queue({ workspace: 'w-1' as never, all: true })).rejects.toMatchObject({
    code: 'bad-input',
    message: expect.stringMatching(/^workspace: A workspace id is/),
  });
  await expect(
    owner.waitForChange({ workspace, known: { [id(1)]: 'done' as never }, timeoutMs: 10 }),
  ).rejects.toMatchObject({ code: 'bad-input' });
});

const stringify = (value: unknown): string => JSON.stringify(value);
