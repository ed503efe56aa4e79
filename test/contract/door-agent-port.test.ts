import { describe, expect, test } from 'vitest';
import type { AgentPort } from '../../src/model/agent-port.ts';
import { agentDoorClient } from '../../src/door/client.ts';
import { serveAgentDoor } from '../../src/door/serve.ts';
import { AWKWARD_TEXT, type FakeAgentPort, fakeAgentPort, id } from '../support/fake-agent-port.ts';
import { HELLO } from '../support/hello.ts';
import { linkPair } from '../support/link-pair.ts';

interface Rig {
  readonly port: AgentPort;
  readonly fake: FakeAgentPort;
}

const direct = async (): Promise<Rig> => {
  const fake = fakeAgentPort();
  return { port: fake, fake };
};

const throughTheDoor = async (): Promise<Rig> => {
  const fake = fakeAgentPort();
  const { a, b } = linkPair();
  const onBug = (thrown: unknown): void => {
    throw thrown;
  };
  serveAgentDoor({ link: b, onBug, open: async () => ({ session: 's-1', port: fake }) });
  return { port: await agentDoorClient(a, HELLO), fake };
};

describe.each([
  ['in process', direct],
  ['through the door', throughTheDoor],
])('AgentPort %s', (_name, make) => {
  test('lists the tools with their schemas and annotations', async () => {
    const { port } = await make();
    const tools = await port.tools();
    expect(tools.map((tool) => tool.name)).toEqual(['write_file', 'read_text_file']);
    expect(tools[0]?.annotations).toEqual({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
      openWorldHint: false,
    });
  });

  test('[SM-2] a read answers the very bytes', async () => {
    const { port } = await make();
    const answer = await port.call({ tool: 'read_text_file', arguments: { path: 'a' }, callId: null });
    expect(answer).toMatchObject({
      type: 'passthrough',
      result: { content: [{ type: 'text', text: AWKWARD_TEXT }, {}] },
    });
  });

  test('a write is simulated, and its arguments arrive unchanged', async () => {
    const { port, fake } = await make();
    const call = {
      tool: 'write_file',
      arguments: { path: 'a', content: AWKWARD_TEXT, deep: [{ a: null }] },
      callId: 'c1',
    };
    const answer = await port.call(call);
    expect(answer).toMatchObject({ type: 'simulated', seq: 1, actionId: id(1), state: 'pending' });
    expect(fake.calls).toEqual([call]);
  });

  test('a refusal keeps its code and its reason', async () => {
    const { port } = await make();
    expect(await port.call({ tool: 'nope', arguments: {}, callId: null })).toEqual({
      type: 'refused',
      code: 'not-found',
      why: 'There is no tool nope.',
      notices: [],
    });
  });

  test('an operational failure keeps its code, its sentence and its effect', async () => {
    const { port } = await make();
    const call = port.call({ tool: 'full', arguments: {}, callId: null });
    await expect(call).rejects.toMatchObject({
      name: 'CountersignError',
      code: 'full',
      effect: 'none',
      message: 'The queue is full.',
    });
  });

  test('notices are told once', async () => {
    const { port, fake } = await make();
    fake.tell('#3 was rejected.');
    expect((await port.status()).notices).toEqual(['#3 was rejected.']);
    expect((await port.status()).notices).toEqual([]);
  });

  test('a withdrawal carries the ids and the reason', async () => {
    const { port, fake } = await make();
    const answer = await port.withdraw([id(1), id(2)], 'changed my mind');
    expect(answer.results.map((result) => result.result)).toEqual(['withdrawn', 'withdrawn']);
    await port.withdraw([id(3)]);
    expect(fake.withdrawn).toEqual([
      { ids: [id(1), id(2)], reason: 'changed my mind' },
      { ids: [id(3)], reason: null },
    ]);
  });

  test('a wait does not hold up other calls, and ends when there is an outcome', async () => {
    const { port, fake } = await make();
    let ended = false;
    const waiting = port.wait({ ids: [id(7)], forRoom: false, timeoutMs: 25_000 }).then((answer) => {
      ended = true;
      return answer;
    });
    await port.status();
    expect(ended).toBe(false);
    fake.settle(id(7), { id: id(7), seq: 7, outcome: 'rejected', reason: 'no', fell: [id(8)] });
    expect((await waiting).results).toEqual([{ id: id(7), seq: 7, outcome: 'rejected', reason: 'no', fell: [id(8)] }]);
  });

  test('two hundred calls at once are each answered with their own answer', async () => {
    const { port } = await make();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        port.call({ tool: 'write_file', arguments: { path: `f${n}`, content: `text ${n}` }, callId: null }),
      ),
    );
    const texts = answers.map((answer) => (answer.type === 'simulated' ? answer.result.content[0] : undefined));
    expect(texts).toEqual(Array.from({ length: 200 }, (_, n) => ({ type: 'text', text: `text ${n}` })));
  });
});
