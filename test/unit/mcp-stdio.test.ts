import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import { runMcpStdio } from '../../src/cli/mcp/stdio.ts';
import { FakeClock } from '../../src/testing/index.ts';
import { fakeAgentPort } from '../support/fake-agent-port.ts';

test('[CP-5] once the client has gone and is answered, no timer keeps the process', async () => {
  const waiting = new Set<symbol>();
  const fake = new FakeClock();
  const clock: Clock = {
    nowMs: () => fake.nowMs(),
    monotonicMs: () => fake.monotonicMs(),
    soon: (run) => fake.soon(run),
    after(delayMs, run) {
      const timer = Symbol('timer');
      waiting.add(timer);
      const cancel = fake.after(delayMs, run);
      return () => {
        waiting.delete(timer);
        cancel();
      };
    },
  };
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const ran = runMcpStdio({
    connect: async () => fakeAgentPort(),
    hello: { name: null, workspaceDir: '/w' },
    info: { name: 'countersign', version: '0.0.0-test' },
    stdin,
    stdout,
    clock,
    onBug: (thrown) => {
      throw thrown;
    },
  });
  stdin.end();
  await ran;
  expect(waiting.size).toBe(0);
});
