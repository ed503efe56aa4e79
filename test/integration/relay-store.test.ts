import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { openMemoryStore, openSqliteStore } from '../../sync-server/relay.ts';
import { openDatabase } from '../../sync-server/storage/sqlite-schema.ts';
import type { RelayStore, StoredHead } from '../../sync-server/storage/store.ts';
import { smallDisk } from '../support/small-disk.ts';
import { tempDir } from '../support/temp-dir.ts';

const HEAD: StoredHead = { home: 'h-1', number: 3, homeKey: '00', admittedBy: null, signed: '{}' };

let shared: RelayStore | undefined;
afterAll(() => shared?.close());

/** One thread for the whole suite, emptied between: starting one from source takes a while. */
async function sharedSqlite(): Promise<RelayStore> {
  shared ??= await openSqliteStore(mkdtempSync(join(tmpdir(), 'countersign-')));
  await shared.wipe();
  return shared;
}

async function opened(open: () => RelayStore | Promise<RelayStore>): Promise<RelayStore> {
  const store = await open();
  if (store !== shared) onTestFinished(() => store.close());
  return store;
}

async function contents(store: RelayStore, room: string): Promise<readonly (readonly number[])[] | undefined> {
  return (await store.load(room))?.updates.map((update) => [...update]);
}

describe.each([
  ['memory', openMemoryStore],
  ['SQLite', sharedSqlite],
] as const)('a relay’s store in %s', (_name, open) => {
  test('gives a room’s changes back in order, and says whose it is', async () => {
    const store = await opened(open);
    expect(await store.load('r')).toBeUndefined();
    void store.append('r', 'first', Uint8Array.of(1));
    void store.append('s', 'other', Uint8Array.of(9));
    await store.append('r', 'second', Uint8Array.of(2, 3));
    expect(await contents(store, 'r')).toEqual([[1], [2, 3]]);
    expect((await store.load('r'))?.owner).toBe('first');
    expect(await contents(store, 's')).toEqual([[9]]);
  });

  test('puts a state in the place of what came before it, and of nothing that comes after', async () => {
    const store = await opened(open);
    void store.append('r', 'o', Uint8Array.of(1));
    void store.append('r', 'o', Uint8Array.of(2));
    void store.compact('r', Uint8Array.of(7, 7));
    await store.append('r', 'o', Uint8Array.of(3));
    expect(await contents(store, 'r')).toEqual([[7, 7], [3]]);
    expect(await store.totals()).toEqual(new Map([['o', 3]]));
    await store.compact('nobody', Uint8Array.of(1));
    expect(await store.load('nobody')).toBeUndefined();
  });

  test('never lets the number of a head fall, nor one number mean two heads', async () => {
    const store = await opened(open);
    expect(await store.putHead(HEAD)).toBe(true);
    expect(await store.putHead({ ...HEAD, number: 2 })).toBe(false);
    expect(await store.putHead({ ...HEAD, signed: '{"other":1}' })).toBe(false);
    expect(await store.heads()).toEqual([HEAD]);
    const next = { ...HEAD, number: 4, admittedBy: 'friends' };
    expect(await store.putHead(next)).toBe(true);
    expect(await store.heads()).toEqual([next]);
  });

  test('keeps an object as it was put first', async () => {
    const store = await opened(open);
    expect(await store.object('h/b/1')).toBeUndefined();
    expect(await store.putObject('h/b/1', 'h', Uint8Array.of(1, 2))).toBe('stored');
    expect(await store.putObject('h/b/1', 'h', Uint8Array.of(1, 2))).toBe('same');
    expect(await store.putObject('h/b/1', 'h', Uint8Array.of(1, 3))).toBe('differs');
    expect([...((await store.object('h/b/1')) ?? [])]).toEqual([1, 2]);
    expect(await store.dropObject('h/b/1')).toBe(2);
    expect(await store.dropObject('h/b/1')).toBe(0);
    expect(await store.object('h/b/1')).toBeUndefined();
  });

  test('counts changes and objects together, by owner', async () => {
    const store = await opened(open);
    void store.append('r', 'h', new Uint8Array(10));
    void store.append('s', 'k', new Uint8Array(5));
    await store.putObject('h/b/1', 'h', new Uint8Array(100));
    expect(await store.totals()).toEqual(
      new Map([
        ['h', 110],
        ['k', 5],
      ]),
    );
    expect(await store.roomsOf('h')).toEqual(['r']);
    expect(await store.drop('r')).toBe(10);
    expect(await store.drop('r')).toBe(0);
    expect(await store.roomsOf('h')).toEqual([]);
    expect(await store.load('r')).toBeUndefined();
    await store.append('r', 'new', Uint8Array.of(1));
    expect((await store.load('r'))?.owner).toBe('new');
  });

  test('forgets everything when it is told to, and goes on', async () => {
    const store = await opened(open);
    void store.append('r', 'o', Uint8Array.of(1));
    await store.putHead(HEAD);
    await store.putObject('h/b/1', 'h', Uint8Array.of(1));
    await store.wipe();
    expect(await store.load('r')).toBeUndefined();
    expect(await store.heads()).toEqual([]);
    expect(await store.totals()).toEqual(new Map());
    await store.append('r', 'o', Uint8Array.of(2));
    expect(await contents(store, 'r')).toEqual([[2]]);
  });

  test('carries out what was asked before it closes, and nothing after', async () => {
    const store = await opened(open);
    const stored = store.append('r', 'o', Uint8Array.of(1));
    await Promise.all([stored, store.close()]);
    if (store === shared) shared = undefined;
    await expect(store.append('r', 'o', Uint8Array.of(1))).rejects.toMatchObject({ code: 'closed' });
    await expect(store.load('r')).rejects.toMatchObject({ code: 'closed' });
  });
});

