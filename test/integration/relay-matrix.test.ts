import { describe, expect, test } from 'vitest';
import { canonicalText } from '../../src/base/canonical-json.ts';
import type { Admission } from '../../sync-server/relay.ts';
import { ask } from '../support/relay-http.ts';
import { relayLab, saying, type RelayClient, type RelayLab } from '../support/relay-lab.ts';
import { family, grantDevice, ticketFor, type Person } from '../support/relay-people.ts';
import { RoomWriter } from '../support/relay-updates.ts';

const mine = family(10, 2);
const theirs = family(50, 1);
const [device, other] = mine.devices;
const [foreign] = theirs.devices;
if (device === undefined || other === undefined || foreign === undefined) throw new Error('no devices');
const removed = grantDevice(mine.home, 99, 1);

const CALLERS = { home: mine.home, device, other, removed, foreignHome: theirs.home, foreign, stock: undefined };
type CallerName = keyof typeof CALLERS;
const ROOMS = { q: mine.rooms.ledger, a: mine.rooms.tile, d: mine.inbox(device), h: mine.rooms.head };
type RoomKind = keyof typeof ROOMS;

/** What each caller is in each room, or the code its socket is closed with. */
const ROLES: Readonly<Record<CallerName, Readonly<Record<RoomKind, 'writer' | 'reader' | number>>>> = {
  home: { q: 'writer', a: 'writer', d: 'reader', h: 4403 },
  device: { q: 'reader', a: 'reader', d: 'writer', h: 4403 },
  other: { q: 'reader', a: 'reader', d: 'reader', h: 4403 },
  removed: { q: 4403, a: 4403, d: 4403, h: 4403 },
  foreignHome: { q: 4403, a: 4403, d: 4403, h: 4403 },
  foreign: { q: 4403, a: 4403, d: 4403, h: 4403 },
  stock: { q: 4401, a: 4401, d: 4401, h: 4403 },
};

/** What each message does, by what its sender is. */
const MESSAGES = {
  step1: { writer: 'step2', reader: 'step2' },
  'empty step2': { writer: 'nothing', reader: 'nothing' },
  step2: { writer: 'durable', reader: 4403 },
  update: { writer: 'durable', reader: 4403 },
  awareness: { writer: 'awareness', reader: 'awareness' },
  'query-awareness': { writer: 'nothing', reader: 'nothing' },
  durable: { writer: 4422, reader: 4422 },
  head: { writer: 4422, reader: 4422 },
} as const;
type MessageName = keyof typeof MESSAGES;

/** Statuses for `home, device, other, removed, foreignHome, foreign, stock`. */
const REQUESTS: readonly (readonly [string, string, readonly number[]])[] = [
  ['GET', `/r/${ROOMS.q}/snapshot`, [200, 200, 200, 401, 403, 403, 401]],
  ['GET', `/r/${ROOMS.a}/snapshot`, [200, 200, 200, 401, 403, 403, 401]],
  ['GET', `/r/${ROOMS.d}/snapshot`, [200, 200, 200, 401, 403, 403, 401]],
  ['PUT', `/r/${ROOMS.q}/snapshot`, [204, 403, 403, 401, 403, 403, 401]],
  ['PUT', `/r/${ROOMS.a}/snapshot`, [204, 403, 403, 401, 403, 403, 401]],
  ['PUT', `/r/${ROOMS.d}/snapshot`, [403, 204, 403, 401, 403, 403, 401]],
  ['GET', `/h/${mine.home.home}`, [200, 200, 200, 401, 403, 403, 401]],
  ['PUT', `/h/${mine.home.home}`, [204, 403, 403, 401, 403, 403, 401]],
  ['PUT', `/o/${mine.home.home}/b/w-1/0123`, [204, 403, 403, 401, 403, 403, 401]],
  ['GET', `/o/${mine.home.home}/b/w-1/0123`, [200, 200, 200, 401, 403, 403, 401]],
  ['HEAD', `/o/${mine.home.home}/b/w-1/0123`, [200, 200, 200, 401, 403, 403, 401]],
  ['DELETE', `/o/${mine.home.home}/b/w-1/none`, [204, 403, 403, 401, 403, 403, 401]],
];

const admission: Admission = { open: false, homes: [mine.home.home, theirs.home.home], tokens: [] };
const cells = Object.entries(ROLES).flatMap(
  ([name, rooms]) => Object.entries(rooms).map(([kind, role]) => [name as CallerName, kind as RoomKind, role] as const), // reason: the keys of the table
);

