import type { QueueRow } from '../../model/owner-port.ts';
import type { ActionState } from '../../model/action.ts';
import { display } from '../../model/display.ts';
import type { ItemKind } from '../../model/decision.ts';
import type { Asked } from '../device/gestures.ts';
import { advanceProgress, NO_PROGRESS } from '../terminal/progress.ts';
import type { Invocation } from './command.ts';
import type { Io } from './io.ts';
import { labelOf, type ItemReport } from './report.ts';
import { screenOf } from './screen.ts';
import type { Runtime, Source } from './source.ts';

/** Milliseconds one question to the runtime may stand; it answers at once when something changes. */
const ASK_MS = 20_000;
/** The same while a list is looked over: nothing of it changes when that has ended well. */
const LOOK_MS = 250;

/** Where each kind that has an effect wants to end, and where it may end instead. Everything else is on the way. */
const ENDS: Readonly<
  Partial<Record<ItemKind, { readonly good: ActionState; readonly other: ReadonlySet<ActionState> }>>
> = {
  approve: {
    good: 'applied',
    other: new Set<ActionState>(['rejected', 'failed', 'not-applied', 'in-doubt', 'reverted', 'held']),
  },
  anyway: { good: 'applied', other: new Set<ActionState>(['rejected', 'failed', 'not-applied', 'in-doubt', 'held']) },
  retry: { good: 'applied', other: new Set<ActionState>(['rejected', 'failed', 'not-applied', 'in-doubt', 'held']) },
  revert: { good: 'reverted', other: new Set<ActionState>(['applied', 'revert-in-doubt']) },
};
/** A blocker in one of these moves on by itself. */
const MOVING: ReadonlySet<ActionState> = new Set<ActionState>(['approved', 'applying', 'applied', 'reverting']);

interface Followed {
  readonly reports: readonly ItemReport[];
  readonly exitCode: number;
}

/**
 * Watches what was decided until it has ended, or stands still behind something undecided: with `--wait applied`, and
 * for a person at a terminal.
 */
export async function followDrain(
  { args, io }: Invocation,
  source: Source,
  asked: Asked,
  reports: readonly ItemReport[],
): Promise<Followed> {
  const ends = ENDS[asked.kind];
  const waits = args.text('wait') !== undefined;
  const received = reports.filter(({ result }) => result === 'received').map(({ id }) => id);
  const wanted = waits || (io.interactive && !args.flag('json'));
  if (ends === undefined || source.runtime === null || received.length === 0 || !wanted) {
    return { reports, exitCode: waits && reports.some(({ result }) => result === 'saved') ? 1 : 0 };
  }
  // What is taken back after others is still applied while it waits for them (CA-4).
  const over = ({ state, waitsFor }: QueueRow): boolean =>
    state === ends.good || (ends.other.has(state) && !(asked.kind === 'revert' && waitsFor.length > 0));
  const screen = { ...screenOf(io), rewrites: io.interactive };
  let progress = NO_PROGRESS;
  let status: string | null = null;
  const last = await watch(source, source.runtime, received, over, (rows) => {
    if (args.flag('json')) return;
    const step = advanceProgress(progress, rows, screen);
    progress = step.progress;
    for (const line of step.lines) io.out(line);
    status = step.status;
    if (status !== null) io.progress(status);
  });
  if (status !== null) io.out(status);
  if (!args.flag('json'))
    await sayStanding(
      io,
      source,
      [...last.values()].filter((row) => !over(row)),
    );
  const missed = received.some((id) => last.get(id)?.state !== ends.good);
  const failed = received.some((id) => ends.other.has(last.get(id)?.state ?? ends.good));
  return { reports: reports.map((report) => withState(report, last)), exitCode: (waits ? missed : failed) ? 1 : 0 };
}

/** What did not end, and what each waits for: each reason once, the rest counted when they are many. */
async function sayStanding(io: Io, source: Source, standing: readonly QueueRow[]): Promise<void> {
  const open = new Map((await source.queue({ all: false })).map((row) => [row.id, row]));
  const reasons = new Set<string>();
  const told = standing.filter(({ why }) => why === null || (!reasons.has(why) && reasons.add(why)));
  const lines = told.map((row) => {
    const waits = row.waitsFor.flatMap((id) => open.get(id) ?? []).map((one) => `${labelOf(one)} (${one.state})`);
    const why = row.why === null ? '' : ` ${display(row.why).text}`;
    return `${labelOf(row)} is ${row.state}${waits.length === 0 ? '' : `, waits for ${waits.join(', ')}`}.${why}`;
  });
  for (const line of lines.slice(0, STANDING_LINES_MAX)) io.note(line);
  const more = standing.length - Math.min(lines.length, STANDING_LINES_MAX);
  if (more > 0) io.note(`… and ${more} more that stand with it or behind it: countersign queue`);
}

const STANDING_LINES_MAX = 5;

function withState(report: ItemReport, last: ReadonlyMap<string, QueueRow>): ItemReport {
  const row = last.get(report.id);
  return row === undefined ? report : { ...report, state: row.state, waitsFor: row.waitsFor };
}

async function watch(
  source: Source,
  runtime: Runtime,
  ids: readonly string[],
  over: (row: QueueRow) => boolean,
  onRows: (rows: readonly QueueRow[]) => void,
): Promise<ReadonlyMap<string, QueueRow>> {
  const wanted = new Set(ids);
  const last = new Map<string, QueueRow>();
  for (const row of await source.queue({ all: false })) if (wanted.has(row.id)) last.set(row.id, row);
  let known: Record<string, ActionState> = Object.fromEntries(ids.map((id) => [id, 'pending']));
  let timeoutMs = 0;
  for (;;) {
    for (const row of await runtime.waitForChange(known, timeoutMs)) if (wanted.has(row.id)) last.set(row.id, row);
    // What stands still does not change, and yet what it waits for may be another by now.
    const now = new Map<string, QueueRow>((await source.queue({ all: false })).map((row) => [row.id, row]));
    for (const [id, row] of now) if (last.has(id)) last.set(id, row);
    for (const row of last.values())
      if (!now.has(row.id) && !over(row)) last.set(row.id, (await source.show(row.id)).row);
    onRows([...last.values()].toSorted((a, b) => a.seq - b.seq));
    const open = [...last.values()].filter((row) => !over(row));
    if (open.every((row) => stands(row, now))) return last;
    known = Object.fromEntries([...open, ...goingBackFirst(open, now)].map(({ id, state }) => [id, state]));
    timeoutMs = open.some(isLookedOver) ? LOOK_MS : ASK_MS;
  }
}

/** What is taken back does not change while others go back before it: these do. */
function goingBackFirst(open: readonly QueueRow[], now: ReadonlyMap<string, QueueRow>): readonly QueueRow[] {
  return open.flatMap(({ state, waitsFor }) =>
    state === 'applied' ? waitsFor.flatMap((id) => now.get(id) ?? []) : [],
  );
}

/**
 * True when it does not go on without a person: undecided again, kept back by what only a person or the world ends, or
 * behind something that a person must settle.
 */
function stands(row: QueueRow, now: ReadonlyMap<string, QueueRow>): boolean {
  const keptBack = row.gate !== null && row.gate.untilMs === null && !isLookedOver(row);
  return row.state === 'pending' || keptBack || row.waitsFor.some((id) => !MOVING.has(now.get(id)?.state ?? 'applied'));
}

/** As a whole, before any of it begins (DR-11). That ends by itself, and nobody knows when. */
function isLookedOver({ gate }: QueueRow): boolean {
  return gate?.code === 'bulk';
}
