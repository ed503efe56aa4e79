import { isDevice, openBrowserReplica } from '../../replica/browser/index.ts';
import type { Replica } from '../../replica/types.ts';

/** How a page comes to a replica: what is stored in this browser, and the home it was served by. */
export interface Doorway {
  /** Is this browser a device of its home already? */
  isDevice(): Promise<boolean>;
  /** Throws: `not-found`, `closed`, `denied`, `full`, `storage`, `bad-input`. */
  open(link: Link | null): Promise<Replica>;
}

export interface Link {
  readonly secret: string;
  readonly nickname: string;
}

/** The door of a page that its own home served. */
export function browserDoorway(onFault: (thrown: unknown) => void): Doorway {
  return {
    isDevice,
    open: (link) =>
      openBrowserReplica({ onFault, ...(link === null ? {} : { link: { ...link, origin: location.origin } }) }),
  };
}
