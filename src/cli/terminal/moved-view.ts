import type { QueueRow, WorkspaceStatus } from '../../model/owner-port.ts';
import { seen } from './seen.ts';
import type { Screen } from './style.ts';
import { wrapWords } from './width.ts';
import { counted } from './words.ts';

/** Everything moved under pending work at once: one block that says so and names the three ways on (GM-4). */
export function renderMoved(
  moved: WorkspaceStatus['moved'],
  { columns, style }: Pick<Screen, 'columns' | 'style'>,
): readonly string[] {
  if (moved === null) return [];
  const said =
    `! ${seen(moved.why, { maxChars: 400 })} ${counted(moved.actions.length, 'action')} stopped because of it, and what ` +
    'stands behind them waits. Switch back, or put the files back, and all of it goes on by itself. Or:';
  return [
    ...wrapWords(said, columns ?? Infinity).map((line) => style.yellow(line)),
    style.bold('  countersign resolve --moved merge') + '   make them anew on your files as they are',
    style.bold('  countersign hold --moved') + '            set them aside',
    '',
  ];
}

/** A session whose queue is nearly full, said once above the list (CP-1). */
export function renderNearlyFull(
  rows: readonly QueueRow[],
  sessions: WorkspaceStatus['sessions'],
  { columns, style }: Pick<Screen, 'columns' | 'style'>,
): readonly string[] {
  const shown = new Set(rows.map(({ session }) => session));
  return sessions
    .filter(({ id, nearlyFull }) => nearlyFull !== null && shown.has(id))
    .flatMap(({ client, nearlyFull }) =>
      wrapWords(`! ${seen(client, { maxChars: 80 })}: ${nearlyFull}`, columns ?? Infinity).map((line) =>
        style.yellow(line),
      ),
    );
}
