import pino, { type Logger } from 'pino';
import type { Clock } from '../src/base/clock.ts';
import { CountersignError } from '../src/base/errors.ts';
import type { Crypto } from '../src/crypto/ports.ts';
import { nodeCrypto, nodeRandom } from '../src/crypto/node.ts';
import type { HomeId } from '../src/model/ids.ts';
import { Addresses } from './addresses.ts';
import { Door } from './admission.ts';
import type { Caller, Member, ProofChecks } from './caller.ts';
import { Challenges } from './challenges.ts';
import { Heads } from './heads.ts';
import type { Names } from './http/guard.ts';
import { RELAY_LIMITS, type RelayLimits } from './limits.ts';
import { Meters } from './metrics.ts';
import type { RelayOptions } from './options.ts';
import { NOBODY, Quota, tokenOwner } from './quota.ts';
import { Rooms } from './rooms.ts';
import type { RelayStore } from './storage/store.ts';
import { nodeClock } from './system.ts';
import type { Target } from './target.ts';
import { Tickets } from './tickets.ts';

/** The parts of one relay that its HTTP and its sockets share. */
export interface Core {
  readonly limits: RelayLimits;
  readonly clock: Clock;
  readonly crypto: Crypto;
  readonly log: Logger;
  readonly store: RelayStore;
  readonly names: Names;
  readonly checks: ProofChecks;
  readonly door: Door;
  readonly addresses: Addresses;
  readonly tickets: Tickets;
  readonly heads: Heads;
  readonly quota: Quota;
  readonly rooms: Rooms;
  readonly meters: Meters;
  /** The disk failed. Called again it does nothing. */
  readonly onFatal: (cause: unknown) => void;
}

/** Throws: `bad-input` for origins that are none; `storage` when the store cannot be read. */
export async function openCore(options: RelayOptions, onFatal: (cause: unknown) => void): Promise<Core> {
  const { store } = options;
  const limits = { ...RELAY_LIMITS, ...options.limits };
  const clock = options.clock ?? nodeClock;
  const random = options.random ?? nodeRandom;
  const crypto = options.crypto ?? nodeCrypto;
  const names = { hosts: new Set(options.origins.map(hostOf)), pageOrigins: new Set(options.pageOrigins) };
  const checks = { crypto, challenges: new Challenges(clock, random, limits), origins: new Set(options.origins) };
  const door = new Door(options.admission, clock);
  const addresses = new Addresses(limits, clock);
  const heads = await Heads.read(store, crypto.verify);
  const totals = await store.totals();
  // reason: owners are home ids, or words that are no key of the heads
  const admittedBy = (owner: string): string | undefined => admittedAs(door, heads, owner as HomeId);
  const quota = new Quota({ totals, limits, door, admittedBy });
  const meters: Meters = new Meters({
    sockets: () => addresses.sockets,
    rooms: () => rooms.size,
    stored_bytes: () => quota.total(),
  });
  const isRetired = heads.isRetired.bind(heads);
  const rooms: Rooms = new Rooms({ store, quota, limits, meters, clock, isRetired, onFatal });
  const log = options.log ?? pino({ level: 'silent' });
  const tickets = new Tickets(clock, random, limits);
  const shared = { limits, clock, crypto, log, store, names, checks, door, addresses };
  return { ...shared, tickets, heads, quota, rooms, meters, onFatal };
}

/** Who pays for a room that does not exist yet. */
export function ownerOf({ room }: Target, caller: Caller): string {
  if (room !== 'free') return room.home;
  return caller.type === 'token' ? tokenOwner(caller.token) : NOBODY;
}

/** Does the relay still serve this member, and its home still stand by it? */
export function isWelcome({ door, heads }: Core, caller: Member): boolean {
  const shown = caller.type === 'home' ? caller.admittedBy?.nickname : undefined;
  return door.admits(caller.home, shown ?? heads.of(caller.home)?.admittedBy) && heads.standsBy(caller);
}

function admittedAs(door: Door, heads: Heads, owner: HomeId): string | undefined {
  return door.isListed(owner) ? undefined : heads.of(owner)?.admittedBy;
}

function hostOf(origin: string): string {
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  if (
    url !== undefined &&
    /^wss?:$/.test(url.protocol) &&
    url.pathname === '/' &&
    origin === `${url.protocol}//${url.host}`
  )
    return url.host;
  throw new CountersignError('bad-input', `${JSON.stringify(origin)} is no origin of a relay: ws://localhost:4420.`);
}
