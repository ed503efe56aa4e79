import * as decoding from 'lib0/decoding';
import * as encoding from 'lib0/encoding';
import * as Y from 'yjs';
import { fromSubprotocols, parseCredentialText, type Credentials } from '../../src/access/credentials.ts';
import { openProof } from '../../src/access/proof.ts';
import { fromHex, utf8 } from '../../src/base/bytes.ts';
import { nobleCrypto } from '../../src/crypto/noble.ts';
import type { SignedText } from '../../src/model/signed-text.ts';
import { CLOSE_CODES } from '../../src/sync/close-codes.ts';
import { MESSAGE } from '../../src/sync/messages.ts';
import { parseRoomName } from '../../src/sync/room.ts';
import type { Fetch } from '../../src/sync/ports.ts';
import { FakeNetwork, type FarEnd } from './sync-sockets.ts';
import type { HomeId } from '../../src/model/ids.ts';

interface Guest {
  readonly far: FarEnd;
  readonly room: string;
  readonly writer: boolean;
  changes: number;
}

/** A relay over a fake network that does what is agreed on, until a test tells it otherwise. */
export class ScriptedRelay {
  readonly origin = 'ws://localhost:4420';
  readonly network: FakeNetwork;
  readonly rooms = new Map<string, Y.Doc>();
  readonly objects = new Map<string, Uint8Array>();
  readonly guests = new Set<Guest>();
  readonly requests: string[] = [];
  head: SignedText | undefined;
  /** Bytes sent to sockets so far. */
  sentBytes = 0;
  /** Answers a request instead of the relay. */
  answer: (method: string, path: string) => Response | 'unreachable' | undefined = () => undefined;
  /** Takes a socket instead of the relay, whoever asks for it. */
  greet: ((far: FarEnd, room: string) => void) | undefined;
  /** Acknowledges changes; false: keeps quiet about them. */
  acknowledges = true;
  /** Awareness goes nowhere. */
  muted = false;
  readonly #challenges = new Set<string>();
  readonly #tickets = new Set<string>();
  #count = 0;

  constructor() {
    this.network = new FakeNetwork((far) => this.#accept(far));
  }

  room(name: string): Y.Doc {
    const known = this.rooms.get(name) ?? new Y.Doc();
    this.rooms.set(name, known);
    return known;
  }

  /** As a restart: who is connected is not any more, tickets and challenges are forgotten. */
  restart(code = 1001): void {
    for (const guest of this.guests) guest.far.close(code);
    this.guests.clear();
    this.#challenges.clear();
    this.#tickets.clear();
  }

  /** An update from a room's writer elsewhere, to the room and to whoever is in it. */
  write(room: string, change: (doc: Y.Doc) => void): void {
    const doc = this.room(room);
    const before = Y.encodeStateVector(doc);
    change(doc);
    const update = Y.encodeStateAsUpdate(doc, before);
    for (const guest of this.guests) if (guest.room === room) this.#send(guest.far, syncFrame(2, update));
  }

  readonly fetch: Fetch = async (url, request) => {
    const { pathname, search } = new URL(url);
    this.requests.push(`${request.method} ${pathname}`);
    const scripted = this.answer(request.method, pathname);
    if (scripted === 'unreachable') throw new TypeError('fetch failed');
    if (scripted !== undefined) return scripted;
    if (!this.network.reachable) throw new TypeError('fetch failed');
    if (pathname === '/challenge') return json({ challenge: this.#challenge(new URLSearchParams(search).get('room')) });
    if (pathname === '/ticket') return this.#ticket(String(request.body));
    const bearer = request.headers['authorization']?.replace('Bearer ', '') ?? '';
    if (!this.#tickets.has(bearer)) return new Response('No.', { status: 401 });
    const body = typeof request.body === 'string' ? utf8(request.body) : (request.body ?? new Uint8Array(0));
    return this.#stored(request.method, pathname, body);
  };

  #stored(method: string, path: string, body: Uint8Array): Response {
    if (path.startsWith('/h/')) {
      if (method === 'PUT') {
        this.head = JSON.parse(new TextDecoder().decode(body));
        return new Response(null, { status: 204 });
      }
      return this.head === undefined ? new Response('None.', { status: 404 }) : json(this.head);
    }
    const room = /^\/r\/(.*)\/snapshot$/.exec(path)?.[1];
    if (room !== undefined) {
      if (method === 'PUT') {
        Y.applyUpdate(this.room(room), body);
        for (const { far, room: of, writer } of this.guests)
          if (of === room && !writer) far.close(CLOSE_CODES.gone.code);
        return new Response(null, { status: 204 });
      }
      if (!this.rooms.has(room)) return new Response('None.', { status: 404 });
      return bytes(Y.encodeStateAsUpdate(this.room(room)));
    }
    if (method === 'PUT') {
      this.objects.set(path, body.slice());
      return new Response(null, { status: 204 });
    }
    const found = this.objects.get(path);
    if (method === 'DELETE') this.objects.delete(path);
    if (found === undefined) return new Response('None.', { status: 404 });
    return method === 'HEAD' ? new Response(null, { headers: { 'content-length': `${found.length}` } }) : bytes(found);
  }

  #challenge(room: string | null): string {
    const challenge = `${room}#${++this.#count}`.slice(-64);
    this.#challenges.add(challenge);
    return challenge;
  }

  #ticket(body: string): Response {
    const credentials = parseCredentialText(JSON.parse(body).credentials);
    if (!credentials.ok || !this.#isProven(credentials.value)) return new Response('No.', { status: 401 });
    const ticket = `ticket-${++this.#count}`;
    this.#tickets.add(ticket);
    return json({ ticket, expiresMs: 600_000 });
  }

  /** A proof for a challenge that nobody used before. */
  #isProven({ grant, homeKey, proof }: Credentials): boolean {
    const key = grant === null ? homeKey : fromHex(JSON.parse(grant.payload).publicKey);
    const said = JSON.parse(proof.payload) as { readonly home: HomeId; readonly challenge: string };
    const opened = key === undefined ? undefined : openProof(nobleCrypto.verify, key, said.home, proof);
    return opened?.ok === true && this.#challenges.delete(opened.value.challenge);
  }

  #accept(far: FarEnd): void {
    const room = decodeURIComponent(new URL(far.url).pathname.slice(1));
    if (this.greet !== undefined) {
      this.greet(far, room);
      return;
    }
    const credentials = fromSubprotocols(far.protocols);
    if (credentials?.ok !== true || !this.#isProven(credentials.value)) {
      far.close(CLOSE_CODES.unauthenticated.code);
      return;
    }
    const kind = parseRoomName(room);
    const home = credentials.value.grant === null;
    const writer = kind.ok && (kind.value.kind === 'inbox' ? !home : home);
    const guest: Guest = { far, room, writer, changes: 0 };
    this.guests.add(guest);
    far.onClose = () => this.guests.delete(guest);
    far.onFrame = (frame) => this.#serve(guest, frame);
    if (writer) this.#send(far, syncFrame(0, Y.encodeStateVector(this.room(room))));
  }

