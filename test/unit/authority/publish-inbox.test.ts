import * as Y from 'yjs';
import { describe, expect, test } from 'vitest';
import { AUTHORITY_LIMITS } from '../../../src/authority/options.ts';
import { PUBLISH_LIMITS } from '../../../src/authority/publish/limits.ts';
import { CountersignError } from '../../../src/base/errors.ts';
import type { LocalDevice } from '../../../src/authority/local-device.ts';
import { nodeCrypto } from '../../../src/crypto/node.ts';
import { InboxAuthor, InboxReader } from '../../../src/doc/inbox.ts';
import { keyRing } from '../../../src/doc/keys.ts';
import type { SignedText } from '../../../src/model/signed-text.ts';
import { memoryJournal, seededRandom } from '../../../src/testing/index.ts';
import { openReceipt, type Receipt } from '../../../src/trust/receipt.ts';
import { overJournal } from '../../support/over-journal.ts';
import { LAB_HOME_KEY, LAB_PLACE, publishLab, type PublishLab } from '../../support/publish-lab.ts';
import { put } from '../../support/workshop.ts';

const { home, workspace } = LAB_PLACE;

/** A device's inbox as it lies at the relay: written here, read by the home. */
function inboxOf(lab: PublishLab, device: LocalDevice) {
  const doc = new Y.Doc();
  const name = `d/${home}/${device.id}`;
  const author = new InboxAuthor(doc, { seal: nodeCrypto.seal, random: seededRandom(4), name });
  const reader = new InboxReader(doc, { seal: nodeCrypto.seal, name });
  const keys = () => {
    const [first, ...rest] = lab.world.secrets;
    if (first === undefined) throw new Error('a workspace has a key');
    return keyRing(nodeCrypto.hmac, [first, ...rest]);
  };
  return {
    doc,
    reader,
    put: (n: number, signed: SignedText) => author.put(keys(), { workspace, n }, signed),
    prune: (through: number) => author.prune(workspace, through),
  };
}

function receiptsOf(lab: PublishLab): readonly Receipt[] {
  return [...lab.records().values()].flatMap((record) => {
    if (record.type !== 'receipt' || !('payload' in record.receipt)) return [];
    const opened = openReceipt(nodeCrypto.verify, LAB_HOME_KEY, LAB_PLACE, record.receipt);
    if (!opened.ok) throw new Error(opened.error);
    return [opened.value];
  });
}

async function withFour(kept: Parameters<typeof publishLab>[0] = {}): Promise<PublishLab> {
  const lab = await publishLab(kept);
  const port = await lab.agent();
  for (const name of ['a', 'b', 'c', 'd']) await put(port, name, 'x');
  await lab.settled();
  return lab;
}

