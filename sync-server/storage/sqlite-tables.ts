import { crc32 } from 'node:zlib';
import type { Database } from 'better-sqlite3';
import { equalBytes } from '../../src/base/bytes.ts';
import { CountersignError } from '../../src/base/errors.ts';
import type { StoredHead, StoredRoom } from './store.ts';

/** Changes to be stored in one transaction: of each its room, the room's owner, and where its bytes end; `bytes` may go on. */
export interface Batch {
  readonly rooms: readonly string[];
  readonly owners: readonly string[];
  readonly ends: readonly number[];
  readonly bytes: Uint8Array;
}

/** What a relay's database does, each call one transaction. */
export interface Tables {
  append(batch: Batch): void;
  load(room: string): StoredRoom | undefined;
  compact(room: string, state: Uint8Array): void;
  drop(room: string): number;
  roomsOf(owner: string): readonly string[];
  heads(): readonly StoredHead[];
  putHead(head: StoredHead): boolean;
  putObject(path: string, owner: string, bytes: Uint8Array): 'stored' | 'same' | 'differs';
  object(path: string): Uint8Array | undefined;
  dropObject(path: string): number;
  totals(): ReadonlyMap<string, number>;
  wipe(): void;
}

interface Row {
  readonly bytes: Uint8Array;
  readonly crc: number;
}

/** Rooms whose number and newest change are remembered; the rest is looked up again. */
const KNOWN_ROOMS_MAX = 10_000;

/** Numbers of rooms in use, with the number of the newest change. */
class KnownRooms {
  readonly #rooms = new Map<string, { readonly id: number; newest: number }>();
  readonly #find;
  readonly #add;

  constructor(database: Database) {
    this.#find = database.prepare<[string], { id: number; newest: number }>(
      'SELECT id, coalesce((SELECT max(n) FROM updates WHERE room = id), 0) AS newest FROM rooms WHERE name = ?',
    );
    this.#add = database.prepare<[string, string]>('INSERT INTO rooms (name, owner) VALUES (?, ?)');
  }

  find(name: string): { readonly id: number; newest: number } | undefined {
    const known = this.#rooms.get(name) ?? this.#find.get(name);
    if (known === undefined) return undefined;
    if (this.#rooms.size >= KNOWN_ROOMS_MAX) this.#rooms.clear();
    this.#rooms.set(name, known);
    return known;
  }

  add(name: string, owner: string): { readonly id: number; newest: number } {
    this.#add.run(name, owner);
    const added = this.find(name);
    if (added === undefined) throw new CountersignError('storage', 'A room that was added is not there.');
    return added;
  }

  /** After a transaction that failed, or rooms that went: what is remembered may not be what is stored. */
  forget(): void {
    this.#rooms.clear();
  }
}

