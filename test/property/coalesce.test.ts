import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseCanonical } from '../../src/base/canonical-json.ts';
import type { Surface, SurfacePack } from '../../src/authority/ports.ts';
import type { ActionState } from '../../src/model/action.ts';
import type { ItemKind } from '../../src/model/decision.ts';
import type { JournalEvent } from '../../src/model/event.ts';
import { filesPack } from '../../src/surfaces/files/index.ts';
import { createCountersign } from '../../src/index.ts';
import { FakeClock, seededRandom } from '../../src/testing/index.ts';
import { HELLO } from '../support/hello.ts';
import { lastingJournal } from '../support/lasting-journal.ts';
import { tempDir } from '../support/temp-dir.ts';
import { WORKSHOP_SECRET } from '../support/workshop.ts';

interface Case {
  /** Every step writes a file whole: which one. */
  readonly steps: readonly ('a' | 'b')[];
  /** Whether each is approved, before the first of them. */
  readonly approved: readonly boolean[];
  /** What is decided about which of them while the first is looked at, which is the last moment before its intent. */
  readonly late: readonly { readonly kind: ItemKind; readonly nth: number }[];
}

const cases: fc.Arbitrary<Case> = fc.record({
  steps: fc.array(fc.constantFrom('a' as const, 'a' as const, 'a' as const, 'b' as const), {
    minLength: 2,
    maxLength: 7,
  }),
  approved: fc.array(
    fc.oneof({ weight: 6, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
    {
      minLength: 7,
      maxLength: 7,
    },
  ),
  late: fc.array(fc.record({ kind: fc.constantFrom<ItemKind>('hold', 'reject', 'retract'), nth: fc.nat({ max: 6 }) }), {
    maxLength: 2,
  }),
});

interface End {
  readonly files: Readonly<Record<string, string>>;
  readonly states: readonly ActionState[];
  readonly events: readonly JournalEvent[];
  readonly effects: number;
}

/** The same people and agent over the same files, by a surface that can put writes together or by one that cannot. */
async function lived(all: Case, together: boolean): Promise<End> {
  const root = await tempDir();
  const file = (name: string): string => join(root, name);
  for (const name of ['a', 'b']) writeFileSync(file(name), 'zero\n');
  const hooks: Hooks = { effects: 0, onLook: async () => undefined };
  const journal = lastingJournal();
  const made = await createCountersign({
    workspace: root,
    surfaces: [hooked(filesPack({ root }), together, hooks)],
    journal,
    clock: new FakeClock(),
    random: seededRandom(1),
    secret: WORKSHOP_SECRET,
  });
  const { authority, person } = made;
  const port = await authority.agent({ ...HELLO, workspaceDir: root });
  for (const [at, path] of all.steps.entries())
    await port.call({ tool: 'write_file', arguments: { path, content: textOf(at) }, callId: null });
  const ids = authority
    .queue({ all: true })
    .toSorted((x, y) => x.seq - y.seq)
    .map(({ id }) => id);
  hooks.onLook = async () => {
    hooks.onLook = async () => undefined;
    for (const { kind, nth } of all.late)
      await person.decide({ kind, ids: ids.slice(nth % ids.length, (nth % ids.length) + 1) });
  };
  const wanted = ids.filter((_, at) => at > 0 && all.approved[at] === true);
  if (wanted.length > 0) await person.approve(wanted);
  await person.approve(ids.slice(0, 1));
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => void setImmediate(resolve));
  const rows = authority.queue({ all: true }).toSorted((x, y) => x.seq - y.seq);
  await made.stop();
  return {
    files: Object.fromEntries(['a', 'b'].map((name) => [name, readFileSync(file(name), 'utf8')])),
    states: rows.map(({ state }) => state),
    // reason: rows are made of events
    events: journal.rows(1, 10_000).map(({ event }) => parseCanonical(event) as unknown as JournalEvent),
    effects: hooks.effects,
  };
}

interface Hooks {
  effects: number;
  onLook: () => Promise<void>;
}

function hooked(pack: SurfacePack, together: boolean, hooks: Hooks): SurfacePack {
  const surfaces = pack.surfaces.map(({ coalesce, ...surface }): Surface => ({
    ...surface,
    ...(coalesce !== undefined && together ? { coalesce } : {}),
    look: async (context) => {
      await hooks.onLook();
      return (await surface.look?.(context)) ?? { type: 'ready' };
    },
    apply: async (context, signal) => {
      hooks.effects += 1;
      return surface.apply(context, signal);
    },
  }));
  return { ...pack, surfaces };
}

function textOf(at: number): string {
  return `step ${at}\n`;
}

function lastApplied({ steps }: Case, states: readonly ActionState[], name: 'a' | 'b'): string {
  const at = steps.findLastIndex((path, index) => path === name && states[index] === 'applied');
  return at === -1 ? 'zero\n' : textOf(at);
}

/**
 * Goal: that writes are put together is to be seen in nothing but the number of effects.
 * Method: one history lived twice, once over a surface that cannot put anything together. Some steps are not approved, and
 * some are held, rejected or taken back at the last moment before the first intent. Both ends are the same, each file is
 * what the last applied step of it wrote, and every applied step has an intent and an outcome of its own.
 */
test('[DR-11] writes that are put together end as they would one by one, and each records it', async () => {
  let saved = 0;
  const property = fc.asyncProperty(cases, async (all) => {
    const [one, many] = [await lived(all, true), await lived(all, false)];
    expect([one.files, one.states]).toEqual([many.files, many.states]);
    for (const name of ['a', 'b'] as const) expect(one.files[name]).toBe(lastApplied(all, one.states, name));
    const applied = one.states.filter((state) => state === 'applied').length;
    const count = (kind: JournalEvent['kind']): number => one.events.filter((event) => event.kind === kind).length;
    expect([count('intent-recorded'), count('applied')]).toEqual([applied, applied]);
    expect(many.effects).toBe(applied);
    saved += many.effects - one.effects;
  });
  await fc.assert(property, { numRuns: 40 });
  expect(saved, 'something was put together at all').toBeGreaterThan(0);
}, 120_000);
