import type { SignedText } from '../../model/signed-text.ts';

/**
 * Where what is published goes. Every call returns at once and never throws; what could not be delivered is delivered
 * when the relay is reached again. Only what is durable in the journal is ever handed over.
 */
export interface Outlet {
  /** A document of this authority, whole, as it is stored. Before its first `update`, and again after `close`. */
  open(room: string, state: Uint8Array): void;
  update(room: string, update: Uint8Array): void;
  /** The document is written no more. Readers that ask for it are told to look at the head. */
  close(room: string): void;
  /** An immutable object at a path of the relay (a blob, a full tile, a manifest). `read` is called when it is sent. */
  put(path: string, read: () => Uint8Array): void;
  /** The newest heartbeat, for who looks at this room. */
  beat(room: string, heartbeat: SignedText): void;
}

/** What the head says of a workspace, as its authority knows it. */
export interface Published {
  readonly room: string | null;
  readonly tile: string | null;
  readonly manifestRoot: string | null;
  readonly checkpoint: { readonly size: number; readonly root: string; readonly tree: string } | null;
}
