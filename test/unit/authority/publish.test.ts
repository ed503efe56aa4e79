import { describe, expect, test } from 'vitest';
import { PUBLISH_LIMITS } from '../../../src/authority/publish/limits.ts';
import { utf8 } from '../../../src/base/bytes.ts';
import { nodeCrypto } from '../../../src/crypto/node.ts';
import { openHeartbeat } from '../../../src/trust/heartbeat.ts';
import { LAB_HOME_KEY, LAB_PLACE, publishLab } from '../../support/publish-lab.ts';
import { get, put } from '../../support/workshop.ts';

describe('publishing', () => {
  test('tells of what is proposed, approved and applied, with who decided', async () => {
    const lab = await publishLab();
    const port = await lab.agent();
    await put(port, 'a', 'one');
    await put(port, 'b', 'two');
    await lab.settled();
    expect(lab.actions()).toMatchObject([
      { seq: 1, state: 'pending', title: 'Put a', target: 'a', by: null, needs: { ranges: [] } },
      { seq: 2, state: 'pending', title: 'Put b', by: null },
    ]);
    await lab.phone.approve([lab.idOf(1)]);
    await lab.tablet.reject([lab.idOf(2)], 'not b');
    await lab.settled();
    const by = (device: { readonly id: string }) => ({ type: 'device', device: device.id, n: 1 });
    expect(lab.actions()).toMatchObject([
      { seq: 1, state: 'applied', by: by(lab.phone), revertable: { feasible: true }, attempts: 1 },
      { seq: 2, state: 'rejected', by: by(lab.tablet), because: 'person', reason: 'not b', revertable: null },
    ]);
    const kinds = [...lab.records().values()].map(({ type }) => type).toSorted();
    expect(kinds).toEqual(['action', 'action', 'device', 'device', 'kind', 'kind', 'session', 'standing', 'workspace']);
    expect(lab.alarms).toEqual([]);
  });

  test('says what an action needs and was made after seeing, and what could still be reverted', async () => {
    const lab = await publishLab();
    const port = await lab.agent();
    await put(port, 'a', 'one');
    await get(port, 'a');
    await put(port, 'b', 'two');
    await put(port, 'a', 'one more');
    await lab.settled();
    expect(lab.actions().map(({ needs, saw }) => [needs.ranges, saw.ranges])).toEqual([
      [[], []],
      [[], [[1, 1]]],
      [[[1, 1]], []],
    ]);
    await lab.phone.approve([lab.idOf(1), lab.idOf(2), lab.idOf(3)]);
    await lab.settled();
    expect(lab.actions().map(({ state, revertable }) => [state, revertable])).toEqual([
      ['applied', { feasible: true, why: 'It takes back #3 first.' }],
      ['applied', { feasible: true, why: 'The former text is kept.' }],
      ['applied', { feasible: true, why: 'The former text is kept.' }],
    ]);
  });

  test('says of an action that later evidence denied what a person settled', async () => {
    const lab = await publishLab();
    await put(await lab.agent(), 'a', 'one');
    await lab.phone.approve([lab.idOf(1)]);
    await lab.settled();
    expect(lab.actions()).toMatchObject([{ state: 'applied', contradicted: false }]);
    const { journal } = lab.world;
    const record = journal.record('action', lab.idOf(1));
    if (record === undefined) throw new Error('the action is kept');
    const text = new TextDecoder().decode(record.value).replace('"contradicted":false', '"contradicted":true');
    await journal.commit({ rows: [], puts: [{ ...record, value: utf8(text) }], drops: [], blobs: [] });
    const again = await lab.crashed();
    await again.settled();
    expect(again.actions()).toMatchObject([{ state: 'applied', contradicted: true }]);
  });

  test('publishes the first change at the end of the turn, and then once in 25 ms', async () => {
    const lab = await publishLab();
    const port = await lab.agent();
    await lab.settled();
    let updates = 0;
    lab.outlet.onHanded = () => (updates += 1);
    await put(port, 'a', 'one');
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => void setImmediate(resolve));
    expect(lab.actions().map(({ seq }) => seq)).toEqual([1]);
    const first = updates;
    for (const name of ['b', 'c', 'd', 'e']) await put(port, name, 'x');
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => void setImmediate(resolve));
    expect(lab.actions(), 'the others wait for the pause to end').toHaveLength(1);
    lab.world.clock.advance(PUBLISH_LIMITS.coalesceMs);
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => void setImmediate(resolve));
    expect(lab.actions()).toHaveLength(5);
    // One for the ledger, and one for each blob and each entry of the log.
    expect([first, updates - first]).toEqual([3, 9]);
  });

  test('costs nothing while nothing happens, but a heartbeat every 15 s', async () => {
    const lab = await publishLab();
    await put(await lab.agent(), 'a', 'one');
    await lab.settled();
    const { beats } = lab.outlet;
    const before = [beats.length, lab.world.journal.head().seq];
    lab.outlet.onHanded = () => {
      throw new Error('nothing changed');
    };
    for (let n = 0; n < 4; n++) {
      lab.world.clock.advance(PUBLISH_LIMITS.heartbeatMs);
      await new Promise((resolve) => void setImmediate(resolve));
    }
    expect([beats.length, lab.world.journal.head().seq]).toEqual([(before[0] ?? 0) + 4, before[1]]);
    const opened = openHeartbeat(nodeCrypto.verify, LAB_HOME_KEY, LAB_PLACE, beats.at(-1)?.heartbeat ?? NO_TEXT);
    expect(opened).toMatchObject({ ok: true, value: { size: lab.world.journal.head().seq } });
    expect(beats.at(-1)?.room).toBe(`q/${LAB_PLACE.home}/${LAB_PLACE.workspace}/1.1`);
  });

  test('a heartbeat tells of a change soon after it, however many there are', async () => {
    const lab = await publishLab();
    const port = await lab.agent();
    await lab.settled();
    const { beats } = lab.outlet;
    const before = beats.length;
    for (let n = 0; n < 10; n++) await put(port, `note ${n}`, 'x');
    await lab.settled();
    expect(beats.length - before).toBeLessThanOrEqual(2);
    const opened = openHeartbeat(nodeCrypto.verify, LAB_HOME_KEY, LAB_PLACE, beats.at(-1)?.heartbeat ?? NO_TEXT);
    expect(opened).toMatchObject({ ok: true, value: { size: lab.world.journal.head().seq } });
  });

  test('[CP-3] keeps the newest 500 settled actions, and every open one', async () => {
    const lab = await publishLab();
    const port = await lab.agent();
    await put(port, 'first', 'stays open');
    for (let n = 2; n <= 540; n++) await port.call({ tool: 'ask', arguments: { question: `q${n}` }, callId: null });
    await lab.settled();
    expect(lab.actions()).toHaveLength(540);
    const asked = lab.authority
      .queue({ all: false })
      .slice(1)
      .map(({ id }) => id);
    await lab.phone.reject(asked.slice(0, 300));
    await lab.settled();
    await lab.phone.reject(asked.slice(300));
    await lab.settled();
    const seqs = lab.actions().map(({ seq }) => seq);
    expect(seqs).toEqual([1, ...Array.from({ length: 500 }, (_, index) => 41 + index)]);
    const again = await lab.crashed();
    await again.settled();
    expect(again.actions().map(({ seq }) => seq)).toEqual(seqs);
  });

  test('[DC-3] names every hold that stands, as it comes and goes', async () => {
    const lab = await publishLab();
    await put(await lab.agent(), 'a', 'one');
    const holders = (): readonly string[] => lab.actions().flatMap(({ holds }) => holds.map(({ device }) => device));
    for (const device of [lab.phone, lab.tablet]) {
      await device.decide({ kind: 'hold', ids: [lab.idOf(1)] });
      await lab.settled();
    }
    expect(holders().toSorted()).toEqual([lab.phone.id, lab.tablet.id].toSorted());
    const [ofTablet] = lab.actions().flatMap(({ holds }) => holds.filter(({ device }) => device === lab.tablet.id));
    const holdsLifted = ofTablet === undefined ? [] : [ofTablet.hash];
    await lab.phone.decide({ kind: 'retract', ids: [lab.idOf(1)] });
    await lab.settled();
    expect(holders()).toEqual([lab.tablet.id]);
    await lab.phone.decide({ kind: 'release', ids: [lab.idOf(1)], holdsLifted });
    await lab.settled();
    expect([holders(), lab.actions()[0]?.state]).toEqual([[], 'pending']);
  });

  test('shows the sessions that are connected or that made what is shown', async () => {
    const lab = await publishLab();
    const [first, second] = [await lab.agent('one'), await lab.agent('two')];
    await put(first, 'a', 'one');
    await lab.settled();
    const sessions = () =>
      [...lab.records().values()]
        .filter((record) => record.type === 'session')
        .map(({ connected, name }) => [name, connected])
        .toSorted((a, b) => (String(a) < String(b) ? -1 : 1));
    expect(sessions()).toEqual([
      ['one', true],
      ['two', true],
    ]);
    await first.close();
    await second.close();
    await lab.settled();
    expect(sessions()).toEqual([['one', false]]);
    const again = await lab.crashed();
    await again.settled();
    expect([...again.records().values()].filter(({ type }) => type === 'session')).toHaveLength(1);
  });

  test('says at its end that nobody is connected, and beats once more', async () => {
    const lab = await publishLab();
    const port = await lab.agent();
    await put(port, 'a', 'one');
    await lab.settled();
    await lab.authority.stop();
    const session = [...lab.records().values()].find((record) => record.type === 'session');
    expect(session).toMatchObject({ connected: false });
    const opened = openHeartbeat(
      nodeCrypto.verify,
      LAB_HOME_KEY,
      LAB_PLACE,
      lab.outlet.beats.at(-1)?.heartbeat ?? NO_TEXT,
    );
    const kinds = lab.rows.map(({ kind }) => kind);
    expect([kinds.at(-1), opened.ok && opened.value.size]).toEqual(['stopped', kinds.length]);
  });

  test('a text that is longer than a record may be is cut, and nothing is left out', async () => {
    const lab = await publishLab();
    const port = await lab.agent();
    await put(port, 'a', 'one');
    await put(port, `b ${'\u{1F600}'.repeat(300)}`, 'two');
    await lab.phone.reject([lab.idOf(1), lab.idOf(2)], '\u{1F600} '.repeat(1_500));
    await lab.settled();
    for (const action of lab.actions()) {
      expect(action.reason).toMatch(/^\u{1F600} .*…$/u);
      expect(new TextEncoder().encode(action.reason ?? '').length).toBeLessThanOrEqual(1_024);
    }
    expect(lab.alarms).toEqual([]);
  });
});

const NO_TEXT = { payload: '', signature: '' };
