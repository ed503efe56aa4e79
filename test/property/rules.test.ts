import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseCanonical } from '../../src/base/canonical-json.ts';
import type { Journal } from '../../src/authority/ports.ts';
import type { JournalEvent } from '../../src/model/event.ts';
import type { Rule } from '../../src/model/rules.ts';
import { stand, NOTHING_SET, useRule, type Standing } from '../../src/model/standing.ts';
import { CountersignError } from '../../src/base/errors.ts';
import { addRule, named } from '../support/rule-wish.ts';
import { shelf } from '../support/shelf-surface.ts';
import { put, workshop, type Workshop } from '../support/workshop.ts';

/**
 * Goal: nothing is approved by a rule but what two signals speak for, and nothing so approved begins once one of them is
 * gone. Method: random proposals, rules, holds, pauses, time and restarts; then the journal is read by itself, and every
 * approval and intent in it is held against what was in force at that row.
 */
type Step =
  | { readonly do: 'propose'; readonly rule: 'a' | 'b'; readonly safe: boolean }
  | {
      readonly do: 'rule';
      readonly of: 'a' | 'b';
      readonly usesMax: number | undefined;
      readonly forMs: number | undefined;
    }
  | { readonly do: 'unrule' | 'hold' | 'approve' | 'reject' | 'pause' | 'resume' | 'wait' | 'restart' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('propose' as const), rule: fc.constantFrom('a', 'b'), safe: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('rule' as const),
      of: fc.constantFrom('a', 'b'),
      usesMax: fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined }),
      forMs: fc.option(fc.constant(60_000), { nil: undefined }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc
      .constantFrom('unrule', 'hold', 'approve', 'reject', 'pause', 'resume', 'wait', 'restart')
      .map((word) => ({ do: word })),
  },
) as fc.Arbitrary<Step>; // reason: the words of the records are those of the steps

function safeShelf(): ReturnType<typeof shelf> {
  const world = shelf();
  const [surface] = world.pack.surfaces;
  if (surface === undefined) throw new Error('a shelf has a surface');
  const describeNote = surface.describe.bind(surface);
  Object.assign(surface, {
    async describe(...given: Parameters<typeof describeNote>) {
      const described = await describeNote(...given);
      const autoApprovable = String(described.effect['name']).includes('safe');
      return { ...described, verdict: { ...described.verdict, autoApprovable } };
    },
  });
  return world;
}

async function take(shop: Workshop, given: Step, n: number): Promise<Workshop> {
  const decide = (...asked: Parameters<Workshop['person']['decide']>) =>
    shop.person.decide(...asked).catch(expectRefusal);
  const open = shop.authority.queue({ all: false });
  const [first] = open;
  switch (given.do) {
    case 'propose':
      await put(await shop.agent(), `${given.rule}-${given.safe ? 'safe' : 'risky'}-${n}`, 'x');
      return shop;
    case 'rule':
      await addRule(shop, {
        where: [named(`${given.of}-*`)],
        ...(given.usesMax === undefined ? {} : { usesMax: given.usesMax }),
        ...(given.forMs === undefined ? {} : { forMs: given.forMs }),
      });
      return shop;
    case 'unrule':
      await decide({
        kind: 'rule.remove',
        ids: [],
        body: { rule: shop.authority.standing().rules[0]?.id ?? `r-${'a'.repeat(26)}` },
      });
      return shop;
    case 'hold':
    case 'reject':
      if (first !== undefined) await decide({ kind: given.do, ids: [first.id] });
      return shop;
    case 'approve':
      if (first !== undefined) await decide({ kind: 'approve', ids: [first.id], body: { mode: 'rest' } });
      return shop;
    case 'pause':
    case 'resume':
      await decide({ kind: given.do, ids: [] });
      return shop;
    case 'wait':
      shop.clock.advance(40_000);
      await shop.settled();
      return shop;
    case 'restart':
      // As after a crash, with nothing of the old process left that could still write.
      await shop.settled();
      await shop.authority.abandon();
      return shop.reopen();
  }
}

