import { concat, fromBase64Url, fromHex, toBase64Url, utf8 } from '../base/bytes.ts';
import type { Random } from '../base/random.ts';
import { err, ok, type Result } from '../base/result.ts';
import { openBox, sealBox } from '../crypto/box.ts';
import type { Agreement, Crypto, Hmac, Lock } from '../crypto/ports.ts';
import type { HeadWorkspace, KeyBox, OlderKey, RosterEntry } from '../access/head.ts';
import type { DeviceId, HomeId, WorkspaceId } from '../model/ids.ts';

/** Random bytes in a content key's secret. */
export const SECRET_BYTES = 32;
const NONCE_BYTES = 24;

/** The secret of one generation of a workspace's content key, from which every key below is derived. */
export interface ContentSecret {
  /** 1, 2 …: one more whenever a device is removed. */
  readonly gen: number;
  readonly secret: Uint8Array;
}

/** One generation of a workspace's content key: a key of its own for each use, so that no nonce is shared. */
export interface ContentKey {
  readonly gen: number;
  readonly record: Uint8Array;
  readonly inbox: Uint8Array;
  readonly tile: Uint8Array;
  readonly blob: Uint8Array;
  /** Under it the hash of a blob becomes its address, so that a relay cannot tell whether it holds a known file. */
  readonly address: Uint8Array;
  /** Seals the secret of the generation before. */
  readonly older: Uint8Array;
}

/** Every generation this side can read. */
export interface KeyRing {
  readonly newest: ContentKey;
  of(gen: number): ContentKey | undefined;
  /** Newest first. */
  readonly all: readonly ContentKey[];
  /** What it was made of, newest first: for whoever keeps it. */
  readonly secrets: readonly ContentSecret[];
}

export interface KeyPlace {
  readonly home: HomeId;
  /** `null`: the home's own log. */
  readonly workspace: WorkspaceId | null;
}

export function contentKey(hmac: Hmac, { gen, secret }: ContentSecret): ContentKey {
  const derived = (use: string): Uint8Array => hmac(secret, utf8(`countersign ${use}|1\n`));
  return {
    gen,
    record: derived('record'),
    inbox: derived('inbox'),
    tile: derived('tile'),
    blob: derived('blob'),
    address: derived('address'),
    older: derived('older'),
  };
}

/** A ring of these generations; at least one. */
export function keyRing(hmac: Hmac, secrets: readonly [ContentSecret, ...ContentSecret[]]): KeyRing {
  const [first, ...others] = secrets;
  const newest = others.reduce((a, b) => (a.gen > b.gen ? a : b), first);
  const sorted = secrets.toSorted((a, b) => b.gen - a.gen);
  const keys = new Map(sorted.map((each) => [each.gen, contentKey(hmac, each)]));
  return {
    newest: keys.get(newest.gen) ?? contentKey(hmac, newest),
    of: (gen) => keys.get(gen),
    all: [...keys.values()],
    secrets: sorted,
  };
}

/**
 * The keys of a workspace that its head gives this device: the newest from the box for it, the others from there
 * downward. A generation that does not open ends the walk: what it sealed stays unread, what is newer is not.
 */
export async function openKeys(
  crypto: Pick<Crypto, 'hmac' | 'seal' | 'agreement'>,
  own: Agreement,
  at: { readonly home: HomeId; readonly device: DeviceId },
  { boxes, id, keyGen, older }: Pick<HeadWorkspace, 'keyGen' | 'boxes' | 'older'> & { readonly id: WorkspaceId | null },
): Promise<Result<KeyRing>> {
  const box = boxes.find((each) => each.device === at.device)?.box;
  if (box === undefined) return err('The head holds no key of this workspace for this device.');
  const place = { home: at.home, workspace: id };
  const bytes = fromBase64Url(box);
  const secret = bytes && (await openBox(crypto, own, boxContext(place, keyGen, at.device), bytes));
  if (secret?.length !== SECRET_BYTES) return err('The key of this workspace does not open with this device’s key.');
  let lowest: ContentSecret = { gen: keyGen, secret };
  const secrets: [ContentSecret, ...ContentSecret[]] = [lowest];
  for (;;) {
    const next = openOlder(crypto, place, lowest, older);
    if (next === undefined) return ok(keyRing(crypto.hmac, secrets));
    secrets.push(next);
    lowest = next;
  }
}

/** The key in a box for a device of the roster; `undefined` for a device that has no box key, or none that works. */
export async function sealKey(
  crypto: Pick<Crypto, 'hmac' | 'seal' | 'agreement'>,
  random: Random,
  place: KeyPlace,
  { gen, secret }: ContentSecret,
  { boxKey, device }: Pick<RosterEntry, 'device' | 'boxKey'>,
): Promise<KeyBox | undefined> {
  const publicKey = boxKey === null ? undefined : fromHex(boxKey);
  if (publicKey === undefined) return undefined;
  const to = { publicKey, context: boxContext(place, gen, device), once: random.bytes(SECRET_BYTES) };
  const box = await sealBox(crypto, to, secret);
  return box && { device, box: toBase64Url(box) };
}

/** The generation before `newer`, sealed under it, for the head's `older`. */
export function sealOlder(
  { hmac, seal }: Pick<Crypto, 'hmac' | 'seal'>,
  random: Random,
  place: KeyPlace,
  newer: ContentSecret,
  older: ContentSecret,
): OlderKey {
  const lock = olderLock(hmac, place, newer, random.bytes(NONCE_BYTES));
  return { keyGen: older.gen, sealed: toBase64Url(concat(lock.nonce, seal.seal(lock, older.secret))) };
}

function openOlder(
  { hmac, seal }: Pick<Crypto, 'hmac' | 'seal'>,
  place: KeyPlace,
  newer: ContentSecret,
  older: readonly OlderKey[],
): ContentSecret | undefined {
  const gen = newer.gen - 1;
  const text = older.find((each) => each.keyGen === gen)?.sealed;
  const bytes = text === undefined ? undefined : fromBase64Url(text);
  if (bytes === undefined || bytes.length <= NONCE_BYTES) return undefined;
  const lock = olderLock(hmac, place, newer, bytes.slice(0, NONCE_BYTES));
  const secret = seal.open(lock, bytes.slice(NONCE_BYTES));
  return secret?.length === SECRET_BYTES ? { gen, secret } : undefined;
}

function olderLock(hmac: Hmac, { home, workspace }: KeyPlace, newer: ContentSecret, nonce: Uint8Array): Lock {
  const key = contentKey(hmac, newer).older;
  return { key, nonce, aad: utf8(`${home}|${workspace ?? '-'}|${newer.gen - 1}|older`) };
}

function boxContext({ home, workspace }: KeyPlace, gen: number, device: DeviceId): Uint8Array {
  return utf8(`${home}|${workspace ?? '-'}|${gen}|${device}`);
}
