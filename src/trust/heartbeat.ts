import type { Json } from '../base/canonical-json.ts';
import type { EpochMs } from '../base/clock.ts';
import type { Result } from '../base/result.ts';
import type { Signer, Verify } from '../crypto/ports.ts';
import type { Seen } from '../model/decision.ts';
import type { Digest, HomeId, WorkspaceId } from '../model/ids.ts';
import type { SignedText } from '../model/signed-text.ts';
import { count, digest, epochMs, home, ordinal, version1, workspace } from '../access/fields.ts';
import { read, record, type Reader } from '../base/shape.ts';
import { openRecord, signRecord } from '../access/signed.ts';

/** The home's signed word on what a workspace's log was at a moment: the only clock a decision knows (DC-5). */
export interface Heartbeat {
  readonly v: 1;
  readonly home: HomeId;
  readonly workspace: WorkspaceId;
  /** 1, 2 … per workspace; never falls, also across restarts. */
  readonly counter: number;
  /** The authority's never-falling clock. */
  readonly atMs: EpochMs;
  /** Entries in the audit log, and the chain root after the last of them. */
  readonly size: number;
  readonly root: Digest;
}

const heartbeat: Reader<Heartbeat> = record({
  v: version1,
  home,
  workspace,
  counter: ordinal,
  atMs: epochMs,
  size: count,
  root: digest,
});

export function parseHeartbeat(value: Json): Result<Heartbeat> {
  return read(heartbeat, value);
}

/** Throws: `bad-input` for a heartbeat that `parseHeartbeat` refuses. */
export function signHeartbeat(signer: Signer, value: Heartbeat): SignedText {
  return signRecord(signer, 'heartbeat', heartbeat, value);
}

/** The heartbeat in a signed text, if this home key signed it for this home and workspace. */
export function openHeartbeat(
  verify: Verify,
  publicKey: Uint8Array,
  place: { readonly home: HomeId; readonly workspace: WorkspaceId },
  signed: SignedText,
): Result<Heartbeat> {
  return openRecord({ verify, publicKey, domain: { ...place, type: 'heartbeat' }, signed }, heartbeat);
}

/** What a decision says its person could have seen. */
export function seenOf(value: Heartbeat): Seen {
  return { counter: value.counter, atMs: value.atMs, size: value.size, root: value.root };
}
