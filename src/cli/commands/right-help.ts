import type { Source } from './source.ts';

/**
 * What to do when this device may not, after the sentence that says so. The right of the command line is not raised from
 * here: an agent's shell could type it. For the same reason it is lower while an agent is connected, whatever it was given.
 */
export function rightHelp(why: string | null, { sessions }: Pick<Source, 'sessions'>): string | undefined {
  if (why?.includes('needs the right approve-all') !== true) return undefined;
  const panel = 'A panel has it that was opened with the link of countersign up while no agent was connected.';
  return sessions.some(({ connected, level }) => connected && level === 'advisory')
    ? `${panel} While an agent is connected that nothing contains, the command line has no more: end its session first.`
    : `${panel} Or start the home with: countersign down, then countersign up --cli-right approve-all`;
}
