import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import * as z from 'zod';
import { display } from '../../model/display.ts';
import { VERSION } from '../../base/version.ts';
import { DEMO_SCRIPT } from './script.ts';

export interface DemoAgentOptions {
  readonly workspace: string;
  readonly state: string;
  readonly signal: AbortSignal;
  say(line: string): void;
  /** The script is through; from here on the agent only listens. */
  done(): void;
}

type Block = { readonly type: string; readonly text?: string | undefined };

/**
 * The scripted agent: a real MCP client in a process of its own, with `countersign mcp` at the other end of its pipe.
 * After its work it waits for decisions and says what it is told, until the signal.
 */
export async function runDemoAgent(options: DemoAgentOptions): Promise<void> {
  const client = new Client({ name: 'demo-agent', version: VERSION });
  const [node = process.execPath, program = ''] = process.argv;
  await client.connect(
    new StdioClientTransport({
      command: node,
      args: [...process.execArgv, program, 'mcp', '--workspace', options.workspace, '--state', options.state],
      stderr: 'inherit',
    }),
  );
  try {
    for (const { say, tool, args } of DEMO_SCRIPT) {
      if (options.signal.aborted) return;
      const blocks = await call(client, tool, args);
      const queued = blocks.find((block) => block.text?.startsWith('Queued as '))?.text;
      options.say(`  agent ${say}${queued === undefined ? '' : `  (${queued.slice(0, queued.indexOf(','))})`}`);
    }
    options.done();
    await listen(client, options);
  } finally {
    await client.close();
  }
}

async function call(client: Client, name: string, args: Readonly<Record<string, unknown>>): Promise<readonly Block[]> {
  const result = await client.callTool({ name, arguments: { ...args } });
  // reason: callTool answers content for every tool that is not a task; ours are none
  const blocks = result['content'] as readonly Block[];
  if (result['isError'] === true)
    throw new Error(`The demo agent was refused ${name}: ${blocks.map((block) => block.text).join(' ')}`);
  return blocks;
}

async function listen(client: Client, options: DemoAgentOptions): Promise<void> {
  while (!options.signal.aborted) {
    const result = await waitOnce(client, options.signal);
    if (result === undefined) return;
    const told = toldSchema.safeParse(result['structuredContent']);
    const notices = told.success ? (told.data.countersign?.notices ?? []) : [];
    for (const notice of notices) options.say(`  agent is told: ${display(notice, { multiline: true }).text}`);
  }
}

const toldSchema = z.object({ countersign: z.object({ notices: z.array(z.string()) }).optional() });

/** `undefined` when the demo ends, or the home under it: either way there is nothing more to hear. */
async function waitOnce(
  client: Client,
  signal: AbortSignal,
): Promise<Awaited<ReturnType<Client['callTool']>> | undefined> {
  // One signal a call: the client never takes its listener off again.
  const ended = new AbortController();
  const end = (): void => ended.abort();
  signal.addEventListener('abort', end, { once: true });
  try {
    const wait = { name: 'wait_for_decision', arguments: { timeoutMs: 20_000 } };
    return await client.callTool(wait, undefined, { signal: ended.signal });
  } catch {
    // Cut off by the signal, or the other end is gone.
    return undefined;
  } finally {
    signal.removeEventListener('abort', end);
  }
}
