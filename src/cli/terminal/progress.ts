import type { QueueRow } from '../../model/owner-port.ts';
import type { ActionState } from '../../model/action.ts';
import type { ActionId } from '../../model/ids.ts';
import { isolated, seen } from './seen.ts';
import type { Screen } from './style.ts';
import { truncate } from './width.ts';
import { stateMark } from './words.ts';

/** What has been said so far about actions that are being applied. */
export interface Progress {
  readonly states: ReadonlyMap<ActionId, ActionState>;
}

export interface ProgressStep {
  readonly progress: Progress;
  /** Stay on the screen, one a change. */
  readonly lines: readonly string[];
  /** Replaces the line before it; `null` where lines cannot be replaced. */
  readonly status: string | null;
}

export const NO_PROGRESS: Progress = { states: new Map() };

/** Seen for the first time in one of these is no news. */
const NO_NEWS: ReadonlySet<ActionState> = new Set<ActionState>(['pending', 'approved']);
/** Nothing more happens to these without a person. */
const ENDED: ReadonlySet<ActionState> = new Set<ActionState>([
  'applied',
  'failed',
  'in-doubt',
  'not-applied',
  'rejected',
  'reverted',
  'revert-in-doubt',
  'held',
]);
/** Soon over by themselves: of no use in a log. */
const PASSING: ReadonlySet<ActionState> = new Set<ActionState>(['applying', 'reverting']);
/** Ends that are as wished: on a terminal the status line is enough. */
const GOOD: ReadonlySet<ActionState> = new Set<ActionState>(['applied', 'reverted']);

/**
 * One step of watching a drain. Without `rewrites` each outcome is a line; with it only what went wrong is, and the
 * status line says how far the rest is.
 */
export function advanceProgress(
  { states }: Progress,
  rows: readonly QueueRow[],
  screen: Screen & { readonly rewrites: boolean },
): ProgressStep {
  const changed = rows.filter(({ id, state }) => {
    const before = states.get(id);
    return before === undefined ? !NO_NEWS.has(state) : before !== state;
  });
  const said = changed.filter(({ state }) =>
    screen.rewrites ? ENDED.has(state) && !GOOD.has(state) : !PASSING.has(state),
  );
  return {
    progress: { states: new Map([...states, ...rows.map(({ id, state }) => [id, state] as const)]) },
    lines: said.map((row) => lineOf(row, screen)),
    status: screen.rewrites ? statusOf(rows, screen) : null,
  };
}

function lineOf(row: QueueRow, { style, columns }: Screen): string {
  const mark = stateMark(row.state, style);
  const head = `#${row.seq} ${mark.symbol} ${mark.word}`;
  const why = row.why === null ? '' : `: ${seen(row.why, { maxChars: 400 })}`;
  const text = `  ${seen(row.title, { maxChars: 400 })}${why}`;
  const fitted = columns === null ? text : truncate(text, Math.max(columns - head.length, 0));
  return `${mark.paint(head)}${isolated(fitted)}`;
}

const BAR = 20;

function statusOf(rows: readonly QueueRow[], { style, columns }: Screen): string {
  const ended = rows.filter(({ state }) => ENDED.has(state)).length;
  const filled = rows.length === 0 ? 0 : Math.round((BAR * ended) / rows.length);
  const now = rows.find(({ state }) => state === 'applying' || state === 'reverting');
  const doing = now === undefined ? '' : `  #${now.seq} ${seen(now.title, { maxChars: 400 })}`;
  const count = `${'█'.repeat(filled)}${'░'.repeat(BAR - filled)} ${ended}/${rows.length}`;
  const fitted = columns === null ? doing : truncate(doing, Math.max(columns - 1 - count.length, 0));
  return fitted === '' ? count : `${count}${style.dim(isolated(fitted))}`;
}
