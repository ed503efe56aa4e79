import * as Y from 'yjs';
import { equalBytes } from '../../../src/base/bytes.ts';
import { DOCUMENT_ROOT, UpdateGuard } from '../../../src/sync/update-guard.ts';
import { SYNC_LIMITS } from '../../../src/sync/messages.ts';
import { clockJump, deletedJump, forgedUnder, orphans, writerOf } from '../../support/doc-forgery.ts';
import { anyOf, bytesOf, hexOf } from '../../support/fuzz-dice.ts';
import type { Dice } from '../../support/hostile-dice.ts';
import { mutated, noise } from './mutate.ts';
import { target, type Bench } from './target.ts';
import { ROOMS, type RoomName } from './update-rooms.ts';

interface UpdateInput {
  readonly room: RoomName;
  readonly hex: string;
}

const NAMES = ['ledger', 'inbox', 'tile'] as const;

/** Updates of the documents, as a relay or a hostile writer could send them, at the guard and at the readers behind it. */
export const UPDATES = target<UpdateInput>({
  name: 'updates',
  share: 300,
  make(dice) {
    const room = anyOf(dice, NAMES);
    return { room, hex: hexOf(anyUpdate(dice, room)) };
  },
  open: async () => new UpdateBench(),
});

export function anyUpdate(dice: Dice, room: RoomName): Uint8Array {
  const { state, updates } = ROOMS[room];
  const all = [state, ...updates, ...Object.values(ROOMS).map((other) => other.state)];
  if (dice.chance(0.08)) return noise(dice, 120);
  if (dice.chance(0.05)) return forgery(dice, state);
  return mutated(dice.chance(0.3) ? state : anyOf(dice, updates), dice, all);
}

function forgery(dice: Dice, state: Uint8Array): Uint8Array {
  const client = dice.chance(0.5) ? writerOf(Y.encodeStateVectorFromUpdate(state)) : 1 + dice.roll(100);
  return dice.pick([
    () => clockJump(client, dice.roll(4), 1 + dice.roll(2 ** 31)),
    () => deletedJump(client, 1 + dice.roll(2 ** 31)),
    () => orphans(1 + dice.roll(80), client),
    () => forgedUnder(state, client, (records) => records.push([Uint8Array.of(2, dice.roll(256))])),
  ])();
}

class UpdateBench implements Bench<UpdateInput> {
  readonly #docs = new Map<
    RoomName,
    { readonly doc: Y.Doc; readonly guard: UpdateGuard; readonly before: Uint8Array }
  >();

  async feed({ hex, room }: UpdateInput): Promise<string | undefined> {
    const { before, doc, guard } = this.#docOf(room);
    const taken = guard.take(bytesOf(hex));
    if (!taken.ok) {
      if (taken.error.why.startsWith('Yjs')) return taken.error.why;
      return equalBytes(Y.encodeStateVector(doc), before) ? undefined : 'a refused update has changed the document';
    }
    // It may have changed what is here: whoever reads must bear it, and the next input gets a document of its own.
    this.#docs.delete(room);
    return ROOMS[room].lookAt(doc);
  }

  compare(): string | undefined {
    for (const [room, { doc }] of this.#docs) {
      if (!equalBytes(Y.encodeStateAsUpdate(doc), ROOMS[room].state)) return `${room} is not what it was`;
      if (doc.store.pendingStructs !== null || doc.store.pendingDs !== null) return `${room} waits for something`;
    }
    return undefined;
  }

  async close(): Promise<void> {
    this.#docs.clear();
  }

  #docOf(room: RoomName): { readonly doc: Y.Doc; readonly guard: UpdateGuard; readonly before: Uint8Array } {
    const known = this.#docs.get(room);
    if (known !== undefined) return known;
    // A name of its own costs more dice than everything else here.
    const doc = new Y.Doc({ guid: room });
    const guard = new UpdateGuard(doc, { bytesMax: SYNC_LIMITS.snapshotBytesMax, root: DOCUMENT_ROOT[room] });
    const taken = guard.take(ROOMS[room].state);
    if (!taken.ok) throw new Error(`an honest state is refused: ${taken.error.why}`);
    const made = { doc, guard, before: Y.encodeStateVector(doc) };
    this.#docs.set(room, made);
    return made;
  }
}
