import * as Y from 'yjs';

/** A Yjs document, for code that carries one and must not look inside. */
export type SharedDoc = Y.Doc;

/** An empty document. Its deleted content is collected: what a person withdrew does not stay behind. */
export function newDoc(): SharedDoc {
  return new Y.Doc({ gc: true });
}
