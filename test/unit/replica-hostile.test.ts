import type * as Y from 'yjs';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/base/canonical-json.ts';
import { nodeCrypto, nodeSigner } from '../../src/crypto/node.ts';
import { openEnvelope, peekRecord, sealRecord } from '../../src/doc/record-codec.ts';
import type { Digest } from '../../src/model/ids.ts';
import type { LedgerAction, LedgerReceipt } from '../../src/model/ledger.ts';
import { REPLICA_LIMITS } from '../../src/replica/limits.ts';
import { signHeartbeat } from '../../src/trust/heartbeat.ts';
import { openReceipt, signReceipt } from '../../src/trust/receipt.ts';
import {
  HOME_ID,
  REPLICA_HOME,
  replicaLab,
  workspaceOf,
  WORKSPACE_ID,
  type ReplicaLab,
} from '../support/replica-lab.ts';
import { put } from '../support/workshop.ts';

const workspace = WORKSPACE_ID;
const EVIL = nodeSigner(new Uint8Array(32).fill(66));
const random = { bytes: (count: number) => new Uint8Array(count).fill(count) };

function ledger(lab: ReplicaLab): {
  readonly name: string;
  readonly doc: Y.Doc;
  readonly records: Y.Array<Uint8Array>;
} {
  const name = `q/${HOME_ID}/${workspace}/${lab.published()!.room}`;
  const doc = lab.hub.room(name);
  return { name, doc, records: doc.getArray('records') };
}

/** The record of `#1` as it stands in the ledger, with its place in the array. */
function recordOf(
  lab: ReplicaLab,
  seq: number,
): { readonly record: LedgerAction; readonly at: number; readonly bytes: Uint8Array } {
  const { name, records } = ledger(lab);
  const place = { home: HOME_ID, workspace, name };
  for (const [at, bytes] of records.toArray().entries()) {
    const envelope = peekRecord(bytes);
    const opened = envelope.ok ? openEnvelope(nodeCrypto.seal, place, lab.keys(), envelope.value) : envelope;
    if (opened.ok && opened.value.record.type === 'action' && opened.value.record.seq === seq)
      return { record: opened.value.record, at, bytes };
  }
  throw new Error(`there is no #${seq}`);
}

async function queued() {
  const lab = await replicaLab();
  const port = await lab.agent();
  await put(port, 'a', 'one');
  await put(port, 'b', 'two');
  const replica = await lab.devices['phone']!.window();
  await lab.settle();
  return { lab, replica, port, ids: [lab.idOf(1), lab.idOf(2)] };
}

