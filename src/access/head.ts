import type { Json } from '../base/canonical-json.ts';
import type { EpochMs } from '../base/clock.ts';
import { err, ok, type Result } from '../base/result.ts';
import { distinct, list, nullable, oneOf, read, record, text, whole, type Reader } from '../base/shape.ts';
import type { Signer, Verify } from '../crypto/ports.ts';
import type { DeviceId, Digest, HomeId, WorkspaceId } from '../model/ids.ts';
import type { SignedText } from '../model/signed-text.ts';
import { base64url, count, device, digest, epochMs, home, ordinal, publicKey, version1, workspace } from './fields.ts';
import { RIGHT_ORDER, type Right } from './rights.ts';
import { openRecord, signRecord, type Domain } from './signed.ts';

export const HEAD_LIMITS = {
  /** Devices of one person, revoked ones gone. */
  rosterMax: 256,
  /** Guarded folders of one home. */
  workspacesMax: 256,
  /** UTF-8 bytes of the names of a ledger's room and of an audit tile. */
  roomBytesMax: 64,
  /** Characters of a sealed key as base64url: 80 bytes in a box, 72 under the next key. */
  boxCharsMax: 128,
  /** Earlier generations of a content key: one a removed device, and nobody removes one a day for a year. */
  generationsMax: 256,
} as const;

/**
 * The `h/<home>` object: what is current. A device never accepts a lower `number` than it has seen. It travels
 * unsealed, so that a relay can enforce it: no name, path or text of a person stands in it.
 */
export interface Head {
  readonly v: 1;
  readonly home: HomeId;
  readonly number: number;
  readonly atMs: EpochMs;
  readonly roster: readonly RosterEntry[];
  /** Grows with every change of the roster (DC-8). */
  readonly rosterNumber: number;
  readonly workspaces: readonly HeadWorkspace[];
  /** The home's own log; absent while nothing of it is published. */
  readonly log?: HeadLog;
}

export interface RosterEntry {
  readonly device: DeviceId;
  /** Ed25519, 64 lower-case hexadecimal digits. */
  readonly publicKey: string;
  /** X25519, 64 lower-case hexadecimal digits; `null` for a device that reads through the owner door alone. */
  readonly boxKey: string | null;
  readonly right: Right;
  /** The home's audit entry that added it. */
  readonly addedEntry: number;
}

export interface HeadWorkspace {
  readonly id: WorkspaceId;
  readonly fence: number;
  readonly keyGen: number;
  /** The ledger's present room and the open audit tile; `null` while nothing is published. */
  readonly room: string | null;
  readonly tile: string | null;
  readonly manifestRoot: Digest | null;
  readonly checkpoint: { readonly size: number; readonly root: Digest; readonly tree: Digest } | null;
  /** A heartbeat from not long before, for who never meets the runtime itself; absent until there is one (DC-5). */
  readonly heartbeat?: HeadHeartbeat;
  /** The content key of `keyGen`, in a box for each device that may read this workspace. */
  readonly boxes: readonly KeyBox[];
  /** Each earlier content key, sealed under the one after it: who opens the newest reads all that was ever sealed. */
  readonly older: readonly OlderKey[];
}

/** As in a heartbeat of its own. The head's signature stands for it. */
export interface HeadHeartbeat {
  readonly counter: number;
  readonly atMs: EpochMs;
  readonly size: number;
  readonly root: Digest;
}

/** Where the home's own audit log lies, and how far it went when this was signed. */
export interface HeadLog extends Pick<HeadWorkspace, 'keyGen' | 'manifestRoot' | 'boxes' | 'older'> {
  readonly tile: string;
  readonly size: number;
  readonly root: Digest;
}

export interface KeyBox {
  readonly device: DeviceId;
  /** `sealBox` of the 32-byte key, base64url. */
  readonly box: string;
}

export interface OlderKey {
  readonly keyGen: number;
  /** `nonce ‖ sealed` of the 32-byte key under the key of `keyGen + 1`, base64url. */
  readonly sealed: string;
}

const rosterEntry: Reader<RosterEntry> = record({
  device,
  publicKey,
  boxKey: nullable(publicKey),
  right: oneOf(...RIGHT_ORDER),
  addedEntry: count,
});

const name = text({ bytesMin: 1, bytesMax: HEAD_LIMITS.roomBytesMax });
const sealedKey = base64url({ charsMax: HEAD_LIMITS.boxCharsMax });

const boxes = distinct(list(record({ device, box: sealedKey }), { max: HEAD_LIMITS.rosterMax }), (each) => each.device);
const older = distinct(
  list(record({ keyGen: whole(1), sealed: sealedKey }), { max: HEAD_LIMITS.generationsMax }),
  (each) => String(each.keyGen),
);

const headWorkspace: Reader<HeadWorkspace> = record(
  {
    id: workspace,
    fence: count,
    keyGen: count,
    room: nullable(name),
    tile: nullable(name),
    manifestRoot: nullable(digest),
    checkpoint: nullable(record({ size: count, root: digest, tree: digest })),
    boxes,
    older,
  },
  { heartbeat: record({ counter: ordinal, atMs: epochMs, size: count, root: digest }) },
);

const headLog: Reader<HeadLog> = record({
  keyGen: whole(1),
  tile: name,
  manifestRoot: nullable(digest),
  size: count,
  root: digest,
  boxes,
  older,
});

const headShape = {
  v: version1,
  home,
  number: ordinal,
  atMs: epochMs,
  roster: distinct(list(rosterEntry, { max: HEAD_LIMITS.rosterMax }), (entry) => entry.device),
  rosterNumber: count,
  workspaces: distinct(list(headWorkspace, { max: HEAD_LIMITS.workspacesMax }), (entry) => entry.id),
};

const head: Reader<Head> = record(headShape, { log: headLog });

export function parseHead(value: Json): Result<Head> {
  return read(head, value);
}

/** Throws: `bad-input` for a head that `parseHead` refuses. */
export function signHead(signer: Signer, value: Head): SignedText {
  return signRecord(signer, 'head', head, value);
}

/** The head in a signed text, if this home key signed it and it is not older than the newest one known. */
export function openHead(
  verify: Verify,
  homeKey: Uint8Array,
  known: { readonly home: HomeId; readonly number: number },
  signed: SignedText,
): Result<Head> {
  const domain: Domain = { type: 'head', home: known.home, workspace: null };
  const opened = openRecord({ verify, publicKey: homeKey, domain, signed }, head);
  if (!opened.ok) return opened;
  if (opened.value.number < known.number)
    return err(`The head is number ${opened.value.number}; number ${known.number} has been seen.`);
  return ok(opened.value);
}
