import type { Authority } from '../../src/authority/authority.ts';
import { CountersignError } from '../../src/base/errors.ts';
import type { AgentPort, CallAnswer, ToolCall } from '../../src/model/agent-port.ts';
import type { ActionId } from '../../src/model/ids.ts';
import type { Dice } from './contract.ts';
import { MINT, SERVICE_TOOLS } from './service-surfaces.ts';
import type { Stage } from './stage.ts';

/** Calls of one agent that wait for their answers at once; children of one session call side by side. */
const CALLS_MAX = 3;

/** One agent's session: it proposes, reads, repeats, withdraws and waits, over as many connections as it lives through. */
export class SimAgent {
  readonly #name: string;
  readonly #stage: Stage;
  readonly #notes: readonly string[];
  #port: AgentPort | undefined;
  #connecting = false;
  #calls = 0;
  #count = 0;
  #last: ToolCall | undefined;
  /** Names it was given for what will be made. */
  readonly #made: string[] = [];
  /** Accepted: it was told that these are queued. */
  readonly accepted = new Set<ActionId>();

  constructor(stage: Stage, name: string, notes: readonly string[]) {
    this.#stage = stage;
    this.#name = name;
    this.#notes = notes;
  }

  /** The process it was connected to is gone. */
  lost(): void {
    this.#port = undefined;
    this.#connecting = false;
    this.#calls = 0;
  }

  get ready(): boolean {
    return !this.#connecting && this.#calls < CALLS_MAX;
  }

