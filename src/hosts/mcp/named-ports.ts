import { CountersignError } from '../../base/errors.ts';
import type { AgentPort } from '../../model/agent-port.ts';

/** Sessions one connection may name: an agent and the helpers it runs side by side. */
const NAMED_SESSIONS_MAX = 32;

/** The ports of the sessions that requests name themselves, each opened once and closed with the connection. */
export class NamedPorts {
  readonly #open: (session: string) => AgentPort;
  readonly #ports = new Map<string, AgentPort>();

  constructor(open: (session: string) => AgentPort) {
    this.#open = open;
  }

  /** Throws: `full` for one session too many. */
  async port(session: string): Promise<AgentPort> {
    const known = this.#ports.get(session);
    if (known !== undefined) return known;
    if (this.#ports.size >= NAMED_SESSIONS_MAX) {
      throw new CountersignError('full', `A connection may name ${NAMED_SESSIONS_MAX} sessions at most.`);
    }
    const port = this.#open(session);
    this.#ports.set(session, port);
    return port;
  }

  async close(): Promise<void> {
    const ports = [...this.#ports.values()];
    this.#ports.clear();
    await Promise.all(ports.map((port) => port.close()));
  }
}