  #serve(guest: Guest, frame: Uint8Array): void {
    const decoder = decoding.createDecoder(frame);
    const type = decoding.readVarUint(decoder);
    if (type === MESSAGE.awareness && !this.muted)
      for (const other of this.guests) if (other.room === guest.room) this.#send(other.far, frame);
    if (type !== MESSAGE.sync) return;
    const step = decoding.readVarUint(decoder);
    const payload = decoding.readVarUint8Array(decoder);
    const doc = this.room(guest.room);
    if (step === 0) {
      this.#send(guest.far, syncFrame(1, Y.encodeStateAsUpdate(doc, payload)));
      return;
    }
    if (!guest.writer) {
      guest.far.close(CLOSE_CODES.forbidden.code);
      return;
    }
    Y.applyUpdate(doc, payload);
    for (const other of this.guests)
      if (other !== guest && other.room === guest.room) this.#send(other.far, syncFrame(2, payload));
    if (this.acknowledges) this.#send(guest.far, durableFrame(++guest.changes));
  }

  #send(far: FarEnd, frame: Uint8Array): void {
    this.sentBytes += frame.length;
    far.send(frame);
  }
}

export function syncFrame(step: 0 | 1 | 2, payload: Uint8Array): Uint8Array {
  const encoder = encoding.createEncoder();
  encoding.writeVarUint(encoder, MESSAGE.sync);
  encoding.writeVarUint(encoder, step);
  encoding.writeVarUint8Array(encoder, payload);
  return encoding.toUint8Array(encoder);
}

export function durableFrame(through: number): Uint8Array {
  const encoder = encoding.createEncoder();
  encoding.writeVarUint(encoder, MESSAGE.durable);
  encoding.writeVarUint(encoder, through);
  return encoding.toUint8Array(encoder);
}

export function headFrame(signed: SignedText): Uint8Array {
  const encoder = encoding.createEncoder();
  encoding.writeVarUint(encoder, MESSAGE.head);
  encoding.writeVarString(encoder, JSON.stringify(signed));
  return encoding.toUint8Array(encoder);
}

export function awarenessFrame(entries: readonly { client: number; clock: number; value: unknown }[]): Uint8Array {
  const update = encoding.createEncoder();
  encoding.writeVarUint(update, entries.length);
  for (const { client, clock, value } of entries) {
    encoding.writeVarUint(update, client);
    encoding.writeVarUint(update, clock);
    encoding.writeVarString(update, JSON.stringify(value));
  }
  const encoder = encoding.createEncoder();
  encoding.writeVarUint(encoder, MESSAGE.awareness);
  encoding.writeVarUint8Array(encoder, encoding.toUint8Array(update));
  return encoding.toUint8Array(encoder);
}

function json(value: unknown): Response {
  return new Response(JSON.stringify(value), { headers: { 'content-type': 'application/json' } });
}

function bytes(value: Uint8Array): Response {
  return new Response(Uint8Array.from(value), { headers: { 'content-length': String(value.length) } });
}
