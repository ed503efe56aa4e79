import { describe, expect, test } from 'vitest';
import { toHex, utf8 } from '../../../src/base/bytes.ts';
import { Blobs } from '../../../src/authority/publish/blobs.ts';
import { PUBLISH_LIMITS } from '../../../src/authority/publish/limits.ts';
import { nodeCrypto } from '../../../src/crypto/node.ts';
import { blobAddress, openBlob } from '../../../src/doc/blob.ts';
import { keyRing } from '../../../src/doc/keys.ts';
import { actionId, type Digest } from '../../../src/model/ids.ts';
import { Kept, LAB_PLACE, publishLab } from '../../support/publish-lab.ts';
import { put } from '../../support/workshop.ts';

const ring = keyRing(nodeCrypto.hmac, [{ gen: 1, secret: new Uint8Array(32).fill(1) }]);
const id = (n: number) => actionId(new Uint8Array(16).fill(n));
const ref = (name: string, bytes: number) => ({ $blob: digestOf(name), bytes });

function digestOf(text: string): Digest {
  return toHex(nodeCrypto.sha256(utf8(text))) as Digest; // reason: SHA-256 as hexadecimal is a digest
}

function lab() {
  const outlet = new Kept();
  const blobs = new Blobs({ crypto: nodeCrypto, place: LAB_PLACE, outlet, read: () => new Uint8Array(0) });
  const has = (name: string): boolean => {
    blobs.flush();
    return outlet.objects.has(`b/${LAB_PLACE.workspace}/${blobAddress(nodeCrypto.hmac, ring.newest, digestOf(name))}`);
  };
  return { outlet, blobs, has };
}

const HALF = PUBLISH_LIMITS.openBlobBytesMax / 2;
const QUARTER = HALF / 2;

describe('blobs', () => {
  test('each is handed over once under one key, and not before it is due', () => {
    const { blobs, outlet } = lab();
    blobs.put(ring.newest, digestOf('a'), () => utf8('a'));
    blobs.put(ring.newest, digestOf('a'), () => utf8('a'));
    expect(outlet.puts).toEqual([]);
    blobs.flush();
    blobs.put(ring.newest, digestOf('a'), () => utf8('a'));
    blobs.flush();
    expect(outlet.puts).toHaveLength(1);
    const newer = keyRing(nodeCrypto.hmac, [{ gen: 2, secret: new Uint8Array(32).fill(2) }]);
    blobs.put(newer.newest, digestOf('a'), () => utf8('a'));
    blobs.put(ring.newest, digestOf('b'), () => utf8('b'));
    blobs.unstage();
    blobs.put(ring.newest, digestOf('b'), () => utf8('b'));
    blobs.flush();
    expect(outlet.puts, 'what was lost with its commit is put when it is spoken of again').toHaveLength(2);
  });

  test('[CP-3] payloads of open actions have room together; what found none is put when something settles', () => {
    const { blobs, has } = lab();
    blobs.open(ring.newest, id(1), [ref('a', QUARTER), ref('b', QUARTER)]);
    blobs.open(ring.newest, id(2), [ref('b', QUARTER), ref('c', QUARTER)]);
    blobs.open(ring.newest, id(3), [ref('d', QUARTER), ref('e', QUARTER)]);
    expect(['a', 'b', 'c', 'd', 'e'].map(has)).toEqual([true, true, true, true, false]);
    expect(blobs.waiting()).toEqual([]);
    blobs.settled(id(1));
    expect(blobs.waiting(), 'b is needed by another').toEqual([id(3)]);
    blobs.open(ring.newest, id(3), [ref('d', QUARTER), ref('e', QUARTER)]);
    expect(has('e')).toBe(true);
    blobs.open(ring.newest, id(4), [ref('f', 64 * 1024 * 1024)]);
    expect(has('f'), 'larger than the relay takes').toBe(false);
  });

  test('what a content refers to is there, sealed, and reads back as what it was', async () => {
    const running = await publishLab();
    const text = 'a long text of a person '.repeat(40);
    await put(await running.agent(), 'a', text);
    await running.settled();
    const { objects } = running.outlet;
    const wanted = digestOf(text);
    const address = blobAddress(nodeCrypto.hmac, ring.newest, wanted);
    const sealed = objects.get(`b/${LAB_PLACE.workspace}/${address}`)?.() ?? new Uint8Array(0);
    expect(openBlob(nodeCrypto, LAB_PLACE, ring, wanted, sealed)).toEqual({ ok: true, value: utf8(text) });
    const [action] = running.actions();
    const file = blobAddress(nodeCrypto.hmac, ring.newest, action?.file.$blob ?? wanted);
    const opened = openBlob(
      nodeCrypto,
      LAB_PLACE,
      ring,
      action?.file.$blob ?? wanted,
      objects.get(`b/${LAB_PLACE.workspace}/${file}`)?.() ?? new Uint8Array(0),
    );
    const read = opened.ok ? JSON.parse(new TextDecoder().decode(opened.value)) : {};
    expect(read).toMatchObject({ v: 1, content: { tool: 'put' }, card: { title: 'Put {0}' } });
    running.authority.putAgain();
    await running.settled();
    expect(running.outlet.puts.filter((path) => path.endsWith(address))).toHaveLength(2);
  });

  test('[T20] no secret in an argument, a reason or a name is in anything that leaves', async () => {
    const running = await publishLab();
    const port = await running.agent('canary-session');
    await put(port, 'canary-name', 'canary-short');
    await put(port, 'canary-other', 'canary-long '.repeat(200));
    await port.call({ tool: 'ask', arguments: { question: 'canary-question' }, callId: 'canary-call' });
    await running.phone.approve([running.idOf(1)]);
    await running.tablet.decide({ kind: 'change', ids: [running.idOf(2)], body: { say: 'canary-say', remarks: [] } });
    await running.settled();
    await running.authority.stop();
    expect(JSON.stringify(running.actions()), 'devices do read it').toContain('canary-name');
    const canary = Buffer.from('canary');
    let seen = 0;
    for (const bytes of running.outlet.everything()) {
      seen += 1;
      expect(Buffer.from(bytes).includes(canary)).toBe(false);
    }
    expect(seen).toBeGreaterThan(5);
    expect(JSON.stringify([running.heads, running.outlet.beats, running.outlet.puts])).not.toContain('canary');
  });
});
