import type { Mode } from '../model/standing.ts';
import type { SessionId } from '../model/ids.ts';
import type { Core } from './core.ts';
import type { Session } from './session.ts';
import { nameOf, stopLettingThrough } from './standing.ts';

/**
 * Who set plan mode for a root session: a person's switch goes before its host. `undefined` in act mode. `said`: the
 * host's own word on one call, which holds for that call whatever its host has said since of another.
 */
export function planModeOf(core: Core, root: SessionId, said?: Mode): string | undefined {
  const { mode, modeSet } = core.standing;
  if (mode === 'plan') return modeSet === null ? 'the runtime' : nameOf(core, modeSet.by);
  return core.session(root).record.plan === true || said === 'plan' ? 'the program the agent runs in' : undefined;
}

/** What an agent is told instead of having something queued. */
export function planSentence(by: string): string {
  return `Plan mode is on, set by ${by}: nothing is queued, and reading goes on. Say what you would do, and wait for act mode.`;
}

/** Root sessions whose host has them plan. */
export function planningSessions(core: Core): readonly Session[] {
  return [...core.state.sessions()].filter(({ record }) => record.plan === true);
}

export function leavePlan(core: Core, session: Session): void {
  const { plan: _, ...record } = session.record;
  core.saveSession(record);
  // Unless a person's switch still holds it: what it lets through, it was told to by then.
  if (core.standing.mode === 'act') stopLettingThrough(core, record.id);
  core.watch.standing([]);
}

/**
 * The host's newest word on its session, durable before anything relies on it. Answers whether it changed. The agent's
 * own arguments never say it.
 */
export async function hearHost(core: Core, session: Session, mode: Mode): Promise<boolean> {
  const root = core.session(session.record.root);
  if ((root.record.plan === true) === (mode === 'plan')) return false;
  if (mode === 'act') leavePlan(core, root);
  else core.saveSession({ ...root.record, plan: true });
  core.watch.standing([]);
  for (const { id, lineage } of core.state.openActions()) if (lineage.root === root.record.id) core.watch.stances(id);
  await core.commit();
  return true;
}