describe('a hostile ledger', () => {
  const attacks: Readonly<Record<string, (lab: ReplicaLab) => void>> = {
    'a record that another key signed': (lab) => {
      const { name, records } = ledger(lab);
      const { at, record } = recordOf(lab, 1);
      const by = { seal: nodeCrypto.seal, signer: EVIL, random };
      records.delete(at);
      const forged = { ...record, rev: record.rev + 1, title: 'Put harmless' };
      records.push([sealRecord(by, { home: HOME_ID, workspace, name }, lab.keys().newest, forged)]);
    },
    'a record withheld': (lab) => ledger(lab).records.delete(recordOf(lab, 1).at),
    'a record brought back beside its newer one': (lab) => ledger(lab).records.push([recordOf(lab, 1).bytes]),
    'bytes that are no record': (lab) => ledger(lab).records.push([Uint8Array.of(1, 2, 3)]),
    'a value of another type': (lab) => ledger(lab).records.push(['text' as unknown as Uint8Array]),
    'a record sealed with another key': (lab) => {
      const { bytes } = recordOf(lab, 1);
      ledger(lab).records.push([bytes.map((byte, at) => (at === bytes.length - 1 ? byte ^ 1 : byte))]);
    },
  };

  test.each(Object.keys(attacks))('[DC-7] %s: an alarm, no approval, rejects still count', async (attack) => {
    const { ids, lab, replica } = await queued();
    attacks[attack]!(lab);
    await lab.settle();
    expect(replica.snapshot().alarms).toMatchObject([{ kind: 'damaged', workspace }]);
    expect([...workspaceOf(replica).open].map(({ record }) => record.title)).not.toContain('Put harmless');
    expect(replica.look({ workspace, kind: 'approve', ids: [ids[1]!] }).excluded).toMatchObject([{ why: /damaged/ }]);
    expect(replica.look({ workspace, kind: 'reject', ids: [ids[1]!] }).included).toEqual([ids[1]]);
    expect(lab.devices['phone']!.faults).toEqual([]);
  });

  test('[DC-7] a large one is not decided on before all of it was held against the sum', async () => {
    const lab = await replicaLab();
    const port = await lab.agent();
    for (let n = 1; n <= 200; n++) await put(port, `file-${n}`, 'x');
    await lab.settle();
    ledger(lab).records.delete(recordOf(lab, 1).at);
    const replica = await lab.devices['phone']!.window();
    const answers: string[] = [];
    const look = (): void => {
      const id = workspaceOf(replica).open[0]?.record.id;
      if (id === undefined) return;
      const [no] = replica.look({ workspace, kind: 'approve', ids: [id] }).excluded;
      answers.push(/still being checked|damaged/.exec(no?.why ?? '')?.[0] ?? 'may be approved');
      expect(replica.look({ workspace, kind: 'reject', ids: [id] }).included).toEqual([id]);
    };
    replica.subscribe(look);
    await lab.settle();
    look();
    expect([...new Set(answers)]).toEqual(['still being checked', 'damaged']);
    expect(workspaceOf(replica).loaded).not.toBe('none');
  });

  test('a damaged ledger recovers in a new room', async () => {
    const { ids, lab, replica } = await queued();
    ledger(lab).records.push([Uint8Array.of(1, 2, 3)]);
    await lab.settle();
    lab.authority.roomDamaged(ledger(lab).name);
    lab.clock.advance(60_000);
    await lab.settle();
    expect(replica.snapshot().alarms).toEqual([]);
    expect(workspaceOf(replica).loaded).toBe('live');
    await replica.decide({ workspace, kind: 'approve', ids });
    await lab.settle();
    expect(lab.shelf.effects).toEqual(['a=one', 'b=two']);
  });

  test('[T9] what a relay makes look newer than this page is forgotten with the room it stood in', async () => {
    const { lab, replica } = await queued();
    const { records } = ledger(lab);
    records.delete(0, records.length);
    records.push([Uint8Array.of(9, 2, 3)]);
    await lab.settle();
    expect(replica.snapshot().alarms.map(({ kind }) => kind)).toContain('too-new');
    lab.authority.roomDamaged(ledger(lab).name);
    lab.clock.advance(60_000);
    await lab.settle();
    expect(replica.snapshot().alarms).toEqual([]);
  });

  test('forged records among true ones are found in slices, and none is decided meanwhile', async () => {
    const { ids, lab, replica } = await queued();
    const { name, records } = ledger(lab);
    const { record } = recordOf(lab, 1);
    const by = { seal: nodeCrypto.seal, signer: EVIL, random };
    const forged = Array.from({ length: 40 }, (_, at) =>
      sealRecord(by, { home: HOME_ID, workspace, name }, lab.keys().newest, {
        ...record,
        rev: record.rev + 1 + at,
        seq: 10 + at,
        id: `a-${String(at)
          .padStart(26, 'a')
          .replace(/\d/g, (digit) => 'bcdefghijk'[Number(digit)] ?? 'b')}` as LedgerAction['id'],
      }),
    );
    records.push(forged);
    lab.hub.flush();
    for (let turn = 0; turn < 5 && workspaceOf(replica).open.length === 2; turn++)
      await new Promise((resolve) => void setImmediate(resolve));
    expect(workspaceOf(replica).open.length).toBeGreaterThan(2);
    const shown = workspaceOf(replica).open.map((view) => view.record.id);
    await expect(
      replica.decide({ workspace, kind: 'reject', ids: shown.filter((id) => !ids.includes(id)) }),
    ).rejects.toMatchObject({
      code: 'denied',
    });
    await lab.settle();
    expect(workspaceOf(replica).open.map((view) => view.record.id)).toEqual(ids);
  });
});

