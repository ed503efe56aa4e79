import type * as Y from 'yjs';
import { utf8 } from '../base/bytes.ts';
import type { Random } from '../base/random.ts';
import type { Sha256 } from '../crypto/ports.ts';

/** A client id that nothing in the document bears. Yjs would throw its own dice, which no seed replays. */
export function freshClientId(random: Random, doc: Y.Doc): number {
  for (;;) {
    const id = uint32(random.bytes(4));
    if (id !== 0 && !doc.store.clients.has(id)) return id;
  }
}

/** The one client id of a document that is a function of what it holds. */
export function fixedClientId(sha256: Sha256, name: string): number {
  return uint32(sha256(utf8(`countersign writer|1\n${name}`)));
}

function uint32(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0);
}
