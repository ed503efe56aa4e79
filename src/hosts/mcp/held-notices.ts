import type { AgentPort, WithNotices } from '../../model/agent-port.ts';

/**
 * Keeps notices that came with an answer nobody was left to read: the home tells each of them once, and a
 * cancelled call must not be the end of one.
 */
export class HeldNotices {
  readonly #held = new WeakMap<AgentPort, string[]>();

  /**
   * The answer, led by what was held before. Rejects as soon as `signal` aborts; the home's answer is then only
   * read for its notices.
   */
  async deliver<T>(port: AgentPort, asked: Promise<WithNotices<T>>, signal: AbortSignal): Promise<WithNotices<T>> {
    const answer = await unlessAborted(asked, signal, (late) => this.#hold(port, late.notices));
    const before = this.#held.get(port)?.splice(0) ?? [];
    return before.length === 0 ? answer : { ...answer, notices: [...before, ...answer.notices] };
  }

  #hold(port: AgentPort, notices: readonly string[]): void {
    const held = this.#held.get(port);
    if (held === undefined) this.#held.set(port, [...notices]);
    else held.push(...notices);
  }
}

async function unlessAborted<T>(asked: Promise<T>, signal: AbortSignal, late: (value: T) => void): Promise<T> {
  const read = asked.then((value) => {
    if (signal.aborted) late(value);
    return value;
  });
  return Promise.race([read, aborted(signal)]);
}

async function aborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  throw signal.reason;
}
