import * as Y from 'yjs';
import { describe, expect, test } from 'vitest';
import { textOf } from '../../../src/base/bytes.ts';
import { Tiles, type TilesRecord } from '../../../src/authority/publish/tiles.ts';
import { CountersignError } from '../../../src/base/errors.ts';
import { nodeCrypto, nodeSigner } from '../../../src/crypto/node.ts';
import { keyRing, type ContentSecret } from '../../../src/doc/keys.ts';
import { openManifest, type Manifest } from '../../../src/doc/manifest.ts';
import { readTileObject, TileReader } from '../../../src/doc/tile.ts';
import { homeIdOf } from '../../../src/access/home-id.ts';
import { workspaceId } from '../../../src/model/ids.ts';
import type { JournalRow } from '../../../src/model/event.ts';
import type { SignedText } from '../../../src/model/signed-text.ts';
import { FakeClock } from '../../../src/testing/index.ts';
import { GENESIS_ROOT } from '../../../src/trust/audit.ts';
import { makeRow } from '../../../src/trust/journal-row.ts';
import { Kept } from '../../support/publish-lab.ts';

const signer = nodeSigner(new Uint8Array(32).fill(3));
const home = homeIdOf(nodeCrypto.sha256, signer.publicKey);
const workspace = workspaceId(new Uint8Array(16));
const secretOf = (gen: number): ContentSecret => ({ gen, secret: new Uint8Array(32).fill(gen) });

/** A log, and the tiles of it as they are published; `start` is what a process does with what an earlier one kept. */
function logLab() {
  const rows: JournalRow[] = [];
  const kept: { record: TilesRecord | undefined; full: boolean; saves: number } = {
    record: undefined,
    full: false,
    saves: 0,
  };
  const secrets: [ContentSecret, ...ContentSecret[]] = [secretOf(1)];
  const keys = () => keyRing(nodeCrypto.hmac, secrets);
  const grow = (count: number): void => {
    for (let n = 0; n < count; n++) {
      const head = rows.at(-1) ?? { seq: 0, root: GENESIS_ROOT };
      const body = { kind: 'quarantined', why: `entry ${head.seq + 1}` } as const;
      rows.push(makeRow(nodeCrypto.sha256, head, { body, atMs: 1, salt: '0'.repeat(32) }));
    }
  };
  const start = (fence = 1) => {
    const outlet = new Kept();
    const read: number[] = [];
    const tiles = new Tiles({
      crypto: nodeCrypto,
      signer,
      clock: new FakeClock(),
      home,
      workspace,
      fence,
      outlet,
      keys,
      rows: (from, limit) => {
        read.push(from);
        return rows.slice(from - 1, from - 1 + limit);
      },
      size: () => rows.length,
      load: () => kept.record,
      save: async (record) => {
        if (kept.full) throw new CountersignError('full', 'The disk is full.');
        kept.saves += 1;
        kept.record = record;
      },
      onChange: () => undefined,
      onDue: () => undefined,
    });
    return { tiles, outlet, read };
  };
  const manifest = (outlet: Kept, tiles: Tiles): Manifest => {
    const hash = tiles.manifestRoot;
    const signed = JSON.parse(
      textOf(outlet.objects.get(`m/${workspace}/${hash}`)?.() ?? new Uint8Array(0)) ?? '',
    ) as SignedText;
    if (hash === null) throw new Error('nothing is full');
    const opened = openManifest(nodeCrypto, signer.publicKey, { home, workspace, hash }, signed);
    if (!opened.ok) throw new Error(opened.error);
    return opened.value;
  };
  const entries = (outlet: Kept, tile: string): readonly number[] => {
    const name = `a/${home}/${workspace}/${tile}`;
    const doc = outlet.rooms.get(name);
    if (doc === undefined) throw new Error(`${name} is not open`);
    const reader = new TileReader(doc, { crypto: nodeCrypto, name, keys });
    return reader.numbers.filter((seq) => {
      const entry = reader.entry(seq);
      return entry?.ok === true && textOf(entry.value) === textOf(rows[seq - 1]?.audit ?? new Uint8Array(0));
    });
  };
  return { rows, kept, secrets, keys, grow, start, manifest, entries };
}

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