  /** Connects, or does one thing over its connection. */
  act(authority: Authority, what: 'call' | 'read' | 'withdraw' | 'wait', dice: Dice): string {
    if (this.#port === undefined) return this.#connect(authority);
    if (what === 'call') return this.#call(this.#port, dice);
    if (what === 'read') return this.#read(this.#port, dice);
    if (what === 'withdraw') return this.#withdraw(this.#port, dice);
    return this.#other(this.#port, dice);
  }

  #connect(authority: Authority): string {
    this.#connecting = true;
    const hello = {
      name: this.#name,
      client: { name: 'agent', version: '1' },
      transportId: null,
      host: 'mcp',
      workspaceDir: '/simulated',
    } as const;
    this.#do(
      authority.agent(hello),
      (port) => {
        this.#port = port;
      },
      () => {
        this.#connecting = false;
      },
    );
    return `${this.#name} connects`;
  }

  #call(port: AgentPort, dice: Dice): string {
    const call = this.#last !== undefined && dice.chance(8) ? this.#last : this.#newCall(dice);
    this.#last = call;
    const askedSeq = this.#stage.chronicle.seq;
    this.#answered(port.call(call), (answer) => this.#accept(call, answer, askedSeq));
    return `${this.#name} calls ${call.tool}${call.callId === null ? '' : ` as ${call.callId}`}`;
  }

  #newCall(dice: Dice): ToolCall {
    const { hostPlans, tools } = this.#stage.rates;
    const call = this.#wanted(dice, tools.mints);
    return hostPlans ? { ...call, mode: dice.chance(25) ? 'plan' : 'act' } : call;
  }

  #wanted(dice: Dice, mints: boolean): ToolCall {
    const n = ++this.#count;
    const callId = dice.chance(50) ? `${this.#name}-${n}` : null;
    if (mints && dice.chance(15)) return { tool: MINT, arguments: { to: 'x', text: `${this.#name}${n}` }, callId };
    const made = mints && dice.chance(25) ? this.#made.at(-1) : undefined;
    if (made !== undefined)
      return { tool: dice.of(['post', 'mail']), arguments: { to: made, text: `${this.#name}${n}` }, callId };
    const { favourite } = this.#stage.rates;
    if (favourite !== null && dice.chance(50))
      return { tool: favourite, arguments: { to: dice.of(['x', 'y']), text: `${this.#name}${n}` }, callId };
    if (dice.chance(3)) return { tool: 'set', arguments: { name: 7 }, callId };
    if (dice.chance(2)) return { tool: 'nothing', arguments: {}, callId };
    const kind = dice.pick(10);
    if (kind < 5) {
      const text = dice.chance(5) ? 'the same' : `${this.#name}${n}`;
      return { tool: 'set', arguments: { name: dice.of(this.#notes), text }, callId };
    }
    if (kind < 7)
      return { tool: 'copy', arguments: { name: dice.of(this.#notes), from: dice.of(this.#notes) }, callId };
    return { tool: dice.of(SERVICE_TOOLS), arguments: { to: dice.of(['x', 'y']), text: `${this.#name}${n}` }, callId };
  }

  /** What an agent is told is queued is in the journal, with its head record. */
  #accept({ mode, tool }: ToolCall, answer: CallAnswer, askedSeq: number): void {
    const { chronicle, disk, occurred, fail } = this.#stage;
    occurred(answer.type === 'refused' ? `call: refused ${answer.code}` : `call: ${answer.type}`);
    if (answer.type !== 'simulated' && answer.type !== 'awaiting') return;
    this.accepted.add(answer.actionId);
    const known = chronicle.actions.get(answer.actionId);
    if (known === undefined || disk.heads[known.proposedSeq - 1]?.state !== 'whole')
      fail('proposal', `#${answer.seq} was answered before it was durable`);
    else if (mode === 'plan' && known.proposedSeq > askedSeq)
      fail(
        'invariant 22: In plan mode proposals leave the journal unchanged',
        `#${answer.seq} was queued for a host that plans`,
      );
    if (answer.type !== 'simulated' || tool !== MINT) return;
    const block = answer.result.content[0];
    if (block?.type === 'text') this.#made.push(block.text);
  }

  #read(port: AgentPort, dice: Dice): string {
    const askedSeq = this.#stage.chronicle.seq;
    const name = dice.of(this.#notes);
    this.#answered(port.call({ tool: 'get', arguments: { name }, callId: null }), (answer) => {
      const block = answer.type === 'passthrough' ? answer.result.content[0] : undefined;
      if (block?.type === 'text') this.#stage.judge.read({ text: block.text, askedSeq });
    });
    return `${this.#name} reads ${name}`;
  }

  /** Withdraws this very one, once it is connected. */
  undo(authority: Authority, id: ActionId, dice: Dice): string {
    return this.#port === undefined ? this.#connect(authority) : this.#withdrawOne(this.#port, id, dice);
  }

  #withdraw(port: AgentPort, dice: Dice): string {
    const own = [...this.accepted].slice(-8);
    if (own.length === 0) return `${this.#name} has nothing to withdraw`;
    return this.#withdrawOne(port, dice.of(own), dice);
  }

  #withdrawOne(port: AgentPort, id: ActionId, dice: Dice): string {
    this.#answered(port.withdraw([id], dice.chance(50) ? 'not needed' : null), ({ results }) => {
      for (const { result } of results) this.#stage.occurred(`withdraw: ${result}`);
    });
    return `${this.#name} withdraws ${id.slice(-4)}`;
  }

  #other(port: AgentPort, dice: Dice): string {
    const what = dice.pick(4);
    if (what === 0) {
      this.#port = undefined;
      this.#do(port.close(), () => undefined);
      return `${this.#name} disconnects`;
    }
    if (what === 1) {
      this.#answered(port.status(), () => undefined);
      return `${this.#name} asks for its status`;
    }
    const ids = dice.chance(50) ? [] : [...this.accepted].slice(-2);
    this.#answered(port.wait({ ids, forRoom: dice.chance(20), timeoutMs: 25_000 }), ({ results }) => {
      for (const { outcome } of results) this.#stage.occurred(`wait: ${outcome}`);
    });
    return `${this.#name} waits`;
  }

  #answered<T>(answer: Promise<T>, take: (answer: T) => void): void {
    this.#calls += 1;
    this.#do(
      answer,
      (said) => {
        this.#stage.judge.answer(said);
        take(said);
      },
      () => {
        this.#calls -= 1;
      },
    );
  }

  /** An error of the door is an answer; whatever else comes is a bug. */
  #do<T>(asked: Promise<T>, take: (answer: T) => void, over: () => void = () => undefined): void {
    const port = this.#port;
    asked
      .then(take, (error: unknown) => {
        if (!CountersignError.is(error)) throw error;
        this.#stage.occurred(`agent: ${error.code}`);
      })
      .catch((error: unknown) => this.#stage.fail('agent', String(error)))
      .finally(() => {
        // An answer of a life that is over was for a connection that is gone.
        if (this.#port === port || port === undefined) over();
      })
      .catch(() => undefined);
  }
}
