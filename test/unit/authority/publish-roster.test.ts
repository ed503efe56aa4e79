import { describe, expect, test } from 'vitest';
import { PUBLISH_LIMITS } from '../../../src/authority/publish/limits.ts';
import { shownDevices } from '../../../src/authority/publish/other-records.ts';
import { openBlob } from '../../../src/doc/blob.ts';
import { nodeCrypto } from '../../../src/crypto/node.ts';
import { keyRing } from '../../../src/doc/keys.ts';
import type { ActionState } from '../../../src/model/action.ts';
import { deviceId } from '../../../src/model/ids.ts';
import { LAB_PLACE, publishLab, type PublishLab } from '../../support/publish-lab.ts';
import { put } from '../../support/workshop.ts';

const states = (lab: PublishLab): readonly ActionState[] =>
  lab.authority.queue({ all: true }).map(({ state }) => state);

/** The first of a lane is looked at for ever, so nothing behind it begins. */
async function stalled(): Promise<PublishLab & { readonly go: () => void }> {
  const lab = await publishLab();
  let go = (): void => undefined;
  const gate = new Promise<undefined>((resolve) => {
    go = () => resolve(undefined);
  });
  lab.world.shelf.hooks.beforeApply = () => gate;
  const port = await lab.agent();
  for (const name of ['a', 'b', 'c', 'd']) await put(port, name, 'x');
  return { ...lab, go };
}

