import * as Y from 'yjs';
import { describe, expect, test } from 'vitest';
import { CLOSE_CODES, type CloseReason } from '../../src/sync/close-codes.ts';
import type { RoomLink } from '../../src/sync/contract.ts';
import { LINK_LIMITS } from '../../src/sync/link-limits.ts';
import { planAttempt, sentenceOf, type Endings, type EndReason } from '../../src/sync/next-attempt.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { Liveness } from '../../src/sync/liveness.ts';
import { seededRandom } from '../../src/testing/seeded-random.ts';
import { deviceIdentity, headOf, historyOf, LEDGER, signedHead, SyncLab, wordOf } from '../support/sync-lab.ts';
import { headFrame } from '../support/sync-relay.ts';

const HOUR_MS = 3_600_000;
// reason: the keys of the table are its reasons
const REASONS = Object.keys(CLOSE_CODES) as CloseReason[];

function reader(lab: SyncLab, doc = new Y.Doc()): RoomLink {
  return lab.client.join({ room: LEDGER, doc, role: 'reader' });
}

describe('the plan after an ending', () => {
  const pauses = (reason: EndReason, times: number, tireless = false): (number | string)[] => {
    let endings: Endings = {};
    const random = { bytes: () => new Uint8Array(8).fill(255) };
    return Array.from({ length: times }, () => {
      const next = planAttempt(endings, reason, { tireless, random });
      endings = next.endings;
      return next.plan.next === 'stop' ? 'stop' : `${next.plan.next} ${next.plan.pauseMs}`;
    });
  };

  test.each([
    ['unreachable', ['connect 300', 'connect 600', 'connect 1200', 'connect 2400', 'connect 4800', 'connect 9600']],
    ['unauthenticated', ['connect 0', 'connect 1000', 'connect 2000', 'connect 4000']],
    ['gone', ['ask-head 0', 'ask-head 1000', 'ask-head 2000']],
    ['slow', ['connect 1000', 'connect 2000', 'connect 4000']],
    ['too-fast', ['connect 1000', 'connect 2000', 'connect 4000']],
    ['full', ['connect 1000', 'connect 2000', 'connect 4000']],
    ['garbled', ['connect 1000', 'connect 2000', 'connect 4000']],
    ['forbidden', ['stop', 'stop']],
    ['replaced', ['stop']],
    ['too-large', ['stop']],
    ['malformed', ['stop']],
  ] as const)('%s', (reason, wanted) => {
    expect(pauses(reason, wanted.length)).toEqual(wanted);
  });

  test('grows no further than its longest pause, and never to nothing', () => {
    expect(pauses('unreachable', 60).at(-1)).toBe('connect 15000');
    expect(pauses('unauthenticated', 2000).at(-1)).toBe('connect 60000');
    const low = planAttempt({}, 'unreachable', { tireless: false, random: { bytes: () => new Uint8Array(8) } });
    expect(low.plan).toEqual({ next: 'connect', pauseMs: 150 });
  });

  test('of the home has no stop in it', () => {
    for (const reason of [...REASONS, 'unreachable', 'garbled'] as const)
      expect(pauses(reason, 5, true)).not.toContain('stop');
  });

  test('differs between two devices', () => {
    const plan = (seed: number) =>
      planAttempt({ unreachable: 9 }, 'unreachable', { tireless: false, random: seededRandom(seed) }).plan;
    expect(plan(1)).not.toEqual(plan(2));
  });

  test('has a sentence for a person', () => {
    for (const reason of [...REASONS, 'unreachable', 'garbled'] as const)
      expect(sentenceOf(reason)).toMatch(/^[A-Z][^.]*(?:[.;] ?[^.]+)*\.$/);
  });
});

