import { describe, expect, test } from 'vitest';
import * as ws from 'ws';
import { PROOF_LIMITS } from '../../../src/access/proof.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { seededRandom } from '../../../src/testing/seeded-random.ts';
import { Door } from '../../../sync-server/admission.ts';
import { Bucket } from '../../../sync-server/bucket.ts';
import { Challenges } from '../../../sync-server/challenges.ts';
import { Quota } from '../../../sync-server/quota.ts';
import { wireFrame } from '../../../sync-server/outgoing.ts';
import { parseTarget } from '../../../sync-server/target.ts';
import { family } from '../../support/relay-people.ts';

const mine = family(10, 1);

describe('a token bucket', () => {
  test('gives a burst, then so much a second, and says how long a debt takes', () => {
    const bucket = new Bucket({ burst: 3, perSecond: 2 }, 1_000);
    expect([1, 1, 1].map((count) => bucket.take(count, 1_000))).toEqual([0, 0, 0]);
    expect(bucket.take(1, 1_000)).toBe(500);
    expect(bucket.take(1, 1_000)).toBe(1_000);
    expect(bucket.take(0, 2_000)).toBe(0);
    expect(bucket.take(3, 60_000)).toBe(0);
    expect(bucket.take(1, 60_000)).toBe(500);
  });
});

describe('challenges', () => {
  const lab = (seed = 1) => {
    const clock = new FakeClock();
    return { clock, challenges: new Challenges(clock, seededRandom(seed), { challengesMax: 2, challengeMs: 30_000 }) };
  };

  test('are good once, for their room, for a time', () => {
    const { challenges, clock } = lab();
    const one = challenges.give('a');
    expect(one.length).toBeLessThanOrEqual(PROOF_LIMITS.challengeBytesMax);
    expect(challenges.take(one, 'b')).toBe(false);
    expect(challenges.take(one, 'a')).toBe(true);
    expect(challenges.take(one, 'a')).toBe(false);
    const two = challenges.give('a');
    clock.advance(30_000);
    expect(challenges.take(two, 'a')).toBe(false);
    const three = challenges.give('a');
    for (const at of [0, 9, 20, three.length - 1]) {
      const other = three[at] === 'A' ? 'B' : 'A';
      expect(challenges.take(`${three.slice(0, at)}${other}${three.slice(at + 1)}`, 'a')).toBe(false);
    }
    for (const text of ['', 'A', `${three}A`, three.slice(4), '!'.repeat(48)])
      expect(challenges.take(text, 'a')).toBe(false);
    expect(lab(2).challenges.take(three, 'a'), 'another relay’s, or this one’s before it was started again').toBe(
      false,
    );
  });

  test('[T18] a stranger who asks for a million of them takes nobody’s away', () => {
    const { challenges } = lab();
    const honest = challenges.give('a');
    for (let n = 0; n < 10_000; n += 1) challenges.give('a');
    expect(challenges.take(honest, 'a')).toBe(true);
  });

  test('[T9] one that was spent is never good again, however many are spent after it', () => {
    const { challenges, clock } = lab();
    const spent: string[] = [];
    for (let n = 0; n < 10; n += 1) {
      const one = challenges.give('a');
      expect(challenges.take(one, 'a')).toBe(true);
      spent.push(one);
      clock.advance(10);
    }
    expect(spent.map((one) => challenges.take(one, 'a'))).not.toContain(true);
  });
});

describe('the names of rooms', () => {
  test.each([
    [`/${mine.rooms.ledger}`, 'ledger'],
    [`/${mine.rooms.tile}`, 'tile'],
    ['/notes/one', 'free'],
    ['/caf%C3%A9', 'free'],
    [`/${mine.rooms.head}`, undefined],
    ['/', undefined],
    ['/%', undefined],
    ['/a%00b', undefined],
    [`/q/${mine.home.home}/x/1.1`, undefined],
    ['/d/h-short/d-short', undefined],
    ['/r/', undefined],
    [`/${'x'.repeat(257)}`, undefined],
  ])('%s is %s', (path, kind) => {
    const target = parseTarget(path);
    const found = target.ok ? (target.value.room === 'free' ? 'free' : target.value.room.kind) : undefined;
    expect(found).toBe(kind);
  });
});

describe('bytes stored', () => {
  test('are bounded by home, or by the token that admitted it, over all it admitted', () => {
    const clock = new FakeClock();
    const tokens = [{ token: 'x'.repeat(22), nickname: 'friends', bytes: 100 }];
    const door = new Door({ open: false, homes: [], tokens }, clock);
    const quota = new Quota({
      totals: new Map([['h-1', 40]]),
      limits: { homeBytesMax: 1_000, freeBytesMax: 10 },
      door,
      admittedBy: (owner) => (owner.startsWith('h-') && owner !== 'h-9' ? 'friends' : undefined),
    });
    expect(quota.allows('h-1', 60)).toBe(true);
    expect(quota.allows('h-2', 61)).toBe(false);
    quota.add('token:friends', 50);
    expect(quota.allows('h-2', 11)).toBe(false);
    expect(quota.allows('h-9', 1_000)).toBe(true);
    expect(quota.allows('-', 11)).toBe(false);
    quota.add('h-1', -40);
    expect(quota.allows('h-2', 50)).toBe(true);
    expect(quota.total()).toBe(50);
  });
});

describe('a frame made by hand', () => {
  test.each([0, 1, 125, 126, 65_535, 65_536, 70_000])('of %i bytes is what ws makes', (length) => {
    const message = new Uint8Array(length).fill(7);
    // reason: the package exports the class, and its types do not
    const { Sender } = ws as unknown as { Sender: { frame(data: Buffer, options: object): readonly Buffer[] } };
    const options = { fin: true, rsv1: false, opcode: 2, mask: false, readOnly: true };
    expect(wireFrame(message).equals(Buffer.concat(Sender.frame(Buffer.from(message), options)))).toBe(true);
  });
});