describe('a device that is removed', () => {
  test('[DC-8] loses its approvals and holds that are not past the commit point, and keeps its rejects', async () => {
    const lab = await stalled();
    await lab.tablet.approve([lab.idOf(1), lab.idOf(2)]);
    await lab.tablet.decide({ kind: 'hold', ids: [lab.idOf(3)] });
    await lab.tablet.reject([lab.idOf(4)]);
    await lab.settled();
    expect(states(lab)).toEqual(['applying', 'approved', 'held', 'rejected']);
    await lab.remove(lab.tablet.id);
    expect(states(lab)).toEqual(['applying', 'pending', 'pending', 'rejected']);
    lab.go();
    await lab.settled();
    expect(states(lab), 'what was past the commit point ends as it ends').toEqual([
      'applied',
      'pending',
      'pending',
      'rejected',
    ]);
    const withdrawn = lab.rows.filter(({ kind }) => kind === 'approval-withdrawn');
    expect(withdrawn.map(({ actionSeq, audit }) => [actionSeq, /"why":"([a-z]+)"/.exec(text(audit))?.[1]])).toEqual([
      [2, 'revoked'],
    ]);
    expect(lab.actions().map(({ state }) => state)).toEqual(states(lab));
  });

  test('[DC-8] what somebody else approved or held as well stands on', async () => {
    const lab = await stalled();
    await lab.tablet.approve([lab.idOf(1), lab.idOf(2)]);
    await lab.phone.approve([lab.idOf(2)]);
    for (const device of [lab.tablet, lab.phone]) await device.decide({ kind: 'hold', ids: [lab.idOf(3)] });
    await lab.settled();
    expect(lab.actions()[2]?.holds).toHaveLength(2);
    await lab.remove(lab.tablet.id);
    await lab.settled();
    expect(states(lab)).toEqual(['applying', 'approved', 'held', 'pending']);
    expect(lab.actions()[1]?.by).toMatchObject({ device: lab.phone.id });
    expect(lab.actions()[2]?.holds).toMatchObject([{ device: lab.phone.id }]);
    lab.go();
    await lab.settled();
    expect(states(lab)).toEqual(['applied', 'applied', 'held', 'pending']);
  });

  test('[DC-8] nothing of it begins when the authority was not told, and not after a crash', async () => {
    const lab = await stalled();
    await lab.tablet.approve([lab.idOf(1), lab.idOf(2)]);
    await lab.tablet.decide({ kind: 'hold', ids: [lab.idOf(3)] });
    await lab.settled();
    lab.world.removed.add(lab.tablet.id);
    lab.world.roster.number += 1;
    lab.go();
    await lab.settled();
    expect(states(lab), 'it compares the number before each intent').toEqual([
      'applied',
      'pending',
      'pending',
      'pending',
    ]);

    const other = await stalled();
    await other.tablet.approve([other.idOf(1), other.idOf(2)]);
    await other.settled();
    other.world.removed.add(other.tablet.id);
    other.world.roster.number += 1;
    delete other.world.shelf.hooks.beforeApply;
    const again = await other.crashed();
    await again.settled();
    expect(states(again)).toEqual(['applied', 'pending', 'pending', 'pending']);
    expect(again.world.shelf.effects).toEqual(['a=x']);

    const parked = await publishLab();
    await put(await parked.agent(), 'a', 'x');
    await parked.tablet.decide({ kind: 'hold', ids: [parked.idOf(1)] });
    parked.world.removed.add(parked.tablet.id);
    parked.world.roster.number += 1;
    const woken = await parked.crashed();
    expect(states(woken), 'a start compares it, also when nothing is to be applied').toEqual(['pending']);
  });

  test('[DC-7] what it decides afterwards changes nothing', async () => {
    const lab = await stalled();
    const late = lab.tablet.signed({ kind: 'reject', ids: [lab.idOf(4)] });
    await lab.remove(lab.tablet.id);
    const { receipts } = await lab.authority.decide([late]);
    expect(receipts[0]?.payload).toMatch(/not on the roster/);
    expect(states(lab)).toEqual(['pending', 'pending', 'pending', 'pending']);
  });

  test('reads nothing that is published from then on, and everybody else reads all of it', async () => {
    const lab = await publishLab();
    const port = await lab.agent();
    await put(port, 'a', 'x'.repeat(500));
    await lab.settled();
    const before = new Set(lab.outlet.objects.keys());
    await lab.remove(lab.tablet.id);
    await lab.settled();
    expect(lab.heads.at(-1)).toMatchObject({ room: '1.2', tile: '1.2' });
    expect(lab.outlet.closed.toSorted()).toEqual(
      [`a/${LAB_PLACE.home}/${LAB_PLACE.workspace}/1.1`, `q/${LAB_PLACE.home}/${LAB_PLACE.workspace}/1.1`].toSorted(),
    );

    const [oldSecret] = lab.world.secrets;
    if (oldSecret === undefined) throw new Error('there was a key');
    const [action] = lab.actions();
    if (action === undefined) throw new Error('the action is there');
    const anew = [...lab.outlet.objects].filter(([path]) => path.startsWith('b/') && !before.has(path));
    expect(anew.length, 'the file and the text of what is open are put again').toBe(2);
    const [first, ...rest] = lab.world.secrets.toReversed();
    if (first === undefined) throw new Error('there is a key');
    const open = (ring: ReturnType<typeof keyRing>) =>
      anew.filter(([, read]) => openBlob(nodeCrypto, LAB_PLACE, ring, action.file.$blob, read()).ok).length;
    expect(open(keyRing(nodeCrypto.hmac, [oldSecret]))).toBe(0);
    expect(open(keyRing(nodeCrypto.hmac, [first, ...rest]))).toBe(1);
  });

  test('keeps its name in the ledger, also after a restart; of very many those that were added last do', async () => {
    const lab = await publishLab();
    await put(await lab.agent(), 'a', 'one');
    await lab.tablet.approve([lab.idOf(1)]);
    await lab.settled();
    const named = (at: PublishLab): unknown => at.records().get(lab.tablet.id);
    expect(named(lab)).toMatchObject({ nickname: 'tablet', right: 'approve-all', removed: false });
    await lab.remove(lab.tablet.id);
    await lab.settled();
    expect(lab.actions()).toMatchObject([{ state: 'applied', by: { device: lab.tablet.id } }]);
    expect(named(lab)).toMatchObject({ nickname: 'tablet', right: 'approve-all', removed: true });
    const again = await lab.crashed();
    await again.settled();
    expect(named(again)).toMatchObject({ nickname: 'tablet', removed: true });

    const device = (n: number, removed: boolean) =>
      ({ id: deviceId(new Uint8Array(16).fill(n)), nickname: `${n}`, right: 'view', removed }) as const;
    const most = PUBLISH_LIMITS.removedDevicesMax;
    const all = [...Array.from({ length: most + 2 }, (_, n) => device(n, true)), device(200, false)];
    const shown = shownDevices({ devices: () => all });
    expect(shown.map(({ nickname }) => nickname)).toEqual(['200', ...all.slice(2, -1).map((each) => each.nickname)]);
  });

  test('a crash between the new key and the new room opens the room at the next start', async () => {
    const lab = await publishLab();
    await put(await lab.agent(), 'a', 'one');
    await lab.settled();
    lab.world.secrets.push({ gen: 2, secret: new Uint8Array(32).fill(2) });
    lab.world.removed.add(lab.tablet.id);
    lab.world.roster.number += 1;
    const again = await lab.crashed();
    await again.settled();
    expect(again.heads.at(-1)).toMatchObject({ room: '1.2', tile: '1.2' });
    expect([...again.outlet.rooms.keys()].some((name) => name.endsWith('/1.1'))).toBe(false);
    expect(again.actions()).toHaveLength(1);
  });
});

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
