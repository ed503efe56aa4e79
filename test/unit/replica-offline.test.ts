import { describe, expect, test } from 'vitest';
import { nodeCrypto, nodeSigner } from '../../src/crypto/node.ts';
import { sealInboxEntry } from '../../src/doc/inbox.ts';
import type { Digest } from '../../src/model/ids.ts';
import type { SignedText } from '../../src/model/signed-text.ts';
import { signDecision } from '../../src/trust/decision.ts';
import { HOME_ID, replicaLab, viewOf, workspaceOf, WORKSPACE_ID } from '../support/replica-lab.ts';
import { put } from '../support/workshop.ts';

const workspace = WORKSPACE_ID;

describe('a replica without its relay', () => {
  test('[PN-2] reads every card and decides offline; closed and opened again it still has all of it, and sends it once', async () => {
    const lab = await replicaLab();
    const port = await lab.agent();
    for (let n = 0; n < 20; n++) await put(port, `n${n}`, `text ${n} ${'x'.repeat(600)}`);
    const { phone } = lab.devices;
    const first = await phone!.window();
    await lab.settle();
    lab.hub.cut('phone/one');
    await lab.settle();
    expect(first.snapshot().connection).toMatchObject({ state: 'offline', trouble: { reason: 'unreachable' } });
    for (const { record } of workspaceOf(first).open) {
      const detail = await first.detail(workspace, record.id);
      if (detail.type !== 'card') throw new Error(detail.why);
      expect(detail.card.title).toBe(`Put n${record.seq - 1}`);
      const ref = Object.values(detail.content.arguments).find((value) => typeof value === 'object');
      const bytes = await detail.blob((ref as { readonly $blob: Digest }).$blob);
      expect(new TextDecoder().decode(bytes)).toContain(`text ${record.seq - 1} `);
    }
    const ids = workspaceOf(first).open.map(({ record }) => record.id);
    for (const id of ids.slice(0, 10)) await first.decide({ workspace, kind: 'approve', ids: [id] });
    expect(first.snapshot().outgoing.map(({ state }) => state)).toEqual(Array.from({ length: 10 }, () => 'saved'));
    await first.close();

    lab.hub.join('phone/one');
    lab.hub.cut('phone/two');
    const again = await phone!.window('two');
    await lab.settle();
    expect(again.snapshot().outgoing.map(({ n, state }) => [n, state])).toEqual(
      Array.from({ length: 10 }, (_, at) => [at + 1, 'saved']),
    );
    lab.hub.join('phone/two');
    await lab.settle(120);
    expect(again.snapshot().outgoing).toEqual([]);
    expect(lab.shelf.effects.map((effect) => effect.split('=')[0])).toEqual(ids.slice(0, 10).map((_, at) => `n${at}`));
    expect(workspaceOf(again).open).toHaveLength(10);
    expect(phone!.faults).toEqual([]);
  });

  test('[DC-6] a link that ends before it is durable leaves the decision saved, and the next one sends it', async () => {
    const lab = await replicaLab();
    await put(await lab.agent(), 'a', 'one');
    const replica = await lab.devices['phone']!.window();
    await lab.settle();
    await replica.decide({ workspace, kind: 'approve', ids: [lab.idOf(1)] });
    lab.hub.cut('phone/one');
    await lab.settle();
    expect(replica.snapshot().outgoing).toMatchObject([{ state: 'saved' }]);
    lab.hub.join('phone/one');
    await lab.settle();
    expect(lab.shelf.effects).toEqual(['a=one']);
  });

  test('[DC-5] a device that meets only the relay while the runtime sleeps knows from the head what it has seen', async () => {
    const lab = await replicaLab();
    await put(await lab.agent(), 'a', 'one');
    await lab.settle();
    const phone = lab.devices['phone']!;
    lab.fallAsleep();
    lab.hub.presences.clear();
    const replica = await phone.window();
    await lab.settle();
    expect(workspaceOf(replica).runtime).toMatchObject({ heartbeatAtMs: expect.any(Number) });
    expect(workspaceOf(replica).runtime.state, 'a head is no sign of life').not.toBe('online');
    await replica.decide({ workspace, kind: 'approve', ids: [lab.idOf(1)] });
    await lab.settle();
    await lab.wake();
    await lab.settle(120);
    expect([lab.shelf.effects, replica.snapshot().alarms]).toEqual([['a=one'], []]);
  });

  test('[DC-6] with the runtime asleep a decision is sent, shows on the other device, and a reject there wins', async () => {
    const lab = await replicaLab();
    await put(await lab.agent(), 'a', 'one');
    const [phone, laptop] = [await lab.devices['phone']!.window(), await lab.devices['laptop']!.window()];
    await lab.settle();
    lab.fallAsleep();
    await phone.decide({ workspace, kind: 'approve', ids: [lab.idOf(1)], note: 'fine' });
    await lab.settle();
    expect(viewOf(laptop, 1)).toMatchObject({
      record: { state: 'pending' },
      claims: [{ nickname: 'phone', own: false, kind: 'approve', state: 'sent', note: 'fine', why: null }],
    });
    await laptop.decide({ workspace, kind: 'reject', ids: [lab.idOf(1)] });
    await lab.settle();
    expect(viewOf(phone, 1).claims.map(({ kind, nickname }) => [nickname, kind])).toEqual(
      expect.arrayContaining([
        ['phone', 'approve'],
        ['laptop', 'reject'],
      ]),
    );
    for (let beat = 0; beat < 4; beat++) {
      lab.clock.advance(15_000);
      for (const each of Object.values(lab.devices)) each.clock.advance(15_000);
      await lab.settle();
    }
    expect(workspaceOf(phone).runtime.state).toBe('asleep');
    await lab.wake();
    lab.clock.advance(15_000);
    await lab.settle();
    expect(viewOf(phone, 1)).toMatchObject({ record: { state: 'rejected' }, claims: [] });
    expect(workspaceOf(phone).runtime.state).toBe('online');
    expect(lab.shelf.effects).toEqual([]);
  });

  test('[PN-3] windows agree without the relay, one of them sends, and another takes over when it closes', async () => {
    const lab = await replicaLab();
    await put(await lab.agent(), 'a', 'one');
    const { phone } = lab.devices;
    const [one, two] = [await phone!.window('one'), await phone!.window('two')];
    await lab.settle();
    expect([one.snapshot().sending, two.snapshot().sending]).toEqual([true, false]);
    lab.hub.cut('phone/one');
    lab.hub.cut('phone/two');
    await two.decide({ workspace, kind: 'approve', ids: [lab.idOf(1)] });
    await lab.settle(2);
    expect(viewOf(one, 1).claims).toEqual(viewOf(two, 1).claims);
    expect(viewOf(one, 1).claims).toMatchObject([{ own: true, state: 'saved' }]);
    await one.close();
    lab.hub.join('phone/two');
    await lab.settle();
    expect(two.snapshot()).toMatchObject({ sending: true, outgoing: [] });
    expect(lab.shelf.effects).toEqual(['a=one']);
  });

  test('[DC-2] two windows that decide at once make one chain', async () => {
    const lab = await replicaLab();
    const port = await lab.agent();
    for (let n = 0; n < 8; n++) await put(port, `n${n}`, 'text');
    const { phone } = lab.devices;
    const windows = [await phone!.window('one'), await phone!.window('two')];
    await lab.settle();
    lab.fallAsleep();
    const saved = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        windows[at % 2]!.decide({ workspace, kind: 'approve', ids: [lab.idOf(at + 1)] }),
      ),
    );
    expect(
      saved
        .flat()
        .map(({ n }) => n)
        .toSorted((a, b) => a - b),
    ).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    await lab.wake();
    await lab.settle(80);
    expect(lab.shelf.effects).toHaveLength(8);
    expect(windows[0]!.snapshot().alarms).toEqual([]);
  });

  test('what the runtime refuses is said, with why, until the page goes', async () => {
    const lab = await replicaLab();
    await put(await lab.agent(), 'a', 'one');
    const [phone, laptop] = [await lab.devices['phone']!.window(), await lab.devices['laptop']!.window()];
    await lab.settle();
    lab.fallAsleep();
    await laptop.decide({ workspace, kind: 'reject', ids: [lab.idOf(1)] });
    await lab.settle();
    lab.hub.cut('phone/one');
    await phone.decide({ workspace, kind: 'approve', ids: [lab.idOf(1)] });
    await lab.wake();
    await lab.settle();
    lab.hub.join('phone/one');
    await lab.settle();
    expect(phone.snapshot().outgoing).toMatchObject([{ state: 'refused', why: '#1 is rejected.', ids: [lab.idOf(1)] }]);
    expect(viewOf(phone, 1).claims).toMatchObject([{ own: true, state: 'refused', why: '#1 is rejected.' }]);
    await phone.close();
    const next = await lab.devices['phone']!.window('two');
    await lab.settle();
    expect(next.snapshot().outgoing).toEqual([]);
  });

  test('[DC-7] a claim that its device did not sign is never shown', async () => {
    const lab = await replicaLab();
    await put(await lab.agent(), 'a', 'one');
    const [phone, laptop] = [await lab.devices['phone']!.window(), await lab.devices['laptop']!.window()];
    await lab.settle();
    lab.fallAsleep();
    await phone.decide({ workspace, kind: 'approve', ids: [lab.idOf(1)] });
    await lab.settle();
    const inbox = (device: string) => lab.hub.room(`d/${HOME_ID}/${device}`).getMap('decisions');
    const genuine = (await lab.devices['phone']!.storage.outbox.read()).waiting[0]!;
    const forge = (signed: SignedText, room: string, n: number): void => {
      const by = { seal: nodeCrypto.seal, random: { bytes: (count: number) => new Uint8Array(count).fill(n) } };
      const sealed = sealInboxEntry(by, `d/${HOME_ID}/${room}`, lab.keys().newest, { workspace, n }, signed);
      inbox(room).set(`${workspace}:${n}`, sealed);
    };
    const other = nodeSigner(new Uint8Array(32).fill(99));
    const decision = JSON.parse(genuine.payload);
    // Signed by a key that is not the device's.
    forge(
      signDecision(other, { ...decision, n: 2, prev: genuine.hash, kind: 'reject', body: undefined }),
      phone.device,
      2,
    );
    // A genuine decision of the phone, in the laptop's inbox and under another number.
    forge(genuine, laptop.device, 1);
    forge(genuine, phone.device, 3);
    inbox(phone.device).set('nonsense', 'text');
    await lab.settle();
    expect(viewOf(laptop, 1).claims.map(({ kind, n, nickname }) => [nickname, n, kind])).toEqual([
      ['phone', 1, 'approve'],
    ]);
    expect(viewOf(phone, 1).claims.map(({ n }) => n)).toEqual([1]);
  });

  test('[DC-2] two decisions of one device under one number raise an alarm', async () => {
    const lab = await replicaLab();
    await put(await lab.agent(), 'a', 'one');
    const [phone, laptop] = [await lab.devices['phone']!.window(), await lab.devices['laptop']!.window()];
    await lab.settle();
    lab.fallAsleep();
    await phone.decide({ workspace, kind: 'approve', ids: [lab.idOf(1)] });
    await lab.settle();
    const genuine = (await lab.devices['phone']!.storage.outbox.read()).waiting[0]!;
    const { sign } = (await lab.devices['phone']!.storage.identity.load())!.keys as { readonly sign: Uint8Array };
    const second = signDecision(nodeSigner(sign), { ...JSON.parse(genuine.payload), note: 'another' });
    const by = { seal: nodeCrypto.seal, random: { bytes: (count: number) => new Uint8Array(count) } };
    const room = `d/${HOME_ID}/${phone.device}`;
    const sealed = sealInboxEntry(by, room, lab.keys().newest, { workspace, n: 1 }, second);
    lab.hub.room(room).getMap('decisions').set(`${workspace}:1`, sealed);
    await lab.settle();
    expect(laptop.snapshot().alarms).toMatchObject([{ kind: 'frozen', workspace }]);
    for (const kind of ['approve', 'reject'] as const)
      expect(laptop.look({ workspace, kind, ids: [lab.idOf(1)] }).excluded, 'it stops that device alone').toEqual([]);
  });

  test('a number that this device never gave, in its own inbox, means that its key is in use elsewhere', async () => {
    const lab = await replicaLab();
    await put(await lab.agent(), 'a', 'one');
    const phone = await lab.devices['phone']!.window();
    await lab.settle();
    const by = { seal: nodeCrypto.seal, random: { bytes: (count: number) => new Uint8Array(count) } };
    const room = `d/${HOME_ID}/${phone.device}`;
    const { sign } = (await lab.devices['phone']!.storage.identity.load())!.keys as { readonly sign: Uint8Array };
    const signed = signDecision(nodeSigner(sign), {
      v: 1,
      home: HOME_ID,
      workspace,
      device: phone.device,
      n: 7,
      prev: '0'.repeat(64) as Digest,
      kind: 'hold',
      items: [{ id: lab.idOf(1), digest: workspaceOf(phone).open[0]!.record.digest }],
      holdsLifted: [],
      seen: null,
    });
    const sealed = sealInboxEntry(by, room, lab.keys().newest, { workspace, n: 7 }, signed);
    lab.hub.room(room).getMap('decisions').set(`${workspace}:7`, sealed);
    await lab.settle();
    await phone.decide({ workspace, kind: 'hold', ids: [lab.idOf(1)] });
    await lab.settle();
    expect(phone.snapshot().alarms).toMatchObject([{ kind: 'frozen', workspace }]);
  });
});
