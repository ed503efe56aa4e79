import { describe, expect, test } from 'vitest';
import { CountersignError } from '../../../src/base/errors.ts';
import {
  manifestHash,
  openManifest,
  signManifest,
  withTile,
  type Manifest,
  type ManifestTile,
} from '../../../src/doc/manifest.ts';
import { DOC_LIMITS } from '../../../src/doc/schema.ts';
import { workspaceId } from '../../../src/model/ids.ts';
import { DEVICE_SIGNER, digestOf, HOME, HOME_SIGNER, nodeCrypto, WORKSPACE } from '../../support/doc-lab.ts';

const place = { home: HOME, workspace: WORKSPACE };
const tileOf = (n: number): ManifestTile => ({
  tile: `1.${n}`,
  from: n * 10 - 9,
  to: n * 10,
  sha256: digestOf(`tile ${n}`),
  bytes: 4_000,
});
const FIRST: Manifest = withTile(null, place, tileOf(1));

function asked(signed: ReturnType<typeof signManifest>, of: Partial<Parameters<typeof openManifest>[2]> = {}) {
  const hash = manifestHash(nodeCrypto.sha256, signed);
  return openManifest(nodeCrypto, HOME_SIGNER.publicKey, { ...place, hash, ...of }, signed);
}

describe('a manifest', () => {
  test('is read as it was signed, for a workspace and for the home’s own log', () => {
    for (const manifest of [FIRST, { ...FIRST, workspace: null }]) {
      const { workspace } = manifest;
      expect(asked(signManifest(HOME_SIGNER, manifest), { workspace })).toEqual({ ok: true, value: manifest });
    }
  });

  test('goes on page by page, each naming the one before by its hash', () => {
    let page: { manifest: Manifest; hash: ReturnType<typeof manifestHash> } | null = null;
    const pages: Manifest[] = [];
    for (let n = 1; n <= DOC_LIMITS.manifestTilesMax + 2; n += 1) {
      const manifest = withTile(page, place, tileOf(n));
      page = { manifest, hash: manifestHash(nodeCrypto.sha256, signManifest(HOME_SIGNER, manifest)) };
      if (manifest.tiles.length === 1) pages.push(manifest);
    }
    expect(page?.manifest.tiles.map(({ tile }) => tile)).toEqual(['1.257', '1.258']);
    expect(pages.map(({ previous }) => previous === null)).toEqual([true, false]);
  });

  test('[T9] is refused from another signer, for another log, and when it is not the one asked for', () => {
    const signed = signManifest(HOME_SIGNER, FIRST);
    expect(asked(signManifest(DEVICE_SIGNER, FIRST)).ok).toBe(false);
    expect(asked(signed, { workspace: null }).ok).toBe(false);
    expect(asked(signed, { workspace: workspaceId(new Uint8Array(16)) }).ok).toBe(false);
    expect(asked(signed, { hash: digestOf('another') }).ok).toBe(false);
  });

  test.each([
    ['a gap in the log', { ...FIRST, tiles: [tileOf(1), tileOf(3)] }],
    ['a tile that ends before it begins', { ...FIRST, tiles: [{ ...tileOf(1), to: 0 }] }],
    ['no page before a later entry', { ...FIRST, tiles: [tileOf(2)] }],
    ['no tile', { ...FIRST, tiles: [] }],
    ['too many tiles', { ...FIRST, tiles: Array.from({ length: 257 }, (_, n) => tileOf(n + 1)) }],
  ])('with %s is not signed', (_, manifest) => {
    expect(() => signManifest(HOME_SIGNER, manifest)).toThrow(CountersignError);
  });
});
