import type { ActionDetail, QueueRow } from '../../model/owner-port.ts';
import type { ActionId } from '../../model/ids.ts';
import type { Asked } from '../device/gestures.ts';
import type { Invocation } from './command.ts';

/**
 * Before a reject: what falls with it and what must be looked at again (CA-1). A person at a terminal is asked when
 * there is such a thing; a script is not.
 */
export async function confirmFalls(
  { args, io }: Invocation,
  asked: Asked,
  details: readonly ActionDetail[],
  rows: readonly QueueRow[],
): Promise<boolean> {
  if ((asked.kind !== 'reject' && asked.kind !== 'change') || args.flag('json')) return true;
  const chosen = new Set(details.map(({ row }) => row.id));
  const falls = others(
    details.flatMap((detail) => detail.falls),
    chosen,
  );
  const lookAgain = others(
    details.flatMap((detail) => detail.lookAgain),
    new Set([...chosen, ...falls]),
  );
  if (falls.length === 0 && lookAgain.length === 0) return true;
  const titles = new Map(rows.map((row) => [row.id, `#${row.seq} ${row.title}`]));
  const list = (ids: readonly ActionId[]): void => ids.forEach((id) => io.note(`  ${titles.get(id) ?? id}`));
  if (falls.length > 0) io.note(falls.length === 1 ? 'This falls with it:' : `These ${falls.length} fall with it:`);
  list(falls);
  if (lookAgain.length > 0) io.note('Made after reading it, to be looked at again:');
  list(lookAgain);
  if (args.flag('yes') || !io.interactive) return true;
  return io.confirm('Reject?');
}

function others(ids: readonly ActionId[], without: ReadonlySet<ActionId>): readonly ActionId[] {
  return [...new Set(ids)].filter((id) => !without.has(id));
}
