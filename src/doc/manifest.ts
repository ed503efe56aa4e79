import { toHex, utf8 } from '../base/bytes.ts';
import { parseCanonical, type Json } from '../base/canonical-json.ts';
import { CountersignError } from '../base/errors.ts';
import { err, ok, type Result } from '../base/result.ts';
import { list, nullable, read, record, text, wrong, type Reader } from '../base/shape.ts';
import type { Sha256, Signer, Verify } from '../crypto/ports.ts';
import { digest, home, ordinal, version1, workspace } from '../access/fields.ts';
import { openSigned, signValue } from '../access/signed.ts';
import type { Digest, HomeId, WorkspaceId } from '../model/ids.ts';
import type { SignedText } from '../model/signed-text.ts';
import { DOC_LIMITS } from './schema.ts';

/** The home's list of full audit tiles. Only its newest page is named by the head; each page names the one before. */
export interface Manifest {
  readonly v: 1;
  readonly home: HomeId;
  /** `null` for the home's own log. */
  readonly workspace: WorkspaceId | null;
  /** Hash of the page before, which is full; `null` for the first. */
  readonly previous: Digest | null;
  /** In the order of the log, without gaps, within this page. */
  readonly tiles: readonly ManifestTile[];
}

export interface ManifestTile {
  /** `<fence>.<number>`, as in the tile's room. */
  readonly tile: string;
  /** First and last entry in it. */
  readonly from: number;
  readonly to: number;
  /** Of the object as it is stored, and its size. */
  readonly sha256: Digest;
  readonly bytes: number;
}

const tileShape = record({
  tile: text({ bytesMin: 3, bytesMax: 21 }),
  from: ordinal,
  to: ordinal,
  sha256: digest,
  bytes: ordinal,
});

const manifestShape = record({
  v: version1,
  home,
  workspace: nullable(workspace),
  previous: nullable(digest),
  tiles: list(tileShape, { min: 1, max: DOC_LIMITS.manifestTilesMax }),
});

const manifest: Reader<Manifest> = (value, at) => {
  const made = manifestShape(value, at);
  made.tiles.forEach((tile, index) => {
    const before = made.tiles[index - 1];
    if (tile.to < tile.from) wrong(`tiles[${index}]`, 'ends before it begins');
    if (before !== undefined && tile.from !== before.to + 1) wrong(`tiles[${index}]`, 'leaves a gap in the log');
  });
  if (made.previous === null && made.tiles[0]?.from !== 1) wrong('previous', 'is missing before a later entry');
  return made;
};

function parseManifest(value: Json): Result<Manifest> {
  return read(manifest, value);
}

/** Throws: `bad-input` for a manifest that `parseManifest` refuses. */
export function signManifest(signer: Signer, value: Manifest): SignedText {
  const signed = signValue(signer, { type: 'manifest', home: value.home, workspace: value.workspace }, value);
  const checked = parseManifest(parseCanonical(utf8(signed.payload)));
  if (!checked.ok) throw new CountersignError('bad-input', `This manifest cannot be signed. ${checked.error}`);
  return signed;
}

/** What the head and the next page call it, and where the relay keeps it. */
export function manifestHash(sha256: Sha256, signed: SignedText): Digest {
  return toHex(sha256(utf8(signed.payload))) as Digest; // reason: SHA-256 as hexadecimal is a digest
}

/** The page with this hash, if this home key signed it for this log. */
export function openManifest(
  crypto: { readonly sha256: Sha256; readonly verify: Verify },
  homeKey: Uint8Array,
  of: { readonly home: HomeId; readonly workspace: WorkspaceId | null; readonly hash: Digest },
  signed: SignedText,
): Result<Manifest> {
  const domain = { type: 'manifest', home: of.home, workspace: of.workspace } as const;
  if (manifestHash(crypto.sha256, signed) !== of.hash) return err('The manifest is not the one that was asked for.');
  const value = openSigned(crypto.verify, homeKey, domain, signed);
  if (value === undefined) return err('The manifest is not signed by the home.');
  const result = parseManifest(value);
  if (!result.ok) return err(`The manifest is malformed. ${result.error}`);
  if (result.value.home !== of.home || result.value.workspace !== of.workspace)
    return err('The manifest names another log than it was signed for.');
  return ok(result.value);
}

/** The list with one more full tile: on the same page, or as the first of a new one when that is full. */
export function withTile(
  page: { readonly manifest: Manifest; readonly hash: Digest } | null,
  place: Pick<Manifest, 'home' | 'workspace'>,
  tile: ManifestTile,
): Manifest {
  const { home: ofHome, workspace: ofWorkspace } = place;
  const fresh = { v: 1, home: ofHome, workspace: ofWorkspace, tiles: [tile] } as const;
  if (page === null) return { ...fresh, previous: null };
  if (page.manifest.tiles.length >= DOC_LIMITS.manifestTilesMax) return { ...fresh, previous: page.hash };
  return { ...page.manifest, tiles: [...page.manifest.tiles, tile] };
}
