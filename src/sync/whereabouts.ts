import type { Head } from '../access/head.ts';
import { parseRoomName } from './room.ts';

/** Does the head name another room for what this room holds, or nobody for it any more? */
export function isElsewhere(head: Head, room: string): boolean {
  const parsed = parseRoomName(room);
  if (!parsed.ok) return false;
  const of = parsed.value;
  switch (of.kind) {
    case 'head':
      return false;
    case 'inbox':
      return !head.roster.some((entry) => entry.device === of.device);
    case 'ledger':
      return head.workspaces.find((each) => each.id === of.workspace)?.room !== of.room;
    case 'tile': {
      // The home's own log has no place in the head; its tiles are told apart by number alone.
      const tile = head.workspaces.find((each) => each.id === of.workspace)?.tile;
      return of.workspace !== null && tile !== of.tile;
    }
  }
}
