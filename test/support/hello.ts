import type { SessionHello } from '../../src/model/agent-port.ts';

export const HELLO: SessionHello = {
  name: null,
  client: { name: 'test-client', version: '1.2.3' },
  transportId: null,
  host: 'mcp',
  workspaceDir: '/home/someone/project',
};
