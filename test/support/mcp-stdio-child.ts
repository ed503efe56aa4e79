/** `countersign mcp` with a fake behind it: argument `fake`, or the path of an agent socket to join. */
import { CountersignError } from '../../src/base/errors.ts';
import { systemClock } from '../../src/cli/home/system.ts';
import { runMcpStdio } from '../../src/cli/mcp/stdio.ts';
import { connectSocket } from '../../src/cli/sockets/connect.ts';
import type { AgentPort } from '../../src/model/agent-port.ts';
import { agentDoorClient } from '../../src/door/client.ts';
import { fakeAgentPort } from './fake-agent-port.ts';

const [behind = 'fake'] = process.argv.slice(2);

/** A fake whose status takes some turns of the loop, as it does when a home is on the other side. */
function unhurriedPort(): AgentPort {
  const fake = fakeAgentPort();
  return {
    ...fake,
    async status() {
      for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      return fake.status();
    },
  };
}

await runMcpStdio({
  async connect(hello) {
    if (behind === 'fake') return unhurriedPort();
    const link = await connectSocket({ path: behind, clock: systemClock }).catch((cause: unknown) => {
      throw new CountersignError('closed', 'No home runs here; start one with "countersign up".', { cause });
    });
    return agentDoorClient(link, hello);
  },
  hello: { name: 'from-argv', workspaceDir: '/w' },
  info: { name: 'countersign', version: '0.0.0-test' },
  stdin: process.stdin,
  stdout: process.stdout,
  clock: systemClock,
  onBug: (thrown) => {
    throw thrown;
  },
});
process.exitCode = 0;
