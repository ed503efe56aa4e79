import { CountersignError } from '../../base/errors.ts';
import type { QueueRow } from '../../model/owner-port.ts';
import { findAction } from '../args/action-ref.ts';
import { renderAction } from '../terminal/action-view.ts';
import { cardFor } from './cards.ts';
import { againstDisk } from './disk-now.ts';
import type { Run } from './command.ts';
import { fileChanges } from './file-changes.ts';
import { openSource } from './open-source.ts';
import { screenOf } from './screen.ts';
import type { Source } from './source.ts';

export const run: Run = async (invocation) => {
  const { args, io } = invocation;
  const source = await openSource(invocation);
  try {
    const { row, rows } = await find(source, args.positionals[0] ?? '');
    const detail = await source.show(row.id);
    if (args.flag('json')) {
      io.out(JSON.stringify(detail));
      return 0;
    }
    const { content } = detail.action;
    const inConflict = row.attention?.kind === 'conflict';
    const proposed = await fileChanges(content, (hash) => source.blob(hash));
    const view = renderAction(
      {
        detail,
        card: cardFor(content),
        changes: inConflict ? await againstDisk(source.root, proposed) : proposed,
        seqs: new Map(rows.map(({ id, seq }) => [id, seq])),
        sessions: source.sessions,
        agentText: null,
        revert: detail.revertable,
        all: args.flag('full'),
      },
      screenOf(io),
    );
    if (inConflict)
      io.out('In conflict. Shown from the file as it is on disk now (−) to the version of the agent (+).\n');
    for (const line of view.lines) io.out(line);
    if (inConflict) io.out(`\nnext: countersign resolve ${row.seq} mine  or  theirs  or  ask`);
    return 0;
  } finally {
    await source.close();
  }
};

/** Settled actions are looked through only when the name is not one of the open ones. */
async function find(
  source: Source,
  ref: string,
): Promise<{ readonly row: QueueRow; readonly rows: readonly QueueRow[] }> {
  const open = await source.queue({ all: false });
  const among = findAction(open, ref);
  if (among.ok) return { row: among.value, rows: open };
  const rows = await source.queue({ all: true });
  const found = findAction(rows, ref);
  if (!found.ok) throw new CountersignError('not-found', found.error);
  return { row: found.value, rows };
}
