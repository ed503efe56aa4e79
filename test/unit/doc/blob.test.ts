import { describe, expect, test } from 'vitest';
import { toHex, utf8 } from '../../../src/base/bytes.ts';
import { blobAddress, openBlob, sealBlob } from '../../../src/doc/blob.ts';
import { keyRing } from '../../../src/doc/keys.ts';
import { homeId, workspaceId, type Digest } from '../../../src/model/ids.ts';
import { digestOf, HOME, KEYS, nodeCrypto, WORKSPACE } from '../../support/doc-lab.ts';

const place = { home: HOME, workspace: WORKSPACE };
const plain = utf8('contents');
const hash = toHex(nodeCrypto.sha256(plain)) as Digest; // reason: SHA-256 as hexadecimal is a digest
const { address, sealed } = sealBlob(nodeCrypto, place, KEYS.newest, plain);

describe('a blob', () => {
  test('is what was put, and the same bytes when it is put again', () => {
    expect(openBlob(nodeCrypto, place, KEYS, hash, sealed)).toEqual({ ok: true, value: plain });
    expect(sealBlob(nodeCrypto, place, KEYS.newest, plain)).toEqual({ address, sealed });
    expect(
      openBlob(nodeCrypto, place, KEYS, digestOf(''), sealBlob(nodeCrypto, place, KEYS.newest, utf8('')).sealed),
    ).toEqual({
      ok: true,
      value: new Uint8Array(0),
    });
  });

  test('[T20] has an address that says nothing of its hash without the key', () => {
    expect(address).toBe(blobAddress(nodeCrypto.hmac, KEYS.newest, hash));
    const other = keyRing(nodeCrypto.hmac, [{ gen: 1, secret: new Uint8Array(32) }]);
    expect(new Set([address, hash, blobAddress(nodeCrypto.hmac, other.newest, hash)]).size).toBe(3);
  });

  test('[T9] opens for no other hash, home or workspace, and not with a byte changed', () => {
    const elsewhere = [
      { ...place, home: homeId(new Uint8Array(16)) },
      { ...place, workspace: workspaceId(new Uint8Array(16)) },
    ];
    for (const at of elsewhere) expect(openBlob(nodeCrypto, at, KEYS, hash, sealed).ok).toBe(false);
    expect(openBlob(nodeCrypto, place, KEYS, digestOf('other'), sealed).ok).toBe(false);
    for (let at = 0; at < sealed.length; at += 1) {
      const other = sealed.slice();
      other[at] = (other[at] ?? 0) ^ 4;
      expect(openBlob(nodeCrypto, place, KEYS, hash, other).ok).toBe(false);
    }
  });

  test('[T9] is not what a device with the key sealed under that hash', () => {
    const key = KEYS.newest;
    const lie = sealBlob({ ...nodeCrypto, sha256: () => nodeCrypto.sha256(plain) }, place, key, utf8('another'));
    expect(lie.address).toBe(address);
    expect(openBlob(nodeCrypto, place, KEYS, hash, lie.sealed)).toMatchObject({ error: { reason: 'damaged' } });
  });

  test('says which key it needs, and when it is too new', () => {
    const later = keyRing(nodeCrypto.hmac, [{ gen: 3, secret: new Uint8Array(32) }]);
    const { sealed: under } = sealBlob(nodeCrypto, place, later.newest, plain);
    expect(openBlob(nodeCrypto, place, KEYS, hash, under)).toEqual({
      ok: false,
      error: { reason: 'no-key', keyGen: 3 },
    });
    expect(openBlob(nodeCrypto, place, KEYS, hash, Uint8Array.of(9))).toMatchObject({ error: { reason: 'too-new' } });
    expect(openBlob(nodeCrypto, place, KEYS, hash, new Uint8Array(0))).toMatchObject({ error: { reason: 'damaged' } });
    expect(openBlob(nodeCrypto, place, KEYS, hash, Uint8Array.of(1))).toMatchObject({ error: { reason: 'damaged' } });
  });
});
