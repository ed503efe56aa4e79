import { parseCanonical } from '../../base/canonical-json.ts';
import type { RosterDevice } from '../../authority/options.ts';
import type { Journal } from '../../authority/ports.ts';
import { fromHex } from '../../base/bytes.ts';
import { CountersignError } from '../../base/errors.ts';
import { openSqliteJournal } from '../../journal/sqlite/index.ts';
import type { DeviceId, HomeId } from '../../model/ids.ts';
import type { RosterEntry } from '../../access/head.ts';
import type { StateFolder } from '../state/folder.ts';
import type { WorkspaceRecord } from '../state/workspace-place.ts';

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

/** What the home's journal holds now. Its records are written by `HomeBook` only. */
export function recordsOf(journal: Journal): {
  readonly home: HomeRecord | undefined;
  readonly devices: readonly DeviceRecord[];
  readonly workspaces: readonly WorkspaceRecord[];
} {
  const home = journal.record('meta', HOME_KEY);
  return {
    home: home === undefined ? undefined : value<HomeRecord>(home.value),
    devices: journal.liveRecords('device').map((record) => value<DeviceRecord>(record.value)),
    workspaces: journal
      .liveRecords('meta')
      .filter(({ key }) => key.startsWith(WORKSPACE_PREFIX))
      .map((record) => value<WorkspaceRecord>(record.value)),
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
