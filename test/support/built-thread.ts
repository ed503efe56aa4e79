import { pathToFileURL } from 'node:url';
import type { Plugin } from 'vite';
import { bundled } from './bundle.ts';

/** What starts the thread of the relay's store. */
const STARTER = 'sync-server/storage/sqlite.ts';

/**
 * Code that starts a thread looks for it beside itself, and knows by its own name that it is built. From source every
 * thread would load a compiler first, which costs more than most tests that start a relay; so its starter is told that
 * it lies where the thread is one plain file.
 */
export function builtThread(): Plugin {
  let folder: Promise<string> | undefined;
  return {
    name: 'built-thread',
    enforce: 'pre',
    async transform(code, id) {
      if (!id.endsWith(STARTER)) return undefined;
      folder ??= bundled({ 'sqlite-thread': '../../sync-server/storage/sqlite-thread.ts' }).then(
        (programs) => programs['sqlite-thread'],
      );
      if (!code.includes('import.meta.url')) throw new Error(`${STARTER} does not look beside itself any more.`);
      return code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(await folder).href));
    },
  };
}
