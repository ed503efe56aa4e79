import * as Y from 'yjs';
import { parseCanonical, type Json } from '../../../src/base/canonical-json.ts';
import { utf8 } from '../../../src/base/bytes.ts';
import type { DeviceId, HomeId } from '../../../src/model/ids.ts';
import type { SignedText } from '../../../src/model/signed-text.ts';
import type { HttpCall } from '../../../src/sync/http.ts';
import { refusalOf } from '../../../src/sync/relay-error.ts';
import { DOCUMENT_ROOT, UpdateGuard } from '../../../src/sync/update-guard.ts';
import { parseRoomName } from '../../../src/sync/room.ts';
import type { SimClient } from './client.ts';
import type { Forgery } from './forgery.ts';
import type { SimLink } from './link.ts';
import { SimRoom } from './room.ts';

interface KeptHead {
  readonly number: number;
  readonly roster: ReadonlySet<DeviceId>;
  readonly bytes: Uint8Array;
}

/** Bytes of one update from a device. */
const UPDATE_BYTES_MAX = 1024 * 1024;
const ROOM_BYTES_MAX = 20 * 1024 * 1024;

/**
 * Stores documents, objects and the head, and forwards them; it knows who may write which room, and nothing else. Its
 * hostile side is in `hostile-relay.ts` and reaches into it.
 */
export class SimRelay {
  readonly home: HomeId;
  readonly rooms = new Map<string, SimRoom>();
  readonly objects = new Map<string, Uint8Array>();
  readonly clients = new Set<SimClient>();
  /** Every head it was given, oldest first; the last is what it shows. */
  heads: KeptHead[] = [];
  /** A relay that means harm may answer differently. */
  answer: ((client: SimClient, call: HttpCall) => Uint8Array | undefined) | undefined;
  /** What a client is shown instead of a room, and nothing that comes into it. */
  shownInstead: (client: SimClient, room: string) => Y.Doc | undefined = () => undefined;

  readonly #poisoned = new Set<string>();

  constructor(home: HomeId) {
    this.home = home;
  }

  get head(): KeptHead | undefined {
    return this.heads.at(-1);
  }

  room(name: string): SimRoom {
    const known = this.rooms.get(name);
    if (known !== undefined) return known;
    const room = new SimRoom(name);
    this.rooms.set(name, room);
    return room;
  }

  /** Is this device let in? The home always is; before there is a head everybody with a grant is. */
  admits(device: DeviceId | null): boolean {
    return device === null || this.head?.roster.has(device) !== false;
  }

  /** From a link whose role the relay has checked. */
  store(name: string, update: Uint8Array, from: SimLink | undefined): void {
    const room = this.room(name);
    room.store(update);
    this.forward(room, update, from);
  }

  /** What nobody who may write there has written. */
  plant(name: string, { asWriter, update }: Forgery): void {
    if (asWriter) this.#poisoned.add(name);
    this.store(name, update, undefined);
  }

  forward(room: SimRoom, update: Uint8Array, from: SimLink | undefined): void {
    for (const link of room.links)
      if (link !== from && this.shownInstead(link.client, room.name) === undefined)
        link.toClient({ type: 'update', update });
  }

  /** Raw bytes of a device that may be anybody's: false when the relay turned them away. */
  write(device: DeviceId, name: string, update: Uint8Array): boolean {
    const room = parseRoomName(name);
    if (!room.ok || room.value.kind !== 'inbox' || room.value.device !== device || !this.admits(device)) return false;
    const guard = new UpdateGuard(this.room(name).doc, { bytesMax: UPDATE_BYTES_MAX, root: DOCUMENT_ROOT.inbox });
    if (!guard.check(update).ok) return false;
    this.store(name, update, undefined);
    return true;
  }

  show(name: string, value: Json): void {
    const room = this.room(name);
    room.show(value);
    for (const link of room.links)
      if (this.shownInstead(link.client, name) === undefined) link.toClient({ type: 'shown', values: [value] });
  }

  http(client: SimClient, call: HttpCall): Uint8Array {
    const lie = this.answer?.(client, call);
    if (lie !== undefined) return lie;
    if (!this.admits(client.device)) throw refused(403);
    if (call.path === `/h/${this.home}`) return call.method === 'PUT' ? this.#takeHead(call) : this.#getHead();
    if (call.method === 'PUT') {
      if (client.device !== null) throw refused(403);
      this.objects.set(call.path, bytesOf(call.body));
      return NOTHING;
    }
    const found = this.objects.get(call.path);
    if (found === undefined) throw refused(404);
    return call.method === 'HEAD' ? NOTHING : found;
  }

  /** Everything it had is gone, and so is every connection. */
  wipe(): void {
    this.dropAll();
    this.rooms.clear();
    this.objects.clear();
    this.heads = [];
  }

  /**
   * What stays wrong though nobody lies any more, so that whoever runs the relay deletes it, and its writers fill it
   * again: bytes that no reader takes, and what stands under the clock of something true.
   */
  dropUnsound(): void {
    for (const [name, { doc }] of this.rooms) {
      const guard = new UpdateGuard(new Y.Doc(), { bytesMax: ROOM_BYTES_MAX, root: DOCUMENT_ROOT.inbox });
      const isUnsound = name.startsWith('d/') && !guard.check(Y.encodeStateAsUpdate(doc)).ok;
      if (isUnsound || this.#poisoned.has(name)) this.rooms.delete(name);
    }
  }

  dropAll(): void {
    for (const client of this.clients) client.drop();
  }

  #getHead(): Uint8Array {
    if (this.head === undefined) throw refused(404);
    return this.head.bytes;
  }

  #takeHead(call: HttpCall): Uint8Array {
    const bytes = bytesOf(call.body);
    const head = readHead(bytes);
    const known = this.head;
    if (known !== undefined && head.number < known.number) throw refused(409);
    if (known === undefined || head.number > known.number) this.heads.push({ ...head, bytes });
    for (const client of this.clients) {
      if (this.admits(client.device)) client.pushHead(bytes);
      else client.forbid();
    }
    return NOTHING;
  }
}

const NOTHING = new Uint8Array(0);

function bytesOf(body: Uint8Array | string | undefined): Uint8Array {
  return typeof body === 'string' ? utf8(body) : (body ?? NOTHING);
}

function refused(status: number): Error {
  const error = refusalOf(status);
  if (error === undefined) throw new Error(`${status} is no refusal`);
  return error;
}

function readHead(bytes: Uint8Array): Omit<KeptHead, 'bytes'> {
  // reason: the home alone puts heads, and it signs what has this shape
  const { payload } = parseCanonical(bytes) as unknown as SignedText;
  const head = JSON.parse(payload) as {
    readonly number: number;
    readonly roster: readonly { readonly device: DeviceId }[];
  };
  return { number: head.number, roster: new Set(head.roster.map(({ device }) => device)) };
}
