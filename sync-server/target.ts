import { err, ok, type Result } from '../src/base/result.ts';
import { parseRoomName, type Room } from '../src/sync/room.ts';

/** What a socket is opened for: a document of a home, or a room that belongs to nobody and holds what anyone puts there. */
export type Target =
  | { readonly name: string; readonly room: Exclude<Room, { readonly kind: 'head' }> }
  | { readonly name: string; readonly room: 'free' };

/** UTF-16 units of the name of a free room. */
const FREE_NAME_MAX = 256;

/** Names that begin like a home's and are none of one would be mistaken for it by people. */
const LIKE_A_HOMES = /^[qadhro]\/(?:h-|$)/;

/** The room of a path as y-websocket makes it: the name after the first slash. */
export function parseTarget(pathname: string): Result<Target> {
  const name = decoded(pathname.slice(1));
  const room = name === undefined ? undefined : parseRoomName(name);
  if (name !== undefined && room?.ok === true) {
    return room.value.kind === 'head'
      ? err('A head is no document; it is read at its address.')
      : ok({ name, room: room.value });
  }
  const free = name !== undefined && name !== '' && name.length <= FREE_NAME_MAX && !/[\u0000-\u001f\u007f]/.test(name);
  if (!free || name === undefined || LIKE_A_HOMES.test(name)) return err('There is no such room.');
  return ok({ name, room: 'free' });
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    // decodeURIComponent throws a URIError on a malformed escape, and on nothing else.
    return undefined;
  }
}
