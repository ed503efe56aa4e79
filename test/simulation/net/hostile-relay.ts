import * as Y from 'yjs';
import type { Json } from '../../../src/base/canonical-json.ts';
import { canonicalBytes, parseCanonical } from '../../../src/base/canonical-json.ts';
import type { Random } from '../../../src/base/random.ts';
import type { HttpCall } from '../../../src/sync/http.ts';
import { refusalOf } from '../../../src/sync/relay-error.ts';
import type { SimClient } from './client.ts';
import { forgedInbox, forgedList, type Forgery } from './forgery.ts';
import type { SimLink } from './link.ts';
import type { SimRelay } from './relay.ts';
import type { SimRoom } from './room.ts';

type Pick = (n: number) => number;
type Lie = 'altered' | 'other' | 'gone' | 'old-head';

/** All that a relay can do to those who use it; a big run must have met each. */
export const RELAY_FAULTS = [
  'forge list',
  'forge inbox',
  'roll back',
  'old head',
  'forge head',
  'withhold',
  'replay',
  'replay heartbeat',
  'reorder',
  'fork',
  'lie',
] as const;
type RelayFault = (typeof RELAY_FAULTS)[number];

/** A relay that does whatever it can, which is everything but signing and opening. */
export class HostileRelay {
  readonly #relay: SimRelay;
  readonly #random: Random;
  /** Rooms that somebody is shown nothing of, or only how they were once. */
  readonly #instead = new Map<string, Y.Doc>();
  readonly #lies: Lie[] = [];
  /** Each answers what it did; `undefined` when there was nothing to do it to. */
  readonly #faults: Readonly<Record<RelayFault, (pick: Pick) => string | undefined>> = {
    'forge list': (pick) => this.#forge(pick),
    'forge inbox': (pick) => this.#forgeInbox(pick),
    'roll back': (pick) => this.#rollBack(pick),
    'old head': (pick) => this.#oldHead(pick),
    'forge head': (pick) => this.#forgeHead(pick),
    withhold: (pick) => this.#withhold(pick),
    replay: (pick) => this.#replay(pick),
    'replay heartbeat': (pick) => this.#oldBeat(pick),
    reorder: (pick) => this.#reorder(pick),
    fork: (pick) => this.#fork(pick),
    lie: (pick) => this.#lie(pick),
  };

  constructor(relay: SimRelay, random: Random) {
    this.#relay = relay;
    this.#random = random;
    relay.shownInstead = (client, room) => this.#instead.get(keyOf(client, room));
    relay.answer = (client, call) => this.#answer(client, call);
  }

  /** Answers what it did, and to whom. */
  step(pick: Pick): { readonly name: RelayFault; readonly line: string } | undefined {
    const name = RELAY_FAULTS[pick(RELAY_FAULTS.length)] ?? 'lie';
    const line = this.#faults[name](pick);
    return line === undefined ? undefined : { name, line };
  }

  /** It means no harm any more; what it has is what it has. */
  stop(): void {
    this.#instead.clear();
    this.#lies.length = 0;
    this.#relay.answer = undefined;
  }

  #forge(pick: Pick): string | undefined {
    const room = this.#room(pick, (name) => name.startsWith('q/') || name.startsWith('a/'));
    return room && this.#plant(room, forgedList(room.doc, this.#random, pick), pick);
  }

  #forgeInbox(pick: Pick): string | undefined {
    const room = this.#room(pick, (name) => name.startsWith('d/'));
    return room && this.#plant(room, forgedInbox(room.doc, this.#random, pick), pick);
  }

  /** For everybody, or for one of them only. */
  #plant(room: SimRoom, forgery: Forgery, pick: Pick): string {
    const links = [...room.links];
    const link = links[pick(links.length * 2)];
    if (link === undefined) this.#relay.plant(room.name, forgery);
    else link.toClient({ type: 'update', update: forgery.update });
    return `${room.name.slice(0, 1)} to ${link?.client.name ?? 'all'}`;
  }

  #rollBack(pick: Pick): string | undefined {
    const room = this.#room(pick, () => true);
    if (room === undefined || room.log.length === 0) return undefined;
    for (const link of room.links) link.drop();
    room.goBack(pick(room.log.length));
    return `${room.name.slice(0, 1)} to ${room.log.length}`;
  }

  #oldHead(pick: Pick): string | undefined {
    const { heads } = this.#relay;
    const head = heads[pick(heads.length)];
    const client = this.#client(pick);
    if (head === undefined || client === undefined) return undefined;
    client.pushHead(head.bytes);
    return `${head.number} to ${client.name}`;
  }

  #forgeHead(pick: Pick): string | undefined {
    const { head } = this.#relay;
    const client = this.#client(pick);
    if (head === undefined || client === undefined) return undefined;
    // reason: the home puts signed texts
    const signed = parseCanonical(head.bytes) as { readonly payload: string; readonly signature: string };
    const payload = signed.payload.replace(`"number":${head.number}`, `"number":${head.number + 1 + pick(3)}`);
    client.pushHead(canonicalBytes({ payload, signature: signed.signature }));
    return `to ${client.name}`;
  }

  #withhold(pick: Pick): string | undefined {
    const client = this.#client(pick);
    const room = this.#room(pick, () => true);
    if (client === undefined || room === undefined) return undefined;
    const key = keyOf(client, room.name);
    const ends = this.#instead.delete(key);
    if (!ends) this.#instead.set(key, new Y.Doc());
    return `${room.name.slice(0, 1)} ${ends ? 'no more from' : 'from'} ${client.name}`;
  }

  /** What was said once is said again, in its own room or another. */
  #replay(pick: Pick): string | undefined {
    const from = this.#room(pick, () => true);
    const update = from?.log[pick(from.log.length)];
    const link = this.#link(pick);
    if (from === undefined || update === undefined || link === undefined) return undefined;
    link.toClient({ type: 'update', update });
    return `${from.name.slice(0, 1)} into ${link.room.slice(0, 1)} of ${link.client.name}`;
  }

  /** Heartbeats that a device has seen, or that the home never signed. */
  #oldBeat(pick: Pick): string | undefined {
    const link = this.#link(pick, isLedgerOfDevice);
    if (link === undefined) return undefined;
    const { shown, shownBefore } = this.#relay.room(link.room);
    const values: Json[] = [
      ...shownBefore,
      ...(shown === undefined ? [] : [shown, longer(shown)]),
      { heartbeat: { payload: '{}', signature: '0'.repeat(128) } },
    ];
    const value = values[pick(values.length)];
    if (value === undefined) return undefined;
    link.toClient({ type: 'shown', values: pick(2) === 0 ? [value] : values });
    return `to ${link.client.name}`;
  }

  #reorder(pick: Pick): string | undefined {
    const link = this.#link(pick, (each) => each.down.length > 1);
    const [first, second] = link?.down ?? [];
    if (link === undefined || first === undefined || second === undefined) return undefined;
    link.down.splice(0, 2, second, first);
    return `of ${link.client.name}`;
  }

  /** One of them is shown an older document than the others from its next connection on, and nothing that came since. */
  #fork(pick: Pick): string | undefined {
    const link = this.#link(pick, isLedgerOfDevice);
    if (link === undefined) return undefined;
    const room = this.#relay.room(link.room);
    const count = pick(room.log.length + 1);
    this.#instead.set(keyOf(link.client, link.room), room.before(count));
    link.drop();
    return `for ${link.client.name} at ${count} of ${room.log.length}`;
  }

  #lie(pick: Pick): string {
    const lie = (['altered', 'other', 'gone', 'old-head'] as const)[pick(4)] ?? 'gone';
    this.#lies.push(lie);
    return lie;
  }

  #answer(client: SimClient, { method, path }: HttpCall): Uint8Array | undefined {
    const [lie] = this.#lies;
    if (lie === undefined || method !== 'GET' || client.device === null) return undefined;
    const isHead = path.startsWith('/h/');
    if (isHead !== (lie === 'old-head')) return undefined;
    this.#lies.shift();
    if (lie === 'old-head') return this.#relay.heads[0]?.bytes;
    const found = this.#relay.objects.get(path);
    if (lie === 'gone') throw refusalOf(404) ?? new Error('404 is a refusal');
    if (lie === 'other') return [...this.#relay.objects.values()].find((bytes) => bytes !== found);
    return found?.map((byte, at) => (at === found.length >> 1 ? byte ^ 1 : byte));
  }

  #room(pick: Pick, which: (name: string) => boolean): SimRoom | undefined {
    const rooms = [...this.#relay.rooms.values()].filter(({ name }) => which(name));
    return rooms[pick(rooms.length)];
  }

  #client(pick: Pick): SimClient | undefined {
    const clients = [...this.#relay.clients].filter(({ device }) => device !== null);
    return clients[pick(clients.length)];
  }

  #link(pick: Pick, which: (link: SimLink) => boolean = () => true): SimLink | undefined {
    const links = [...this.#relay.rooms.values()].flatMap((room) => [...room.links]).filter(which);
    return links[pick(links.length)];
  }
}

/** A heartbeat that knows of one entry more, under the signature of the one it was made of. */
function longer(shown: Json): Json {
  const text = JSON.stringify(shown).replace(/\\"size\\":(\d+)/, (_, size) => `\\"size\\":${Number(size) + 1}`);
  // reason: what was JSON is JSON again
  return JSON.parse(text) as Json;
}

function isLedgerOfDevice({ client, room }: SimLink): boolean {
  return room.startsWith('q/') && client.device !== null;
}

function keyOf({ name }: SimClient, room: string): string {
  return `${name} ${room}`;
}
