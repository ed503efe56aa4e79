import { describe, expect, test } from 'vitest';
import type { NetRates } from '../contract.ts';
import { netLab, type NetLab, type NetLabMove, type NetLabOptions } from './lab.ts';

/**
 * Goal: whatever lies between the authority and people does, and whoever means harm there, nothing is lost, nothing
 * forged counts, and in the end everybody sees what is.
 * Method: real replicas and documents, a relay whose messages move one at a time, all from one seed; then heal, and hold
 * what devices show and were told against the journal.
 */
const STEPS = 250;
const SEEDS = [1, 5];

async function ran(options: NetLabOptions, steps = STEPS): Promise<NetLab> {
  const lab = await netLab(options);
  await lab.run(steps);
  return lab;
}

/** Problems before and after healing; nothing of the simulation is left behind. */
async function problemsOf(options: NetLabOptions): Promise<{ readonly lab: NetLab; readonly told: string }> {
  const lab = await ran(options);
  const during = lab.net.check({ final: false });
  await lab.heal();
  const after = lab.net.check({ final: true });
  await lab.close();
  return { lab, told: [...during, ...after].join('\n') };
}

function movesWith(...more: readonly NetLabMove[]): readonly NetLabMove[] {
  const usual: readonly NetLabMove[] = ['net', 'net', 'net', 'net', 'net', 'task', 'task', 'timer', 'person', 'agent'];
  return [...usual, ...usual, ...usual, ...more];
}

describe('the simulated network', () => {
  test.each(SEEDS)('[DC-4] [F6] after faults everybody sees the same, once (seed %i)', async (seed) => {
    const { lab, told } = await problemsOf({ seed, rates: { faults: true, clocks: true } });
    expect(told).toBe('');
    expect(new Set(lab.shelf.effects).size).toBe(lab.shelf.effects.length);
    expect([...lab.occurred.keys()].filter((what) => what.startsWith('network: ')).length).toBeGreaterThan(2);
  });

  test.each(SEEDS)(
    '[F4] no answered decision is lost with windows, disks, the runtime and the store (seed %i)',
    async (seed) => {
      const rates: Partial<NetRates> = { faults: true, lives: true };
      const { lab, told } = await problemsOf({ seed, rates, moves: movesWith('restart') });
      expect(told).toBe('');
      expect(lab.trace).toContain('restart');
    },
  );

  test.each(SEEDS)('[DC-8] rights and revocations change while decisions travel (seed %i)', async (seed) => {
    const { lab, told } = await problemsOf({ seed, rates: { faults: true }, moves: movesWith('roster', 'restart') });
    expect(told).toBe('');
    expect(lab.household.roster.number()).toBeGreaterThan(1);
  });

  test.each(SEEDS)('[T9] a hostile relay can delay, and no more (seed %i)', async (seed) => {
    const { lab, told } = await problemsOf({ seed, rates: { hostileRelay: true } });
    expect(told).toBe('');
    expect([...lab.occurred.keys()].filter((what) => what.startsWith('hostile relay: ')).length).toBeGreaterThan(4);
  });

  test.each(SEEDS)('[T10] [T16] what a hostile replica writes and signs counts for nothing (seed %i)', async (seed) => {
    const { lab, told } = await problemsOf({ seed, rates: { hostileReplica: true } });
    expect(told).toBe('');
    expect(lab.net.forged.size).toBeGreaterThan(0);
    expect(lab.trace.join('\n')).not.toContain('TAKEN');
  });

  test('[T9] [T10] both together, with real signatures', async () => {
    const rates = { hostileRelay: true, hostileReplica: true, faults: true, lives: true };
    const { told } = await problemsOf({ seed: 3, rates, realSignatures: true });
    expect(told).toBe('');
  });

  test('[DC-6] what is told before it is durable is met at once', async () => {
    const nothing = { head: () => ({ seq: 0, root: new Uint8Array(32) }), rows: () => [], recordsBefore: () => [] };
    const lab = await ran({ seed: 1, truth: nothing }, 150);
    expect(lab.net.check({ final: false })).toContainEqual(expect.stringMatching(/^13: the ledger tells of entry/));
    await lab.close();
  });

  test('one seed is one trace', async () => {
    const rates = { faults: true, lives: true, hostileRelay: true, hostileReplica: true, clocks: true };
    const moves = movesWith('restart', 'roster');
    const [one, other] = [await ran({ seed: 21, rates, moves }, 200), await ran({ seed: 21, rates, moves }, 200)];
    expect(one.trace.length).toBeGreaterThan(100);
    expect(other.trace).toEqual(one.trace);
    const another = await ran({ seed: 22, rates, moves }, 200);
    expect(another.trace).not.toEqual(one.trace);
    for (const lab of [one, other, another]) await lab.close();
  });

  test('[T15] clocks of devices that are years off leave the trace as it is', async () => {
    const rates = { faults: true, lives: true };
    const [right, wrong] = [
      await ran({ seed: 31, rates: { ...rates, clocks: false } }),
      await ran({ seed: 31, rates: { ...rates, clocks: true } }),
    ];
    expect(wrong.trace).toEqual(right.trace);
    for (const lab of [right, wrong]) await lab.close();
  });
});
