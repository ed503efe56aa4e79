import { describe, expect, test } from 'vitest';
import { nodeCrypto, nodeSigner } from '../../src/crypto/node.ts';
import { InboxAuthor } from '../../src/doc/inbox.ts';
import type { DecisionDraft } from '../../src/model/decision-drafts.ts';
import { REPLICA_LIMITS } from '../../src/replica/limits.ts';
import { signDecision } from '../../src/trust/decision.ts';
import { HOME_ID, replicaLab, workspaceOf, WORKSPACE_ID, type ReplicaLab } from '../support/replica-lab.ts';
import { put } from '../support/workshop.ts';

/**
 * Goal: who is not to be trusted cannot make a person distrust who is, nor stop what others decide; and what was wrong
 * and is right again is said no longer.
 */
const workspace = WORKSPACE_ID;

async function queued() {
  const lab = await replicaLab();
  const port = await lab.agent();
  await put(port, 'a', 'one');
  await put(port, 'b', 'two');
  const replica = await lab.devices['phone']!.window();
  await lab.settle();
  return { lab, replica, ids: [lab.idOf(1), lab.idOf(2)] };
}

function kindsOf(replica: Awaited<ReturnType<typeof queued>>['replica']): readonly string[] {
  return replica.snapshot().alarms.map(({ kind }) => kind);
}

/** An inbox as whoever holds the content key can write it, at a relay that lets them. */
function inbox(lab: ReplicaLab, name: string): InboxAuthor {
  const room = `d/${HOME_ID}/${lab.devices[name]!.id}`;
  return new InboxAuthor(lab.hub.room(room), {
    seal: nodeCrypto.seal,
    random: { bytes: (count) => new Uint8Array(count).fill(count) },
    name: room,
  });
}

describe('an accusation', () => {
  test('[T9] is not made up by a relay: what it puts into an inbox is nobody’s decision', async () => {
    const { ids, lab, replica } = await queued();
    const room = lab.hub.room(`d/${HOME_ID}/${replica.device}`);
    room.getMap('decisions').set(`${workspace}:99`, Uint8Array.of(1, 1, 2, 3));
    inbox(lab, 'phone').put(lab.keys(), { workspace, n: 98 }, { payload: '{}', signature: '0'.repeat(128) });
    await lab.settle();
    await replica.decide({ workspace, kind: 'approve', ids: [ids[0]!] });
    await lab.settle();
    expect(kindsOf(replica)).toEqual([]);
    expect(lab.shelf.effects).toEqual(['a=one']);
  });

  test('[DC-2] of a device that signs two things stops nobody else, and ends when that device is removed', async () => {
    const { ids, lab, replica } = await queued();
    const laptop = lab.devices['laptop']!;
    // The laptop’s own key, in hostile hands.
    const identity = await laptop.storage.identity.load();
    const signer = nodeSigner((identity!.keys as { readonly sign: Uint8Array }).sign); // reason: as `seedKeys` keeps them
    const draft = (note: string): DecisionDraft & { readonly n: number; readonly prev: null } => ({
      v: 1,
      home: HOME_ID,
      workspace,
      device: laptop.id,
      kind: 'hold',
      items: [{ id: ids[1]!, digest: workspaceOf(replica).open[1]!.record.digest }],
      holdsLifted: [],
      seen: null,
      note,
      n: 1,
      prev: null,
    });
    lab.fallAsleep();
    for (const note of ['one', 'two']) {
      inbox(lab, 'laptop').put(lab.keys(), { workspace, n: 1 }, signDecision(signer, draft(note)));
      await lab.settle();
    }
    expect(kindsOf(replica)).toEqual(['frozen']);
    expect(replica.look({ workspace, kind: 'approve', ids: [ids[0]!] }).included).toEqual([ids[0]]);
    await lab.wake();
    await lab.remove('laptop');
    await lab.settle();
    expect(kindsOf(replica)).toEqual([]);
  });
});

