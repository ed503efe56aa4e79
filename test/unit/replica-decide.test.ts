import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/canonical-json.ts';
import { replicaLab, viewOf, workspaceOf, WORKSPACE_ID } from '../support/replica-lab.ts';
import { get, put } from '../support/workshop.ts';

const workspace = WORKSPACE_ID;

describe('a replica decides', () => {
  test('[DC-6] shows what is queued, decides, and sees each step to the outcome', async () => {
    const lab = await replicaLab();
    const { phone } = lab.devices;
    const replica = await phone!.window();
    const port = await lab.agent();
    await put(port, 'a', 'one');
    await put(port, 'b', 'two');
    await lab.settle();
    expect(workspaceOf(replica)).toMatchObject({
      name: 'shelf',
      loaded: 'live',
      trouble: null,
      runtime: { state: 'online' },
    });
    expect(workspaceOf(replica).open.map(({ card, record }) => [record.seq, card])).toEqual([
      [1, 'here'],
      [2, 'here'],
    ]);
    const states: string[] = [];
    replica.subscribe(() => states.push(replica.snapshot().outgoing[0]?.state ?? 'received'));
    const [out] = await replica.decide({ workspace, kind: 'approve', ids: [lab.idOf(1)] });
    expect(out).toMatchObject({ n: 1, state: 'saved', kind: 'approve', ids: [lab.idOf(1)] });
    expect(replica.snapshot().outgoing).toMatchObject([{ n: 1, state: 'saved' }]);
    await lab.settle();
    expect([...new Set(states)].slice(-2)).toEqual(['sent', 'received']);
    expect(viewOf(replica, 1).record).toMatchObject({ state: 'applied', by: { device: phone!.id, n: 1 } });
    expect(lab.shelf.effects).toEqual(['a=one']);
    expect(replica.snapshot().alarms).toEqual([]);
    expect(phone!.faults).toEqual([]);
  });

  test('[DC-9] opening, reading, being cut off and closing decide nothing', async () => {
    const lab = await replicaLab();
    await put(await lab.agent(), 'a', 'one');
    const replica = await lab.devices['phone']!.window();
    await lab.settle();
    await replica.detail(workspace, lab.idOf(1));
    replica.look({ workspace, kind: 'approve', ids: [lab.idOf(1)] });
    lab.hub.cut('phone/one');
    await lab.settle();
    lab.hub.join('phone/one');
    await lab.settle();
    await replica.close();
    expect((await lab.devices['phone']!.storage.outbox.read()).waiting).toEqual([]);
    expect(lab.authority.queue({ all: true })).toMatchObject([{ state: 'pending' }]);
  });

  test('[DC-11] takes an approval back before it is applied', async () => {
    const lab = await replicaLab();
    await put(await lab.agent(), 'a', 'one');
    const replica = await lab.devices['phone']!.window();
    await lab.settle();
    lab.fallAsleep();
    await replica.decide({ workspace, kind: 'approve', ids: [lab.idOf(1)] });
    await replica.decide({ workspace, kind: 'retract', ids: [lab.idOf(1)] });
    await lab.settle();
    expect(viewOf(replica, 1).claims.map(({ kind, own, state }) => [kind, own, state])).toEqual([
      ['approve', true, 'sent'],
      ['retract', true, 'sent'],
    ]);
    await lab.wake();
    await lab.settle();
    expect(viewOf(replica, 1)).toMatchObject({ record: { state: 'pending' }, claims: [] });
    expect(lab.shelf.effects).toEqual([]);
    await expect(replica.decide({ workspace, kind: 'retract', ids: [lab.idOf(1)] })).rejects.toMatchObject({
      code: 'denied',
      message: /neither approved nor held/,
    });
  });

  test('[DC-12] an approval names the newest attention, and none approves through a conflict', async () => {
    const lab = await replicaLab();
    await put(await lab.agent(), 'a', 'one');
    const replica = await lab.devices['phone']!.window();
    await lab.settle();
    lab.shelf.notes.set('a', 'theirs');
    await replica.decide({ workspace, kind: 'approve', ids: [lab.idOf(1)] });
    await lab.settle();
    expect(viewOf(replica, 1).record).toMatchObject({ state: 'pending', attention: { kind: 'conflict' } });
    const look = replica.look({ workspace, kind: 'approve', ids: [lab.idOf(1)] });
    expect(look).toMatchObject({ included: [], excluded: [{ why: /is in conflict/ }] });
    await replica.decide({ workspace, kind: 'reissue', ids: [lab.idOf(1)], body: { mode: 'theirs' } });
    await lab.settle();
    const { attentionEntry } = viewOf(replica, 1).record;
    await replica.decide({ workspace, kind: 'approve', ids: [lab.idOf(1)] });
    const { waiting } = await lab.devices['phone']!.storage.outbox.read();
    expect(JSON.parse(waiting.at(-1)!.payload)).toMatchObject({ items: [{ attention: attentionEntry }] });
    await lab.settle();
    expect(viewOf(replica, 1).record.state).toBe('applied');
  });

  test('[DC-1] what has changed since it was shown is left out, not decided unseen', async () => {
    const lab = await replicaLab();
    await put(await lab.agent(), 'a', '+one');
    const replica = await lab.devices['phone']!.window();
    await lab.settle();
    const id = lab.idOf(1);
    const shown = new Map([[id, viewOf(replica, 1).record.digest]]);
    await replica.decide({ workspace, kind: 'reissue', ids: [id], body: { mode: 'merge' } });
    lab.shelf.notes.set('a', '+');
    await lab.settle();
    expect(viewOf(replica, 1).record.digest).not.toBe(shown.get(id));
    await expect(replica.decide({ workspace, kind: 'approve', ids: [id], shown })).rejects.toMatchObject({
      code: 'stale',
    });
  });

  test('[CA-4] shows what a revert takes back, and signs exactly that list', async () => {
    const lab = await replicaLab();
    const port = await lab.agent();
    for (const text of ['one', 'two', 'three']) await put(port, 'a', text);
    const replica = await lab.devices['phone']!.window();
    await lab.settle();
    const ids = [1, 2, 3].map((seq) => lab.idOf(seq));
    await replica.decide({ workspace, kind: 'approve', ids });
    await lab.settle();
    const [first = ids[0]!] = ids;
    const look = replica.look({ workspace, kind: 'revert', ids: [first] });
    const plan = (await lab.authority.show(first)).revertPlan;
    expect(look).toMatchObject({ included: [first], takesBack: [ids[2], ids[1]], planHash: plan?.hash });
    await expect(replica.decide({ workspace, kind: 'revert', ids: [first] })).rejects.toMatchObject({
      code: 'stale',
      message: /takes back #3, #2 first/,
    });
    await replica.decide({ workspace, kind: 'revert', ids: [first], body: { planHash: look.planHash } });
    await lab.settle();
    expect([1, 2, 3].map((seq) => viewOf(replica, seq).record.state)).toEqual(['reverted', 'reverted', 'reverted']);
    expect(lab.shelf.notes.has('a')).toBe(false);
  });

  test('[CA-1] says before a reject what falls with it and what must be looked at again', async () => {
    const lab = await replicaLab();
    const port = await lab.agent();
    await put(port, 'a', 'one');
    await put(port, 'a', 'more');
    await get(port, 'a');
    await put(port, 'b', 'two');
    const replica = await lab.devices['phone']!.window();
    await lab.settle();
    const look = replica.look({ workspace, kind: 'reject', ids: [lab.idOf(1)] });
    const truth = await lab.authority.show(lab.idOf(1));
    expect(look).toEqual({
      included: [lab.idOf(1)],
      excluded: [],
      falls: truth.falls,
      lookAgain: truth.lookAgain,
      takesBack: [],
      planHash: null,
      more: false,
    });
    expect(look.falls).toEqual([lab.idOf(2)]);
    expect(look.lookAgain).toEqual([lab.idOf(3)]);
    expect(workspaceOf(replica).open.map(({ waitsFor }) => waitsFor)).toEqual(
      lab.authority.queue({ all: false }).map((row) => row.waitsFor),
    );
  });

  test('[DC-3] a release names the holds it lifts', async () => {
    const lab = await replicaLab();
    await put(await lab.agent(), 'a', 'one');
    const [phone, laptop] = [await lab.devices['phone']!.window(), await lab.devices['laptop']!.window()];
    await lab.settle();
    await phone.decide({ workspace, kind: 'hold', ids: [lab.idOf(1)] });
    await lab.settle();
    expect(viewOf(laptop, 1).record).toMatchObject({ state: 'held', holds: [{ device: phone.device }] });
    await laptop.decide({ workspace, kind: 'release', ids: [lab.idOf(1)] });
    await lab.settle();
    expect(viewOf(phone, 1).record.state).toBe('pending');
  });

  test('reads the page’s own words: a change says what to do instead, a settle names its attempt', async () => {
    const lab = await replicaLab();
    const port = await lab.agent();
    await put(port, 'a', 'one');
    await put(port, 'b', 'two');
    const replica = await lab.devices['phone']!.window();
    await lab.settle();
    lab.shelf.hooks.beforeApply = async () => ({ type: 'in-doubt', why: 'The line broke.' });
    await replica.decide({ workspace, kind: 'approve', ids: [lab.idOf(1)] });
    await lab.settle();
    expect(viewOf(replica, 1).record.state).toBe('in-doubt');
    await replica.decide({ workspace, kind: 'settle', ids: [lab.idOf(1)], body: { answer: 'did-not' } });
    await replica.decide({ workspace, kind: 'change', ids: [lab.idOf(2)], note: 'Call it c.' });
    await lab.settle();
    expect(viewOf(replica, 1).record.state).toBe('not-applied');
    expect(viewOf(replica, 2).record).toMatchObject({ state: 'rejected' });
    expect(replica.snapshot().outgoing).toEqual([]);
  });

  test('[EF-2] settles a revert that is in doubt by the revert’s own attempt, whatever the effect took', async () => {
    const lab = await replicaLab();
    await put(await lab.agent(), 'a', 'one');
    const replica = await lab.devices['phone']!.window();
    const id = lab.idOf(1);
    const decided = async (kind: 'approve' | 'retry' | 'revert' | 'settle', body?: JsonObject): Promise<void> => {
      await lab.settle();
      await replica.decide({ workspace, kind, ids: [id], ...(body === undefined ? {} : { body }) });
      await lab.settle();
    };
    lab.shelf.hooks.beforeApply = async () => ({ type: 'failed', why: 'The line broke.' });
    await decided('approve');
    delete lab.shelf.hooks.beforeApply;
    await decided('retry');
    expect(viewOf(replica, 1).record).toMatchObject({ state: 'applied', attempts: 2 });
    lab.shelf.hooks.beforeRevert = async () => ({ type: 'in-doubt', why: 'The line broke.' });
    await decided('revert');
    expect(viewOf(replica, 1).record).toMatchObject({ state: 'revert-in-doubt', attempts: 1 });
    await decided('settle', { answer: 'did-not' });
    expect(viewOf(replica, 1).record).toMatchObject({ state: 'applied', attempts: 2 });
    await decided('revert');
    expect(viewOf(replica, 1).record).toMatchObject({ state: 'revert-in-doubt', attempts: 2 });
    await decided('settle', { answer: 'happened' });
    expect(viewOf(replica, 1).record).toMatchObject({ state: 'reverted', attempts: 2 });
    expect(replica.snapshot().outgoing).toEqual([]);
  });

  test('keeps to the right its home gave it, and to what volatile storage may carry', async () => {
    const lab = await replicaLab({
      devices: {
        watch: { right: 'view' },
        tab: { volatile: 'Nothing is stored here.' },
        little: { right: 'reject-only' },
      },
    });
    const port = await lab.agent();
    await put(port, 'a', 'one');
    const asked = port.call({ tool: 'ask', arguments: { question: 'why' }, callId: null });
    const [watch, tab, little] = [
      await lab.devices['watch']!.window(),
      await lab.devices['tab']!.window(),
      await lab.devices['little']!.window(),
    ];
    await lab.settle();
    await asked;
    const ids = [lab.idOf(1), lab.idOf(2)];
    expect(watch.snapshot().right).toBe('view');
    await expect(watch.decide({ workspace, kind: 'reject', ids })).rejects.toMatchObject({ code: 'denied' });
    await expect(little.decide({ workspace, kind: 'approve', ids })).rejects.toMatchObject({ code: 'denied' });
    expect(little.look({ workspace, kind: 'reject', ids }).included).toEqual(ids);
    expect(tab.snapshot().volatile).toBe('Nothing is stored here.');
    expect(tab.look({ workspace, kind: 'approve', ids })).toMatchObject({
      included: [ids[0]],
      excluded: [{ id: ids[1], why: /cannot be undone\. Nothing is stored here/ }],
    });
  });

  test('[T15] a device whose clock is ten years off decides as any other, and no time of it is signed', async () => {
    const tenYearsMs = 10 * 365 * 86_400_000;
    const lab = await replicaLab({ devices: { late: { clockOffMs: -tenYearsMs }, early: { clockOffMs: tenYearsMs } } });
    const port = await lab.agent();
    await put(port, 'a', 'one');
    await put(port, 'b', 'two');
    const [late, early] = [await lab.devices['late']!.window(), await lab.devices['early']!.window()];
    await lab.settle();
    expect(workspaceOf(late).runtime).toEqual(workspaceOf(early).runtime);
    await late.decide({ workspace, kind: 'approve', ids: [lab.idOf(1)] });
    const { waiting } = await lab.devices['late']!.storage.outbox.read();
    expect(JSON.parse(waiting[0]!.payload)).toMatchObject({ seen: { atMs: workspaceOf(late).runtime.heartbeatAtMs } });
    await early.decide({ workspace, kind: 'approve', ids: [lab.idOf(2)] });
    await lab.settle();
    expect(lab.shelf.effects).toEqual(['a=one', 'b=two']);
  });

  test('[DC-2] a gesture of a thousand items is several decisions, all saved, all counted', async () => {
    const lab = await replicaLab();
    const port = await lab.agent();
    for (let at = 0; at < 520; at++) await put(port, `n${at % 400}`, `text ${at}`);
    const replica = await lab.devices['phone']!.window();
    await lab.settle(80);
    const ids = workspaceOf(replica).open.map(({ record }) => record.id);
    expect(ids).toHaveLength(520);
    const saved = await replica.decide({ workspace, kind: 'approve', ids });
    expect(saved.map(({ n }) => n)).toEqual([1, 2]);
    await lab.settle(200);
    expect(workspaceOf(replica).open).toEqual([]);
    expect(lab.shelf.effects).toHaveLength(520);
  });
});
