import { describe, expect, test } from 'vitest';
import { CountersignError } from '../../src/base/errors.ts';
import { openDelivery, type Delivery } from '../../src/sync/delivery.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { seededRandom } from '../../src/testing/seeded-random.ts';

interface Put {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly done: () => void;
  readonly fail: (thrown: unknown) => void;
}

/** A queue whose puts end when the test says so. */
function lab(limits?: { waitingMax: number; atOnceMax: number }): {
  delivery: Delivery;
  clock: FakeClock;
  underWay: Put[];
  refused: string[];
  lost: number[];
  started: string[];
} {
  const clock = new FakeClock();
  const underWay: Put[] = [];
  const refused: string[] = [];
  const lost: number[] = [];
  const started: string[] = [];
  const delivery = openDelivery({
    put: (path, bytes) =>
      new Promise<void>((resolve, reject) => {
        const remove = (): void => void underWay.splice(underWay.indexOf(put), 1);
        const put: Put = {
          path,
          bytes,
          done: () => (remove(), resolve()),
          fail: (thrown) => (remove(), reject(thrown)),
        };
        underWay.push(put);
        started.push(path);
      }),
    clock,
    random: seededRandom(1),
    ...(limits === undefined ? {} : { limits }),
    onRefused: (path, why) => refused.push(`${path}: ${why}`),
    onLost: (count) => lost.push(count),
  });
  return { delivery, clock, underWay, refused, lost, started };
}

const bytes = (): Uint8Array => Uint8Array.of(1);
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
const paths = (puts: readonly Put[]): string[] => puts.map((put) => put.path);
const outage = new CountersignError('closed', 'The relay cannot be reached.');

describe('a delivery', () => {
  test('keeps the order, four at once, and reads bytes only when they go', async () => {
    const { delivery, started, underWay } = lab();
    const read: number[] = [];
    for (let at = 0; at < 6; at++) {
      delivery.put(`b/${at}`, () => {
        read.push(at);
        return bytes();
      });
    }
    expect(read).toEqual([0, 1, 2, 3]);
    underWay[1]?.done();
    await turn();
    expect(started).toEqual(['b/0', 'b/1', 'b/2', 'b/3', 'b/4']);
    expect(delivery.size()).toBe(5);
  });

  test('takes a path once while it waits or is on its way, and again after it arrived', async () => {
    const { delivery, started, underWay } = lab({ waitingMax: 10, atOnceMax: 1 });
    for (let at = 0; at < 3; at++) {
      delivery.put('b/1', bytes);
      delivery.put('b/2', bytes);
    }
    expect(delivery.size()).toBe(2);
    underWay[0]?.done();
    await turn();
    underWay[0]?.done();
    await turn();
    delivery.put('b/1', bytes);
    expect(started).toEqual(['b/1', 'b/2', 'b/1']);
  });

  test('outlives an outage: pauses for all, one goes ahead, nothing is lost', async () => {
    const { clock, delivery, started, underWay } = lab();
    for (let at = 0; at < 8; at++) delivery.put(`b/${at}`, bytes);
    for (const put of underWay.slice()) put.fail(outage);
    await turn();
    expect(underWay).toEqual([]);
    expect(delivery.size()).toBe(8);
    for (let minute = 0; minute < 60; minute++) {
      clock.advance(60_000);
      await turn();
      for (const put of underWay.slice()) put.fail(outage);
      await turn();
    }
    expect(delivery.size()).toBe(8);
    // Four at first, then one after every pause.
    expect(started.length).toBeLessThanOrEqual(4 + 60);
    clock.advance(60_000);
    await turn();
    expect(underWay).toHaveLength(1);
    const arrived: string[] = [];
    while (underWay.length > 0) {
      arrived.push(...paths(underWay));
      for (const put of underWay.slice()) put.done();
      await turn();
    }
    expect(arrived.toSorted()).toEqual(Array.from({ length: 8 }, (_, at) => `b/${at}`));
    expect(delivery.size()).toBe(0);
  });

  test('goes on at once when it is told that the relay is back', async () => {
    const { delivery, underWay } = lab();
    delivery.put('b/1', bytes);
    underWay[0]?.fail(outage);
    await turn();
    expect(underWay).toEqual([]);
    delivery.retry();
    expect(paths(underWay)).toEqual(['b/1']);
  });

  test('says what will not arrive, and goes on', async () => {
    const { delivery, refused, underWay } = lab({ waitingMax: 10, atOnceMax: 1 });
    delivery.put('b/1', bytes);
    delivery.put('b/2', () => {
      throw new CountersignError('not-found', 'The payload is gone.');
    });
    delivery.put('b/3', bytes);
    underWay[0]?.fail(new CountersignError('bad-input', 'A message was larger than the relay takes.'));
    await turn();
    expect(refused).toEqual(['b/1: A message was larger than the relay takes.', 'b/2: The payload is gone.']);
    expect(paths(underWay)).toEqual(['b/3']);
  });

  test('holds a bounded number, lets the oldest go, and says so when there is room again', async () => {
    const { delivery, lost, started, underWay } = lab({ waitingMax: 3, atOnceMax: 1 });
    for (let at = 0; at < 10; at++) delivery.put(`b/${at}`, bytes);
    expect(delivery.size()).toBe(4);
    expect(lost).toEqual([]);
    while (underWay.length > 0) {
      underWay[0]?.done();
      await turn();
    }
    expect(started).toEqual(['b/0', 'b/7', 'b/8', 'b/9']);
    expect(lost).toEqual([6]);
  });

  test('sends nothing more once it is closed', async () => {
    const { clock, delivery, refused, started, underWay } = lab({ waitingMax: 10, atOnceMax: 1 });
    delivery.put('b/1', bytes);
    delivery.put('b/2', bytes);
    delivery.close();
    underWay[0]?.fail(outage);
    await turn();
    clock.advance(60_000);
    delivery.put('b/3', bytes);
    await turn();
    expect(started).toEqual(['b/1']);
    expect(refused).toEqual([]);
    expect(delivery.size()).toBe(0);
  });
});
