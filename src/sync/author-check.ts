import * as Y from 'yjs';

/** Does the other side hold changes that this document never had? Throws on bytes that are no state vector. */
export function isBeyond(doc: Y.Doc, stateVector: Uint8Array): boolean {
  for (const [client, clock] of Y.decodeStateVector(stateVector))
    if (clock > Y.getState(doc.store, client)) return true;
  return false;
}

/**
 * Does an update insert or delete anything that this document does not hold already? An author asks it of everything
 * that comes back from its own rooms. Throws on bytes that are no V1 update.
 */
export function isForeign(doc: Y.Doc, update: Uint8Array): boolean {
  const { ds, structs } = Y.decodeUpdate(update);
  for (const struct of structs)
    if (!(struct instanceof Y.Skip) && struct.id.clock + struct.length > Y.getState(doc.store, struct.id.client))
      return true;
  for (const [client, ranges] of ds.clients)
    for (const range of ranges) if (!isDeleted(doc, client, range)) return true;
  return false;
}

function isDeleted(doc: Y.Doc, client: number, range: { readonly clock: number; readonly len: number }): boolean {
  const end = range.clock + range.len;
  const structs = doc.store.clients.get(client) ?? [];
  if (end > Y.getState(doc.store, client)) return false;
  if (range.len === 0) return true;
  for (let at = Y.findIndexSS(structs, range.clock); at < structs.length; at++) {
    const struct = structs[at];
    if (struct === undefined || struct.id.clock >= end) return true;
    if (!struct.deleted) return false;
  }
  return true;
}
