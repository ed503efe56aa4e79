import { err, ok, type Result } from '../base/result.ts';
import {
  parseDeviceId,
  parseHomeId,
  parseWorkspaceId,
  type DeviceId,
  type HomeId,
  type WorkspaceId,
} from '../model/ids.ts';

/**
 * A document, as relay and devices name it. Every name begins with the home, whose id is the hash of its key: who may
 * write a room can be told from its name and the caller's key, by a relay that knows nothing else.
 */
export type Room =
  /** `q/<home>/<workspace>/<room>`: the ledger. Written by the home. */
  | { readonly kind: 'ledger'; readonly home: HomeId; readonly workspace: WorkspaceId; readonly room: string }
  /** `a/<home>/<workspace>/<tile>`, `a/<home>/-/<tile>` for the home's own log: an audit tile. Written by the home. */
  | { readonly kind: 'tile'; readonly home: HomeId; readonly workspace: WorkspaceId | null; readonly tile: string }
  /** `d/<home>/<device>`: the inbox. Written by that device. */
  | { readonly kind: 'inbox'; readonly home: HomeId; readonly device: DeviceId }
  /** `h/<home>`: the head; no document, so only its HTTP address and its challenges bear this name. */
  | { readonly kind: 'head'; readonly home: HomeId };

/** A ledger's room and a tile count under a fence: `<fence>.<number>`, both from 1. */
const PART = /^[1-9]\d{0,9}\.[1-9]\d{0,9}$/;

export function roomName(room: Room): string {
  switch (room.kind) {
    case 'ledger':
      return `q/${room.home}/${room.workspace}/${room.room}`;
    case 'tile':
      return `a/${room.home}/${room.workspace ?? '-'}/${room.tile}`;
    case 'inbox':
      return `d/${room.home}/${room.device}`;
    case 'head':
      return `h/${room.home}`;
  }
}

export function parseRoomName(name: string): Result<Room> {
  const [kind, homeText, ...rest] = name.split('/');
  const home = parseHomeId(homeText);
  if (home.ok && kind === 'h' && rest.length === 0) return ok({ kind: 'head', home: home.value });
  if (home.ok && kind === 'd' && rest.length === 1) return inbox(home.value, rest[0]);
  if (home.ok && (kind === 'q' || kind === 'a') && rest.length === 2) return ofWorkspace(kind, home.value, rest);
  return UNKNOWN;
}

const UNKNOWN = err('There is no such room: names are q/HOME/WORKSPACE/ROOM, a/HOME/WORKSPACE/TILE, d/HOME/DEVICE.');

function inbox(home: HomeId, text: string | undefined): Result<Room> {
  const device = parseDeviceId(text);
  return device.ok ? ok({ kind: 'inbox', home, device: device.value }) : UNKNOWN;
}

function ofWorkspace(kind: 'q' | 'a', home: HomeId, [id, part = '']: readonly string[]): Result<Room> {
  if (!PART.test(part)) return UNKNOWN;
  if (kind === 'a' && id === '-') return ok({ kind: 'tile', home, workspace: null, tile: part });
  const workspace = parseWorkspaceId(id);
  if (!workspace.ok) return UNKNOWN;
  return ok(
    kind === 'q'
      ? { kind: 'ledger', home, workspace: workspace.value, room: part }
      : { kind: 'tile', home, workspace: workspace.value, tile: part },
  );
}
