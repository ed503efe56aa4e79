import type { QueueRow } from '../../model/owner-port.ts';

/** What stands still longest without a person comes first: doubt, conflict, failure, then what was never decided. */
const STEPS: readonly {
  readonly fits: (row: QueueRow) => boolean;
  readonly commands: (seq: number, row: QueueRow) => readonly string[];
}[] = [
  {
    fits: ({ state }) => state === 'in-doubt' || state === 'revert-in-doubt',
    commands: (seq) => [`settle ${seq} happened`, `settle ${seq} did-not`],
  },
  {
    // It did happen, whatever a person has said: that is agreed to, or taken back (EF-6).
    fits: ({ contradicted, state }) => contradicted && state === 'applied',
    commands: (seq, { reversible }) => [`settle ${seq} happened`, ...(reversible ? [`revert ${seq}`] : [])],
  },
  {
    fits: ({ attention }) => attention?.kind === 'conflict',
    commands: (seq) => [`show ${seq}`, `resolve ${seq} mine`, `resolve ${seq} theirs`, `resolve ${seq} ask`],
  },
  {
    fits: ({ state }) => state === 'failed' || state === 'not-applied',
    commands: (seq) => [`retry ${seq}`, `reject ${seq}`],
  },
  { fits: ({ state }) => state === 'pending', commands: (seq) => [`show ${seq}`, `approve ${seq}`] },
  { fits: ({ state }) => state === 'held', commands: (seq) => [`release ${seq}`, `reject ${seq}`] },
];

/** The next useful commands for this queue, complete; none when nothing waits for a person. Numbers need no quotes. */
export function nextCommands(rows: readonly QueueRow[]): readonly string[] {
  for (const { fits, commands } of STEPS) {
    const row = rows.find(fits);
    if (row === undefined) continue;
    const own = commands(row.seq, row).map((command) => `countersign ${command}`);
    const pending = rows.filter(({ state }) => state === 'pending').length;
    return row.state === 'pending' && row.attention === null && pending > 1
      ? [...own, 'countersign approve --all']
      : own;
  }
  return [];
}
