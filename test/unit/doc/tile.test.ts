import * as Y from 'yjs';
import { describe, expect, test } from 'vitest';
import { toHex, utf8 } from '../../../src/base/bytes.ts';
import type { ManifestTile } from '../../../src/doc/manifest.ts';
import { DOC_LIMITS, ROOT } from '../../../src/doc/schema.ts';
import { openTileEntry, readTileObject, sealTileEntry, TileAuthor, TileReader } from '../../../src/doc/tile.ts';
import type { Digest } from '../../../src/model/ids.ts';
import { DOCUMENT_ROOT, UpdateGuard } from '../../../src/sync/update-guard.ts';
import { KEYS, nodeCrypto, TILE_NAME } from '../../support/doc-lab.ts';

const entryOf = (seq: number): Uint8Array => utf8(`{"seq":${seq}}`);

function tileOf(from: number, to: number, name = TILE_NAME): { author: TileAuthor; updates: readonly Uint8Array[] } {
  const author = new TileAuthor({ crypto: nodeCrypto, name, key: KEYS.newest });
  const updates: Uint8Array[] = [];
  for (let seq = from; seq <= to; seq += 1) updates.push(author.append(seq, entryOf(seq)));
  return { author, updates };
}

function listed(author: TileAuthor): { tile: ManifestTile; bytes: Uint8Array } {
  const bytes = author.state();
  const { from, to } = author.range ?? { from: 0, to: 0 };
  const sha256 = toHex(nodeCrypto.sha256(bytes)) as Digest; // reason: SHA-256 as hexadecimal is a digest
  return { tile: { tile: '1.1', from, to, sha256, bytes: bytes.length }, bytes };
}

describe('an audit tile', () => {
  test('is a function of name, key and rows: the same again after a restart', () => {
    const first = tileOf(5, 9);
    const again = tileOf(5, 9);
    expect(again.updates).toEqual(first.updates);
    expect(again.author.state()).toEqual(first.author.state());
    expect(again.author.stateVector()).toEqual(first.author.stateVector());
    expect(tileOf(5, 9, `${TILE_NAME}2`).author.stateVector()).not.toEqual(first.author.stateVector());
    expect(first.author.range).toEqual({ from: 5, to: 9 });
  });

  test('is read entry by entry as it comes', () => {
    const { updates } = tileOf(1, 4);
    const doc = new Y.Doc();
    const reader = new TileReader(doc, { crypto: nodeCrypto, name: TILE_NAME, keys: () => KEYS });
    let changes = 0;
    const end = reader.onChange(() => (changes += 1));
    const guard = new UpdateGuard(doc, { bytesMax: 1024 * 1024, root: DOCUMENT_ROOT.tile });
    for (const update of updates) expect(guard.take(update).ok).toBe(true);
    end();
    reader.destroy();
    expect(changes).toBe(4);
    expect(reader.numbers).toEqual([1, 2, 3, 4]);
    expect(reader.entry(3)).toEqual({ ok: true, value: entryOf(3) });
    expect(reader.entry(5)).toBeUndefined();
  });

  test('is not thrown off by what is no entry', () => {
    const doc = new Y.Doc();
    const reader = new TileReader(doc, { crypto: nodeCrypto, name: TILE_NAME, keys: () => KEYS });
    reader.onChange(() => {
      throw new Error('planted');
    });
    const map = doc.getMap<unknown>(ROOT.tile);
    map.set('1', 'text');
    map.set('__proto__', new Uint8Array(3));
    map.set('2', new Uint8Array(3));
    expect(reader.numbers).toEqual([1, 2]);
    expect(reader.entry(1)).toMatchObject({ error: { reason: 'damaged' } });
    expect(reader.entry(2)).toMatchObject({ ok: false });
    expect(reader.broken).toContain('planted');
  });

  test('takes entries in their order alone, and none when it is full', () => {
    const { author } = tileOf(1, DOC_LIMITS.tileEntriesMax);
    expect(author.full).toBe(true);
    expect(() => author.append(DOC_LIMITS.tileEntriesMax + 1, entryOf(1))).toThrow('full');
    expect(() => tileOf(1, 2).author.append(4, entryOf(4))).toThrow('order');
  });

  test('is full by bytes too', () => {
    const author = new TileAuthor({ crypto: nodeCrypto, name: TILE_NAME, key: KEYS.newest });
    for (let seq = 1; !author.full; seq += 1) author.append(seq, new Uint8Array(64 * 1024));
    expect(author.state().length).toBeLessThan(DOC_LIMITS.tileBytesMax + 70 * 1024);
    expect(author.range).toMatchObject({ from: 1, to: 8 });
  });
});

describe('a full tile as an object', () => {
  const read = (tile: ManifestTile, bytes: Uint8Array, name = TILE_NAME) =>
    readTileObject(nodeCrypto, name, KEYS, tile, bytes);

  test('is read entry by entry when it is the one the home listed', () => {
    const { bytes, tile } = listed(tileOf(11, 30).author);
    const reader = read(tile, bytes);
    if (!reader.ok) throw new Error(reader.error);
    expect(reader.value.numbers).toEqual(Array.from({ length: 20 }, (_, at) => at + 11));
    for (const seq of reader.value.numbers) expect(reader.value.entry(seq)).toEqual({ ok: true, value: entryOf(seq) });
  });

  test('[T9] is refused with one byte changed or missing, before Yjs sees it', () => {
    const { bytes, tile } = listed(tileOf(1, 2).author);
    expect(read(tile, bytes.subarray(1))).toMatchObject({ ok: false });
    bytes[9] = (bytes[9] ?? 0) ^ 1;
    expect(read(tile, bytes)).toMatchObject({ ok: false });
  });

  test('[T9] has entries that open under no other name', () => {
    const { bytes, tile } = listed(tileOf(1, 2).author);
    const reader = read(tile, bytes, `${TILE_NAME}9`);
    expect(reader.ok && reader.value.entry(1)).toMatchObject({ ok: false, error: { reason: 'damaged' } });
  });
});

describe('an entry', () => {
  const bytes = sealTileEntry(nodeCrypto, TILE_NAME, KEYS.newest, 7, entryOf(7));

  test('[T9] opens under no other number and in no other tile', () => {
    expect(openTileEntry(nodeCrypto, TILE_NAME, KEYS, 7, bytes)).toEqual({ ok: true, value: entryOf(7) });
    expect(openTileEntry(nodeCrypto, TILE_NAME, KEYS, 8, bytes).ok).toBe(false);
    expect(openTileEntry(nodeCrypto, `${TILE_NAME}0`, KEYS, 7, bytes).ok).toBe(false);
  });

  test('of a newer version says so; what is cut off is damaged', () => {
    expect(openTileEntry(nodeCrypto, TILE_NAME, KEYS, 7, Uint8Array.of(2, 1))).toMatchObject({
      error: { reason: 'too-new' },
    });
    for (let length = 0; length < bytes.length; length += 1)
      expect(openTileEntry(nodeCrypto, TILE_NAME, KEYS, 7, bytes.subarray(0, length))).toMatchObject({
        error: { reason: 'damaged' },
      });
  });
});
