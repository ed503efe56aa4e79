import type { QueueRow } from '../../model/owner-port.ts';
import { display } from '../../model/display.ts';
import type { Selected } from '../device/select.ts';
import type { Io } from './io.ts';

/** What became of one item of a deciding command. The first three fields are stable for scripts. */
export interface ItemReport {
  readonly id: string;
  readonly result: 'received' | 'refused' | 'saved';
  readonly why: string | null;
  /** What a person calls it: `#12`, or what was typed. Not printed as JSON. */
  readonly label: string;
  /** With `--wait`: where it stands now, and what undecided work it waits for. */
  readonly state?: string;
  readonly waitsFor?: readonly string[];
}

const WORDS = { received: 'received', refused: 'refused', saved: 'saved on this device' } as const;

/** As many lines as a person reads one by one; more of the same are one line. */
const LINES_MAX = 8;

export function printReports(io: Io, json: boolean, verb: string, reports: readonly ItemReport[]): void {
  const plain = reports.filter(({ result, why }) => result === 'received' && why === null);
  const together = !json && plain.length > LINES_MAX;
  if (together) io.out(`${verb}: ${plain.length} received (${plain[0]?.label} to ${plain.at(-1)?.label})`);
  for (const { label, ...report } of together ? reports.filter((one) => !plain.includes(one)) : reports) {
    if (json) io.out(JSON.stringify(report));
    else {
      const line = `${label} ${verb}: ${WORDS[report.result]}${report.why === null ? '' : ` (${display(report.why).text})`}`;
      if (report.result === 'refused') io.note(line);
      else io.out(line);
    }
  }
}

/** Names what a bulk gesture left out: it is not decided, and the person must know. */
export function printExcluded(io: Io, json: boolean, excluded: Selected['excluded']): void {
  if (json) {
    for (const { row, why } of excluded) io.out(JSON.stringify({ event: 'excluded', id: row.id, seq: row.seq, why }));
    return;
  }
  for (const { row, why } of excluded.slice(0, LINES_MAX))
    io.note(`#${row.seq} ${display(row.title, { maxChars: 120 }).text} left out: it ${why}. ${wayOn(row)}`);
  const more = excluded.slice(LINES_MAX);
  if (more.length > 0)
    io.note(`${more.length} more are left out (${more.map(({ row }) => labelOf(row)).join(' ')}): countersign queue`);
}

/** What a person can do about one that needs a gesture of its own. */
function wayOn({ attention, seq }: QueueRow): string {
  return attention?.kind === 'conflict' || attention?.kind === 'tool-changed'
    ? `See countersign show ${seq}, then: countersign resolve ${seq} mine|theirs|ask`
    : `Look at it, then approve it by its number: countersign approve ${seq}`;
}

export function labelOf(row: QueueRow): string {
  return `#${row.seq}`;
}
