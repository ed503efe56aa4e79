import * as Y from 'yjs';
import { toHex, utf8 } from '../../../src/base/bytes.ts';
import { credentialText } from '../../../src/access/credentials.ts';
import { signGrant, type Grant } from '../../../src/access/grant.ts';
import { proofToSign, type Proof } from '../../../src/access/proof.ts';
import { sealBox } from '../../../src/crypto/box.ts';
import { nobleCrypto, nobleSigner } from '../../../src/crypto/noble.ts';
import { sealBlob } from '../../../src/doc/blob.ts';
import { InboxAuthor, inboxKey, sealInboxEntry } from '../../../src/doc/inbox.ts';
import { contentKey, keyRing, sealOlder, type ContentSecret } from '../../../src/doc/keys.ts';
import { LedgerAuthor, type LedgerDraft } from '../../../src/doc/ledger-author.ts';
import { manifestHash, signManifest, type Manifest } from '../../../src/doc/manifest.ts';
import { sealRecord } from '../../../src/doc/record-codec.ts';
import { sealTileEntry, TileAuthor } from '../../../src/doc/tile.ts';
import { signDecision } from '../../../src/trust/decision.ts';
import type { SignedText } from '../../../src/model/signed-text.ts';
import { bytesOf } from '../bytes-of.ts';
import { LEDGER_RECORDS } from './ledger-values.ts';
import { DECISIONS, DEVICE, DEVICE_SEED, digestText, FIRST, HOME, HOME_SEED, WORKSPACE } from './values.ts';

/** Fixed values of what leaves the runtime. What they become is frozen in `test/golden/wire`. */

const crypto = nobleCrypto;
const home = nobleSigner(bytesOf(HOME_SEED));
const device = nobleSigner(bytesOf(DEVICE_SEED));

const SECRET: ContentSecret = { gen: 2, secret: bytesOf('33'.repeat(32)) };
const OLDER: ContentSecret = { gen: 1, secret: bytesOf('44'.repeat(32)) };
export const RING = keyRing(crypto.hmac, [SECRET]);
const BOX_SECRET = '55'.repeat(32);
const ONCE = '66'.repeat(32);
export const LEDGER = { home: HOME, workspace: WORKSPACE, name: `q/${HOME}/${WORKSPACE}/1.2` } as const;
export const INBOX = `d/${HOME}/${DEVICE}`;
export const TILE = `a/${HOME}/${WORKSPACE}/1.3`;
export const BOX_CONTEXT = `${HOME}|${WORKSPACE}|2|${DEVICE}`;
export const ENTRY = '{"v":1,"seq":7}';
export const BLOB = 'grüße\n';

export const MANIFEST: Manifest = {
  v: 1,
  home: HOME,
  workspace: WORKSPACE,
  previous: digestText('5'),
  tiles: [
    { tile: '1.2', from: 1001, to: 2000, sha256: digestText('1'), bytes: 400_000 },
    { tile: '2.1', from: 2001, to: 2500, sha256: digestText('2'), bytes: 524_999 },
  ],
};
export const GRANT: Grant = {
  v: 1,
  home: HOME,
  device: DEVICE,
  publicKey: toHex(device.publicKey),
  right: 'approve-reversible',
  number: 4,
};
export const PROOF: Proof = {
  v: 1,
  home: HOME,
  origin: 'ws://localhost:4420',
  room: LEDGER.name,
  challenge: 'Zm9vYmFy',
};

/** Dice that always fall alike: a nonce of them is good for a frozen file and nothing else. */
const dice = { bytes: (count: number) => new Uint8Array(count).fill(0x77) };