describe('[T10] who may do what at a relay', () => {
  test.each(cells)('%s in %s is %s, for every message', async (name, kind, role) => {
    const lab = await introduced();
    const who: Person | readonly string[] = CALLERS[name] ?? [];
    if (typeof role === 'number') {
      expect(await (await lab.join(ROOMS[kind], who)).closed).toMatchObject({ code: role });
      return;
    }
    // reason: the keys of the table
    for (const message of Object.keys(MESSAGES) as MessageName[]) {
      const client = await (await lab.join(ROOMS[kind], who)).open();
      send(client, message, ROOMS[kind]);
      const expected = MESSAGES[message][role];
      expect(await outcome(client, expected), `${message} by ${role}`).toBe(expected);
      client.socket.terminate();
    }
  });

  describe('over HTTP', () => {
    const tickets = new Map<CallerName, string | number>();
    const state = new Map(Object.values(ROOMS).map((room) => [room, stateOf(room)]));

    test.each(REQUESTS)('%s %s', async (method, path, statuses) => {
      const lab = await introduced();
      for (const [name, person] of Object.entries(CALLERS))
        if (person !== undefined) tickets.set(name as CallerName, await ticketFor(person, lab.origin)); // reason: the keys of the table
      await fill(lab, tickets.get('home'), tickets.get('device'), state);
      const body = bodyFor(method, path, state);
      for (const [at, name] of Object.keys(CALLERS).entries()) {
        const ticket = tickets.get(name as CallerName); // reason: as above
        const { status } = await ask(lab.http, path, { method, ticket, ...(body === undefined ? {} : { body }) });
        expect(status, name).toBe(statuses[at]);
      }
      expect(tickets.get('removed')).toBe(403);
    });
  });
});

/** A relay that has the newest head, in which one granted device is missing. */
async function introduced(): Promise<RelayLab> {
  const lab = await relayLab({ admission });
  const ticket = await ticketFor(mine.home, lab.origin);
  const body = canonicalText(mine.head(2, { rosterNumber: 2 }));
  expect((await ask(lab.http, `/h/${mine.home.home}`, { method: 'PUT', ticket, body })).status).toBe(204);
  return lab;
}

function send(client: RelayClient, message: MessageName, room: string): void {
  switch (message) {
    case 'step1':
      return client.sendStep1(Uint8Array.of(0));
    case 'empty step2':
      return client.sendStep2(Uint8Array.of(0, 0));
    case 'step2':
      return client.sendStep2(new RoomWriter(room).write(1));
    case 'update':
      return client.sendUpdate(new RoomWriter(room).write(1));
    case 'awareness':
      return client.sendAwareness(saying(1, 1, '{}'));
    case 'query-awareness':
      return client.sendRaw(Uint8Array.of(3));
    case 'durable':
      return client.sendRaw(Uint8Array.of(100, 1));
    case 'head':
      return client.sendRaw(Uint8Array.of(101, 2, 123, 125));
  }
}

async function outcome(
  client: RelayClient,
  expected: 'step2' | 'durable' | 'awareness' | 'nothing' | number,
): Promise<string | number> {
  if (typeof expected === 'number') return (await client.closed).code;
  if (expected !== 'nothing') return Promise.race([client.until(expected).then(({ type }) => type), closing(client)]);
  await client.settled();
  const unasked = client.seen.filter(({ type }) => type === 'durable' || type === 'awareness');
  return client.over?.code ?? (unasked.length === 0 ? 'nothing' : 'something');
}

async function closing(client: RelayClient): Promise<number> {
  return (await client.closed).code;
}

function stateOf(room: string): Uint8Array {
  const writer = new RoomWriter(room);
  writer.write(1);
  return writer.state;
}

async function fill(
  lab: RelayLab,
  home: string | number | undefined,
  own: string | number | undefined,
  state: ReadonlyMap<string, Uint8Array>,
): Promise<void> {
  for (const kind of ['q', 'a', 'd'] as const) {
    const body = state.get(ROOMS[kind]) ?? new Uint8Array();
    const ticket = kind === 'd' ? own : home;
    expect((await ask(lab.http, `/r/${ROOMS[kind]}/snapshot`, { method: 'PUT', ticket, body })).status).toBe(204);
  }
  const put = { method: 'PUT', ticket: home, body: Uint8Array.of(1) };
  expect((await ask(lab.http, `/o/${mine.home.home}/b/w-1/0123`, put)).status).toBe(204);
}

function bodyFor(
  method: string,
  path: string,
  state: ReadonlyMap<string, Uint8Array>,
): Uint8Array | string | undefined {
  if (method !== 'PUT') return undefined;
  if (path.startsWith('/h/')) return canonicalText(mine.head(2, { rosterNumber: 2 }));
  return path.startsWith('/o/') ? Uint8Array.of(1) : state.get(path.slice('/r/'.length, -'/snapshot'.length));
}