describe('receipts', () => {
  test('[DC-6] only the home’s own word on this very decision ends its sending', async () => {
    const { ids, lab, replica } = await queued();
    lab.fallAsleep();
    await replica.decide({ workspace, kind: 'approve', ids: [ids[0]!] });
    await lab.settle();
    const [entry] = (await lab.devices['phone']!.storage.outbox.read()).waiting;
    const genuine = {
      v: 1,
      home: HOME_ID,
      workspace,
      device: replica.device,
      n: 1,
      decision: entry!.hash,
      results: [{ id: ids[0]!, result: 'received', why: null }],
      entry: 9,
      refused: null,
      atMs: 1,
    } as const;
    const { name, records } = ledger(lab);
    const publish = (signed: LedgerReceipt['receipt'], rev: number, device = replica.device): void => {
      const record: LedgerReceipt = { v: 1, rev, type: 'receipt', id: `${device}/1`, device, n: 1, receipt: signed };
      const by = { seal: nodeCrypto.seal, signer: REPLICA_HOME, random };
      records.push([sealRecord(by, { home: HOME_ID, workspace, name }, lab.keys().newest, record)]);
    };
    const other = lab.devices['laptop']!.id;
    // Signed by another key; of another device under this one's id; about another text.
    publish(signReceipt(EVIL, genuine), 1001);
    publish(signReceipt(REPLICA_HOME, { ...genuine, device: other }), 1002);
    await lab.settle();
    expect(replica.snapshot().outgoing).toMatchObject([{ n: 1, state: 'sent' }]);
    publish(signReceipt(REPLICA_HOME, { ...genuine, decision: '0'.repeat(64) as never }), 1003);
    await lab.settle();
    expect(replica.snapshot().outgoing).toMatchObject([{ n: 1, state: 'sent' }]);
    expect(replica.snapshot().alarms.map(({ kind }) => kind)).toContain('frozen');
    const opened = openReceipt(
      nodeCrypto.verify,
      REPLICA_HOME.publicKey,
      { home: HOME_ID, workspace },
      signReceipt(REPLICA_HOME, genuine),
    );
    expect(opened.ok).toBe(true);
    publish(signReceipt(REPLICA_HOME, genuine), 1004);
    await lab.settle();
    expect(replica.snapshot().outgoing).toEqual([]);
  });
});

describe('heads', () => {
  test('[DC-8] never goes back behind the newest head, also after it was closed, and says so', async () => {
    const { lab, replica } = await queued();
    const old = lab.hub.head!;
    const newer = lab.signedHead((head) => ({ ...head, number: head.number + 5 }));
    lab.hub.setHead({ head: { ...old.head, number: old.head.number + 5 }, signed: newer });
    await lab.settle();
    lab.hub.setHead(old);
    await lab.settle();
    expect(replica.snapshot().alarms).toMatchObject([{ kind: 'rollback', workspace: null }]);
    await replica.close();
    const again = await lab.devices['phone']!.window();
    await lab.settle();
    expect(again.snapshot().alarms).toMatchObject([{ kind: 'rollback', workspace: null }]);
  });

  test('two heads under one number are a fork: nothing is approved', async () => {
    const { ids, lab, replica } = await queued();
    const { head } = lab.hub.head!;
    const other = { ...head, atMs: head.atMs + 1 };
    lab.hub.setHead({ head: other, signed: lab.signedHead(() => other) });
    await lab.settle();
    expect(replica.snapshot().alarms).toMatchObject([{ kind: 'fork', workspace: null }]);
    await expect(replica.decide({ workspace, kind: 'approve', ids })).rejects.toMatchObject({ code: 'denied' });
    await replica.decide({ workspace, kind: 'reject', ids });
  });

  test('[DC-8] a device that was removed says so, and the others read on under the next key', async () => {
    const { ids, lab, replica } = await queued();
    const laptop = await lab.devices['laptop']!.window();
    await lab.settle();
    await lab.remove('laptop');
    await lab.settle();
    expect(laptop.snapshot()).toMatchObject({ right: 'view', alarms: [{ kind: 'revoked' }] });
    await expect(laptop.decide({ workspace, kind: 'reject', ids })).rejects.toMatchObject({ code: 'denied' });
    expect(replica.snapshot().alarms).toEqual([]);
    expect(workspaceOf(replica).open).toHaveLength(2);
    expect(workspaceOf(replica).devices.get(laptop.device), 'what it decided keeps a name').toMatchObject({
      nickname: 'laptop',
      removed: true,
    });
    await replica.decide({ workspace, kind: 'approve', ids });
    await lab.settle();
    expect(lab.shelf.effects).toEqual(['a=one', 'b=two']);
  });

  test('what was decided offline under an older key is still taken', async () => {
    const { ids, lab, replica } = await queued();
    lab.hub.cut('phone/one');
    await replica.decide({ workspace, kind: 'approve', ids });
    await lab.remove('laptop');
    lab.hub.join('phone/one');
    await lab.settle(80);
    expect(replica.snapshot().outgoing).toEqual([]);
    expect(lab.shelf.effects).toEqual(['a=one', 'b=two']);
  });
});

