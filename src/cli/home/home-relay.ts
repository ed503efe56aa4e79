import { rename, rm } from 'node:fs/promises';
import { openRelay, openSqliteStore } from '../../../sync-server/relay.ts';
import type { RelayStore } from '../../../sync-server/storage/store.ts';
import { CountersignError } from '../../base/errors.ts';
import type { HomeId } from '../../model/ids.ts';
import { panelOrigin } from '../http/request.ts';
import type { RelayRoutes } from '../http/routes.ts';
import type { StateFolder } from '../state/folder.ts';
import { rememberedRelay, rememberRelay, type RelayChoice } from './relay-choice.ts';

/** The relay of a home: inside it, or elsewhere. */
export interface HomeRelayPlace {
  /** Its WebSocket origin, as this home and its devices use it. */
  readonly url: string;
  readonly embedded: boolean;
  /** What its owner gave this home; `null` where none is needed. */
  readonly token: string | null;
  /** What answers for it at the home's own port; `null` when it is elsewhere. */
  readonly routes: RelayRoutes | null;
  /** Origins that the panel's page connects to because of it. */
  readonly pageConnects: readonly string[];
  close(): Promise<void>;
}

/**
 * Opens the relay inside the home, or takes the address of the one elsewhere, and remembers which.
 *
 * Throws: `too-new` when what the embedded relay keeps was written by a newer version.
 */
export async function openHomeRelay(options: {
  readonly folder: StateFolder;
  /** `undefined`: as before. */
  readonly choice: RelayChoice | undefined;
  readonly port: number;
  readonly home: HomeId;
  readonly onFatal: (error: unknown) => void;
  /** A line for the person who runs the home. */
  readonly log: (line: string) => void;
}): Promise<HomeRelayPlace> {
  const { choice, folder, home, log, onFatal, port } = options;
  if (choice !== undefined) await rememberRelay(folder, choice);
  const chosen = choice ?? (await rememberedRelay(folder));
  if (chosen.type === 'elsewhere') return elsewhere(chosen.url, chosen.token);
  const url = `ws://localhost:${port}`;
  const relay = await openRelay({
    store: await openStore(folder.relayData, log),
    admission: { open: false, homes: [home], tokens: [] },
    origins: [url, `ws://127.0.0.1:${port}`, `ws://[::1]:${port}`],
    pageOrigins: [panelOrigin(port)],
    onFatal,
  });
  return { url, embedded: true, token: null, routes: relay, pageConnects: [url], close: () => relay.close() };
}

/**
 * What a relay keeps is a copy: the home puts its part again, and devices send again what has no receipt (DC-6). So one
 * that is damaged is set aside, and keeps nobody from working.
 */
async function openStore(dir: string, log: (line: string) => void): Promise<RelayStore> {
  try {
    return await openSqliteStore(dir);
  } catch (error) {
    if (!CountersignError.is(error) || error.code !== 'storage') throw error;
    const aside = `${dir}.damaged`;
    await rm(aside, { recursive: true, force: true });
    await rename(dir, aside);
    log(
      `What the relay in this home kept was damaged; it lies in ${aside} now, and the relay begins anew. ${error.message}`,
    );
    return openSqliteStore(dir);
  }
}

function elsewhere(url: string, token: string | null): HomeRelayPlace {
  const overHttp = url.replace(/^ws/, 'http');
  return { url, embedded: false, token, routes: null, pageConnects: [url, overHttp], close: async () => undefined };
}
