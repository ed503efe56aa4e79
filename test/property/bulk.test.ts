import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ActionState } from '../../src/model/action.ts';
import type { SignedText } from '../../src/model/signed-text.ts';
import { lastingJournal } from '../support/lasting-journal.ts';
import { lifeOver } from '../support/mortal-journal.ts';
import { put, workshop, type Workshop } from '../support/workshop.ts';

/** What stands in the way of an action when the list comes. */
type Way = 'nothing' | 'moved' | 'rejected';

interface Case {
  /** One note of each; in the lane of the first session or of the second. */
  readonly notes: readonly { readonly second: boolean; readonly way: Way; readonly part: 0 | 1 | 2 | null }[];
  /** Where each part comes among the parts. */
  readonly order: readonly number[];
  /** Commits after which the process dies; `null`: it lives. */
  readonly commits: number | null;
}

const way = fc.oneof(
  { weight: 9, arbitrary: fc.constant<Way>('nothing') },
  { weight: 1, arbitrary: fc.constantFrom<Way>('moved', 'rejected') },
);
const cases: fc.Arbitrary<Case> = fc.record({
  notes: fc.array(
    fc.record({ second: fc.boolean(), way, part: fc.constantFrom<0 | 1 | 2 | null>(0, 0, 1, 1, 2, null) }),
    { minLength: 2, maxLength: 6 },
  ),
  order: fc.array(fc.nat(), { minLength: 3, maxLength: 3 }),
  commits: fc.oneof(fc.constant(null), fc.nat({ max: 14 })),
});

/** What of it is decided about, as it ends whatever the order of the parts and wherever the process died. */
function expected(all: Case): { readonly states: Readonly<Record<number, ActionState>>; readonly effects: string[] } {
  const members = all.notes.filter(({ part }) => part !== null);
  const whole = members.every((note) => note.way === 'nothing');
  const blocked = new Set<boolean>();
  const effects: string[] = [];
  const states: Record<number, ActionState> = {};
  for (const [at, note] of all.notes.entries()) {
    const approved = whole && note.part !== null;
    if (note.way === 'rejected') states[at + 1] = 'rejected';
    else if (!approved) states[at + 1] = 'pending';
    else states[at + 1] = blocked.has(note.second) ? 'approved' : 'applied';
    if (states[at + 1] === 'pending') blocked.add(note.second);
    if (states[at + 1] === 'applied') effects.push(`n${at}=x`);
  }
  return { states, effects };
}

function partsOf(made: Workshop, all: Case): readonly SignedText[] {
  const lists = [0, 1, 2].map((part) => all.notes.flatMap((note, at) => (note.part === part ? [at + 1] : [])));
  const full = lists.filter((list) => list.length > 0);
  return full.map((list, index) =>
    made.person.signed({
      kind: 'approve',
      ids: list.map((seq) => made.idOf(seq)),
      body: { mode: 'all-or-none' },
      batch: { id: 'list', index, of: full.length },
    }),
  );
}

/**
 * Goal: a list counts whole or not at all, and how it comes to that makes no difference.
 * Method: notes of two sessions, some of which cannot be approved; the list comes in parts, in any order; the process
 * dies in place of any commit and the device sends again what it has no receipt for. The end is held against the one
 * that the notes alone say.
 */
test('[DR-11] a list is approved whole or not at all, in any order of its parts and over any crash', async () => {
  const property = fc.asyncProperty(cases, async (all) => {
    const inner = lastingJournal();
    const first = await workshop({ journal: inner });
    const ports = [await first.agent('one'), await first.agent('two')] as const;
    for (const [at, note] of all.notes.entries()) await put(ports[note.second ? 1 : 0], `n${at}`, 'x');
    for (const [at, note] of all.notes.entries()) {
      if (note.way === 'rejected') await first.person.reject([first.idOf(at + 1)]);
      if (note.way === 'moved') first.shelf.notes.set(`n${at}`, 'theirs');
    }
    await first.stop();
    const life = lifeOver(inner, all.commits ?? Infinity);
    const kept = { clock: first.clock, shelf: first.shelf };
    const made = await Promise.race([workshop({ ...kept, journal: life.journal, seed: 2 }), turns()]);
    const parts = partsOf(made ?? first, all).map((signed, index) => ({ signed, place: all.order[index] ?? 0 }));
    const sent = parts.toSorted((a, b) => a.place - b.place).map(({ signed }) => signed);
    if (made !== undefined) {
      for (const signed of sent) await Promise.race([made.authority.decide([signed]), turns()]);
      await made.settled();
    }
    let last = made;
    if (life.ended || made === undefined) {
      life.end();
      last = await workshop({ ...kept, journal: inner, seed: 3 });
      for (const signed of sent) await last.authority.decide([signed]);
      await last.settled();
    }
    const { effects, states } = expected(all);
    expect(last?.states()).toEqual(states);
    expect(first.shelf.effects.toSorted()).toEqual(effects.toSorted());
    expect(inner.liveRecords('meta').filter(({ key }) => key.startsWith('bulk/'))).toEqual([]);
    life.end();
    if (last !== made) await last?.stop();
  });
  await fc.assert(property, { numRuns: 40 });
}, 120_000);

/** Long enough for all that is going to happen, and no answer. */
async function turns(): Promise<undefined> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => void setImmediate(resolve));
  return undefined;
}