describe('an inbox', () => {
  test('[DC-6] each decision is taken once, in the order of the numbers, and its receipt stands until it is pruned', async () => {
    const lab = await withFour();
    const inbox = inboxOf(lab, lab.phone);
    const signed = [
      lab.phone.signed({ kind: 'hold', ids: [lab.idOf(1)] }),
      lab.phone.signed({ kind: 'retract', ids: [lab.idOf(1)] }),
      lab.phone.signed({ kind: 'approve', ids: [lab.idOf(1)], body: { mode: 'rest' } }),
    ];
    signed.toReversed().forEach((one, index) => inbox.put(3 - index, one));
    await Promise.all([
      lab.authority.takeInbox(lab.phone.id, inbox.reader),
      lab.authority.takeInbox(lab.phone.id, inbox.reader),
    ]);
    await lab.settled();
    expect(lab.actions()[0]?.state).toBe('approved');
    const taken = lab.rows.filter(({ kind }) => kind === 'decision-taken');
    expect(taken).toHaveLength(3);
    expect(receiptsOf(lab).map(({ n, refused }) => [n, refused])).toEqual([
      [1, null],
      [2, null],
      [3, null],
    ]);
    inbox.prune(2);
    await lab.authority.takeInbox(lab.phone.id, inbox.reader);
    await lab.settled();
    expect(receiptsOf(lab).map(({ n }) => n)).toEqual([3]);
    expect(lab.rows.filter(({ kind }) => kind.startsWith('decision-'))).toHaveLength(3);
  });

  test('[DC-3] a no in one inbox waits for nothing that a decision in another one asked for', async () => {
    const lab = await withFour();
    lab.world.shelf.hooks.before = () => new Promise(() => undefined);
    const [slow, quick] = [inboxOf(lab, lab.tablet), inboxOf(lab, lab.phone)];
    slow.put(1, lab.tablet.signed({ kind: 'reissue', ids: [lab.idOf(1)], body: { mode: 'theirs' } }));
    slow.put(2, lab.tablet.signed({ kind: 'edit', ids: [lab.idOf(2)], body: { arguments: { name: 'b', text: 'y' } } }));
    quick.put(1, lab.phone.signed({ kind: 'reject', ids: [lab.idOf(3)] }));
    void lab.authority.takeInbox(lab.tablet.id, slow.reader);
    void lab.authority.takeInbox(lab.phone.id, quick.reader);
    await lab.settled();
    expect(lab.actions()[2]?.state).toBe('rejected');
    expect(receiptsOf(lab)).toHaveLength(3);
  });

  test('[DC-6] what was taken before a crash is answered with the same receipt, in an old room and in a new one', async () => {
    const lab = await withFour();
    const inbox = inboxOf(lab, lab.phone);
    inbox.put(1, lab.phone.signed({ kind: 'reject', ids: [lab.idOf(1)] }));
    await lab.authority.takeInbox(lab.phone.id, inbox.reader);
    await lab.settled();
    const before = receiptsOf(lab);
    for (const changed of [{}, { fence: 2 }]) {
      const again = await lab.crashed(changed);
      await again.settled();
      await again.authority.takeInbox(lab.phone.id, inbox.reader);
      await again.settled();
      expect(receiptsOf(again)).toEqual(before);
      expect(again.rows.filter(({ kind }) => kind === 'decision-taken')).toHaveLength(1);
    }
  });

  test('[DC-6] a refusal that was told stands, though the inbox has not arrived again after a restart', async () => {
    const lab = await withFour();
    const inbox = inboxOf(lab, lab.phone);
    lab.world.rights.set(lab.phone.id, 'view');
    inbox.put(1, lab.phone.signed({ kind: 'reject', ids: [lab.idOf(1)] }));
    await lab.authority.takeInbox(lab.phone.id, inbox.reader);
    await lab.settled();
    const told = receiptsOf(lab);
    expect(told.map(({ refused }) => refused)).toEqual([expect.stringContaining('reject-only')]);

    const again = await lab.crashed();
    again.world.rights.set(again.phone.id, 'approve-all');
    await again.authority.takeInbox(again.phone.id, inboxOf(again, again.phone).reader);
    await again.settled();
    await again.authority.takeInbox(again.phone.id, inbox.reader);
    await again.settled();
    expect(receiptsOf(again)).toEqual(told);
    expect(again.actions()[0]?.state).toBe('pending');
    inbox.prune(1);
    await again.authority.takeInbox(again.phone.id, inbox.reader);
    await again.settled();
    expect(receiptsOf(again)).toEqual([]);
  });

  test('[DC-7] what is no decision of this device is counted once, not answered, and stands in nobody’s way', async () => {
    const lab = await withFour();
    const inbox = inboxOf(lab, lab.phone);
    const [foreign, own] = [
      lab.tablet.signed({ kind: 'reject', ids: [lab.idOf(2)] }),
      lab.phone.signed({ kind: 'reject', ids: [lab.idOf(3)] }),
    ];
    inbox.put(1, { ...own, signature: '0'.repeat(128) });
    inbox.put(2, foreign);
    inbox.doc.getMap('decisions').set(`${workspace}:3`, Uint8Array.of(1, 1, 2, 3));
    inbox.doc.getMap('decisions').set(`${workspace}:4`, 'no bytes');
    inbox.doc.getMap('decisions').set('__proto__', Uint8Array.of(1));
    const next = lab.phone.signed({ kind: 'reject', ids: [lab.idOf(4)] });
    inbox.put(5, next);
    for (let n = 0; n < 3; n++) await lab.authority.takeInbox(lab.phone.id, inbox.reader);
    await put(await lab.agent(), 'e', 'x');
    await lab.settled();
    expect(lab.actions().map(({ state }) => state)).toEqual(['pending', 'pending', 'pending', 'pending', 'pending']);
    expect(receiptsOf(lab), 'nobody is answered whose word it is not').toEqual([]);
    const counted = lab.rows.filter(({ kind }) => kind === 'decision-refused');
    expect(counted.length, 'a bad signature, a foreign one, a damaged one, no bytes, under another number').toBe(5);

    const right = inboxOf(lab, lab.phone);
    right.put(2, next);
    await lab.authority.takeInbox(lab.phone.id, right.reader);
    await lab.settled();
    expect(lab.actions()[3]?.state).toBe('rejected');
  });

  test('[T9] nobody makes the home refuse a decision of somebody else by sending it with another signature', async () => {
    const lab = await withFour();
    const real = lab.phone.signed({ kind: 'reject', ids: [lab.idOf(1)] });
    const forged = inboxOf(lab, lab.phone);
    forged.put(1, { ...real, signature: real.signature.replace(/^../, (two) => (two === '00' ? '11' : '00')) });
    await lab.authority.takeInbox(lab.phone.id, forged.reader);
    await lab.settled();
    expect(receiptsOf(lab), 'its hash is that of the true one: the phone would take it for the answer').toEqual([]);

    const own = inboxOf(lab, lab.phone);
    own.put(1, real);
    await lab.authority.takeInbox(lab.phone.id, own.reader);
    await lab.settled();
    expect(receiptsOf(lab)).toMatchObject([{ n: 1, refused: null }]);
    expect(lab.actions()[0]?.state).toBe('rejected');
  });

  test('[T18] a full inbox is taken whole, and no more of its receipts stand in the ledger than a bound', async () => {
    const lab = await withFour();
    const inbox = inboxOf(lab, lab.phone);
    const count = PUBLISH_LIMITS.receiptsPerDeviceMax + 40;
    for (let n = 1; n <= count; n++)
      inbox.put(n, lab.phone.signed({ kind: n % 2 === 1 ? 'hold' : 'retract', ids: [lab.idOf(1)] }));
    await lab.authority.takeInbox(lab.phone.id, inbox.reader);
    await lab.settled();
    expect(lab.rows.filter(({ kind }) => kind === 'decision-taken')).toHaveLength(count);
    const numbers = receiptsOf(lab).map(({ n }) => n);
    expect([numbers.length, Math.max(...numbers)], 'the oldest').toEqual([
      PUBLISH_LIMITS.receiptsPerDeviceMax,
      PUBLISH_LIMITS.receiptsPerDeviceMax,
    ]);

    inbox.prune(100);
    await lab.authority.takeInbox(lab.phone.id, inbox.reader);
    await lab.settled();
    expect(
      receiptsOf(lab)
        .map(({ n }) => n)
        .toSorted((a, b) => a - b),
    ).toEqual(Array.from({ length: count - 100 }, (_, index) => 101 + index));
    expect(lab.rows.filter(({ kind }) => kind === 'decision-taken')).toHaveLength(count);
  });

  test('[DC-8] nothing is answered to a device that was removed: its receipts leave the ledger', async () => {
    const lab = await withFour();
    const inbox = inboxOf(lab, lab.phone);
    inbox.put(1, lab.phone.signed({ kind: 'reject', ids: [lab.idOf(1)] }));
    await lab.authority.takeInbox(lab.phone.id, inbox.reader);
    await lab.settled();
    expect(receiptsOf(lab)).toHaveLength(1);
    await lab.remove(lab.phone.id);
    lab.world.clock.advance(60_000);
    await lab.settled();
    expect(receiptsOf(lab)).toEqual([]);
    expect(lab.actions()[0]?.state, 'its reject stays').toBe('rejected');
  });

  test('[DC-7] a device that may only read is answered, and writes nothing into the log but a bounded count', async () => {
    const lab = await withFour();
    lab.world.rights.set(lab.phone.id, 'view');
    const inbox = inboxOf(lab, lab.phone);
    for (let n = 1; n <= 100; n++) inbox.put(n, lab.phone.signed({ kind: 'reject', ids: [lab.idOf(1)] }));
    await lab.authority.takeInbox(lab.phone.id, inbox.reader);
    await lab.settled();
    expect(lab.actions()[0]?.state).toBe('pending');
    expect(lab.rows.filter(({ kind }) => kind === 'decision-taken')).toEqual([]);
    const counted = lab.rows.filter(({ kind }) => kind === 'decision-refused').length;
    expect(counted).toBeLessThanOrEqual(AUTHORITY_LIMITS.refusalsPerMinute);
    expect(receiptsOf(lab)).toHaveLength(100);
    expect(receiptsOf(lab)[0]?.refused).toMatch(/right/);
  });

  test('[DC-2] another decision under a number that was answered freezes the device', async () => {
    const lab = await withFour();
    const inbox = inboxOf(lab, lab.phone);
    inbox.put(1, lab.phone.signed({ kind: 'hold', ids: [lab.idOf(1)] }));
    await lab.authority.takeInbox(lab.phone.id, inbox.reader);
    const twin = await lab.crashed();
    const copy = inboxOf(twin, twin.phone);
    const said = JSON.parse(lab.phone.signed({ kind: 'reject', ids: [lab.idOf(2)] }).payload);
    expect(said.n).toBe(2);
    const other = (await publishLab({ journal: memoryJournal() })).phone.signed({ kind: 'pause', ids: [] });
    copy.put(1, other);
    await twin.authority.takeInbox(twin.phone.id, copy.reader);
    expect(twin.alarms.join(' ')).toMatch(/two different decisions/);
  });

  test('[F2] what a full disk turned away is taken when there is space', async () => {
    let full = false;
    const journal = overJournal(memoryJournal(), (batch, store) =>
      full ? Promise.reject(new CountersignError('full', 'The disk is full.')) : store(batch),
    );
    const lab = await withFour({ journal });
    const inbox = inboxOf(lab, lab.phone);
    inbox.put(1, lab.phone.signed({ kind: 'reject', ids: [lab.idOf(1)] }));
    full = true;
    await lab.authority.takeInbox(lab.phone.id, inbox.reader);
    full = false;
    await put(await lab.agent(), 'e', 'x');
    lab.world.clock.advance(10_000);
    await lab.settled();
    expect(lab.actions()[0]?.state).toBe('rejected');
    expect(receiptsOf(lab)).toHaveLength(1);
  });

  test('a long receipt is a blob that the record names', async () => {
    const lab = await publishLab();
    const port = await lab.agent();
    for (let n = 0; n < 120; n++) await port.call({ tool: 'ask', arguments: { question: `q${n}` }, callId: null });
    const ids = lab.authority.queue({ all: false }).map(({ id }) => id);
    const inbox = inboxOf(lab, lab.phone);
    inbox.put(1, lab.phone.signed({ kind: 'reject', ids }));
    await lab.authority.takeInbox(lab.phone.id, inbox.reader);
    await lab.settled();
    const record = [...lab.records().values()].find(({ type }) => type === 'receipt');
    expect(record).toMatchObject({ n: 1, receipt: { $blob: expect.any(String) } });
    const again = await lab.crashed();
    await again.settled();
    expect(again.records().has(`${lab.phone.id}/1`), 'it stands until its inbox was looked at').toBe(true);
    await again.authority.takeInbox(lab.phone.id, inbox.reader);
    await again.settled();
    expect(again.rows.filter(({ kind }) => kind === 'decision-taken')).toHaveLength(1);
    expect(again.records().has(`${lab.phone.id}/1`)).toBe(true);
  });
});
