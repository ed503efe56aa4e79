import type { EpochMs } from '../../base/clock.ts';
import { CountersignError } from '../../base/errors.ts';
import type { TilesRecord } from '../../authority/publish/tiles.ts';
import type { Published } from '../../authority/publish/outlet.ts';
import type { Journal } from '../../authority/ports.ts';
import { HEAD_LIMITS, type Head, type HeadLog, type HeadWorkspace } from '../../access/head.ts';
import { digestFrom } from '../../model/digest.ts';
import type { DeviceId, HomeId, WorkspaceId } from '../../model/ids.ts';
import type { WorkspaceRecord } from '../state/workspace-place.ts';
import type { WorkspaceKeys } from './content-keys.ts';
import { tileOf } from './home-log.ts';
import { recordsOf, type DeviceRecord, type HomeRecord } from './registry.ts';

/** What the home's journal holds, as one value: a change makes another one, which counts once it is durable. */
export interface BookState {
  readonly home: HomeRecord;
  readonly devices: ReadonlyMap<DeviceId, DeviceRecord>;
  readonly workspaces: ReadonlyMap<WorkspaceId, WorkspaceRecord>;
  readonly keys: ReadonlyMap<WorkspaceId, WorkspaceKeys>;
  readonly published: ReadonlyMap<WorkspaceId, Published>;
  /** Of the home's own log. */
  readonly logKeys: WorkspaceKeys | undefined;
  readonly logTiles: TilesRecord | undefined;
}

export const NOTHING_PUBLISHED: Published = { room: null, tile: null, manifestRoot: null, checkpoint: null };

/** Throws: `denied` when the journal belongs to another home key. */
export function stateOf(journal: Journal, id: HomeId): BookState {
  const { devices, home, workspaces, ...rest } = recordsOf(journal);
  if (home !== undefined && home.id !== id) {
    throw new CountersignError('denied', 'The state folder holds the journal of another home: its key was replaced.');
  }
  return {
    home: home ?? { id, rosterNumber: 0, headNumber: 0 },
    devices: new Map(devices.map((record) => [record.device, record])),
    workspaces: new Map(workspaces.map((record) => [record.id, record])),
    ...rest,
  };
}

/** Devices that were not removed, in the order they were added. */
export function rosterOf(state: BookState): readonly DeviceRecord[] {
  return [...state.devices.values()].filter(({ revoked }) => !revoked);
}

export function withDevice(state: BookState, record: DeviceRecord): BookState {
  return {
    ...state,
    devices: new Map(state.devices).set(record.device, record),
    home: { ...state.home, rosterNumber: state.home.rosterNumber + 1 },
  };
}

/** Where the home's own log ends when a head is made. */
type LogEnd = ReturnType<Journal['head']>;

/** The head that says what this state is. No name, path or text of a person stands in it. */
export function headOf(state: BookState, atMs: EpochMs, logEnd: LogEnd): Head {
  const log = headLog(state, logEnd);
  return {
    v: 1,
    home: state.home.id,
    number: state.home.headNumber,
    atMs,
    roster: rosterOf(state).map(({ addedEntry, boxKey, device, publicKey, right }) => ({
      device,
      publicKey,
      boxKey,
      right,
      addedEntry,
    })),
    rosterNumber: state.home.rosterNumber,
    workspaces: [...state.workspaces.values()].map((record) => headWorkspace(state, record)),
    ...(log === undefined ? {} : { log }),
  };
}

function headLog({ logKeys, logTiles }: BookState, { root, seq }: LogEnd): HeadLog | undefined {
  const tile = tileOf(logTiles);
  if (tile === null || logKeys === undefined) return undefined;
  return {
    keyGen: logKeys.secrets[0]?.gen ?? 0,
    tile,
    manifestRoot: logTiles?.page?.hash ?? null,
    size: seq,
    root: digestFrom(root),
    boxes: logKeys.boxes,
    older: logKeys.older.slice(0, HEAD_LIMITS.generationsMax),
  };
}

function headWorkspace(state: BookState, { fence, id }: WorkspaceRecord): HeadWorkspace {
  const keys = state.keys.get(id);
  return {
    id,
    fence,
    keyGen: keys?.secrets[0]?.gen ?? 0,
    ...(state.published.get(id) ?? NOTHING_PUBLISHED),
    boxes: keys?.boxes ?? [],
    // A device walks them from the newest downward: the oldest are the ones that can be missing.
    older: (keys?.older ?? []).slice(0, HEAD_LIMITS.generationsMax),
  };
}
