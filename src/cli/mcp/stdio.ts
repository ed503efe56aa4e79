import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Clock } from '../../base/clock.ts';
import type { SessionHello } from '../../model/agent-port.ts';
import { DOOR_LIMITS } from '../../door/limits.ts';
import { agentConnection, type OpenSession } from '../../hosts/mcp/index.ts';
import { countingTransport } from './counting-transport.ts';

/** Milliseconds for the answers under way after the client has closed our input; clients kill after about as long. */
const LAST_ANSWERS_MS_MAX = 2_000;

export interface McpStdioOptions {
  /**
   * Joins the home over its agent door. It may start one only while `again` is false; a home that was lost is joined
   * when it is back. Throws `closed` with a sentence that names the command to run.
   */
  readonly connect: OpenSession;
  readonly hello: Pick<SessionHello, 'name' | 'workspaceDir'>;
  readonly info: { readonly name: string; readonly version: string };
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly clock: Clock;
  readonly onBug: (thrown: unknown) => void;
}

/** The process `countersign mcp`: MCP on stdin and stdout until the client goes. Nothing else may write to stdout. */
export async function runMcpStdio(options: McpStdioOptions): Promise<void> {
  const { connect, hello, info, stdin, stdout, clock, onBug } = options;
  const connection = agentConnection({ open: connect, hello: { ...hello, transportId: null }, info, onBug });
  const counting = countingTransport(
    new StdioServerTransport(stdin, stdout, { maxBufferSize: DOOR_LIMITS.lineBytesMax }),
  );
  // Whichever comes first: nobody writes to us, nobody reads from us, or a message that no buffer holds.
  const outputOver = new Promise<void>((resolve) => {
    stdout.once('error', () => resolve());
    stdout.once('close', () => resolve());
  });
  const inputOver = new Promise<void>((resolve) => {
    stdin.once('end', resolve);
    stdin.once('close', resolve);
  });
  const lastAnswers = inputOver.then(() => inTime(clock, counting.idle()));
  await connection.server.connect(counting.transport);
  await Promise.race([lastAnswers, outputOver, counting.closed]);
  await connection.close();
}

/** Waits for the last answers, and no longer than a client does. A timer that was left would keep the process as long. */
async function inTime(clock: Clock, answered: Promise<void>): Promise<void> {
  let cancel = (): void => undefined;
  const late = new Promise<void>((resolve) => {
    cancel = clock.after(LAST_ANSWERS_MS_MAX, resolve);
  });
  await Promise.race([answered, late]);
  cancel();
}