describe('the store on disk', () => {
  test('waits for the disk at every commit, and is readable by its owner alone', async () => {
    const folder = join(await tempDir(), 'relay');
    const database = openDatabase(folder);
    onTestFinished(() => void database.close());
    expect(database.pragma('synchronous', { simple: true })).toBe(2);
    expect(database.pragma('journal_mode', { simple: true })).toBe('wal');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'relay.db')).mode & 0o777).toBe(0o600);
  });

  test('holds after it is opened again, with what one commit shared', async () => {
    const folder = await tempDir();
    const first = await openSqliteStore(folder);
    const promises = [1, 2, 3].map((byte) => first.append('r', 'o', Uint8Array.of(byte)));
    expect(new Set(promises).size).toBe(1);
    await Promise.all(promises);
    await first.close();
    const second = await opened(() => openSqliteStore(folder));
    expect(await contents(second, 'r')).toEqual([[1], [2], [3]]);
    await second.append('r', 'o', Uint8Array.of(4));
    expect(await contents(second, 'r')).toEqual([[1], [2], [3], [4]]);
  });

  test('refuses to be opened by two', async () => {
    const folder = await tempDir();
    await opened(() => openSqliteStore(folder));
    await expect(openSqliteStore(folder)).rejects.toMatchObject({
      code: 'held-elsewhere',
      message: expect.stringContaining('Another relay has the store'),
    });
  });

  test('refuses what is damaged, newer, or no store, each in one sentence', async () => {
    const refusal = async (spoil: (file: string) => void): Promise<unknown> => {
      const folder = await tempDir();
      const store = await openSqliteStore(folder);
      for (let n = 0; n < 200; n++) void store.append('r', 'o', new Uint8Array(400).fill(n));
      await store.wipe();
      for (let n = 0; n < 200; n++) void store.append('r', 'o', new Uint8Array(400).fill(n));
      await store.close();
      spoil(join(folder, 'relay.db'));
      return openSqliteStore(folder).catch((thrown: unknown) => thrown);
    };
    const damaged = { code: 'storage', message: expect.stringMatching(/^The relay's store in .* is damaged .*\.$/) };
    expect(
      await refusal((file) => writeFileSync(file, 'no database at all, and long enough to be looked at')),
    ).toMatchObject(damaged);
    expect(
      await refusal((file) => {
        const bytes = readFileSync(file);
        writeFileSync(file, bytes.fill(0xa5, 4096));
      }),
    ).toMatchObject(damaged);
    const pragma = (text: string) => (file: string) => {
      const database = new Sqlite(file);
      database.pragma(text);
      database.close();
    };
    expect(await refusal(pragma('application_id = 5'))).toMatchObject(damaged);
    expect(await refusal(pragma('user_version = 2'))).toMatchObject({ code: 'too-new' });
  });

  test('finds a change of one byte in what it gives back', async () => {
    const folder = await tempDir();
    const store = await openSqliteStore(folder);
    await store.append('r', 'o', new Uint8Array(64).fill(7));
    await store.close();
    const database = new Sqlite(join(folder, 'relay.db'));
    database.prepare('UPDATE updates SET bytes = ?').run(new Uint8Array(64).fill(8));
    database.close();
    const again = await opened(() => openSqliteStore(folder));
    await expect(again.load('r')).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringContaining('damaged at r'),
    });
  });

  test('stores nothing of a commit that the disk has no room for, and goes on when there is room again', async () => {
    const disk = await smallDisk(2);
    if (disk === undefined) return;
    const store = await opened(() => openSqliteStore(join(disk.folder, 'relay')));
    await store.append('r', 'o', Uint8Array.of(1));
    const tooMuch = [0, 1, 2].map(() => store.append('r', 'o', new Uint8Array(1024 * 1024)));
    const object = store.putObject('h/b/1', 'h', new Uint8Array(3 * 1024 * 1024));
    for (const promise of [...tooMuch, object]) await expect(promise).rejects.toMatchObject({ code: 'full' });
    expect(await contents(store, 'r')).toEqual([[1]]);
    expect(existsSync(join(disk.folder, 'relay', 'relay.db'))).toBe(true);
    disk.resize(16);
    await store.append('r', 'o', Uint8Array.of(2));
    expect(await contents(store, 'r')).toEqual([[1], [2]]);
  });
});
