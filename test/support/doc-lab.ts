import * as Y from 'yjs';
import { toHex, utf8 } from '../../src/base/bytes.ts';
import type { Random } from '../../src/base/random.ts';
import { deviceIdOf, homeIdOf } from '../../src/access/home-id.ts';
import { nodeCrypto, nodeSigner } from '../../src/crypto/node.ts';
import { keyRing, type KeyRing } from '../../src/doc/keys.ts';
import { LedgerAuthor, type LedgerAuthorOptions, type LedgerDraft } from '../../src/doc/ledger-author.ts';
import { LedgerReader, type LedgerCheck } from '../../src/doc/ledger-reader.ts';
import type { LedgerPlace } from '../../src/doc/record-codec.ts';
import { actionId, deviceId, sessionId, workspaceId, type ActionId, type Digest } from '../../src/model/ids.ts';

/** A home with one workspace, whose documents tests write, damage and read. */

const { hmac, sha256 } = nodeCrypto;

export const HOME_SIGNER = nodeSigner(new Uint8Array(32).fill(17));
export const DEVICE_SIGNER = nodeSigner(new Uint8Array(32).fill(34));
export const HOME = homeIdOf(sha256, HOME_SIGNER.publicKey);
export const DEVICE = deviceIdOf(sha256, DEVICE_SIGNER.publicKey);
export const WORKSPACE = workspaceId(new Uint8Array(16).fill(3));
export const PLACE: LedgerPlace = { home: HOME, workspace: WORKSPACE, name: `q/${HOME}/${WORKSPACE}/1.1` };
export const INBOX_NAME = `d/${HOME}/${DEVICE}`;
export const TILE_NAME = `a/${HOME}/${WORKSPACE}/1.1`;
export const KEYS: KeyRing = keyRing(hmac, [{ gen: 1, secret: new Uint8Array(32).fill(5) }]);

/** Dice that replay: SHA-256 over seed and count. */
export function seededRandom(seed: number | string): Random {
  let count = 0;
  return {
    bytes(size) {
      const blocks = Math.ceil(size / 32);
      const all = new Uint8Array(blocks * 32);
      for (let at = 0; at < blocks; at += 1) all.set(sha256(utf8(`${seed}/${count++}`)), at * 32);
      return all.slice(0, size);
    },
  };
}

export function digestOf(text: string): Digest {
  return toHex(sha256(utf8(text))) as Digest; // reason: SHA-256 as hexadecimal is a digest
}

export function actionOf(n: number): ActionId {
  return actionId(sha256(utf8(`action ${n}`)));
}

export function authorOptions(seed: number | string, more: Partial<LedgerAuthorOptions> = {}): LedgerAuthorOptions {
  return { crypto: nodeCrypto, signer: HOME_SIGNER, random: seededRandom(seed), place: PLACE, keys: KEYS, ...more };
}

export function freshAuthor(seed: number | string = 'author'): LedgerAuthor {
  return LedgerAuthor.fresh(authorOptions(seed));
}

export function readerOf(doc: Y.Doc, keys: KeyRing = KEYS): LedgerReader {
  const { publicKey } = HOME_SIGNER;
  return new LedgerReader(doc, { crypto: nodeCrypto, homeKey: publicKey, place: PLACE, keys: () => keys });
}

/** What a reader says when it has looked at everything that came. */
export function checkedWhole(reader: LedgerReader): LedgerCheck {
  while (reader.hashSome(64 * 1024));
  return reader.check();
}

/** A document that holds these updates, and its reader, which saw them come. */
export function replicaOf(updates: Iterable<Uint8Array> = []): { readonly doc: Y.Doc; readonly reader: LedgerReader } {
  const doc = new Y.Doc();
  const reader = readerOf(doc);
  for (const update of updates) Y.applyUpdate(doc, update);
  return { doc, reader };
}

export const AS_OF = { size: 7, root: digestOf('root') } as const;

/** An action as a list shows it, about as long as most are. */
export function actionDraft(n: number, more: Partial<LedgerDraft & { type: 'action' }> = {}): LedgerDraft {
  const session = sessionId(new Uint8Array(16).fill(4));
  return {
    v: 1,
    type: 'action',
    id: actionOf(n),
    seq: n,
    place: n,
    lane: session,
    state: 'pending',
    title: `Write src/file-${n}.ts`,
    target: `src/file-${n}.ts`,
    digest: digestOf(`content ${n}`),
    kind: 'file.write',
    tool: 'write_file',
    effectClass: 'E1',
    reversible: true,
    awaitDecision: false,
    inspectable: true,
    verdict: { autoApprovable: false, reason: 'It writes a file.' },
    session,
    root: session,
    turn: 1,
    proposedAtMs: 1_767_323_045_678,
    changedAtMs: 1_767_323_045_678,
    attention: null,
    attentionEntry: null,
    why: null,
    needs: { ranges: [], more: false },
    saw: { ranges: [[1, Math.max(1, n)]], more: false },
    holds: [],
    by: null,
    because: null,
    reason: null,
    remark: null,
    attempts: 0,
    mayHappenTwice: false,
    contradicted: false,
    revertable: null,
    graceUntilMs: null,
    file: { $blob: digestOf(`file ${n}`), bytes: 2000 + n },
    ...more,
  };
}

export function deviceDraft(n: number, nickname: string): LedgerDraft {
  return {
    v: 1,
    type: 'device',
    id: deviceId(sha256(utf8(`device ${n}`))),
    nickname,
    right: 'approve-all',
    removed: false,
  };
}

/** Everything a reader shows, as text that two readers can be compared by. */
export function shownBy(reader: LedgerReader): readonly string[] {
  return reader.ids.toSorted().map((id) => {
    const opened = reader.open(id);
    return opened?.ok === true ? opened.value.signed.payload : `${id}: ${JSON.stringify(opened)}`;
  });
}

export { nodeCrypto };
