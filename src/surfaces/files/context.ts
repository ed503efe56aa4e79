import type { DeniedFolders } from './denied.ts';
import type { Site } from './folder.ts';
import type { Ground } from './ground.ts';

/** What all file tools of one workspace share. `denied` is asked anew for every call. */
export interface FilesContext {
  readonly ground: Ground;
  readonly denied: () => DeniedFolders;
  readonly site: Omit<Site, 'denied'>;
  /** The branch the folder is on now; `undefined` outside of git. */
  readonly branch: () => string | undefined;
}
