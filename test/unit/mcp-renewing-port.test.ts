import { expect, test, vi } from 'vitest';
import { CountersignError } from '../../src/base/errors.ts';
import type { AgentPort } from '../../src/model/agent-port.ts';
import { type ConnectAgent, renewingPort } from '../../src/hosts/mcp/index.ts';
import { fakeAgentPort } from '../support/fake-agent-port.ts';

const lost = (effect: 'none' | 'unknown') => Promise.reject(new CountersignError('closed', 'Lost.', { effect }));
const CALL = { tool: 'write_file', arguments: { path: 'a', content: 'b' }, callId: null };

test('connects at the first call, once for calls at the same time', async () => {
  const connect = vi.fn<ConnectAgent>(async () => fakeAgentPort());
  const port = renewingPort(connect);
  expect(connect).not.toHaveBeenCalled();
  await Promise.all([port.status(), port.tools(), port.status()]);
  expect(connect).toHaveBeenCalledTimes(1);
  expect(connect).toHaveBeenCalledWith({ again: false });
});

test('a call that finds its connection gone is repeated over a new one, which only joins', async () => {
  const dead: AgentPort = { ...fakeAgentPort(), status: () => lost('none') };
  const connect = vi.fn<ConnectAgent>();
  connect.mockResolvedValueOnce(dead).mockResolvedValueOnce(fakeAgentPort());
  expect((await renewingPort(connect).status()).queue.open).toBe(0);
  expect(connect.mock.calls).toEqual([[{ again: false }], [{ again: true }]]);
});

test('[EF-2] a call that the home may have taken is never repeated by code', async () => {
  const second = fakeAgentPort();
  const connect = vi.fn<ConnectAgent>();
  connect.mockResolvedValueOnce({ ...fakeAgentPort(), call: () => lost('unknown') }).mockResolvedValueOnce(second);
  const port = renewingPort(connect);
  await expect(port.call(CALL)).rejects.toMatchObject({ code: 'closed', effect: 'unknown' });
  expect(second.calls).toEqual([]);
  await port.call(CALL);
  expect(second.calls).toHaveLength(1);
});

test('while no home answers each call tries once and says why; the first that finds one goes through', async () => {
  const none = new CountersignError('closed', 'No home runs here.');
  const connect = vi.fn<ConnectAgent>();
  connect.mockRejectedValueOnce(none).mockRejectedValueOnce(none).mockResolvedValueOnce(fakeAgentPort());
  const port = renewingPort(connect);
  await expect(port.status()).rejects.toBe(none);
  await expect(port.status()).rejects.toBe(none);
  expect((await port.status()).queue.open).toBe(0);
  expect(connect).toHaveBeenCalledTimes(3);
});

test('an answer that is not about the connection is not repeated', async () => {
  const connect = vi.fn<ConnectAgent>(async () => fakeAgentPort());
  await expect(renewingPort(connect).call({ ...CALL, tool: 'full' })).rejects.toMatchObject({ code: 'full' });
  expect(connect).toHaveBeenCalledTimes(1);
});

test('close closes what is open and opens nothing more', async () => {
  const fake = fakeAgentPort();
  const port = renewingPort(async () => fake);
  await port.status();
  await port.close();
  expect(fake.closed).toBe(true);
  await expect(port.status()).rejects.toMatchObject({ code: 'closed' });
});
