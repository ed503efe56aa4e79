import type { Clock } from '../../../src/base/clock.ts';
import { CountersignError } from '../../../src/base/errors.ts';
import { nodeCrypto, nodeRandom } from '../../../src/crypto/node.ts';
import { keyRing } from '../../../src/doc/keys.ts';
import type { SharedDoc } from '../../../src/doc/shared-doc.ts';
import type { Core } from '../../../src/replica/core.ts';
import { Tiles } from '../../../src/replica/audit/tiles.ts';
import { verifyAudit } from '../../../src/replica/audit/verify.ts';
import { noCache } from '../../../src/replica/index.ts';
import type { Workspace } from '../../../src/replica/workspace/workspace.ts';
import { Intake } from '../../../src/sync/intake.ts';
import { rootOf, type Exported } from '../../support/fuzz-history.ts';
import { LAB_HOME_KEY, LAB_PLACE } from '../../support/publish-lab.ts';
import type { Verdict } from './judge-journal.ts';

const KEYS = keyRing(nodeCrypto.hmac, [{ gen: 1, secret: new Uint8Array(32).fill(1) }]);

/** Nobody waits: what has not come does not come. */
const CLOCK: Clock = {
  nowMs: () => 0,
  monotonicMs: () => 0,
  after: (_, run) => {
    const turn = setImmediate(run);
    return () => clearImmediate(turn);
  },
  soon: (run) => void setImmediate(run),
};

/** What a device says of the log that a relay gives it, when it has seen the end of it signed. */
export async function judgeExport(exported: Exported): Promise<Verdict> {
  const faults: string[] = [];
  const core = coreOf(exported, faults);
  const workspace = workspaceOf(exported);
  const tiles = new Tiles(core, workspace);
  try {
    const verdict = await verifyAudit(core, workspace, tiles, () => undefined);
    if (verdict.result === 'ok')
      return verdict.entries === exported.seen.size
        ? { type: 'equal' }
        : { type: 'wrong', why: `ok with ${verdict.entries}` };
    return { type: 'named', why: faults[0] ?? verdict.why };
  } finally {
    tiles.close();
  }
}

function coreOf({ objects, tile }: Exported, faults: string[]): Core {
  const join = ({ doc, room }: { readonly doc: SharedDoc; readonly room: string }) => {
    const onFault = (thrown: unknown): void => {
      throw thrown;
    };
    const taken = new Intake(room, doc, { random: nodeRandom, onFault }).take(tile, 'relay');
    if (!taken.taken) faults.push(taken.why);
    return { close: () => undefined };
  };
  const get = async (path: string): Promise<Uint8Array> => {
    const bytes = objects.get(path);
    if (bytes === undefined) throw new CountersignError('not-found', 'The relay has not got it.');
    return bytes;
  };
  const core = {
    home: LAB_PLACE.home,
    homeKey: LAB_HOME_KEY,
    crypto: nodeCrypto,
    clock: CLOCK,
    cache: noCache,
    alarms: { raise: () => undefined },
    client: { join, objects: { get } },
    run: (task: () => Promise<void>) => void task(),
  };
  // reason: verification needs this much of a replica, and a whole one costs more than ten thousand flips may
  return core as unknown as Core;
}

function workspaceOf({ published, seen }: Exported): Workspace {
  const ends = () => [{ size: seen.size, root: rootOf(seen) }];
  const workspace = { id: LAB_PLACE.workspace, entry: published, keys: KEYS, witnesses: { newest: seen, ends } };
  // reason: as above
  return workspace as unknown as Workspace;
}
