import { openBrowserReplica, standingHere } from '../../replica/browser/index.ts';
import type { Standing } from '../../replica/browser/home-now.ts';
import type { Replica } from '../../replica/types.ts';

/** How a page comes to a replica: what is stored in this browser, and the home it was served by. */
export interface Doorway {
  /** What is this browser to the home of the page? */
  standing(): Promise<Standing>;
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
    standing: standingHere,
    open: (link) =>
      openBrowserReplica({ onFault, ...(link === null ? {} : { link: { ...link, origin: location.origin } }) }),
  };
}
