import type { Decision, DecisionKind, Seen } from '../model/decision.ts';
import { digestFrom } from '../model/digest.ts';
import type { ItemResult } from '../model/event.ts';
import { GENESIS_ROOT } from '../trust/audit.ts';
import { nicknameOf } from './ending.ts';
import type { Core } from './core.ts';
import { AUTHORITY_LIMITS } from './options.ts';
import { raiseAttention } from './refresh.ts';
import { runOf } from './witness.ts';

/**
 * Kinds that let something happen to the world on the strength of what was seen. What only stops something, speaks of
 * the past or asks for another look never expires, however late it comes (DC-5).
 */
const EXPIRING: ReadonlySet<DecisionKind> = new Set<DecisionKind>([
  'approve',
  'edit',
  'revert',
  'retry',
  'anyway',
  'rule.add',
  'resume',
]);

/** Why this decision is too old to let anything happen; `null` when it is not. Asked once, when it is taken. */
export function staleWhy(core: Core, decision: Decision): string | null {
  if (!expires(decision)) return null;
  const { seen } = decision;
  if (seen === null) return 'This device had not heard of the runtime when this was decided; look at it once more.';
  if (!isOurs(core, seen)) return 'This was decided on another history of this workspace; look at it once more.';
  const staleMs = core.options.staleMs ?? AUTHORITY_LIMITS.staleMs;
  if (core.nowMs() - seenAtMs(core, seen) <= staleMs) return null;
  return `This was decided on what was seen more than ${spanOf(staleMs)} ago; look at it once more.`;
}

/** A history that is not ours is told of, whatever the decision asks for: somebody saw another one (invariant 15). */
export function tellOfForeign(core: Core, { device, n, seen }: Decision): void {
  if (seen === null || isOurs(core, seen)) return;
  const name = nicknameOf(core, { type: 'device', device, n });
  core.options.onAlarm(
    `${name} decided on a history of this workspace that this runtime does not have (${seen.size} entries). ` +
      'Somebody showed it another one, or this one was put back to an older state.',
  );
}

/** What would have been received is asked again instead; the rest has its own answer. */
export function withheld(results: readonly ItemResult[], why: string | null): readonly ItemResult[] {
  if (why === null) return results;
  return results.map((one) => (one.result === 'received' ? { id: one.id, result: 'refused', why } : one));
}

/** The question is put again, where it is still open (one gesture answers it). */
export function askAgain(core: Core, before: readonly ItemResult[], why: string | null): void {
  if (why === null) return;
  for (const { id, result } of before) {
    const action = core.state.open(id);
    if (result === 'received' && (action?.state === 'pending' || action?.state === 'held'))
      raiseAttention(core, action, 'stale', why);
  }
}

function expires({ body, kind }: Decision): boolean {
  return kind === 'mode' ? body?.['mode'] === 'act' : EXPIRING.has(kind);
}

/** Was this the log of this workspace, under a heartbeat that a run of this home can have made? */
function isOurs(core: Core, { atMs, counter, root, size }: Seen): boolean {
  const run = runOf(counter);
  // reason: written by `Witness` only
  const newestRun = (core.store.record('meta', 'run') as number | undefined) ?? 0;
  if (run < 1 || run > newestRun) return false;
  if (size === 0) return root === digestFrom(GENESIS_ROOT);
  const { journal } = core.options;
  const [row] = size > journal.head().seq ? [] : journal.rows(size, 1);
  return row !== undefined && digestFrom(row.root) === root && row.atMs <= atMs;
}

/** A heartbeat from before the clock was set back says later than now: then the row it had seen stands for it. */
function seenAtMs(core: Core, { atMs, size }: Seen): number {
  if (atMs <= core.nowMs()) return atMs;
  return core.options.journal.rows(size, 1)[0]?.atMs ?? 0;
}

function spanOf(ms: number): string {
  const hours = ms / 3_600_000;
  return hours >= 1 ? `${Math.round(hours)} hours` : `${Math.round(ms / 60_000)} minutes`;
}
