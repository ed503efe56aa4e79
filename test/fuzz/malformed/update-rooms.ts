import * as Y from 'yjs';
import { hexOf } from '../../support/fuzz-dice.ts';
import type { Crypto } from '../../../src/crypto/ports.ts';
import { LedgerReader } from '../../../src/doc/ledger-reader.ts';
import { InboxAuthor, InboxReader } from '../../../src/doc/inbox.ts';
import { TileAuthor, TileReader } from '../../../src/doc/tile.ts';
import type { DOCUMENT_ROOT } from '../../../src/sync/update-guard.ts';
import {
  actionDraft,
  actionOf,
  AS_OF,
  DEVICE_SIGNER,
  freshAuthor,
  INBOX_NAME,
  KEYS,
  HOME_SIGNER,
  nodeCrypto,
  PLACE,
  seededRandom,
  TILE_NAME,
  WORKSPACE,
} from '../../support/doc-lab.ts';

export type RoomName = keyof typeof DOCUMENT_ROOT;

/** A document as its writer made it: all of it, and change by change. */
export interface RoomOf {
  readonly state: Uint8Array;
  readonly updates: readonly Uint8Array[];
  /** Looks at everything a reader shows. Throws what a reader must not; answers what nobody wrote. */
  readonly lookAt: (doc: Y.Doc) => string | undefined;
}

const keyOf = (...parts: readonly Uint8Array[]): string => parts.map(hexOf).join('.');

/** The same few hundred records are opened and checked a hundred thousand times: what came of it is kept. */
const REMEMBERING: Crypto = {
  ...nodeCrypto,
  verify: remembering(nodeCrypto.verify, keyOf),
  seal: {
    ...nodeCrypto.seal,
    open: remembering(nodeCrypto.seal.open, ({ aad, key, nonce }, sealed) => keyOf(aad, key, nonce, sealed)),
  },
};

export const ROOMS: Readonly<Record<RoomName, RoomOf>> = { ledger: ledger(), inbox: inbox(), tile: tile() };

function ledger(): RoomOf {
  const author = freshAuthor('fuzz');
  const updates = [1, 2, 3].map((n) =>
    author.change({
      puts: [actionDraft(n), ...(n === 3 ? [actionDraft(1, { attempts: 1 })] : [])],
      drops: n === 3 ? [actionOf(2)] : [],
      asOf: AS_OF,
    }),
  );
  const written = new Set<string>();
  const all = (doc: Y.Doc): readonly string[] => {
    const reader = new LedgerReader(doc, {
      crypto: REMEMBERING,
      homeKey: HOME_SIGNER.publicKey,
      place: PLACE,
      keys: () => KEYS,
    });
    reader.check();
    const signed = reader.ids.flatMap((id) => {
      const opened = reader.open(id);
      return opened?.ok === true && reader.isSigned(id) ? [opened.value.signed.payload] : [];
    });
    reader.destroy();
    return signed;
  };
  const replayed = new Y.Doc();
  for (const update of updates) {
    Y.applyUpdate(replayed, update);
    for (const payload of all(replayed)) written.add(payload);
  }
  return {
    state: author.state(),
    updates,
    lookAt: (doc) =>
      all(doc).every((payload) => written.has(payload)) ? undefined : 'it shows a record that the home never signed',
  };
}

function inbox(): RoomOf {
  const doc = new Y.Doc();
  doc.clientID = 21;
  const updates: Uint8Array[] = [];
  doc.on('update', (update: Uint8Array) => updates.push(update));
  const author = new InboxAuthor(doc, { seal: nodeCrypto.seal, random: seededRandom('inbox'), name: INBOX_NAME });
  const payloads = new Set<string>();
  for (const n of [1, 2, 3]) {
    const payload = JSON.stringify({ n });
    payloads.add(payload);
    author.put(KEYS, { workspace: WORKSPACE, n }, { payload, signature: hexOf(DEVICE_SIGNER.sign(new Uint8Array(n))) });
  }
  author.prune(WORKSPACE, 1);
  const lookAt = (found: Y.Doc): string | undefined => {
    const reader = new InboxReader(found, { seal: REMEMBERING.seal, name: INBOX_NAME });
    const opened = reader.numbers(WORKSPACE).map((n) => reader.open(KEYS, { workspace: WORKSPACE, n }));
    const strange = opened.some((one) => one?.ok === true && !payloads.has(one.value.payload));
    const broken = reader.malformed < 0 || reader.broken !== undefined;
    reader.destroy();
    return strange || broken ? 'the inbox shows what its device never put there' : undefined;
  };
  return { state: Y.encodeStateAsUpdate(doc), updates, lookAt };
}

function tile(): RoomOf {
  const author = new TileAuthor({ crypto: nodeCrypto, name: TILE_NAME, key: KEYS.newest });
  const updates = [1, 2, 3].map((seq) => author.append(seq, new TextEncoder().encode(`{"seq":${seq}}`)));
  const lookAt = (doc: Y.Doc): string | undefined => {
    const reader = new TileReader(doc, { crypto: REMEMBERING, name: TILE_NAME, keys: () => KEYS });
    const strange = reader.numbers.some((seq) => {
      const entry = reader.entry(seq);
      return entry?.ok === true && new TextDecoder().decode(entry.value) !== `{"seq":${seq}}`;
    });
    reader.destroy();
    return strange ? 'the tile shows an entry that the home never made' : undefined;
  };
  return { state: author.state(), updates, lookAt };
}

function remembering<Args extends readonly unknown[], T>(
  run: (...args: Args) => T,
  key: (...args: Args) => string,
): (...args: Args) => T {
  const known = new Map<string, T>();
  return (...args) => {
    const name = key(...args);
    if (!known.has(name)) {
      if (known.size > 2_000) known.clear();
      known.set(name, run(...args));
    }
    // reason: put there above; `undefined` is an answer, too
    return known.get(name) as T;
  };
}
