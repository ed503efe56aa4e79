import { fromHex, toHex } from '../../base/bytes.ts';
import type { Random } from '../../base/random.ts';
import { assert } from '../../base/assert.ts';
import type { Crypto } from '../../crypto/ports.ts';
import type { KeyBox, OlderKey, RosterEntry } from '../../access/head.ts';
import {
  keyRing,
  sealKey,
  sealOlder,
  SECRET_BYTES,
  type ContentSecret,
  type KeyPlace,
  type KeyRing,
} from '../../doc/keys.ts';

/** The content keys of a workspace, and the forms in which the head gives them out. */
export interface WorkspaceKeys {
  /** Newest first, at least one. As hexadecimal: this is the record in the home's journal, which only its owner reads. */
  readonly secrets: readonly { readonly gen: number; readonly secret: string }[];
  /** The newest, in a box for each device of the roster that has a box key. */
  readonly boxes: readonly KeyBox[];
  /** Each earlier one under the one after it, newest first. */
  readonly older: readonly OlderKey[];
}

interface KeyParts {
  readonly crypto: Pick<Crypto, 'hmac' | 'seal' | 'agreement'>;
  readonly random: Random;
  readonly place: KeyPlace;
}

/** One generation more than `before`; generation 1 when there is none. Boxes are made by `boxed`. */
export function nextKeys({ crypto, place, random }: KeyParts, before: WorkspaceKeys | undefined): WorkspaceKeys {
  const secrets = before === undefined ? [] : secretsOf(before);
  const [newest] = secrets;
  const made: ContentSecret = { gen: (newest?.gen ?? 0) + 1, secret: random.bytes(SECRET_BYTES) };
  const older = newest === undefined ? [] : [sealOlder(crypto, random, place, made, newest), ...(before?.older ?? [])];
  return { secrets: [made, ...secrets].map(asText), boxes: [], older };
}

/** A box for every device of the roster that can have one; those that are there already are kept. */
export async function boxed(
  { crypto, place, random }: KeyParts,
  keys: WorkspaceKeys,
  roster: readonly Pick<RosterEntry, 'device' | 'boxKey'>[],
  changed: (device: RosterEntry['device']) => boolean,
): Promise<WorkspaceKeys> {
  const [newest] = secretsOf(keys);
  assert(newest !== undefined, 'a workspace has a content key');
  const known = new Map(keys.boxes.map((box) => [box.device, box]));
  const boxes: KeyBox[] = [];
  for (const entry of roster) {
    const kept = changed(entry.device) ? undefined : known.get(entry.device);
    const box = kept ?? (await sealKey(crypto, random, place, newest, entry));
    if (box !== undefined) boxes.push(box);
  }
  return { ...keys, boxes };
}

export function ringOf(crypto: Pick<Crypto, 'hmac'>, keys: WorkspaceKeys): KeyRing {
  const known = rings.get(keys);
  if (known !== undefined) return known;
  const [newest, ...older] = secretsOf(keys);
  assert(newest !== undefined, 'a workspace has a content key');
  const ring = keyRing(crypto.hmac, [newest, ...older]);
  rings.set(keys, ring);
  return ring;
}

/** The record is a value that nothing changes; its ring is asked for with every decision. */
const rings = new WeakMap<WorkspaceKeys, KeyRing>();

function secretsOf(keys: WorkspaceKeys): readonly ContentSecret[] {
  return keys.secrets.map(({ gen, secret: text }) => {
    const secret = fromHex(text);
    assert(secret?.length === SECRET_BYTES, 'a content key was stored whole');
    return { gen, secret };
  });
}

function asText({ gen, secret }: ContentSecret): WorkspaceKeys['secrets'][number] {
  return { gen, secret: toHex(secret) };
}