describe('connection attempts in an hour', () => {
  test.each(REASONS)('of a relay that always closes with %s', async (reason) => {
    const lab = new SyncLab();
    lab.relay.head = signedHead(headOf(1));
    lab.relay.greet = (far) => far.close(CLOSE_CODES[reason].code);
    reader(lab);
    await lab.pass(HOUR_MS, 1000);
    const { next } = CLOSE_CODES[reason];
    // Of those that stop one more: the first head that is asked for is news.
    expect(lab.relay.network.attempts).toBeLessThanOrEqual(next === 'stop' ? 2 : 140);
    expect(lab.relay.requests.length).toBeLessThan(600);
  });

  test('of a relay that nobody can reach', async () => {
    const lab = new SyncLab();
    lab.relay.answer = () => 'unreachable';
    const link = reader(lab);
    await lab.pass(HOUR_MS);
    expect(lab.relay.requests.length).toBeGreaterThan(200);
    expect(lab.relay.requests.length).toBeLessThan(600);
    expect(link.state()).toMatchObject({ state: 'waiting', reason: 'unreachable' });
  });

  test('of a relay that lets in, exchanges everything, and closes: what was short does not count as a success', async () => {
    const lab = new SyncLab();
    reader(lab);
    for (let at = 0; at < 3600; at++) {
      if (lab.relay.guests.size > 0) lab.relay.restart(CLOSE_CODES.unauthenticated.code);
      await lab.pass(1000, 1000);
    }
    expect(lab.relay.network.attempts).toBeLessThan(140);
  });

  test('of sockets that never open', async () => {
    const lab = new SyncLab();
    lab.relay.network.reachable = 'silent';
    const link = reader(lab);
    const history = historyOf(link);
    await lab.pass(HOUR_MS, 1000);
    expect(lab.relay.network.attempts).toBeLessThan(250);
    expect(history).toContain('waiting unreachable');
  });
});

