import type { Room } from '../src/sync/room.ts';
import type { Caller } from './caller.ts';
import { coversRoom } from './admission.ts';
import type { Target } from './target.ts';

/**
 * What a caller may do in a room. `writer`: the one who writes it, a newer connection takes the place of an older ·
 * `reader` · `editor`: one of many who write a room that belongs to nobody · `none`.
 */
export type Role = 'writer' | 'reader' | 'editor' | 'none';

/** Told from the room's name and the caller's key alone, so that a relay that lost everything still knows. */
export function roleIn({ name, room }: Target, caller: Caller): Role {
  if (room === 'free') return roleInFree(name, caller);
  if (caller.type === 'token' || caller.type === 'stranger' || caller.home !== room.home) return 'none';
  return writes(room, caller) ? 'writer' : 'reader';
}

function writes(room: Exclude<Room, { readonly kind: 'head' }>, caller: Caller): boolean {
  if (room.kind === 'inbox') return caller.type === 'device' && caller.device === room.device;
  return caller.type === 'home';
}

/** A stranger gets as far as this only where the relay is open. Who proved a home's key keeps to that home's rooms. */
function roleInFree(name: string, caller: Caller): Role {
  if (caller.type === 'stranger') return 'editor';
  return caller.type === 'token' && coversRoom(caller.token, name) ? 'editor' : 'none';
}
