import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { utf8 } from '../../src/base/bytes.ts';
import { parseCanonical } from '../../src/base/canonical-json.ts';
import { AUTHORITY_LIMITS } from '../../src/authority/options.ts';
import { parseHeartbeat } from '../../src/trust/heartbeat.ts';
import { parseReceipt } from '../../src/trust/receipt.ts';
import type { SignedText } from '../../src/model/signed-text.ts';
import { lastingJournal } from '../support/lasting-journal.ts';
import { lifeOver } from '../support/mortal-journal.ts';
import { put, workshop, type Workshop } from '../support/workshop.ts';

const { staleMs } = AUTHORITY_LIMITS;
const YEARS_MS = 10 * 365 * staleMs;

type Time = { readonly do: 'pass'; readonly ms: number } | { readonly do: 'jump'; readonly ms: number };
type Move = Time | { readonly do: 'send'; readonly nth: number } | { readonly do: 'write' | 'stop' | 'crash' };
type Kind = 'approve' | 'reject' | 'hold';

const time: fc.Arbitrary<Time> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      ms: fc.constantFrom(1, 60_000, staleMs / 3, staleMs / 2, staleMs - 1, staleMs, staleMs + 1),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('jump' as const),
      ms: fc.constantFrom(-YEARS_MS, -staleMs, -1_000, 1_000, staleMs, YEARS_MS),
    }),
  },
);

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 3, arbitrary: time },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('send' as const), nth: fc.nat({ max: 7 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('write' as const, 'stop' as const, 'crash' as const) }) },
);

const kind = fc.constantFrom<Kind>('approve', 'approve', 'approve', 'reject', 'hold');
const saves = fc.array(fc.record({ kind, after: fc.array(time, { maxLength: 2 }) }), { minLength: 1, maxLength: 5 });

interface Saved {
  readonly kind: Kind;
  readonly seq: number;
  readonly signed: SignedText;
  readonly seenAtMs: number;
}

/** The authority's time, as it says it. */
function timeOf({ authority }: Workshop): number {
  const beat = parseHeartbeat(parseCanonical(utf8(authority.heartbeat().payload)));
  if (!beat.ok) throw new Error(beat.error);
  return beat.value.atMs;
}

async function send({ authority }: Workshop, signed: SignedText) {
  const [answer] = (await authority.decide([signed])).receipts;
  const receipt = parseReceipt(parseCanonical(utf8(answer?.payload ?? 'null')));
  if (!receipt.ok) throw new Error(receipt.error);
  return receipt.value.results[0];
}

/**
 * Goal: how old a decision is, is read from the authority's clock alone: whatever else happens between, and in whatever
 * order the decisions come, an approval counts until that clock has gone on by a day, and not one millisecond longer.
 * Only a crash right after a wall clock was set back can take that clock back; then it may be asked again early.
 * Method: devices save decisions about notes of their own; time passes, wall clocks are set, the runtime writes, stops and
 * crashes; each decision comes at some moment and is held against what the clock had said.
 */
test('[DC-5] [F11] the age of a decision is a function of the authority’s clock', async () => {
  const property = fc.asyncProperty(saves, fc.array(move, { maxLength: 14 }), async (wishes, moves) => {
    const inner = lastingJournal();
    let life = lifeOver(inner);
    let lives = 1;
    let made = await workshop({ journal: life.journal });
    const { clock, shelf } = made;
    const pass = (step: Time): void => {
      if (step.do === 'pass') clock.advance(step.ms);
      else clock.jump(step.ms);
      timeOf(made);
    };
    const port = await made.agent('one');
    for (const [at] of wishes.entries()) await put(port, `n${at}`, 'x');
    const waiting: Saved[] = [];
    for (const [at, wish] of wishes.entries()) {
      const body = wish.kind === 'approve' ? { body: { mode: 'rest' } } : {};
      const seenAtMs = timeOf(made);
      const signed = made.person.signed({ kind: wish.kind, ids: [made.idOf(at + 1)], ...body });
      waiting.push({ kind: wish.kind, seq: at + 1, signed, seenAtMs });
      wish.after.forEach(pass);
    }
    const again = async (how: 'stop' | 'crash'): Promise<void> => {
      if (how === 'stop') await made.stop();
      life.end();
      life = lifeOver(inner);
      made = await workshop({ journal: life.journal, clock, shelf, seed: ++lives });
    };
    const comes = async (nth: number): Promise<void> => {
      const [saved] = waiting.splice(nth % Math.max(waiting.length, 1), 1);
      if (saved === undefined) return;
      const ageMs = timeOf(made) - saved.seenAtMs;
      const result = await send(made, saved.signed);
      // A crash took the clock back behind what the device had heard: how old that is nobody knows, so it may be asked
      // again early. What has no age to be judged by is judged by the entry it had seen.
      const unknown = saved.kind === 'approve' && ageMs < 0;
      const fresh = unknown ? result?.result === 'received' : saved.kind !== 'approve' || ageMs <= staleMs;
      expect(result?.result, `${saved.kind} of #${saved.seq}, ${ageMs} ms old: ${result?.why}`).toBe(
        fresh ? 'received' : 'refused',
      );
      await made.settled();
      const row = made.authority.queue({ all: true }).find(({ seq }) => seq === saved.seq);
      if (!fresh) expect(row).toMatchObject({ state: 'pending', attention: { kind: 'stale' } });
    };
    for (const step of moves) {
      if (step.do === 'send') await comes(step.nth);
      else if (step.do === 'write') await put(await made.agent('two'), 'other', String(clock.monotonicMs()));
      else if (step.do === 'stop' || step.do === 'crash') await again(step.do);
      else if (step.do === 'pass' || step.do === 'jump') pass(step);
    }
    while (waiting.length > 0) await comes(0);
    await made.stop();
    life.end();
  });
  await fc.assert(property, { numRuns: 40 });
}, 120_000);
