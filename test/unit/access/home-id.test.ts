import { expect, test } from 'vitest';
import { toBase32, utf8 } from '../../../src/base/bytes.ts';
import { deviceIdOf, homeIdOf } from '../../../src/access/home-id.ts';
import { parseDeviceId, parseHomeId } from '../../../src/model/ids.ts';
import { nodeCrypto } from '../../support/doc-lab.ts';

test('[T9] an id is the first 16 bytes of the hash of its key, so that another key has another', () => {
  const { sha256 } = nodeCrypto;
  const [one, other] = [utf8('one key of thirty-two bytes, say'), utf8('another')];
  const hashed = toBase32(sha256(one).subarray(0, 16));
  expect(homeIdOf(sha256, one)).toBe(`h-${hashed}`);
  expect(deviceIdOf(sha256, one)).toBe(`d-${hashed}`);
  expect(homeIdOf(sha256, other)).not.toBe(homeIdOf(sha256, one));
  expect(parseHomeId(homeIdOf(sha256, one)).ok).toBe(true);
  expect(parseDeviceId(deviceIdOf(sha256, one)).ok).toBe(true);
});
