import { applyUpdate, Doc } from 'yjs';
import { CountersignError } from '../base/errors.ts';
import type { Cancel } from '../base/clock.ts';
import type { SignedText } from '../model/signed-text.ts';
import type { Identity, JoinOptions, Publication, PublishOptions, RelayClient, RoomLink } from './contract.ts';
import { openHeadFeed } from './head-feed.ts';
import { openHttp } from './http.ts';
import type { SyncPorts } from './ports.ts';
import { prove } from './prove.ts';
import { LiveLink } from './room-link.ts';
import { openStores } from './stores.ts';
import { openTickets } from './ticket.ts';

export interface RelayClientOptions {
  /** `ws://host:port` or `wss://host`, nothing after it. */
  readonly relayUrl: string;
  readonly identity: Identity;
  readonly ports: SyncPorts;
  /** What the relay's owner gave this home, for a relay that does not serve everybody. */
  readonly token?: string;
  /** The newest head from before, as it was kept: no older one is taken, and another of its number is a fork. */
  readonly knownHead?: SignedText;
  /** An exception in a listener or a handler. The document goes on; somebody should hear of it. */
  readonly onFault: (thrown: unknown) => void;
}

/** Milliseconds between two questions for the head while no socket would bring one. */
const HEAD_POLL_MS = 60_000;

/** Throws: `bad-input` for a relay URL that is none. */
export function openRelayClient(options: RelayClientOptions): RelayClient {
  const { identity, onFault, ports } = options;
  const relayUrl = originOf(options.relayUrl);
  const http = openHttp(relayUrl, ports);
  const credentials = (room: string) => prove({ http, identity, origin: relayUrl, room });
  const tickets = openTickets({
    http,
    clock: ports.clock,
    credentials: () => credentials(`h/${identity.home}`),
    token: options.token,
  });
  const head = openHeadFeed({ tickets, identity, verify: ports.verify, known: options.knownHead, onFault });
  const { objects, snapshots } = openStores({ tickets, home: identity.home, ports });
  const links = new Set<RoomLink>();
  const cancelPoll = pollHead(links, () => head.refresh(), ports);
  head.subscribe(() => {
    for (const link of links) if (link.state().state === 'stopped') link.reconnect();
  });

  const join = (wanted: JoinOptions): RoomLink => {
    const link: RoomLink = new LiveLink(wanted, {
      relayUrl,
      ports,
      tireless: identity.grant === null,
      head,
      snapshots,
      credentials,
      token: options.token,
      onFault,
      onClosed: () => links.delete(link),
    });
    links.add(link);
    return link;
  };

  return {
    relayUrl,
    head,
    objects,
    snapshots,
    credentials,
    join,
    publish: (room, state, wanted) => publication(join, room, state, wanted),
    reconnect() {
      for (const link of links) link.reconnect();
    },
    close() {
      cancelPoll();
      for (const link of links) link.close();
      http.close();
    },
  };
}

/** A link that stopped hears of a newer head only if another brings it: as long as none is online, it is asked for. */
function pollHead(links: ReadonlySet<RoomLink>, refresh: () => Promise<unknown>, { clock }: SyncPorts): Cancel {
  let cancel: Cancel = () => undefined;
  const next = (): void => {
    cancel = clock.after(HEAD_POLL_MS, () => {
      const states = [...links].map((link) => link.state().state);
      const over = states.some((state) => state === 'stopped' || state === 'damaged' || state === 'gone');
      // The links' own states say that the relay cannot be reached; the next round asks again.
      if (over && !states.includes('online')) refresh().catch(() => undefined);
      next();
    });
  };
  next();
  return () => cancel();
}

function publication(
  join: (options: JoinOptions) => RoomLink,
  room: string,
  state: Uint8Array,
  options: PublishOptions,
): Publication {
  const doc = new Doc();
  applyUpdate(doc, state);
  const link = join({ room, doc, role: 'author', onDamaged: options.onDamaged });
  return {
    room,
    update: (update) => applyUpdate(doc, update),
    present: (value) => link.present(value),
    state: () => link.state(),
    subscribe: (listener) => link.subscribe(listener),
    durable: () => link.durable(),
    close() {
      link.close();
      doc.destroy();
    },
  };
}

/** `ws://host:port`: what a proof names, and what the relay must know itself by. */
function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const bare = url !== undefined && (url.protocol === 'ws:' || url.protocol === 'wss:');
  if (
    !bare ||
    url.pathname !== '/' ||
    url.search !== '' ||
    url.hash !== '' ||
    url.username !== '' ||
    url.password !== ''
  )
    throw new CountersignError('bad-input', 'A relay is named like ws://localhost:4420 or wss://relay.example.');
  return `${url.protocol}//${url.host}`;
}
