import { RIGHT_ORDER, type Right } from '../access/rights.ts';
import type { Json } from '../base/canonical-json.ts';
import type { EpochMs } from '../base/clock.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { Signer, Verify } from '../crypto/ports.ts';
import type { DeviceId, Digest, HomeId, WorkspaceId } from '../model/ids.ts';
import type { SignedText } from '../model/signed-text.ts';
import { count, device, digest, epochMs, home, ordinal, version1, workspace } from './fields.ts';
import { distinct, list, nullable, oneOf, read, record, text, wrong, type Reader } from './shape.ts';
import { openRecord, signRecord, type Domain } from './signed.ts';

export const HEAD_LIMITS = {
  /** Devices of one person, revoked ones gone. */
  rosterMax: 256,
  /** Guarded folders of one home. */
  workspacesMax: 256,
  /** UTF-8 bytes of a device's nickname, and of a room name. */
  nicknameBytesMax: 128,
  roomBytesMax: 64,
} as const;

/** The `h/<home>` object: what is current. A device never accepts a lower `number` than it has seen. */
export interface Head {
  readonly v: 1;
  readonly home: HomeId;
  readonly number: number;
  readonly atMs: EpochMs;
  readonly roster: readonly RosterEntry[];
  /** Grows with every change of the roster (DC-8). */
  readonly rosterNumber: number;
  readonly workspaces: readonly HeadWorkspace[];
}

export interface RosterEntry {
  readonly device: DeviceId;
  /** Ed25519, 64 lower-case hexadecimal digits. */
  readonly publicKey: string;
  readonly nickname: string;
  readonly right: Right;
  /** The home's audit entry that added it. */
  readonly addedEntry: number;
}

export interface HeadWorkspace {
  readonly id: WorkspaceId;
  readonly fence: number;
  readonly keyGen: number;
  /** The ledger's present room, and the open audit tile's number; `null` while nothing is published. */
  readonly room: string | null;
  readonly tile: number | null;
  readonly manifestRoot: Digest | null;
  readonly checkpoint: { readonly size: number; readonly root: Digest; readonly tree: Digest } | null;
  /** The content key, sealed to each device. Version 1 has none. */
  readonly boxes: readonly never[];
}

/** 32 bytes as hexadecimal: the same text form as a digest, and no digest. */
const publicKey: Reader<string> = (value, at) => {
  if (typeof value !== 'string' || !/^[0-9a-f]{64}$/.test(value)) wrong(at, 'must be 64 lower-case hexadecimal digits');
  return value;
};

const rosterEntry: Reader<RosterEntry> = record({
  device,
  publicKey,
  nickname: text({ bytesMax: HEAD_LIMITS.nicknameBytesMax }),
  right: oneOf(...RIGHT_ORDER),
  addedEntry: count,
});

const headWorkspace: Reader<HeadWorkspace> = record({
  id: workspace,
  fence: count,
  keyGen: count,
  room: nullable(text({ bytesMin: 1, bytesMax: HEAD_LIMITS.roomBytesMax })),
  tile: nullable(count),
  manifestRoot: nullable(digest),
  checkpoint: nullable(record({ size: count, root: digest, tree: digest })),
  boxes: list<never>((_, at) => wrong(at, 'is not known to version 1'), { max: 0 }),
});

const head: Reader<Head> = record({
  v: version1,
  home,
  number: ordinal,
  atMs: epochMs,
  roster: distinct(list(rosterEntry, { max: HEAD_LIMITS.rosterMax }), (entry) => entry.device),
  rosterNumber: count,
  workspaces: distinct(list(headWorkspace, { max: HEAD_LIMITS.workspacesMax }), (entry) => entry.id),
});

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
