import * as Y from 'yjs';
import { equalBytes } from '../../../src/base/bytes.ts';
import { CLOSE_CODES, type CloseReason } from '../../../src/sync/close-codes.ts';
import { parseRoomName } from '../../../src/sync/room.ts';
import { FakeClock } from '../../../src/testing/index.ts';
import { Door } from '../../../sync-server/admission.ts';
import { readIncoming } from '../../../sync-server/incoming.ts';
import { RELAY_LIMITS } from '../../../sync-server/limits.ts';
import { Meters } from '../../../sync-server/metrics.ts';
import { Quota } from '../../../sync-server/quota.ts';
import { openMemoryStore } from '../../../sync-server/relay.ts';
import { Room, type Peer } from '../../../sync-server/room.ts';
import { INBOX_NAME, PLACE, TILE_NAME } from '../../support/doc-lab.ts';
import { anyOf, bytesOf, hexOf } from '../../support/fuzz-dice.ts';
import { anyFrame } from './frame-inputs.ts';
import { target, type Bench } from './target.ts';
import { ROOMS, type RoomName } from './update-rooms.ts';

interface FrameInput {
  readonly room: RoomName;
  readonly role: 'reader' | 'writer';
  readonly hex: string;
}

/** Frames at the relay, of who may only read and of who may write, beside somebody who does no harm. */
export const RELAY_FRAMES = target<FrameInput>({
  name: 'relay frames',
  share: 260,
  make(dice) {
    const room = anyOf(dice, ['ledger', 'inbox', 'tile'] as const);
    return { room, role: dice.chance(0.6) ? 'reader' : 'writer', hex: hexOf(anyFrame(dice, room)) };
  },
  open: async () => new RelayBench(),
});

const ROOM_NAMES: Readonly<Record<RoomName, string>> = { ledger: PLACE.name, inbox: INBOX_NAME, tile: TILE_NAME };

/** Somebody in a room, who keeps what the relay does to them. */
class FakePeer implements Peer {
  readonly role: Peer['role'];
  readonly callerName: string;
  readonly speaksOurs = true;
  ended: string | undefined;
  frames = 0;
  changes = 0;

  constructor(role: Peer['role'], callerName: string) {
    this.role = role;
    this.callerName = callerName;
  }

  send(): void {
    this.frames += 1;
  }

  end(reason: CloseReason): void {
    this.ended = reason;
  }

  acknowledge(stored: Promise<void>): void {
    this.changes += 1;
    // A memory store keeps everything at once.
    void stored;
  }
}

/** A room with what its writer made in it, a reader who looks on, and somebody hostile in each role. */
interface Scene {
  readonly room: Room;
  readonly honest: FakePeer;
  readonly hostile: FakePeer;
  readonly state: Uint8Array;
}

class RelayBench implements Bench<FrameInput> {
  readonly #scenes = new Map<string, Scene>();
  readonly #fatal: unknown[] = [];

  async feed({ hex, role, room: name }: FrameInput): Promise<string | undefined> {
    const key = `${name} ${role}`;
    const scene = this.#scenes.get(key) ?? (await this.#enter(name, role));
    this.#scenes.set(key, scene);
    const { honest, hostile, room } = scene;
    const before = { heard: honest.frames, changes: hostile.changes };
    const frame = bytesOf(hex);
    const message = readIncoming(frame);
    if (message === undefined) return undefined;
    room.take(hostile, message, frame);
    if (this.#fatal.length > 0) return `the relay would stop: ${String(this.#fatal[0])}`;
    if (hostile.ended !== undefined || role === 'writer') this.#scenes.delete(key);
    return this.#harm(scene, before);
  }

  compare(): string | undefined {
    const changed = [...this.#scenes].find(([, { room, state }]) => !equalBytes(room.state(), state));
    return changed && `${changed[0]} is not what it was`;
  }

  async close(): Promise<void> {
    this.#scenes.clear();
  }

  #harm(
    { honest, hostile, room, state }: Scene,
    before: { readonly heard: number; readonly changes: number },
  ): string | undefined {
    if (honest.ended !== undefined) return `somebody else was sent away: ${honest.ended}`;
    if (hostile.ended !== undefined && !(hostile.ended in CLOSE_CODES)) return `there is no close ${hostile.ended}`;
    if (hostile.role === 'reader') {
      if (honest.frames > before.heard) return 'others hear of what a reader says';
      return equalBytes(room.state(), state) ? undefined : 'a reader has changed the document';
    }
    if (hostile.changes === before.changes)
      return equalBytes(room.state(), state) ? undefined : 'it is not what was told';
    // Its writer may write; whoever reads must bear it.
    const doc = new Y.Doc({ guid: 'read' });
    Y.applyUpdate(doc, room.state());
    return ROOMS[hostile.callerName as RoomName].lookAt(doc); // reason: hostile peers are named for their rooms
  }

  async #enter(name: RoomName, role: 'reader' | 'writer'): Promise<Scene> {
    const parsed = parseRoomName(ROOM_NAMES[name]);
    if (!parsed.ok || parsed.value.kind === 'head') throw new Error('a room has a name');
    const store = openMemoryStore();
    await store.append(ROOM_NAMES[name], 'home', ROOMS[name].state);
    const room = new Room({ name: ROOM_NAMES[name], room: parsed.value }, 'home', {
      store,
      ...PARTS,
      onFatal: (cause) => this.#fatal.push(cause),
      onGone: () => undefined,
      onEmpty: () => undefined,
    });
    await room.ready;
    const [honest, hostile] = [new FakePeer('reader', 'honest'), new FakePeer(role, name)];
    for (const peer of [honest, hostile]) room.enter(peer);
    return { room, honest, hostile, state: room.state() };
  }
}

const limits = RELAY_LIMITS;
const door = new Door({ open: true, homes: [], tokens: [] }, new FakeClock());
const PARTS = {
  limits,
  quota: new Quota({ totals: new Map(), limits, door, admittedBy: () => undefined }),
  meters: new Meters({ sockets: () => 0, rooms: () => 0, stored_bytes: () => 0 }),
};
