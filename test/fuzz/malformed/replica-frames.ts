import * as decoding from 'lib0/decoding';
import * as encoding from 'lib0/encoding';
import * as Y from 'yjs';
import { equalBytes } from '../../../src/base/bytes.ts';
import { CountersignError } from '../../../src/base/errors.ts';
import { nodeCrypto } from '../../../src/crypto/node.ts';
import type { LinkRole } from '../../../src/sync/contract.ts';
import { Exchange } from '../../../src/sync/exchange.ts';
import { openHeadFeed, type HeadIntake } from '../../../src/sync/head-feed.ts';
import { Intake } from '../../../src/sync/intake.ts';
import { relayReasonOf } from '../../../src/sync/relay-error.ts';
import { Presence } from '../../../src/sync/presence.ts';
import type { TicketHttp } from '../../../src/sync/ticket.ts';
import { FakeClock, seededRandom } from '../../../src/testing/index.ts';
import { INBOX_NAME, PLACE, TILE_NAME } from '../../support/doc-lab.ts';
import { anyOf, bytesOf, hexOf } from '../../support/fuzz-dice.ts';
import { homeIdentity } from '../../support/sync-lab.ts';
import { anyFrame } from './frame-inputs.ts';
import { target, type Bench } from './target.ts';
import { ROOMS, type RoomName } from './update-rooms.ts';

interface FrameInput {
  readonly room: RoomName;
  readonly role: LinkRole;
  readonly hex: string;
}

/** Frames of a hostile relay at everybody who holds a document: who reads it, who writes it, who made it. */
export const REPLICA_FRAMES = target<FrameInput>({
  name: 'replica frames',
  share: 120,
  make(dice) {
    const room = anyOf(dice, ['ledger', 'inbox', 'tile'] as const);
    const role = dice.chance(0.5) ? 'reader' : room === 'inbox' ? 'writer' : 'author';
    return { room, role, hex: hexOf(anyFrame(dice, room)) };
  },
  open: async () => new ReplicaBench(),
});

const ROOM_NAMES: Readonly<Record<RoomName, string>> = { ledger: PLACE.name, inbox: INBOX_NAME, tile: TILE_NAME };

/** One link, as it stands between a document and a socket. */
interface Link {
  readonly doc: Y.Doc;
  readonly exchange: Exchange;
  readonly presence: Presence;
  readonly head: HeadIntake;
  readonly said: { damaged: string | undefined; faults: number };
}

class ReplicaBench implements Bench<FrameInput> {
  readonly #links = new Map<string, Link>();

  async feed({ hex, role, room }: FrameInput): Promise<string | undefined> {
    const key = `${room} ${role}`;
    const link = this.#links.get(key) ?? linkOf(room, role);
    this.#links.set(key, link);
    const before = Y.encodeStateVector(link.doc);
    const ended = !this.#received(link, bytesOf(hex));
    if (ended || link.said.damaged !== undefined) this.#links.delete(key);
    if (ended) link.exchange.reset();
    const after = Y.encodeStateVector(link.doc);
    if (role === 'author') return equalBytes(before, after) ? undefined : 'the author’s document has changed';
    if (link.said.damaged === undefined && !ended && equalBytes(before, after)) return this.#heads(link);
    this.#links.delete(key);
    return ROOMS[room].lookAt(link.doc) ?? this.#heads(link);
  }

  compare(): string | undefined {
    for (const [key, { doc, presence }] of this.#links) {
      if (presence.awareness.meta.size > 40) return `${key} remembers ${presence.awareness.meta.size} presences`;
      if (doc.store.clients.size > 64) return `${key} has ${doc.store.clients.size} clients`;
    }
    return undefined;
  }

  async close(): Promise<void> {
    for (const { presence } of this.#links.values()) presence.destroy();
    this.#links.clear();
  }

  /** As the provider does. False: what was thrown ends the socket. */
  #received({ exchange }: Link, frame: Uint8Array): boolean {
    try {
      if (!exchange.incoming(frame)) return true;
      const decoder = decoding.createDecoder(frame);
      const type = decoding.readVarUint(decoder);
      // reason: our handlers look at none of the provider's own parts
      (exchange.handlers[type] as unknown as Handler)(encoding.createEncoder(), decoder, undefined, true, type);
      return true;
    } catch (thrown) {
      // A link says what the relay did wrong; anything else would be reported as a bug.
      if (relayReasonOf(thrown) === undefined) throw thrown;
      return false;
    }
  }

  #heads({ head }: Link): string | undefined {
    const newest = head.newest()?.head.number ?? 0;
    return newest <= 2 ? undefined : `it takes a head ${newest} that the home never signed`;
  }
}

type Handler = (
  encoder: encoding.Encoder,
  decoder: decoding.Decoder,
  provider: undefined,
  emitSynced: boolean,
  type: number,
) => void;

const NO_TICKETS: TicketHttp = {
  call: () => Promise.reject(new CountersignError('closed', 'There is no relay.')),
};

function linkOf(room: RoomName, role: LinkRole): Link {
  // A name of its own costs as many dice as a frame.
  const doc = new Y.Doc({ guid: room });
  Y.applyUpdate(doc, ROOMS[room].state);
  const said: Link['said'] = { damaged: undefined, faults: 0 };
  const random = seededRandom(3);
  const onFault = (thrown: unknown): void => {
    throw thrown;
  };
  const head = openHeadFeed({
    tickets: NO_TICKETS,
    identity: homeIdentity,
    verify: nodeCrypto.verify,
    known: undefined,
    onFault,
  });
  const presence = new Presence(doc, new FakeClock(), onFault);
  const exchange = new Exchange({
    doc,
    role,
    presence,
    intake: new Intake(ROOM_NAMES[room], doc, { random, onFault }),
    send: () => undefined,
    putSnapshot: async () => undefined,
    onFailed: onFault,
    onSynced: () => undefined,
    onDamaged: (why) => {
      said.damaged ??= why;
    },
    onHead: (json) => void head.take(json),
  });
  return { doc, exchange, presence, head, said };
}
