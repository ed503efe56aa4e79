import { CountersignError } from '../../base/errors.ts';
import type { Right } from '../../access/rights.ts';
import type { ActionId } from '../../model/ids.ts';
import { planHash } from '../../model/revert-plan.ts';
import type { Core } from '../core.ts';
import { REPLICA_LIMITS } from '../limits.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { Look, Outgoing, Wish } from '../types.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { draftsOf, wishedBody } from './drafts.ts';
import { lookAt, type LookedAt } from './look.ts';
import { takesBack } from './takes-back.ts';

/** What a decision in one workspace stands on. */
export interface Deciding {
  readonly core: Core;
  readonly workspace: Workspace;
  readonly outbox: Outbox;
  readonly right: Right;
  readonly volatile: string | null;
}

/** For less than a second after much has come at once; what only stops something does not wait for it. */
const CHECKING = 'The queue has only just arrived and is still being checked.';

export function lookAtWish({ core, right, volatile, workspace }: Deciding, wish: Wish): Look {
  const { alarms, device } = core;
  const asking = {
    kind: wish.kind,
    body: wishedBody(wish) ?? {},
    device,
    right,
    volatile,
    distrusted: alarms.distrusted(workspace.id) ?? (workspace.isChecking ? CHECKING : null),
  };
  const { actions, id: place } = workspace;
  const plan: LookedAt['plan'] = (roots) => {
    const { steps } = takesBack(actions.records(), roots);
    const records = steps.flatMap(({ id }) => actions.record(id) ?? []);
    return { steps: records, hash: planHash(core.crypto.sha256, place, records) };
  };
  return lookAt({ asking, index: actions.index, view: (id) => workspace.actionView(id), plan }, wish);
}

/**
 * Signs a wish for what the actions are now and saves it (DC-6). What cannot be is left out, as `look` says; the
 * answer tells what was saved.
 *
 * Throws: `denied` when nothing is left of it, `stale` when it has changed since it was shown; as `saveDecisions`.
 */
export async function decideWish(deciding: Deciding, wish: Wish): Promise<readonly Outgoing[]> {
  const { core, outbox, workspace } = deciding;
  await verify(deciding, wish.ids);
  const { excluded, included, planHash: needed, takesBack: others } = lookAtWish(deciding, wish);
  if (needed !== null && wish.body?.['planHash'] !== needed) throw planUnseen(workspace, others);
  const records = included.map((id) => workspace.record(id)).filter((record) => record !== undefined);
  if (records.length === 0) throw nothingLeft(wish, excluded);
  const signing = { home: core.home, device: core.device, seen: workspace.heartbeats.seen };
  return outbox.save(workspace.id, draftsOf(signing, wish, records));
}

/** Nothing is signed for what the home did not sign. In slices, for a list can be long. */
async function verify({ core, workspace }: Deciding, ids: readonly ActionId[]): Promise<void> {
  let endMs = core.clock.nowMs() + REPLICA_LIMITS.sliceMs;
  for (const id of ids) {
    workspace.isSigned(id);
    if (core.clock.nowMs() < endMs) continue;
    await new Promise<void>((resolve) => core.clock.soon(resolve));
    endMs = core.clock.nowMs() + REPLICA_LIMITS.sliceMs;
  }
}

/** What goes back with it was not shown, or is another list by now (CA-4). */
function planUnseen({ actions }: Workspace, others: readonly ActionId[]): CountersignError {
  const numbers = others.map((id) => `#${actions.record(id)?.seq ?? ''}`).join(', ');
  return new CountersignError('stale', `Reverting this takes back ${numbers} first; look at that list and confirm it.`);
}

function nothingLeft({ shown }: Wish, excluded: Look['excluded']): CountersignError {
  const [first] = excluded;
  const why = first?.why ?? 'Nothing was named.';
  const changed = shown !== undefined && /has changed since it was shown/.test(why);
  return new CountersignError(changed ? 'stale' : 'denied', why);
}
