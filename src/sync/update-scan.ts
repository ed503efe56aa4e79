import { err, ok, type Result } from '../base/result.ts';
import type { CloseReason } from './close-codes.ts';
import { ByteWalk, MalformedBytes } from './update-bytes.ts';

export const SCAN_LIMITS = {
  /** Highest clock of a client: two thousand million changes. A jump past it would end all others of that client. */
  clockMax: 2 ** 31,
  /** UTF-8 bytes of the name of a shared type. */
  rootBytesMax: 64,
} as const;

/** Why an update was not applied: the close code it deserves, and a sentence. */
export interface Refusal {
  readonly reason: Extract<CloseReason, 'too-large' | 'malformed' | 'full'>;
  readonly why: string;
}

export interface ScanOptions {
  /** Bytes of one update: a frame's, or a snapshot's. */
  readonly bytesMax: number;
  /** The one shared type, in which nothing but bytes may stand. `null`: any type, any content but documents. */
  readonly root: DocumentRoot | null;
}

export interface DocumentRoot {
  readonly name: string;
  /** A map, whose members have keys; else an array. */
  readonly keyed: boolean;
}

/** What an update claims, read without Yjs. */
export interface UpdateScan {
  readonly clients: readonly ClientScan[];
  readonly deletions: readonly ClockRange[];
  /** Names of shared types in it. */
  readonly roots: ReadonlySet<string>;
}

/** Clocks `from` to before `to` of one client. */
export interface ClockRange {
  readonly client: number;
  readonly from: number;
  readonly to: number;
}

/** Structs of one client. */
export interface ClientScan extends ClockRange {
  readonly structs: number;
  /** Where it needs another client to have come first, or itself for a stretch that was left out; in order. */
  readonly needs: readonly Need[];
}

export interface Need {
  /** Where it stops when this is not met: the clock, and how many structs are before it. */
  readonly at: number;
  readonly index: number;
  /** The client that must be past this clock. */
  readonly client: number;
  readonly clock: number;
}

/**
 * Reads a V1 update without Yjs, in one pass over its bytes and with memory in proportion to them. What passes is
 * what Yjs reads: lengths, types and texts are checked. V2 is never decoded: read as V1 it has bytes left over.
 */
export function scanUpdate(update: Uint8Array, options: ScanOptions): Result<UpdateScan, Refusal> {
  if (update.length > options.bytesMax)
    return err({ reason: 'too-large', why: `An update may have ${options.bytesMax} bytes at most.` });
  try {
    const walk = new ByteWalk(update);
    const roots = new Set<string>();
    const clients = scanClients(walk, { root: options.root, roots });
    const deletions = scanDeletions(walk);
    if (walk.left > 0) throw new MalformedBytes('there is something behind its end');
    return ok({ clients, deletions, roots });
  } catch (thrown) {
    if (thrown instanceof MalformedBytes)
      return err({ reason: 'malformed', why: `The update is malformed: ${thrown.message}.` });
    throw thrown;
  }
}

interface Context {
  readonly root: DocumentRoot | null;
  readonly roots: Set<string>;
}

function scanClients(walk: ByteWalk, context: Context): readonly ClientScan[] {
  const clients = new Map<number, ClientScan>();
  for (let left = walk.count(4); left > 0; left -= 1) {
    const structs = walk.count(2);
    const client = walk.uint();
    const from = walk.uint();
    if (clients.has(client)) throw new MalformedBytes('a client stands in it twice');
    if (structs === 0) throw new MalformedBytes('a client in it has nothing');
    const needs: Need[] = [];
    let to = from;
    for (let index = 0; index < structs; index += 1) {
      to += scanStruct(walk, context, { client, at: to, index, needs });
      if (to > SCAN_LIMITS.clockMax) throw new MalformedBytes('a clock in it is too high');
    }
    clients.set(client, { client, from, to, structs, needs });
  }
  return [...clients.values()];
}

interface StructPlace {
  readonly client: number;
  readonly at: number;
  readonly index: number;
  readonly needs: Need[];
}

const GC = 0;
const SKIP = 10;
const HAS_ORIGIN = 0b1000_0000;
const HAS_RIGHT_ORIGIN = 0b0100_0000;
const HAS_KEY = 0b0010_0000;
const CONTENT = 0b0001_1111;

