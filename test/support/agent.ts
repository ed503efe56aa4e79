import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { onTestFinished } from 'vitest';
import { cliArgs } from './cli.ts';

export interface Agent {
  /** Calls a tool and answers the text of its blocks. */
  call(tool: string, args: Record<string, unknown>): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** An agent as people have one: an MCP client that starts `countersign mcp` in the workspace. */
export async function stdioAgent(workspace: string, state: string): Promise<Agent> {
  const client = new Client({ name: 'test-agent', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...cliArgs(), 'mcp', '--workspace', workspace, '--state', state],
    stderr: 'inherit',
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    async call(tool, args) {
      const { content } = await client.callTool({ name: tool, arguments: args });
      // reason: the tools of this server answer text blocks here
      return (content as readonly { readonly text?: string }[]).map(({ text }) => text ?? '');
    },
    close: () => client.close(),
  };
}
