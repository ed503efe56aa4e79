import { renderMoved, renderNearlyFull } from '../terminal/moved-view.ts';
import { renderQueue } from '../terminal/queue-view.ts';
import { standingLines } from '../terminal/standing-view.ts';
import { CARD_TEMPLATES } from './cards.ts';
import type { Run } from './command.ts';
import { openSource } from './open-source.ts';
import { screenOf } from './screen.ts';

export const run: Run = async (invocation) => {
  const { args, io } = invocation;
  const source = await openSource(invocation);
  try {
    const rows = await source.queue({ all: args.flag('all') });
    if (args.flag('json')) {
      for (const row of rows) io.out(JSON.stringify(row));
      return 0;
    }
    for (const line of standingLines(await source.standing(), screenOf(io))) io.out(line);
    for (const line of renderMoved(await source.moved(), screenOf(io))) io.out(line);
    for (const line of renderNearlyFull(rows, source.sessions, screenOf(io))) io.out(line);
    const uninspectable = new Set(rows.filter(({ kind }) => !CARD_TEMPLATES.has(kind)).map(({ id }) => id));
    for (const line of renderQueue(rows, screenOf(io), { sessions: source.sessions, uninspectable })) io.out(line);
    if (source.runtime === null) io.note('No home guards this folder now; decisions are saved here until one does.');
    return 0;
  } finally {
    await source.close();
  }
};