function expectRefusal(error: unknown): void {
  if (!CountersignError.is(error) || error.code !== 'denied') throw error;
}

/** Folds the journal alone; answers what it holds against two signals, and what is set in the end. */
function read(journal: Journal): {
  readonly wrong: readonly string[];
  readonly standing: Standing;
  readonly ruled: number;
} {
  const wrong: string[] = [];
  let standing = NOTHING_SET;
  let ruled = 0;
  const safe = new Map<string, { readonly name: string; readonly safe: boolean }>();
  const by = new Map<string, string>();
  const counted = new Map<string, string>();
  const inForce = (id: string, atMs: number): Rule | undefined =>
    standing.rules.find((rule) => rule.id === id && (rule.expiresAtMs === null || atMs < rule.expiresAtMs));
  for (const row of journal.rows(1, 10_000)) {
    const event = parseCanonical(row.event) as unknown as JournalEvent; // reason: written by this version
    switch (event.kind) {
      case 'proposed':
        safe.set(event.action, {
          name: String(event.record.content.effect['name']),
          safe: event.record.verdict.autoApprovable,
        });
        break;
      case 'approved': {
        if (event.by.type !== 'rule') break;
        ruled += 1;
        const { rule: id } = event.by;
        const rule = inForce(id, event.atMs);
        const action = safe.get(event.action);
        const [where] = rule?.where ?? [];
        if (rule === undefined) wrong.push(`#${event.n} was approved by a rule that was not in force`);
        if (action?.safe !== true) wrong.push(`#${event.n} was approved without its author's verdict`);
        if (where?.is === 'path' && !action?.name.startsWith(where.glob.slice(0, 2)))
          wrong.push(`#${event.n} is not covered`);
        if (counted.get(event.action) !== id) standing = useRule(standing, id);
        if (
          rule?.usesMax !== null &&
          rule !== undefined &&
          (standing.rules.find((each) => each.id === id)?.uses ?? 0) > rule.usesMax
        )
          wrong.push(`${id} approved more than it may`);
        counted.set(event.action, id);
        by.set(event.action, id);
        break;
      }
      case 'attention-raised':
      case 'approval-withdrawn':
      case 'held':
      case 'rejected':
        by.delete(event.action);
        break;
      case 'intent-recorded': {
        const id = by.get(event.action);
        if (id !== undefined && inForce(id, event.atMs) === undefined) wrong.push(`#${event.n} began without its rule`);
        if (standing.pauses.length > 0) wrong.push(`#${event.n} began while paused`);
        break;
      }
      case 'rule-added':
      case 'rule-removed':
      case 'mode-set':
      case 'paused':
      case 'resumed':
        standing = stand(standing, event, event.atMs);
        break;
      default:
    }
  }
  return { wrong, standing, ruled };
}

test(
  '[DR-2] no rule approves alone, and none approves what began after it was gone',
  { timeout: 120_000 },
  async () => {
    let ruled = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 14 }), async (steps) => {
        let shop = await workshop({ shelf: safeShelf() });
        for (const [n, each] of steps.entries()) shop = await take(shop, each, n);
        await shop.settled();
        const seen = read(shop.journal);
        ruled += seen.ruled;
        expect(seen.wrong).toEqual([]);
        const { rules } = shop.authority.standing();
        const left = seen.standing.rules.map(({ id, uses }) => ({ id, uses }));
        expect(left, 'what is set is a fold of the journal').toEqual(
          expect.arrayContaining(rules.map(({ id, uses }) => ({ id, uses }))),
        );
        expect(shop.authority.standing().pauses.map(({ session }) => session)).toEqual(
          seen.standing.pauses.map(({ session }) => session),
        );
      }),
      { numRuns: 20 },
    );
    expect(ruled, 'rules were tried at all').toBeGreaterThan(5);
  },
);