/** Answers how many clocks the struct takes. */
function scanStruct(walk: ByteWalk, context: Context, place: StructPlace): number {
  const info = walk.byte();
  if (info === SKIP) {
    const length = positive(walk.uint());
    // What follows a stretch that was left out needs the last of it.
    const { at, client, index, needs } = place;
    needs.push({ at, index: index + 1, client, clock: at + length - 1 });
    return length;
  }
  if (info === GC) {
    // Only what stood in a type that was deleted is collected like this, and in our documents none is.
    if (context.root !== null) throw new MalformedBytes('it holds something collected');
    return positive(walk.uint());
  }
  if ((info & HAS_ORIGIN) !== 0) scanDependency(walk, place);
  if ((info & HAS_RIGHT_ORIGIN) !== 0) scanDependency(walk, place);
  if ((info & (HAS_ORIGIN | HAS_RIGHT_ORIGIN)) === 0) scanParent(walk, context, place, info);
  if (context.root !== null && context.root.keyed !== ((info & HAS_KEY) !== 0))
    throw new MalformedBytes('something in it stands in no place of this document');
  return scanContent(walk, context, info & CONTENT);
}

function scanDependency(walk: ByteWalk, { at, client, index, needs }: StructPlace): void {
  const need = { at, index, client: walk.uint(), clock: walk.uint() };
  if (need.clock > SCAN_LIMITS.clockMax) throw new MalformedBytes('a clock in it is too high');
  if (need.client !== client) needs.push(need);
  // Yjs does not look whether a client's own later struct is there, and throws in the middle of its work.
  else if (need.clock >= at) throw new MalformedBytes('something in it stands beside what comes later');
}

function scanParent(walk: ByteWalk, context: Context, place: StructPlace, info: number): void {
  const named = walk.uint() === 1;
  if (named) {
    const name = walk.text();
    if (name.length > SCAN_LIMITS.rootBytesMax || (context.root !== null && context.root.name !== name))
      throw new MalformedBytes('it writes to a type this document has not got');
    context.roots.add(name);
  } else {
    if (context.root !== null) throw new MalformedBytes('it writes inside a member');
    scanDependency(walk, place);
  }
  if ((info & HAS_KEY) !== 0) walk.text();
}

/** Answers the length of the content in clocks. */
function scanContent(walk: ByteWalk, { root }: Context, type: number): number {
  if (type === 1) return positive(walk.uint());
  if (type === 3) {
    walk.overBytes();
    return 1;
  }
  if (root !== null) throw new MalformedBytes('it holds something else than bytes');
  return scanOtherContent(walk, type);
}

function scanOtherContent(walk: ByteWalk, type: number): number {
  switch (type) {
    case 2: {
      const count = positive(walk.count(1));
      for (let left = count; left > 0; left -= 1) walk.overJson();
      return count;
    }
    case 4:
      return positive(walk.text().length);
    case 5:
      walk.overJson();
      return 1;
    case 6:
      walk.text();
      walk.overJson();
      return 1;
    case 7: {
      const kind = walk.uint();
      if (kind > 6) throw new MalformedBytes('it holds a type that Yjs does not know');
      if (kind === 3 || kind === 5) walk.text();
      return 1;
    }
    case 8: {
      const count = positive(walk.count(1));
      for (let left = count; left > 0; left -= 1) walk.overAny();
      return count;
    }
    default:
      throw new MalformedBytes('it holds content that is not taken here');
  }
}

function scanDeletions(walk: ByteWalk): readonly ClockRange[] {
  const deletions: ClockRange[] = [];
  const seen = new Set<number>();
  for (let left = walk.count(2); left > 0; left -= 1) {
    const client = walk.uint();
    if (seen.has(client)) throw new MalformedBytes('a client is deleted in it twice');
    seen.add(client);
    for (let ranges = walk.count(2); ranges > 0; ranges -= 1) {
      const from = walk.uint();
      const to = from + positive(walk.uint());
      if (to > SCAN_LIMITS.clockMax) throw new MalformedBytes('a clock in it is too high');
      deletions.push({ client, from, to });
    }
  }
  return deletions;
}

function positive(count: number): number {
  if (count === 0) throw new MalformedBytes('something in it has no length');
  return count;
}
