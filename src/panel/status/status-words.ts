import type { Level } from '../../model/owner-port.ts';
import type { Snapshot, WorkspaceView } from '../../replica/types.ts';
import { ageWords, agoWords, clockWords, counted } from '../words/counts.ts';

export interface StatusWords {
  readonly symbol: string;
  readonly tone: 'good' | 'quiet' | 'warn';
  readonly text: string;
}

/** What quarantine means for a person, with its reason. */
export function quarantineWords({ quarantine }: WorkspaceView): string | null {
  return quarantine === null
    ? null
    : `in quarantine. Nothing is queued, decided or applied until it is repaired where the runtime is. ${quarantine}`;
}

/** Is the runtime there, since when not, and how old is what is on the screen. */
export function runtimeWords({ loaded, quarantine, runtime }: WorkspaceView, nowMs: number): StatusWords {
  const { heartbeatAtMs, state } = runtime;
  if (quarantine !== null) return { symbol: '!', tone: 'warn', text: 'In quarantine' };
  if (loaded === 'none') return { symbol: '…', tone: 'quiet', text: 'Nothing is here yet' };
  if (state === 'online') return { symbol: '●', tone: 'good', text: 'Runtime online' };
  const since =
    heartbeatAtMs === null ? '' : ` since ${clockWords(heartbeatAtMs, nowMs)} (${ageWords(heartbeatAtMs, nowMs)})`;
  if (state === 'asleep') return { symbol: '◌', tone: 'warn', text: `Runtime asleep${since}` };
  return {
    symbol: '?',
    tone: 'quiet',
    text: heartbeatAtMs === null ? 'Runtime not heard yet' : `Runtime last heard ${agoWords(heartbeatAtMs, nowMs)}`,
  };
}

/** The workspace whose state a person must know first: the one that is worst off. */
export function worstRuntime(workspaces: readonly WorkspaceView[]): WorkspaceView | undefined {
  const order = ['asleep', 'unknown', 'online'];
  const badness = ({ quarantine, runtime }: WorkspaceView): number =>
    quarantine === null ? order.indexOf(runtime.state) : -1;
  return workspaces.toSorted((a, b) => badness(a) - badness(b))[0];
}

/** What a person has stopped, in the shortest words; `null` where all goes on. */
export function stoppedWords(workspaces: readonly Pick<WorkspaceView, 'standing'>[]): string | null {
  const set = workspaces.flatMap(({ standing }) => standing ?? []);
  const words = [
    ...(set.some(({ hostPlans, mode }) => mode === 'plan' || hostPlans.length > 0) ? ['Plan mode'] : []),
    ...(set.some(({ pauses }) => pauses.length > 0) ? ['Paused'] : []),
  ];
  return words.length === 0 ? null : words.join(', ');
}

/** `2 decisions waiting on this device`, or nothing. */
export function waitingWords({ outgoing }: Snapshot): string | null {
  const waiting = outgoing.filter(({ state }) => state === 'saved' || state === 'sent').length;
  return waiting === 0 ? null : `${counted(waiting, 'decision')} waiting on this device`;
}

/** `2 advisory, 1 hooked`, of the sessions that are connected or have something open. */
export function levelCounts(workspaces: readonly WorkspaceView[]): readonly (readonly [level: Level, count: number])[] {
  const counts = new Map<Level, number>();
  for (const { open, sessions } of workspaces) {
    const busy = new Set(open.map(({ record }) => record.root));
    for (const { connected, id, level } of sessions)
      if (connected || busy.has(id)) counts.set(level, (counts.get(level) ?? 0) + 1);
  }
  return [...counts];
}
