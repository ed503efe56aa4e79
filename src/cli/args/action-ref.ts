import type { QueueRow } from '../../model/owner-port.ts';
import { err, ok, type Result } from '../../base/result.ts';

/** Letters a shortened id needs, prefix included: fewer would be a guess. */
const PREFIX_MIN = 6;

/** The action a person named: `12`, `#12`, the full id, or the beginning of one. */
export function findAction(rows: readonly QueueRow[], ref: string): Result<QueueRow> {
  const number = /^#?([1-9]\d{0,14})$/.exec(ref);
  if (number !== null) {
    const row = rows.find((candidate) => candidate.seq === Number(number[1]));
    return row === undefined ? err(`There is no action #${number[1]}.`) : ok(row);
  }
  const whole = rows.find((candidate) => candidate.id === ref);
  if (whole !== undefined) return ok(whole);
  if (!/^a-[a-z2-7]*$/.test(ref)) return err(`${quoted(ref)} is not an action: use 12, #12 or an id such as a-k3x9….`);
  if (ref.length < PREFIX_MIN)
    return err(`${quoted(ref)} is too short: give at least ${PREFIX_MIN} characters of the id.`);
  const [first, second] = rows.filter((candidate) => candidate.id.startsWith(ref));
  if (first === undefined) return err(`There is no action ${ref}.`);
  if (second !== undefined) return err(`${ref} fits both #${first.seq} and #${second.seq}; give more of the id.`);
  return ok(first);
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
