import { equalBytes } from '../../src/base/bytes.ts';
import { CountersignError } from '../../src/base/errors.ts';
import type { RelayStore, StoredHead } from './store.ts';

interface Room {
  readonly owner: string;
  updates: Uint8Array[];
}

/** A store that forgets everything when it is closed. */
export function openMemoryStore(): RelayStore {
  const rooms = new Map<string, Room>();
  const heads = new Map<string, StoredHead>();
  const objects = new Map<string, { readonly owner: string; readonly bytes: Uint8Array }>();
  let open = true;

  /** What a disk would do later is done at once, so that calls keep their order; only the answer comes later. */
  const answer = <T>(work: () => T): Promise<T> =>
    open ? Promise.resolve(work()) : Promise.reject(new CountersignError('closed', 'The store is closed.'));

  return {
    append: (name, owner, update) =>
      answer(() => {
        const room = rooms.get(name) ?? { owner, updates: [] };
        rooms.set(name, room);
        room.updates.push(update);
      }),
    load: (name) => answer(() => copyOf(rooms.get(name))),
    compact: (name, state) =>
      answer(() => {
        const room = rooms.get(name);
        if (room !== undefined) room.updates = [state];
      }),
    drop: (name) =>
      answer(() => {
        const room = rooms.get(name);
        rooms.delete(name);
        return room === undefined ? 0 : sizeOf(room).bytes;
      }),
    roomsOf: (owner) => answer(() => [...rooms].filter(([, room]) => room.owner === owner).map(([name]) => name)),
    heads: () => answer(() => [...heads.values()]),
    putHead: (head) =>
      answer(() => {
        if (head.number <= (heads.get(head.home)?.number ?? 0)) return false;
        heads.set(head.home, head);
        return true;
      }),
    putObject: (path, owner, bytes) =>
      answer(() => {
        const stands = objects.get(path);
        if (stands !== undefined) return equalBytes(stands.bytes, bytes) ? 'same' : 'differs';
        objects.set(path, { owner, bytes });
        return 'stored';
      }),
    object: (path) => answer(() => objects.get(path)?.bytes),
    dropObject: (path) =>
      answer(() => {
        const bytes = objects.get(path)?.bytes.length ?? 0;
        objects.delete(path);
        return bytes;
      }),
    totals: () => answer(() => totalsOf([...rooms.values()].map(sizeOf), [...objects.values()].map(sizeOf))),
    wipe: () => answer(() => [rooms, heads, objects].forEach((map) => map.clear())),
    close: () => {
      open = false;
      return Promise.resolve();
    },
  };
}

function copyOf(room: Room | undefined): Room | undefined {
  return room === undefined ? undefined : { owner: room.owner, updates: [...room.updates] };
}

interface Size {
  readonly owner: string;
  readonly bytes: number;
}

function sizeOf(stored: Room | { readonly owner: string; readonly bytes: Uint8Array }): Size {
  const parts = 'updates' in stored ? stored.updates : [stored.bytes];
  return { owner: stored.owner, bytes: parts.reduce((sum, part) => sum + part.length, 0) };
}

function totalsOf(...lists: readonly (readonly Size[])[]): ReadonlyMap<string, number> {
  const totals = new Map<string, number>();
  for (const { owner, bytes } of lists.flat()) totals.set(owner, (totals.get(owner) ?? 0) + bytes);
  return totals;
}