describe('audit tiles', () => {
  test('hold every entry in order; a full one is an object that the signed manifest lists', async () => {
    const lab = logLab();
    lab.grow(10);
    const { outlet, tiles } = lab.start();
    await tiles.pump();
    expect([tiles.tile, lab.entries(outlet, '1.1')]).toEqual(['1.1', range(1, 10)]);
    lab.grow(2_400);
    await tiles.pump();
    expect([tiles.tile, lab.entries(outlet, '1.3')]).toEqual(['1.3', range(2_001, 2_410)]);
    const manifest = lab.manifest(outlet, tiles);
    expect(manifest.tiles.map(({ from, tile, to }) => [tile, from, to])).toEqual([
      ['1.1', 1, 1_000],
      ['1.2', 1_001, 2_000],
    ]);
    for (const tile of manifest.tiles) {
      const name = `a/${home}/${workspace}/${tile.tile}`;
      const bytes = outlet.objects.get(`t/${workspace}/${tile.tile}`)?.() ?? new Uint8Array(0);
      const opened = readTileObject(nodeCrypto, name, lab.keys(), tile, bytes);
      if (!opened.ok) throw new Error(opened.error);
      const entries = range(tile.from, tile.to).map((seq) => opened.value.entry(seq));
      expect(entries.map((entry) => (entry?.ok === true ? textOf(entry.value) : undefined))).toEqual(
        lab.rows.slice(tile.from - 1, tile.to).map(({ audit }) => textOf(audit)),
      );
    }
  });

  test('a restart makes the same structs again and puts nothing that the manifest lists', async () => {
    const lab = logLab();
    lab.grow(1_200);
    const first = lab.start();
    await first.tiles.pump();
    lab.grow(50);
    const second = lab.start();
    await second.tiles.pump();
    expect(second.outlet.puts).toEqual([]);
    expect(Math.min(...second.read), 'what is full is not read again').toBe(1_001);
    expect([second.tiles.tile, second.tiles.manifestRoot]).toEqual([first.tiles.tile, first.tiles.manifestRoot]);
    const [before] = first.outlet.rooms.values();
    const [after] = second.outlet.rooms.values();
    if (before === undefined || after === undefined) throw new Error('a tile is open');
    Y.applyUpdate(before, Y.encodeStateAsUpdate(after));
    expect(Y.encodeStateAsUpdate(before)).toEqual(Y.encodeStateAsUpdate(after));
    second.tiles.putAgain();
    expect(second.outlet.puts.toSorted()).toEqual(first.outlet.puts.toSorted());
    for (const [path, read] of second.outlet.objects) expect(read()).toEqual(first.outlet.objects.get(path)?.());
  });

  test('under another key or fence the log goes on under another name, with nothing missing', async () => {
    const lab = logLab();
    lab.grow(1_010);
    const first = lab.start();
    await first.tiles.pump();
    lab.secrets.unshift(secretOf(2));
    first.tiles.renew();
    lab.grow(5);
    await first.tiles.pump();
    expect([first.tiles.tile, lab.entries(first.outlet, '1.3')]).toEqual(['1.3', range(1_001, 1_015)]);
    expect(first.outlet.closed).toContain(`a/${home}/${workspace}/1.2`);
    first.tiles.putAgain();
    const object = first.outlet.objects.get(`t/${workspace}/1.1`)?.();
    const [listed] = lab.manifest(first.outlet, first.tiles).tiles;
    expect(
      listed &&
        readTileObject(nodeCrypto, `a/${home}/${workspace}/1.1`, lab.keys(), listed, object ?? new Uint8Array(0)).ok,
    ).toBe(true);

    lab.secrets.unshift(secretOf(3));
    const keyed = lab.start();
    await keyed.tiles.pump();
    expect([keyed.tiles.tile, lab.entries(keyed.outlet, '1.4')]).toEqual(['1.4', range(1_001, 1_015)]);
    const adopted = lab.start(2);
    await adopted.tiles.pump();
    expect([adopted.tiles.tile, lab.entries(adopted.outlet, '2.1')]).toEqual(['2.1', range(1_001, 1_015)]);
  });

  test('[F2] a full disk holds a full tile back, and nothing is put that is not kept', async () => {
    const lab = logLab();
    lab.grow(999);
    const { outlet, tiles } = lab.start();
    await tiles.pump();
    lab.kept.full = true;
    lab.grow(10);
    await expect(tiles.pump()).rejects.toMatchObject({ code: 'full' });
    expect([outlet.puts, tiles.manifestRoot]).toEqual([[], null]);
    lab.kept.full = false;
    await tiles.pump();
    expect([tiles.tile, lab.entries(outlet, '1.2')]).toEqual(['1.2', range(1_001, 1_009)]);
    expect(outlet.puts).toHaveLength(2);
  });

  test('rows that come while it is at work are in it when it is done', async () => {
    const lab = logLab();
    lab.grow(3_000);
    const { outlet, tiles } = lab.start();
    const done = tiles.pump();
    lab.grow(7);
    void tiles.pump();
    await done;
    expect(lab.entries(outlet, '1.4')).toEqual(range(3_001, 3_007));
  });
});