describe('quarantine', () => {
  test('[EF-7] is said on every device, and nothing is decided until it is over', async () => {
    const { ids, lab, replica } = await queued();
    const why = 'The journal lost entry 7.';
    lab.fallAsleep();
    await lab.wake({ quarantine: why });
    await lab.settle();
    expect(workspaceOf(replica)).toMatchObject({ quarantine: why, loaded: 'live', open: [], settled: [] });
    for (const kind of ['approve', 'reject'] as const)
      await expect(replica.decide({ workspace, kind, ids })).rejects.toMatchObject({ code: 'denied' });
    expect(replica.snapshot().alarms).toEqual([]);
    await lab.wake();
    await lab.settle();
    expect(workspaceOf(replica)).toMatchObject({ quarantine: null, loaded: 'live' });
    await replica.decide({ workspace, kind: 'approve', ids });
    await lab.settle();
    expect(lab.shelf.effects).toEqual(['a=one', 'b=two']);
    expect(replica.snapshot()).toMatchObject({ alarms: [], outgoing: [] });
  });
});

describe('heartbeats', () => {
  test('[T9] only a growing counter that the home signed is a beat', async () => {
    const { lab, replica } = await queued();
    const { name } = ledger(lab);
    const show = async (value: Json): Promise<void> => {
      lab.hub.show(name, value);
      await lab.settle(2);
    };
    const old = lab.hub.presences.get(name)![0]!;
    lab.clock.advance(15_000);
    await lab.settle();
    const shown = lab.hub.presences.get(name)![0]!;
    expect(shown).not.toEqual(old);
    const phone = lab.devices['phone']!;
    const { seen } = await seenIn(lab);
    lab.fallAsleep();
    phone.clock.advance(REPLICA_LIMITS.asleepMs + 1);
    expect(workspaceOf(replica).runtime.state).toBe('asleep');
    await show(old);
    await show(shown);
    const beat = {
      v: 1,
      home: HOME_ID,
      workspace,
      counter: seen.counter + 50,
      atMs: 5,
      size: seen.size,
      root: seen.root,
    } as const;
    await show({ heartbeat: { ...signHeartbeat(EVIL, beat) } });
    await show('noise');
    expect(workspaceOf(replica).runtime.state).toBe('asleep');
    await show({ heartbeat: { ...signHeartbeat(REPLICA_HOME, beat) } });
    expect(workspaceOf(replica).runtime).toEqual({ state: 'online', heartbeatAtMs: 5 });
    expect(replica.snapshot().alarms).toEqual([]);
  });

  test('a log that got shorter, or is another one at a size that was seen, is an alarm', async () => {
    const { lab, replica } = await queued();
    const { seen } = await seenIn(lab);
    const { name } = ledger(lab);
    const beat = {
      v: 1,
      home: HOME_ID,
      workspace,
      counter: seen.counter + 1,
      atMs: 5,
      size: seen.size,
      root: '1'.repeat(64) as Digest,
    } as const;
    lab.hub.show(name, { heartbeat: { ...signHeartbeat(REPLICA_HOME, beat) } });
    await lab.settle(4);
    expect(replica.snapshot().alarms).toMatchObject([{ kind: 'fork', workspace }]);
    const shorter = { ...beat, counter: seen.counter + 2, size: 1 };
    lab.hub.show(name, { heartbeat: { ...signHeartbeat(REPLICA_HOME, shorter) } });
    await lab.settle(4);
    expect(replica.snapshot().alarms.map(({ kind }) => kind)).toEqual(['fork', 'rollback']);
  });
});

/** What the newest heartbeat says, with a counter beyond any that comes by itself. */
async function seenIn(lab: ReplicaLab) {
  await lab.settle();
  const [shown] = lab.hub.presences.get(ledger(lab).name) ?? [];
  const { heartbeat } = shown as { readonly heartbeat: { readonly payload: string } };
  const seen = JSON.parse(heartbeat.payload) as {
    readonly counter: number;
    readonly size: number;
    readonly root: Digest;
  };
  return { seen: { ...seen, counter: seen.counter + 20 } };
}
