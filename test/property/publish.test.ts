import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { CountersignError } from '../../src/base/errors.ts';
import type { LocalDevice } from '../../src/authority/local-device.ts';
import type { ItemKind } from '../../src/model/decision.ts';
import { expected } from '../support/publish-expected.ts';
import { publishLab, type PublishLab } from '../support/publish-lab.ts';

const NAMES = ['a', 'b', 'c'] as const;

type Step =
  | { readonly do: 'put' | 'get'; readonly agent: 0 | 1; readonly name: string; readonly text: string }
  | { readonly do: 'ask'; readonly agent: 0 | 1; readonly text: string }
  | { readonly do: 'decide'; readonly device: 'phone' | 'tablet'; readonly kind: ItemKind; readonly nth: number }
  | { readonly do: 'withdraw'; readonly agent: 0 | 1; readonly nth: number }
  | { readonly do: 'edit'; readonly name: string; readonly text: string }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'damage' | 'look' | 'crash' | 'remove' };

const agent = fc.constantFrom<0 | 1>(0, 1);
const name = fc.constantFrom(...NAMES);
const text = fc.constantFrom('x', 'y', '+z', 'long '.repeat(80));
const nth = fc.nat({ max: 30 });
const kind = fc.constantFrom<ItemKind>(
  ...([
    'approve',
    'approve',
    'approve',
    'reject',
    'hold',
    'release',
    'retract',
    'revert',
    'reissue',
    'retry',
    'change',
  ] as const),
);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('put' as const), agent, name, text }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('get' as const), agent, name, text }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('ask' as const), agent, text }) },
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('decide' as const),
      device: fc.constantFrom('phone' as const, 'tablet' as const),
      kind,
      nth,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('withdraw' as const), agent, nth }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('edit' as const), name, text }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(1, 30, 70_000) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('look' as const, 'look' as const, 'damage' as const, 'crash' as const, 'remove' as const),
    }),
  },
);

/** What a step refuses is refused; whatever else it throws is a failure. */
async function allowed(run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!CountersignError.is(error)) throw error;
  }
}

async function decide(lab: PublishLab, device: LocalDevice, decided: ItemKind, at: number): Promise<void> {
  const rows = lab.authority.queue({ all: true });
  const row = rows[at % Math.max(rows.length, 1)];
  if (row === undefined) return;
  const bodies: Partial<Record<ItemKind, object>> = {
    approve: { mode: 'rest' },
    reissue: { mode: at % 2 === 0 ? 'merge' : 'theirs' },
    change: { say: 'otherwise', remarks: [] },
  };
  const body = bodies[decided];
  const record = lab.actions().find(({ id }) => id === row.id);
  await allowed(() =>
    device.decide({
      kind: decided,
      ids: [row.id],
      ...(body === undefined ? {} : { body: { ...body } }),
      ...(decided === 'release' ? { holdsLifted: (record?.holds ?? []).map(({ hash }) => hash) } : {}),
    }),
  );
}

class Run {
  lab: PublishLab;
  readonly #ports: Awaited<ReturnType<PublishLab['agent']>>[] = [];

  constructor(lab: PublishLab) {
    this.lab = lab;
  }

  async begin(lab: PublishLab): Promise<void> {
    this.lab = lab;
    this.#ports.length = 0;
    for (const each of ['one', 'two']) this.#ports.push(await lab.agent(each));
  }

  async take(move: Step): Promise<void> {
    const { lab } = this;
    switch (move.do) {
      case 'put':
        return allowed(() => this.#call(move.agent, 'put', { name: move.name, text: move.text }));
      case 'get':
        return allowed(() => this.#call(move.agent, 'get', { name: move.name }));
      case 'ask':
        return allowed(() => this.#call(move.agent, 'ask', { question: move.text }));
      case 'decide':
        await lab.settled();
        return decide(lab, lab[move.device], move.kind, move.nth);
      case 'withdraw':
        return allowed(() => this.#ports[move.agent]?.withdraw([`#${move.nth}`]) ?? Promise.resolve());
      case 'edit':
        lab.world.shelf.notes.set(move.name, move.text);
        return;
      case 'pass':
        lab.world.clock.advance(move.ms);
        return;
      case 'damage':
        lab.authority.roomDamaged([...lab.outlet.rooms.keys()].find((room) => room.startsWith('q/')) ?? '');
        return;
      case 'remove':
        if (!lab.world.removed.has(lab.tablet.id)) await lab.remove(lab.tablet.id);
        return;
      case 'crash':
        return this.begin(await lab.crashed());
      case 'look':
        return this.look();
    }
  }

  /** What devices read is what is. */
  async look(): Promise<void> {
    const { lab } = this;
    await lab.settled();
    lab.world.clock.advance(70_000);
    await lab.settled();
    const shown = lab.actions();
    expect(shown).toEqual(await expected(lab));
    const workspace = [...lab.records().values()].find((record) => record.type === 'workspace');
    expect(workspace).toMatchObject({ open: lab.authority.status().open });
    expect(lab.alarms).toEqual([]);
  }

  #call(by: 0 | 1, tool: string, args: object): Promise<unknown> {
    return this.#ports[by]?.call({ tool, arguments: { ...args }, callId: null }) ?? Promise.resolve();
  }
}

/**
 * Goal: at any time the ledger says what the queue says, and another start publishes nothing that differs.
 * Method: random proposals, decisions, edits of the world, damage, removals and crashes; look now and then and at the end.
 */
test('[LC-4] the ledger equals the queue, whatever happened', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const run = new Run(await publishLab());
      await run.begin(run.lab);
      for (const each of steps) await run.take(each);
      await run.look();
      // A start begins every grace period anew, in full (DR-5).
      const lasting = (lab: PublishLab) => lab.actions().map(({ rev: _rev, graceUntilMs: _untilMs, ...rest }) => rest);
      const before = lasting(run.lab);
      const again = await run.lab.crashed();
      await again.settled();
      expect(lasting(again)).toEqual(before);
    }),
    { numRuns: 40 },
  );
});