describe('a link', () => {
  test('whose proof is refused asks once more at once', async () => {
    const lab = new SyncLab();
    let refusals = 1;
    const serve = lab.relay.greet;
    lab.relay.greet = (far) => {
      far.close(CLOSE_CODES.unauthenticated.code);
      if (--refusals === 0) lab.relay.greet = serve;
    };
    const link = reader(lab);
    await lab.settle();
    expect(wordOf(link.state())).toBe('synced');
  });

  test('that is told the document is elsewhere asks the head, and leaves when it names another room', async () => {
    const lab = new SyncLab();
    lab.relay.head = signedHead(headOf(2, '1.2'));
    lab.relay.greet = (far) => far.close(CLOSE_CODES.gone.code);
    const link = reader(lab);
    const heads: number[] = [];
    lab.client.head.subscribe(({ head }) => heads.push(head.number));
    await lab.settle();
    expect(link.state()).toEqual({
      state: 'gone',
      sentence: 'The document lives elsewhere now; the head says where.',
    });
    expect(heads).toEqual([2]);
    await lab.pass(60_000, 5000);
    expect(lab.relay.network.attempts).toBe(1);
  });

  test('that misses too much for a socket fetches the snapshot, and connects again', async () => {
    const lab = new SyncLab();
    const author = lab.relay.room(LEDGER);
    author.getArray('records').push([new Uint8Array(8)]);
    lab.relay.head = signedHead(headOf(1));
    const doc = new Y.Doc();
    const link = reader(lab, doc);
    await lab.settle();
    lab.relay.network.reachable = false;
    lab.relay.restart();
    await lab.settle();
    for (let at = 0; at < 10; at++) author.getArray('records').push([new Uint8Array(8).fill(at)]);
    lab.relay.network.reachable = true;
    lab.relay.greet = (far) => {
      far.close(CLOSE_CODES.gone.code);
      lab.relay.greet = undefined;
    };
    await lab.pass(2000);
    expect(wordOf(link.state())).toBe('synced');
    expect(doc.getArray('records').length).toBe(11);
    expect(lab.relay.requests.filter((each) => each.endsWith('/snapshot'))).toHaveLength(2);
  });

  test('that stopped begins again with a newer head', async () => {
    const lab = new SyncLab();
    lab.relay.greet = (far) => far.close(CLOSE_CODES.forbidden.code);
    const link = reader(lab);
    await lab.pass(30_000, 1000);
    expect(link.state()).toEqual({
      state: 'stopped',
      reason: 'forbidden',
      sentence: 'This device may not do that in this room.',
    });
    lab.relay.greet = undefined;
    lab.relay.head = signedHead(headOf(5));
    // While no socket would bring it, the head is asked for once a minute.
    await lab.pass(60_000, 1000);
    expect(wordOf(link.state())).toBe('synced');
  });

  test('that pauses, connects at once when it is asked to', async () => {
    const lab = new SyncLab();
    lab.relay.network.reachable = false;
    const link = reader(lab);
    await lab.pass(60_000, 1000);
    expect(link.state().state).toBe('waiting');
    lab.relay.network.reachable = true;
    link.reconnect();
    await lab.settle();
    expect(wordOf(link.state())).toBe('synced');
  });

  test('over which nothing comes is ended, one over which our presence comes back is not', async () => {
    const lab = new SyncLab();
    const link = reader(lab);
    await lab.pass(600_000, 5000);
    expect(lab.relay.network.attempts).toBe(1);
    for (const guest of lab.relay.guests) guest.far.onFrame = () => undefined;
    await lab.pass((LINK_LIMITS.missesMax + 1) * LINK_LIMITS.renewMs + 1000, 1000);
    expect(lab.relay.network.attempts).toBe(2);
    expect(wordOf(link.state())).toBe('synced');
  });

  test('of a machine that slept asks once, and is over within seconds', () => {
    const clock = new FakeClock();
    let sleptMs = 0;
    let dead = 0;
    let asked = 0;
    const liveness = new Liveness({
      clock: {
        nowMs: () => clock.nowMs() + sleptMs,
        monotonicMs: () => clock.monotonicMs(),
        after: (ms, run) => clock.after(ms, run),
        soon: (run) => run(),
      },
      ask: () => void asked++,
      onDead: () => void dead++,
    });
    liveness.start();
    clock.advance(LINK_LIMITS.renewMs - 1);
    sleptMs = HOUR_MS;
    clock.advance(1);
    expect([asked, dead]).toEqual([1, 0]);
    clock.advance(LINK_LIMITS.wakeMs);
    expect([asked, dead]).toEqual([1, 1]);
  });

  test('of a page in the background, whose timers come once a minute, is not over', () => {
    const clock = new FakeClock();
    let dead = 0;
    const liveness: Liveness = new Liveness({
      clock: {
        nowMs: () => clock.nowMs(),
        monotonicMs: () => clock.monotonicMs(),
        after: (ms, run) => clock.after(Math.max(ms, 60_000), run),
        soon: (run) => run(),
      },
      ask: () => liveness.heard(),
      onDead: () => void dead++,
    });
    liveness.start();
    clock.advance(HOUR_MS);
    expect(dead).toBe(0);
  });

  test('leaves no trace once it is closed, whatever it was doing', async () => {
    for (const prepare of [
      (lab: SyncLab) => void (lab.relay.network.reachable = false),
      (lab: SyncLab) => void (lab.relay.answer = () => 'unreachable'),
      (lab: SyncLab) => void (lab.relay.network.reachable = 'silent'),
      () => undefined,
    ]) {
      const lab = new SyncLab();
      prepare(lab);
      const doc = new Y.Doc();
      const link = reader(lab, doc);
      const history = historyOf(link);
      await lab.pass(1500);
      lab.client.close();
      lab.relay.network.reachable = true;
      const seen = lab.relay.requests.length + lab.relay.network.attempts;
      await lab.pass(120_000, 5000);
      expect(lab.relay.requests.length + lab.relay.network.attempts).toBe(seen);
      expect(history.at(-1)).toBe('closed');
      expect(lab.faults).toEqual([]);
    }
  });

  test('that is closed while its key signs opens no socket', async () => {
    let sign = (): void => undefined;
    const identity = {
      ...deviceIdentity,
      sign: () =>
        new Promise<Uint8Array>((resolve) => {
          sign = () => resolve(new Uint8Array(64));
        }),
    };
    const lab = new SyncLab({ identity });
    const link = lab.client.join({ room: LEDGER, doc: new Y.Doc(), role: 'writer' });
    await lab.settle();
    link.close();
    sign();
    await lab.settle();
    expect(lab.relay.network.attempts).toBe(0);
  });

  test('that opens a socket while being closed closes it again', async () => {
    const lab = new SyncLab();
    const link = reader(lab);
    link.subscribe((state) => {
      if (state.state === 'online') link.close();
    });
    await lab.settle();
    expect(link.state().state).toBe('closed');
    expect(lab.relay.guests.size).toBe(0);
    expect(lab.faults).toEqual([]);
  });
});

describe('the head', () => {
  test('comes over a socket, newest only', async () => {
    const lab = new SyncLab();
    reader(lab);
    const heads: number[] = [];
    lab.client.head.subscribe(({ head }) => heads.push(head.number));
    await lab.settle();
    for (const guest of lab.relay.guests)
      for (const number of [3, 3, 2, 4]) guest.far.send(headFrame(signedHead(headOf(number))));
    await lab.settle();
    expect(heads).toEqual([3, 4]);
    expect(lab.client.head.newest()?.head.number).toBe(4);
  });
});
