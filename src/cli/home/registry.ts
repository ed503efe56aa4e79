import { parseCanonical } from '../../base/canonical-json.ts';
import type { RosterDevice } from '../../authority/options.ts';
import type { Journal } from '../../authority/ports.ts';
import { fromHex } from '../../base/bytes.ts';
import { CountersignError } from '../../base/errors.ts';
import { openSqliteJournal } from '../../journal/sqlite/index.ts';
import type { DeviceId, HomeId, WorkspaceId } from '../../model/ids.ts';
import type { RosterEntry } from '../../access/head.ts';
import type { Published } from '../../authority/publish/outlet.ts';
import type { TilesRecord } from '../../authority/publish/tiles.ts';
import type { StateFolder } from '../state/folder.ts';
import type { WorkspaceRecord } from '../state/workspace-place.ts';
import type { WorkspaceKeys } from './content-keys.ts';

/** A device's record in the home's journal. */
export interface DeviceRecord extends RosterEntry {
  readonly nickname: string;
  readonly revoked: boolean;
}

/** The home's own record. */
export interface HomeRecord {
  readonly id: HomeId;
  readonly rosterNumber: number;
  readonly headNumber: number;
}

export const HOME_KEY = 'home';
export const WORKSPACE_PREFIX = 'workspace/';
/** Content keys of a workspace, and what its authority published last. */
export const KEYS_PREFIX = 'keys/';
export const PUBLISHED_PREFIX = 'published/';
/** Content keys of the home's own log, and how far that was published. */
export const LOG_KEYS = 'log-keys';
export const LOG_TILES = 'log-tiles';

/** What the home's journal holds now. Its records are written by `HomeBook` only. */
export function recordsOf(journal: Journal): {
  readonly home: HomeRecord | undefined;
  readonly devices: readonly DeviceRecord[];
  readonly workspaces: readonly WorkspaceRecord[];
  readonly keys: ReadonlyMap<WorkspaceId, WorkspaceKeys>;
  readonly published: ReadonlyMap<WorkspaceId, Published>;
  readonly logKeys: WorkspaceKeys | undefined;
  readonly logTiles: TilesRecord | undefined;
} {
  const one = <T>(key: string): T | undefined => {
    const record = journal.record('meta', key);
    return record && value<T>(record.value);
  };
  const meta = journal.liveRecords('meta');
  const under = <T>(prefix: string): readonly (readonly [WorkspaceId, T])[] =>
    meta
      .filter(({ key }) => key.startsWith(prefix))
      // reason: what follows the prefix is the id of a workspace, since `HomeBook` made the key
      .map((record) => [record.key.slice(prefix.length) as WorkspaceId, value<T>(record.value)]);
  return {
    home: one<HomeRecord>(HOME_KEY),
    devices: journal.liveRecords('device').map((record) => value<DeviceRecord>(record.value)),
    workspaces: under<WorkspaceRecord>(WORKSPACE_PREFIX).map(([, record]) => record),
    keys: new Map(under<WorkspaceKeys>(KEYS_PREFIX)),
    published: new Map(under<Published>(PUBLISHED_PREFIX)),
    logKeys: one<WorkspaceKeys>(LOG_KEYS),
    logTiles: one<TilesRecord>(LOG_TILES),
  };
}

function value<T>(bytes: Uint8Array): T {
  // reason: one writer with one shape for each key; the journal checks every record's sum
  return parseCanonical(bytes) as unknown as T;
}

export function rosterDevice(record: DeviceRecord): RosterDevice | undefined {
  const publicKey = fromHex(record.publicKey);
  if (publicKey === undefined) return undefined;
  return { publicKey, nickname: record.nickname, right: record.right, revoked: record.revoked };
}

/** The home's records read from disk, beside a running home or without one. Empty before the first start. */
export async function readRegistry(folder: StateFolder): Promise<{
  readonly devices: ReadonlyMap<DeviceId, RosterDevice>;
  readonly workspaces: readonly WorkspaceRecord[];
}> {
  let journal: Journal;
  try {
    journal = openSqliteJournal({ dir: folder.homeJournal, readOnly: true });
  } catch (error) {
    if (CountersignError.is(error) && error.code === 'not-found') return { devices: new Map(), workspaces: [] };
    throw error;
  }
  try {
    const { devices, workspaces } = recordsOf(journal);
    const known = devices.flatMap((record) => {
      const device = rosterDevice(record);
      return device === undefined ? [] : [[record.device, device] as const];
    });
    return { devices: new Map(known), workspaces };
  } finally {
    await journal.close();
  }
}
