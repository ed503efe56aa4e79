import { describe, expect, test } from 'vitest';
import { CountersignError } from '../../src/base/errors.ts';
import { HomeLink, LINK_LIMITS } from '../../src/cli/home/home-link.ts';
import { FakeClock, seededRandom } from '../../src/testing/index.ts';
import { fakeRelayClient } from '../support/home-relay-client.ts';

const ONLINE = { state: 'online', synced: true } as const;
const head = (n: number) => ({ payload: `head ${n}`, signature: 'f'.repeat(128) });

function lab() {
  const client = fakeRelayClient();
  const clock = new FakeClock();
  const damaged: string[] = [];
  const log: string[] = [];
  let forgotten = 0;
  const link = new HomeLink({
    client,
    clock,
    random: seededRandom(1),
    onDamaged: (room, why) => damaged.push(`${room}: ${why}`),
    onForgotten: () => {
      forgotten += 1;
    },
    log: (line) => log.push(line),
  });
  return { client, clock, damaged, link, log, forgotten: () => forgotten };
}

/** Lets what was promised happen. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

describe('what authorities publish', () => {
  test('goes to the room it is for, until the room is closed', () => {
    const { client, damaged, link } = lab();
    link.open('q/1', Uint8Array.of(1));
    link.update('q/1', Uint8Array.of(2));
    link.beat('q/1', head(7));
    const first = client.published.get('q/1');
    expect([first?.updates.length, first?.presented]).toEqual([2, [{ heartbeat: head(7) }]]);
    first?.damage('something foreign');
    expect(damaged).toEqual(['q/1: something foreign']);
    link.close('q/1');
    link.update('q/1', Uint8Array.of(3));
    expect([first?.closed, first?.updates.length]).toEqual([true, 2]);
  });

  test('is opened anew as it is stored, in the place of what was open', () => {
    const { client, link } = lab();
    link.open('q/1', Uint8Array.of(1));
    const first = client.published.get('q/1');
    link.open('q/1', Uint8Array.of(9));
    expect([first?.closed, client.published.get('q/1')?.updates]).toEqual([true, [Uint8Array.of(9)]]);
  });

  test('what cannot be delivered now is delivered later; what is gone is said', async () => {
    const { client, clock, link, log } = lab();
    client.failure = new CountersignError('closed', 'The relay is not there.');
    link.put('b/w/1', () => Uint8Array.of(1));
    link.put('b/w/2', () => {
      throw new CountersignError('not-found', 'The bytes are gone.');
    });
    await settle();
    expect([client.objects.stored.size, log]).toEqual([0, ['The relay did not take b/w/2: The bytes are gone.']]);
    client.failure = undefined;
    clock.advance(60_000);
    await settle();
    expect([...client.objects.stored.keys()]).toEqual(['b/w/1']);
  });

  test('[F4] what there was no room for while a relay was away is put again, and not without end', async () => {
    const { client, clock, forgotten, link, log } = lab();
    const overflow = async (from: number): Promise<void> => {
      client.failure = new CountersignError('closed', 'The relay is not there.');
      for (let n = from; n < from + 10_006; n += 1) link.put(`b/w/${n}`, () => Uint8Array.of(1));
      await settle();
      client.failure = undefined;
      clock.advance(60_000);
      for (let turn = 0; turn < 2_000; turn += 1) await settle();
    };
    await overflow(0);
    expect([forgotten(), log.length]).toEqual([1, 1]);
    await overflow(20_000);
    expect(forgotten(), 'once in a while').toBe(1);
    clock.advance(LINK_LIMITS.lostAgainMs);
    await overflow(40_000);
    expect(forgotten()).toBe(2);
  });
});

describe('the head', () => {
  test('of several that are new at once only the newest has to arrive', async () => {
    const { client, link } = lab();
    for (let n = 1; n <= 5; n += 1) link.head(head(n));
    await settle();
    expect(client.heads.at(-1)).toEqual(head(5));
    expect(client.heads.length).toBeLessThanOrEqual(2);
  });

  test('[CP-3] that does not arrive is tried again, with growing pauses, and the trouble is said once', async () => {
    const { client, clock, link, log } = lab();
    client.failure = new CountersignError('closed', 'The relay is not there.');
    link.head(head(1));
    for (let tries = 0; tries < 5; tries += 1) {
      await settle();
      clock.advance(LINK_LIMITS.headAgainMsMax);
    }
    expect([client.heads, log]).toEqual([[], ['The relay cannot be used now: The relay is not there.']]);
    await settle();
    expect(link.status()).toEqual({ connected: false, trouble: 'The relay is not there.' });
    client.failure = undefined;
    clock.advance(LINK_LIMITS.headAgainMsMax);
    await settle();
    expect(client.heads).toEqual([head(1)]);
    expect(link.status()).toEqual({ connected: true, trouble: null });
  });

  test('that the relay has a newer one of is not tried again, and a person is told', async () => {
    const { client, clock, link, log } = lab();
    client.failure = new CountersignError('stale', 'Number 9 is there.');
    link.head(head(1));
    await settle();
    client.failure = undefined;
    clock.advance(LINK_LIMITS.headAgainMsMax);
    await settle();
    expect([client.heads, log]).toEqual([
      [],
      ['The relay has seen a newer head of this home than this one. Number 9 is there.'],
    ]);
  });

  test('[F4] a relay that forgot everything gets the head again, and the home hears of it', async () => {
    const { client, forgotten, link } = lab();
    link.open('q/1', Uint8Array.of(1));
    link.head(head(1));
    await settle();
    client.published.get('q/1')?.move(ONLINE);
    await settle();
    expect([forgotten(), client.heads.at(-1)]).toEqual([0, head(1)]);
    client.published.get('q/1')?.move({ state: 'connecting' });
    client.wipe();
    const before = client.heads.length;
    client.published.get('q/1')?.move(ONLINE);
    await settle();
    expect([forgotten(), client.heads.slice(before)]).toEqual([1, [head(1)]]);
  });
});

describe('a home that ends', () => {
  test('waits until the relay has what was published', async () => {
    const { client, link } = lab();
    link.open('q/1', Uint8Array.of(1));
    client.published.get('q/1')?.move(ONLINE);
    await link.end();
    expect(client.published.get('q/1')?.closed).toBe(true);
  });

  test('[DC-5] and the newest head', async () => {
    const { client, link } = lab();
    link.head(head(1));
    await settle();
    const put = client.head.put.bind(client.head);
    Object.assign(client.head, { put: (signed: (typeof client.heads)[0]) => settle().then(() => put(signed)) });
    link.head(head(2));
    link.head(head(3));
    await link.end();
    expect(client.heads.at(-1)).toEqual(head(3));
  });

  test('[CP-3] and no longer than a moment for a relay that does not answer', async () => {
    const { client, clock, link } = lab();
    link.open('q/1', Uint8Array.of(1));
    const publication = client.published.get('q/1');
    publication?.hold();
    publication?.move(ONLINE);
    const ended = link.end();
    await settle();
    expect(publication?.closed).toBe(false);
    clock.advance(LINK_LIMITS.lastWordsMsMax);
    await ended;
    expect(client.published.get('q/1')?.closed).toBe(true);
  });

  test('and not at all for one that is not reached', async () => {
    const { client, link } = lab();
    link.open('q/1', Uint8Array.of(1));
    client.published.get('q/1')?.hold();
    await link.end();
    expect(client.published.get('q/1')?.closed).toBe(true);
  });
});
