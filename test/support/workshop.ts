import { createCountersign, type Countersign, type CountersignOptions } from '../../src/index.ts';
import type { Journal, SurfacePack } from '../../src/authority/ports.ts';
import type { AgentPort, CallAnswer, SessionHello } from '../../src/model/agent-port.ts';
import type { ActionState } from '../../src/model/action.ts';
import type { ActionId } from '../../src/model/ids.ts';
import { FakeClock, memoryJournal, seededRandom } from '../../src/testing/index.ts';
import { shelf, type Shelf } from './shelf-surface.ts';

/** An authority over a shelf of notes, with the person's device at hand. Everything in it moves only when told. */
export interface Workshop extends Countersign {
  readonly shelf: Shelf;
  readonly clock: FakeClock;
  readonly journal: Journal;
  readonly alarms: readonly string[];
  agent(name?: string): Promise<AgentPort>;
  states(): Readonly<Record<number, ActionState>>;
  idOf(seq: number): ActionId;
  /** Waits until no lane has anything to do. */
  settled(): Promise<void>;
  /** Opens the same journal and world again, as after a restart; `this` must not be used any more. */
  reopen(): Promise<Workshop>;
}

const hello = (name: string | null = null): SessionHello => ({
  name,
  client: { name: 'test-agent', version: '1' },
  transportId: null,
  host: 'mcp',
  workspaceDir: '/shelf',
});

/** What the keys of every workshop are made of. */
export const WORKSHOP_SECRET = new Uint8Array(32).fill(7);

interface Kept {
  readonly journal?: Journal;
  readonly shelf?: Shelf;
  readonly clock?: FakeClock;
  readonly seed?: number;
  readonly fence?: number;
  /** Other worlds beside the shelf. */
  readonly packs?: readonly SurfacePack[];
  readonly beforeDrain?: NonNullable<CountersignOptions['beforeDrain']>;
}

export async function workshop(kept: Kept = {}): Promise<Workshop> {
  const journal = kept.journal ?? memoryJournal();
  const world = kept.shelf ?? shelf();
  const clock = kept.clock ?? new FakeClock();
  const alarms: string[] = [];
  const made = await createCountersign({
    workspace: '/shelf',
    surfaces: [world.pack, ...(kept.packs ?? [])],
    journal,
    clock,
    random: seededRandom(kept.seed ?? 1),
    secret: WORKSHOP_SECRET,
    onAlarm: (text) => alarms.push(text),
    fence: kept.fence ?? 1,
    ...(kept.beforeDrain === undefined ? {} : { beforeDrain: kept.beforeDrain }),
  });
  const { authority } = made;
  return {
    ...made,
    shelf: world,
    clock,
    journal,
    alarms,
    agent: (name) => authority.agent(hello(name ?? null)),
    states: () => Object.fromEntries(authority.queue({ all: true }).map((row) => [row.seq, row.state])),
    idOf: (seq) => {
      const row = authority.queue({ all: true }).find((each) => each.seq === seq);
      if (row === undefined) throw new Error(`there is no #${seq}`);
      return row.id;
    },
    settled: async () => {
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => void setImmediate(resolve));
    },
    reopen: () => workshop({ ...kept, journal, shelf: world, clock, seed: (kept.seed ?? 1) + 1 }),
  };
}

export function put(port: AgentPort, name: string, text: string, callId: string | null = null): Promise<CallAnswer> {
  return port.call({ tool: 'put', arguments: { name, text }, callId });
}

export async function get(
  port: AgentPort,
  name: string,
): Promise<{ readonly text: string; readonly notices: readonly string[] }> {
  const answer = await port.call({ tool: 'get', arguments: { name }, callId: null });
  const block = answer.type === 'passthrough' ? answer.result.content[0] : undefined;
  if (block?.type !== 'text') throw new Error(`get answered ${JSON.stringify(answer)}`);
  return { text: block.text, notices: answer.notices };
}
