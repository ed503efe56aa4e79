import type { Seen } from '../../model/decision.ts';
import type { Digest } from '../../model/ids.ts';
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
  /**
   * An immutable object, by its path below the home's objects: `b/<workspace>/<address>` a blob, `t/<workspace>/<tile>` a
   * full tile, `m/<workspace>/<hash>` a manifest. `read` is called when it is sent; after a restart what is there
   * already may be put again, so an outlet asks first. Throws (`read`): `not-found` for bytes that are gone.
   */
  put(path: string, read: () => Uint8Array): void;
  /** The newest heartbeat, for who looks at this room. */
  beat(room: string, heartbeat: SignedText): void;
}

/** What the head says of a workspace, as its authority knows it. */
export interface Published {
  readonly room: string | null;
  readonly tile: string | null;
  readonly manifestRoot: Digest | null;
  readonly checkpoint: { readonly size: number; readonly root: Digest; readonly tree: Digest } | null;
  /** Absent until this authority, or one before it, has said one. */
  readonly heartbeat?: Seen;
}
