import { CountersignError } from '../../../src/base/errors.ts';
import type { AgentPort, ToolCall } from '../../../src/model/agent-port.ts';
import { anyOf, sizeBy } from '../../support/fuzz-dice.ts';
import type { Dice } from '../../support/hostile-dice.ts';
import { AuthorityLab } from './authority-lab.ts';
import { target, type Bench } from './target.ts';
import { nested, ODD_TEXTS, oddValue } from './values.ts';

type CallInput =
  | { readonly method: 'call'; readonly tool: string; readonly arguments: unknown; readonly callId: string | null }
  | { readonly method: 'withdraw'; readonly ids: readonly string[]; readonly reason: string | null }
  | { readonly method: 'wait'; readonly ids: readonly string[]; readonly forRoom: boolean };

/** What an agent asks of a real session that no tool can do, or for actions that there are not. */
export const AGENT_CALLS = target<CallInput>({
  name: 'agent calls',
  share: 40,
  make: anyCall,
  open: async () => CallBench.open(),
});

function anyCall(dice: Dice): CallInput {
  const ids = Array.from({ length: dice.roll(4) }, () => anyOf(dice, [...ODD_TEXTS, `a-${'a'.repeat(26)}`]));
  if (dice.chance(0.15)) return { method: 'withdraw', ids, reason: dice.chance(0.5) ? null : anyOf(dice, ODD_TEXTS) };
  if (dice.chance(0.15)) return { method: 'wait', ids: [...ids, 'none'], forRoom: dice.chance(0.5) };
  const tool = anyOf(dice, ['put', 'put', 'ask', 'get', 'toString', '__proto__', ...ODD_TEXTS]);
  return {
    method: 'call',
    tool,
    arguments: badArguments(dice),
    callId: dice.chance(0.5) ? null : anyOf(dice, ODD_TEXTS),
  };
}

/** Never what one of the shelf's tools takes: each wants a text under a name that is not here, or is none. */
function badArguments(dice: Dice): unknown {
  return dice.pick<() => unknown>([
    () => oddValue(dice),
    () => ({ name: oddNoText(dice), text: oddNoText(dice), question: oddNoText(dice) }),
    () => ({ nam: 'a', tex: 'b' }),
    () => nested(dice, sizeBy(dice, 3_000)),
    () => Array.from({ length: dice.roll(10) }, () => oddValue(dice)),
  ])();
}

function oddNoText(dice: Dice): unknown {
  const value = oddValue(dice);
  return typeof value === 'string' ? [value] : value;
}

class CallBench implements Bench<CallInput> {
  readonly #lab: AuthorityLab;
  readonly #port: AgentPort;
  readonly #before: number;

  static async open(): Promise<CallBench> {
    const lab = await AuthorityLab.open();
    const port = await lab.lab.agent('hostile');
    return new CallBench(lab, port);
  }

  private constructor(lab: AuthorityLab, port: AgentPort) {
    this.#lab = lab;
    this.#port = port;
    this.#before = lab.head();
  }

  async feed(input: CallInput): Promise<string | undefined> {
    this.#lab.passTime();
    try {
      const answer = await this.#ask(input);
      return answer ?? this.#lab.grew(this.#before);
    } catch (thrown) {
      if (!CountersignError.is(thrown)) throw thrown;
      return thrown.effect === 'none' ? undefined : `it is not known what it did: ${thrown.message}`;
    }
  }

  compare(): string | undefined {
    return this.#lab.compareActions();
  }

  close(): Promise<void> {
    return this.#lab.close();
  }

  async #ask(input: CallInput): Promise<string | undefined> {
    switch (input.method) {
      case 'withdraw': {
        const { results } = await this.#port.withdraw(input.ids, input.reason);
        return results.every(({ result }) => result === 'refused') ? undefined : 'it withdraws what is not its own';
      }
      case 'wait': {
        const { results } = await this.#port.wait({ ...input, timeoutMs: 0 });
        return results.every(({ outcome }) => outcome === 'unknown') ? undefined : 'it is told of what is not its own';
      }
      case 'call': {
        const call: ToolCall = { tool: input.tool, arguments: input.arguments, callId: input.callId };
        const { type } = await this.#port.call(call);
        return type === 'refused' ? undefined : `it is ${type}`;
      }
    }
  }
}
