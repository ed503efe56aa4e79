import { load } from '../../authority/boot.ts';
import { Core } from '../../authority/core.ts';
import { detailOf, rowOf } from '../../authority/rows.ts';
import { standingView } from '../../authority/standing-view.ts';
import type { RosterDevice } from '../../authority/options.ts';
import { lastHeartbeat } from '../../authority/witness.ts';
import { InvariantError } from '../../base/assert.ts';
import { CountersignError } from '../../base/errors.ts';
import { nodeCrypto, nodeRandom, nodeSigner } from '../../crypto/node.ts';
import { openSqliteJournal } from '../../journal/sqlite/index.ts';
import { nearlyFull } from '../../model/caps.ts';
import type { ActionId, DeviceId } from '../../model/ids.ts';
import { homeIdOf } from '../../access/home-id.ts';
import { surfacePacks } from '../home/surface-packs.ts';
import { systemClock } from '../home/system.ts';
import { secretFile } from '../state/key-file.ts';
import type { StateFolder } from '../state/folder.ts';
import type { WorkspaceRecord } from '../state/workspace-place.ts';
import type { Source } from './source.ts';

/** Settled actions listed without a runtime, newest first: what the runtime itself lists. */
const SETTLED_MAX = 1_000;

/**
 * A workspace read from its journal while no home guards it: the authority's own view of it, without its hands.
 * Nothing here can commit: the journal was opened for reading.
 */
export async function offlineSource(
  folder: StateFolder,
  record: WorkspaceRecord,
  devices: ReadonlyMap<DeviceId, RosterDevice>,
): Promise<Source> {
  const signer = nodeSigner(await secretFile(folder.homeKey, nodeRandom));
  const journal = openSqliteJournal({ dir: folder.workspace(record.id), readOnly: true });
  const core = new Core(
    {
      home: homeIdOf(nodeCrypto.sha256, signer.publicKey),
      workspace: record.id,
      fence: record.fence,
      journal,
      packs: surfacePacks({ root: record.path, stateDir: folder.dir }),
      crypto: nodeCrypto,
      signer,
      clock: systemClock,
      random: nodeRandom,
      roster: { device: (id) => devices.get(id), number: () => 0 },
      onAlarm: () => undefined,
      onFatal: (error) => {
        throw new InvariantError(`a reader changes nothing: ${String(error)}`);
      },
    },
    () => undefined,
  );
  load(core);
  return {
    folder,
    workspace: record.id,
    root: record.path,
    sessions: [...core.state.sessions()].map(({ load: waiting, record: { id, client } }) => ({
      id,
      client,
      level: 'advisory',
      connected: false,
      wakes: false,
      nearlyFull: nearlyFull(waiting),
    })),
    heartbeat: async () => lastHeartbeat(core),
    runtime: null,
    queue: async ({ all }) => {
      const settled = all ? journal.recordsBefore('action', Number.MAX_SAFE_INTEGER, SETTLED_MAX) : [];
      // reason: records of this table are keyed by action id
      const ids = new Set([
        ...settled.map(({ key }) => key as ActionId),
        ...[...core.state.openActions()].map(({ id }) => id),
      ]);
      const actions = [...ids].map((id) => core.action(id)).filter((action) => action !== undefined);
      return actions.toSorted((a, b) => a.seq - b.seq).map((action) => rowOf(core, action));
    },
    show: async (id) => {
      const action = core.action(id);
      if (action === undefined) throw new CountersignError('not-found', 'There is no such action.');
      return detailOf(core, action);
    },
    moved: async () => {
      const moved = core.ground.moved();
      return moved === undefined ? null : { why: moved.why, actions: moved.actions.map(({ id }) => id) };
    },
    standing: async () => standingView(core),
    blob: async (hash) => core.store.blob(hash),
    close: () => journal.close(),
  };
}