describe('what is withheld', () => {
  test('[T9] is said of a room that took another’s place and does not arrive, and no longer once it does', async () => {
    const { lab, replica } = await queued();
    const phone = lab.devices['phone']!;
    const before = `q/${HOME_ID}/${workspace}/${lab.published()!.room}`;
    lab.hub.withhold((room) => room.startsWith('q/') && room !== before);
    lab.authority.roomDamaged(before);
    lab.clock.advance(60_000);
    await lab.settle();
    expect(workspaceOf(replica).loaded).toBe('cache');
    phone.clock.advance(REPLICA_LIMITS.incompleteMs + 1);
    await lab.settle();
    expect(kindsOf(replica)).toEqual(['damaged']);
    lab.hub.withhold(() => false);
    lab.hub.cut('phone/one');
    lab.hub.join('phone/one');
    await lab.settle();
    expect(workspaceOf(replica).loaded).toBe('live');
    expect(kindsOf(replica)).toEqual([]);
  });

  test('[T9] is said of changes that a relay keeps back while it lets heartbeats through', async () => {
    const { ids, lab, replica } = await queued();
    const [phone, laptop] = [lab.devices['phone']!, await lab.devices['laptop']!.window()];
    await lab.settle();
    lab.hub.withhold((room) => room.startsWith('q/'));
    await laptop.decide({ workspace, kind: 'reject', ids });
    await lab.settle();
    lab.clock.advance(15_000);
    await lab.settle();
    expect(workspaceOf(replica)).toMatchObject({ loaded: 'live', runtime: { state: 'online' } });
    phone.clock.advance(REPLICA_LIMITS.incompleteMs + 1);
    await lab.settle();
    expect(kindsOf(replica)).toEqual(['damaged']);
    lab.hub.withhold(() => false);
    lab.hub.cut('phone/one');
    lab.hub.join('phone/one');
    await lab.settle();
    expect(kindsOf(replica)).toEqual([]);
  });

  test('[T9] is nothing that only the log has: what is published always says how far it goes', async () => {
    const { lab, replica } = await queued();
    const phone = lab.devices['phone']!;
    // What is refused stands in the log, and in no record.
    const payload = JSON.stringify({ device: lab.devices['laptop']!.id, n: 1 });
    await lab.authority.decide([{ payload, signature: '0'.repeat(128) }]);
    await lab.settle();
    for (let turn = 0; turn < 4; turn += 1) {
      lab.clock.advance(15_000);
      phone.clock.advance(REPLICA_LIMITS.incompleteMs + 1);
      await lab.settle();
    }
    expect(kindsOf(replica)).toEqual([]);
    await lab.authority.stop();
    for (let turn = 0; turn < 4; turn += 1) {
      phone.clock.advance(REPLICA_LIMITS.incompleteMs + 1);
      await lab.settle();
    }
    expect(kindsOf(replica)).toEqual([]);
  });

  test('[T9] and then comes leaves no alarm behind', async () => {
    const { lab, replica } = await queued();
    const name = `q/${HOME_ID}/${workspace}/${lab.published()!.room}`;
    lab.hub.damage(name, 'The relay sent changes that make no sense.');
    await lab.settle();
    expect(kindsOf(replica)).toEqual(['damaged']);
    lab.hub.mend(name);
    await lab.settle();
    expect(kindsOf(replica)).toEqual([]);
    expect(workspaceOf(replica).loaded).toBe('live');
  });
});

describe('a decision on its way', () => {
  test.each(['taken out', 'written over'])(
    '[DC-6] is sent again when it was %s in the inbox by a relay',
    async (how) => {
      const { ids, lab, replica } = await queued();
      lab.fallAsleep();
      await replica.decide({ workspace, kind: 'approve', ids: [ids[0]!] });
      await lab.settle();
      const decisions = lab.hub.room(`d/${HOME_ID}/${replica.device}`).getMap('decisions');
      expect([...decisions.keys()]).toEqual([`${workspace}:1`]);
      if (how === 'taken out') decisions.delete(`${workspace}:1`);
      else decisions.set(`${workspace}:1`, Uint8Array.of(1, 2, 3));
      await lab.settle();
      await lab.wake();
      await lab.settle();
      expect(replica.snapshot().outgoing).toEqual([]);
      expect(lab.shelf.effects).toEqual(['a=one']);
    },
  );
});
