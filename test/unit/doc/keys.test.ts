import { describe, expect, test } from 'vitest';
import { toHex } from '../../../src/base/bytes.ts';
import type { KeyBox, OlderKey } from '../../../src/access/head.ts';
import { HEAD_LIMITS } from '../../../src/access/head.ts';
import { contentKey, keyRing, openKeys, sealKey, sealOlder, type ContentSecret } from '../../../src/doc/keys.ts';
import { workspaceId } from '../../../src/model/ids.ts';
import { DEVICE, HOME, nodeCrypto, seededRandom, WORKSPACE } from '../../support/doc-lab.ts';

const random = seededRandom('keys');
const place = { home: HOME, workspace: WORKSPACE };
const at = { home: HOME, device: DEVICE };
const own = nodeCrypto.agreement(random.bytes(32));
const member = { device: DEVICE, boxKey: toHex(own.publicKey) };
const secretOf = (gen: number): ContentSecret => ({ gen, secret: new Uint8Array(32).fill(gen) });
const olderOf = (gen: number): OlderKey => sealOlder(nodeCrypto, random, place, secretOf(gen + 1), secretOf(gen));

async function boxOf(secret: ContentSecret, to = member): Promise<KeyBox> {
  const box = await sealKey(nodeCrypto, random, place, secret, to);
  if (box === undefined) throw new Error('the key has a box');
  return box;
}

describe('content keys', () => {
  test('every use has a key of its own, every generation others', () => {
    const { gen, ...keys } = contentKey(nodeCrypto.hmac, secretOf(1));
    const { gen: _, ...others } = contentKey(nodeCrypto.hmac, secretOf(2));
    const all = [...Object.values(keys), ...Object.values(others)].map(toHex);
    expect(gen).toBe(1);
    expect(new Set([...all, toHex(secretOf(1).secret)]).size).toBe(13);
  });

  test('a ring knows its newest, whatever order it was made in', () => {
    const ring = keyRing(nodeCrypto.hmac, [secretOf(2), secretOf(3), secretOf(1)]);
    expect(ring.newest.gen).toBe(3);
    expect(ring.all.map(({ gen }) => gen)).toEqual([3, 2, 1]);
    expect(ring.secrets.map(({ gen }) => gen)).toEqual([3, 2, 1]);
    expect(ring.of(2)).toEqual(contentKey(nodeCrypto.hmac, secretOf(2)));
    expect(ring.of(4)).toBeUndefined();
  });
});

describe('what a head gives a device', () => {
  test('the newest key from its box, and every older one from there', async () => {
    const head = { id: WORKSPACE, keyGen: 3, boxes: [await boxOf(secretOf(3))], older: [olderOf(1), olderOf(2)] };
    const opened = await openKeys(nodeCrypto, own, at, head);
    expect(opened).toMatchObject({ ok: true, value: { secrets: [secretOf(3), secretOf(2), secretOf(1)] } });
  });

  test('a box and a sealed key fit the head', async () => {
    expect((await boxOf(secretOf(1))).box.length).toBeLessThanOrEqual(HEAD_LIMITS.boxCharsMax);
    expect(olderOf(1).sealed.length).toBeLessThanOrEqual(HEAD_LIMITS.boxCharsMax);
  });

  test('a gap ends the walk, and what is newer stays', async () => {
    const head = { id: WORKSPACE, keyGen: 4, boxes: [await boxOf(secretOf(4))], older: [olderOf(1), olderOf(3)] };
    const opened = await openKeys(nodeCrypto, own, at, head);
    expect(opened).toMatchObject({ ok: true, value: { secrets: [secretOf(4), secretOf(3)] } });
  });

  test('an older key under the wrong one, or moved to another generation, is not read', async () => {
    const moved = { ...olderOf(1), keyGen: 2 };
    const head = { id: WORKSPACE, keyGen: 3, boxes: [await boxOf(secretOf(3))], older: [moved] };
    const opened = await openKeys(nodeCrypto, own, at, head);
    expect(opened).toMatchObject({ ok: true, value: { secrets: [secretOf(3)] } });
  });

  test('nothing, without a box for it', async () => {
    const head = { id: WORKSPACE, keyGen: 1, boxes: [], older: [] };
    expect(await openKeys(nodeCrypto, own, at, head)).toMatchObject({ ok: false });
  });

  test.each([
    ['another generation', { keyGen: 2 }],
    ['another workspace', { id: workspaceId(new Uint8Array(16).fill(8)) }],
    ['bytes that are no base64url', { boxes: [{ device: DEVICE, box: '!!' }] }],
    ['a box that is too short', { boxes: [{ device: DEVICE, box: 'AAAA' }] }],
  ])('nothing from a box of %s', async (_, change) => {
    const head = { id: WORKSPACE, keyGen: 1, boxes: [await boxOf(secretOf(1))], older: [], ...change };
    expect(await openKeys(nodeCrypto, own, at, head)).toMatchObject({ ok: false });
  });

  test('nothing from a box for another key', async () => {
    const other = nodeCrypto.agreement(random.bytes(32));
    const head = { id: WORKSPACE, keyGen: 1, boxes: [await boxOf(secretOf(1))], older: [] };
    expect(await openKeys(nodeCrypto, other, at, head)).toMatchObject({ ok: false });
  });

  test('no box is made for a device without a key, or with one that shares nothing', async () => {
    for (const boxKey of [null, '00'.repeat(32), 'zz'])
      expect(await sealKey(nodeCrypto, random, place, secretOf(1), { device: DEVICE, boxKey })).toBeUndefined();
  });
});