export function tablesOf(database: Database): Tables {
  const rooms = new KnownRooms(database);
  const insert = database.prepare<[number, number, Uint8Array, number]>('INSERT INTO updates VALUES (?, ?, ?, ?)');
  const changes = database.prepare<[number], Row>('SELECT bytes, crc FROM updates WHERE room = ? ORDER BY n');
  const ownerOf = database.prepare<[number], string>('SELECT owner FROM rooms WHERE id = ?').pluck();
  const clear = database.prepare<[number]>('DELETE FROM updates WHERE room = ?');
  const remove = database.prepare<[number]>('DELETE FROM rooms WHERE id = ?');
  const sizeOf = database
    .prepare<[number], number>('SELECT coalesce(sum(length(bytes)), 0) FROM updates WHERE room = ?')
    .pluck();
  const namesOf = database.prepare<[string], string>('SELECT name FROM rooms WHERE owner = ?').pluck();

  const push = (name: string, owner: string, update: Uint8Array): void => {
    const room = rooms.find(name) ?? rooms.add(name, owner);
    room.newest += 1;
    insert.run(room.id, room.newest, update, crc32(update));
  };
  const transaction = <A extends unknown[], T>(work: (...args: A) => T): ((...args: A) => T) => {
    const whole = database.transaction(work);
    return (...args) => {
      try {
        return whole(...args);
      } catch (thrown) {
        rooms.forget();
        throw thrown;
      }
    };
  };

  return {
    append: transaction(({ bytes, ends, owners, rooms: names }: Batch) => {
      names.forEach((name, at) => push(name, owners[at] ?? '-', bytes.subarray(ends[at - 1] ?? 0, ends[at])));
    }),
    load: (name) => {
      const room = rooms.find(name);
      if (room === undefined) return undefined;
      return { owner: ownerOf.get(room.id) ?? '-', updates: changes.all(room.id).map((row) => sound(row, name)) };
    },
    compact: transaction((name: string, state: Uint8Array) => {
      const room = rooms.find(name);
      if (room === undefined) return;
      clear.run(room.id);
      push(name, '-', state);
    }),
    drop: transaction((name: string) => {
      const room = rooms.find(name);
      if (room === undefined) return 0;
      const bytes = sizeOf.get(room.id) ?? 0;
      clear.run(room.id);
      remove.run(room.id);
      rooms.forget();
      return bytes;
    }),
    roomsOf: (owner) => namesOf.all(owner),
    ...headTable(database),
    ...objectTable(database),
    totals: totalsOf(database),
    wipe: transaction(() => {
      for (const table of ['updates', 'rooms', 'heads', 'objects']) database.exec(`DELETE FROM ${table}`);
      rooms.forget();
    }),
  };
}

function headTable(database: Database): Pick<Tables, 'heads' | 'putHead'> {
  const heads = database.prepare<[], StoredHead>(
    'SELECT home, number, home_key AS homeKey, admitted_by AS admittedBy, signed FROM heads',
  );
  const put = database.prepare<[StoredHead]>(
    `INSERT INTO heads VALUES (@home, @number, @homeKey, @admittedBy, @signed)
     ON CONFLICT (home) DO UPDATE SET number = excluded.number, home_key = excluded.home_key,
       admitted_by = excluded.admitted_by, signed = excluded.signed
     WHERE excluded.number > heads.number`,
  );
  return { heads: () => heads.all(), putHead: (head) => put.run(head).changes === 1 };
}

function objectTable(database: Database): Pick<Tables, 'putObject' | 'object' | 'dropObject'> {
  const find = database.prepare<[string], Row>('SELECT bytes, crc FROM objects WHERE path = ?');
  const size = database.prepare<[string], number>('SELECT length(bytes) FROM objects WHERE path = ?').pluck();
  const insert = database.prepare<[string, string, Uint8Array, number]>('INSERT INTO objects VALUES (?, ?, ?, ?)');
  const remove = database.prepare<[string]>('DELETE FROM objects WHERE path = ?');
  return {
    putObject: (path, owner, bytes) => {
      const stands = find.get(path);
      if (stands !== undefined) return equalBytes(sound(stands, path), bytes) ? 'same' : 'differs';
      insert.run(path, owner, bytes, crc32(bytes));
      return 'stored';
    },
    object: (path) => {
      const row = find.get(path);
      return row === undefined ? undefined : sound(row, path);
    },
    dropObject: (path) => {
      const bytes = size.get(path) ?? 0;
      remove.run(path);
      return bytes;
    },
  };
}

function totalsOf(database: Database): () => ReadonlyMap<string, number> {
  const all = database.prepare<[], { owner: string; bytes: number }>(
    `SELECT owner, sum(bytes) AS bytes FROM (
       SELECT owner, length(updates.bytes) AS bytes FROM updates JOIN rooms ON rooms.id = updates.room
       UNION ALL SELECT owner, length(bytes) FROM objects
     ) GROUP BY owner`,
  );
  return () => new Map(all.all().map(({ bytes, owner }) => [owner, bytes]));
}

/** The bytes of a row, if they are what was stored. */
function sound({ bytes, crc }: Row, of: string): Uint8Array {
  if (crc32(bytes) === crc) return bytes;
  throw new CountersignError('storage', `The relay's store is damaged at ${of}.`);
}