/** What the present code makes of the fixed values: one entry a frozen file, named as the file is. */
export const DOCUMENT_GOLDEN: Readonly<Record<string, () => unknown>> = {
  'content-key': () => {
    const { gen, ...keys } = contentKey(crypto.hmac, SECRET);
    const derived = Object.entries(keys).map(([use, key]) => [use, toHex(key)] as const);
    const place = { home: HOME, workspace: WORKSPACE };
    return {
      gen,
      secret: toHex(SECRET.secret),
      ...Object.fromEntries(derived),
      sealedOlder: sealOlder(crypto, dice, place, SECRET, OLDER),
      olderSecret: toHex(OLDER.secret),
    };
  },
  'ledger-record': () =>
    LEDGER_RECORDS.map((record) => ({
      payload: record,
      sealed: toHex(sealRecord({ seal: crypto.seal, signer: home, random: dice }, LEDGER, RING.newest, record)),
    })),
  'inbox-entry': () => {
    const at = { workspace: WORKSPACE, n: DECISIONS.approve.n };
    const signed = signDecision(device, DECISIONS.approve);
    const by = { seal: crypto.seal, random: dice };
    return { name: INBOX, key: inboxKey(at), sealed: toHex(sealInboxEntry(by, INBOX, RING.newest, at, signed)) };
  },
  'tile-entry': () => ({
    name: TILE,
    seq: 7,
    entry: ENTRY,
    sealed: toHex(sealTileEntry(crypto, TILE, RING.newest, 7, utf8(ENTRY))),
  }),
  manifest: () => {
    const signed = signManifest(home, MANIFEST);
    return { ...byHome(signed), hash: manifestHash(crypto.sha256, signed) };
  },
  blob: () => {
    const { address, sealed } = sealBlob(crypto, { home: HOME, workspace: WORKSPACE }, RING.newest, utf8(BLOB));
    return { text: BLOB, address, sealed: toHex(sealed) };
  },
  grant: () => byHome(signGrant(home, GRANT)),
  proof: () => {
    const proof = signedProof();
    const credentials = { homeKey: home.publicKey, grant: signGrant(home, GRANT), proof };
    return {
      seed: DEVICE_SEED,
      publicKey: toHex(device.publicKey),
      ...proof,
      credentials: credentialText(credentials),
    };
  },
  documents: () => ({ ledger: ledgerUpdates(), inbox: inboxState(), tile: tileState() }),
};

/** A box takes a secret that is shared in its own time, so it stands beside the others. */
export async function goldenBox(): Promise<unknown> {
  const { publicKey } = crypto.agreement(bytesOf(BOX_SECRET));
  const to = { publicKey, context: utf8(BOX_CONTEXT), once: bytesOf(ONCE) };
  const box = await sealBox(crypto, to, SECRET.secret);
  return {
    secret: BOX_SECRET,
    publicKey: toHex(publicKey),
    once: ONCE,
    context: BOX_CONTEXT,
    plain: toHex(SECRET.secret),
    box: toHex(box ?? new Uint8Array(0)),
  };
}

function signedProof(): SignedText {
  const { message, payload } = proofToSign(PROOF);
  return { payload, signature: toHex(device.sign(message)) };
}

/** Two changes, as they are sent, and what they come to. */
function ledgerUpdates(): unknown {
  const author = LedgerAuthor.fresh({ crypto, signer: home, random: dice, place: LEDGER, keys: RING });
  const drafts = LEDGER_RECORDS.filter(({ type, rev }) => type !== 'sum' && rev === 3) as readonly LedgerDraft[]; // reason: no sum is left
  const asOf = { size: 8, root: digestText('a') };
  const updates = [
    author.change({ puts: drafts, drops: [], asOf }),
    author.change({ puts: drafts.slice(0, 1), drops: [DEVICE], asOf }),
  ];
  return { about: FIRST, updates: updates.map(toHex), state: toHex(author.state()) };
}

function inboxState(): string {
  const doc = new Y.Doc();
  doc.clientID = 7;
  const author = new InboxAuthor(doc, { seal: crypto.seal, random: dice, name: INBOX });
  author.put(RING, { workspace: WORKSPACE, n: 1 }, signDecision(device, DECISIONS.approve));
  return toHex(Y.encodeStateAsUpdate(doc));
}

function tileState(): string {
  const author = new TileAuthor({ crypto, name: TILE, key: RING.newest });
  author.append(7, utf8(ENTRY));
  author.append(8, utf8('{"v":1,"seq":8}'));
  return toHex(author.state());
}

function byHome(signed: SignedText): object {
  return { seed: HOME_SEED, publicKey: toHex(home.publicKey), ...signed };
}
