import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { buildPanel } from '../../scripts/lib/build-panel.mjs';
import { isFresh } from '../../scripts/lib/build.mjs';

const BUILT = join(import.meta.dirname, '..', '..', 'dist', 'panel');

/** Puts the panel into a folder: what was built of these sources, else a build of its own. */
export async function builtPanel(dir: string): Promise<void> {
  if (isFresh()) await cp(BUILT, dir, { recursive: true });
  else await buildPanel(dir);
}
