import { describe, expect, test } from 'vitest';
import type { ItemKind } from '../../src/model/decision.ts';
import type { Replica } from '../../src/replica/types.ts';
import { CountersignError } from '../../src/base/errors.ts';
import { seededRandom } from '../../src/testing/index.ts';
import { replicaLab, workspaceOf, WORKSPACE_ID, type ReplicaLab } from '../support/replica-lab.ts';
import { put } from '../support/workshop.ts';

const workspace = WORKSPACE_ID;
const NAMES = ['one', 'two', 'three', 'four', 'five'] as const;
const KINDS: readonly ItemKind[] = ['approve', 'approve', 'approve', 'reject', 'hold', 'release', 'retract'];
const PINNED_SEEDS = [1, 2, 3];
const RUN_SEED = Number(process.env['SEED'] ?? Math.floor(Date.now() / 1000));

/**
 * Goal: whatever the network did, every device ends up showing the same, and all that was saved was taken once.
 * Method: proposals, decisions and partitions from one seed, messages moved one by one in any order; then heal, compare
 * the devices with each other and with the runtime.
 */
describe('five devices', () => {
  test.each([...PINNED_SEEDS, RUN_SEED])('[DC-4] converge after any partitions (seed %i)', async (seed) => {
    const lab = await replicaLab({ seed, devices: Object.fromEntries(NAMES.map((name) => [name, {}])) });
    const replicas = await Promise.all(NAMES.map((name) => lab.devices[name]!.window()));
    await lab.settle();
    const trace = await disturb(lab, replicas, seed);
    for (const name of NAMES) lab.hub.join(`${name}/one`);
    await lab.wake();
    await lab.settle(200);
    const told = `SEED=${seed}\n${trace.join('\n')}`;

    const [first, ...others] = replicas.map(shownBy);
    for (const other of others) expect(other, told).toEqual(first);
    const queue = lab.authority.queue({ all: true }).map(({ seq, state }) => ({ seq, state }));
    expect(
      first!.actions.map(({ seq, state }) => ({ seq, state })),
      told,
    ).toEqual(queue);
    for (const [at, replica] of replicas.entries()) {
      const device = lab.devices[NAMES[at]!]!;
      const saved = await device.storage.outbox.end(workspace);
      expect(replica.snapshot(), told).toMatchObject({ alarms: [], connection: { state: 'online' } });
      expect(
        replica.snapshot().outgoing.filter(({ state }) => state !== 'refused'),
        told,
      ).toEqual([]);
      expect(lab.authority.lastDecision(device.id), told).toMatchObject(saved);
      expect(device.faults, told).toEqual([]);
    }
    // Nothing applied twice, nothing that anybody rejected in time.
    expect(new Set(lab.shelf.effects).size, told).toBe(lab.shelf.effects.length);
  });
});

async function disturb(lab: ReplicaLab, replicas: readonly Replica[], seed: number): Promise<readonly string[]> {
  const dice = seededRandom(seed);
  const below = (count: number): number => ((dice.bytes(1)[0] ?? 0) * 256 + (dice.bytes(1)[0] ?? 0)) % count;
  const port = await lab.agent();
  const trace: string[] = [];
  let notes = 0;
  for (let step = 0; step < 160; step++) {
    const at = below(replicas.length);
    const replica = replicas[at]!;
    const who = `${NAMES[at]!}/one`;
    switch (below(8)) {
      case 0:
        await put(port, `n${(notes += 1)}`, 'text');
        break;
      case 1:
        trace.push(`cut ${who}`);
        lab.hub.cut(who);
        break;
      case 2:
      case 3:
        trace.push(`join ${who}`);
        lab.hub.join(who);
        break;
      case 4:
      case 5:
        trace.push(await decideSomething(replica, who, below));
        break;
      default:
        for (let message = below(12); message > 0; message--) lab.hub.step(below);
        await new Promise((resolve) => void setImmediate(resolve));
        lab.clock.advance(below(30));
        for (const name of NAMES) lab.devices[name]!.clock.advance(below(30));
    }
  }
  return trace;
}

async function decideSomething(replica: Replica, who: string, below: (count: number) => number): Promise<string> {
  const { open } = workspaceOf(replica);
  const kind = KINDS[below(KINDS.length)]!;
  const ids = open.filter(() => below(3) === 0).map(({ record }) => record.id);
  const numbers = open.filter(({ record }) => ids.includes(record.id)).map(({ record }) => `#${record.seq}`);
  if (ids.length === 0) return `${who} has nothing to decide`;
  try {
    const [saved] = await replica.decide({ workspace, kind, ids });
    return `${who} ${kind} ${numbers.join(' ')} as ${saved?.n}`;
  } catch (thrown) {
    if (!CountersignError.is(thrown) || thrown.code !== 'denied') throw thrown;
    return `${who} may not ${kind} ${numbers.join(' ')}`;
  }
}

function shownBy(replica: Replica) {
  const { devices, loaded, open, sessions, settled } = workspaceOf(replica);
  const actions = [...open, ...settled].map(({ record, waitsFor }) => ({ ...record, waitsFor }));
  return {
    loaded,
    actions: actions.toSorted((a, b) => a.seq - b.seq),
    order: open.map(({ record }) => record.seq),
    sessions,
    devices: [...devices.values()].map(({ nickname }) => nickname).toSorted(),
    claims: open.flatMap(({ claims }) => claims.filter(({ own, state }) => !own && state !== 'refused')),
  };
}
