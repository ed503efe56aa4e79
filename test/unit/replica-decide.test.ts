import { describe, expect, test } from 'vitest';
import { replicaLab, viewOf, workspaceOf, WORKSPACE_ID } from '../support/replica-lab.ts';
import { put } from '../support/workshop.ts';

describe('a replica', () => {
  test('[DC-6] shows what is queued, decides, and sees each step to the outcome', async () => {
    const lab = await replicaLab();
    const phone = await lab.devices['phone']!.window();
    const port = await lab.agent();
    await put(port, 'a', 'one');
    await put(port, 'b', 'two');
    await lab.settle();
    expect(workspaceOf(phone)).toMatchObject({
      name: 'shelf',
      loaded: 'live',
      trouble: null,
      runtime: { state: 'online' },
    });
    expect(workspaceOf(phone).open.map(({ card, record }) => [record.seq, card])).toEqual([
      [1, 'here'],
      [2, 'here'],
    ]);
    const [out] = await phone.decide({ workspace: WORKSPACE_ID, kind: 'approve', ids: [lab.idOf(1)] });
    expect(out).toMatchObject({ n: 1, state: 'saved', kind: 'approve' });
    await lab.settle();
    expect(viewOf(phone, 1).record.state).toBe('applied');
    expect(phone.snapshot().outgoing).toEqual([]);
    expect(phone.snapshot().alarms).toEqual([]);
    expect(lab.shelf.effects).toEqual(['a=one']);
    expect(lab.devices['phone']!.faults).toEqual([]);
  });
});
