import { describe, expect, test } from 'vitest';
import { parseCommandArgs } from '../../src/cli/args/parse.ts';
import { followDrain } from '../../src/cli/commands/follow.ts';
import type { Io } from '../../src/cli/commands/io.ts';
import type { Source } from '../../src/cli/commands/source.ts';
import { actionId } from '../../src/model/ids.ts';
import type { QueueRow } from '../../src/model/owner-port.ts';

const IDS = [1, 2].map((seq) => actionId(new Uint8Array(16).fill(seq)));

function rows(change: Partial<QueueRow>): readonly QueueRow[] {
  // reason: the fields that are not looked at are left out
  return IDS.map(
    (id, at) => ({ id, seq: at + 1, title: 'x', why: null, waitsFor: [], gate: null, ...change }) as QueueRow,
  );
}

/** A runtime that shows one of these at each look at its queue; the last of them from then on. */
async function followed(...looks: readonly (readonly QueueRow[])[]) {
  const notes: string[] = [];
  let looked = 0;
  const now = (): readonly QueueRow[] => looks[Math.min(looked, looks.length - 1)] ?? [];
  const runtime = { waitForChange: async () => now() };
  const queue = async () => {
    const shown = now();
    looked += 1;
    return shown;
  };
  const io = {
    interactive: false,
    env: {},
    columns: 80,
    out: () => undefined,
    note: (line: string) => notes.push(line),
  };
  const args = parseCommandArgs('approve', { flags: { wait: 'text' }, operands: { min: 0, max: 9 } }, [
    '--wait',
    'applied',
  ]);
  const result = await followDrain(
    // reason: what following does not use is left out
    { command: 'approve', args, io: io as unknown as Io },
    { queue, runtime } as unknown as Source, // reason: as above
    { kind: 'approve', body: { mode: 'all-or-none' } },
    IDS.map((id) => ({ id, label: id, result: 'received', why: null })),
  );
  return { exitCode: result.exitCode, states: result.reports.map(({ state }) => state), notes };
}

describe('waiting until what was decided is applied', () => {
  test('[DR-11] goes on while the list is looked over: that ends by itself', async () => {
    const looking = rows({ state: 'approved', gate: { code: 'bulk', untilMs: null } });
    const ended = await followed(looking, looking, looking, rows({ state: 'applied' }));
    expect(ended).toEqual({ exitCode: 0, states: ['applied', 'applied'], notes: [] });
  });

  test('[DR-10] ends at what only a person lets go on, and says so', async () => {
    const paused = rows({ state: 'approved', why: 'It is paused.', gate: { code: 'paused', untilMs: null } });
    const { exitCode, notes } = await followed(paused);
    expect([exitCode, notes[0]]).toEqual([1, expect.stringContaining('It is paused.')]);
  });
});
