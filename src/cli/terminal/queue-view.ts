import type { QueueRow, WorkspaceStatus } from '../../model/owner-port.ts';
import type { ActionState } from '../../model/action.ts';
import type { ActionId } from '../../model/ids.ts';
import { nextCommands } from './next-command.ts';
import { isolated, seen } from './seen.ts';
import type { Screen } from './style.ts';
import { renderTable, type Cell, type Column } from './table.ts';
import { truncate, widthOf, wrapWords } from './width.ts';
import { ageText, counted, stateMark } from './words.ts';

export interface QueueViewOptions {
  /** Names of the sessions' clients; a session without one is shown by its id. */
  readonly sessions: WorkspaceStatus['sessions'];
  /** Actions whose card has no template. */
  readonly uninspectable: ReadonlySet<ActionId>;
}

const COLUMNS: readonly Column[] = [
  { header: '#', align: 'right', dropOrder: 0 },
  { header: 'state', dropOrder: 0 },
  { header: 'what', widthMin: 24, cut: 'middle', dropOrder: 0 },
  { header: 'kind', widthMin: 12, dropOrder: 3 },
  { header: 'class', dropOrder: 4 },
  { header: 'age', align: 'right', dropOrder: 2 },
];
/** Where notes below a row begin: under its text, whatever the width of its number. */
const NOTE_INDENT = '      ';
const NOTE_MIN = 20;

/** The queue as a person reads it: by session and change set; within a session nothing is reordered. */
export function renderQueue(given: readonly QueueRow[], screen: Screen, options: QueueViewOptions): readonly string[] {
  if (given.length === 0) return ['Nothing is waiting.'];
  const sessions = bySession(given);
  const rows = sessions.flatMap(({ rows: own }) => own);
  const cells = rows.map((row) => cellsOf(row, screen));
  const table = renderTable(COLUMNS, cells, screen);
  const lineOf = new Map(rows.map(({ id }, index) => [id, table.rows[index] ?? '']));
  const known = { seqs: new Map(rows.map(({ id, seq }) => [id, seq])), uninspectable: options.uninspectable };
  const body = sessions.flatMap(({ rows: own, turns }) =>
    own.flatMap((row, index) => [
      ...(index === 0 ? sessionHeading(row, screen, options) : []),
      ...(turns > 1 && own[index - 1]?.changeSet !== row.changeSet ? changeSetHeading(row, screen) : []),
      lineOf.get(row.id) ?? '',
      ...notesOf(row, screen, known, runOf(own, index, known.seqs)),
    ]),
  );
  return [table.header, ...body, '', ...summary(rows, screen)];
}

interface SessionRows {
  readonly rows: readonly QueueRow[];
  /** Change sets among them. */
  readonly turns: number;
}

/** Sessions have lanes of their own, so that their order among each other means nothing: first seen, first shown. */
function bySession(rows: readonly QueueRow[]): readonly SessionRows[] {
  const groups = new Map<string, QueueRow[]>();
  for (const row of rows) {
    const group = groups.get(row.session);
    if (group === undefined) groups.set(row.session, [row]);
    else group.push(row);
  }
  return [...groups.values()].map((own) => ({ rows: own, turns: new Set(own.map(({ changeSet }) => changeSet)).size }));
}

function cellsOf(row: QueueRow, { style, nowMs }: Screen): readonly Cell[] {
  const mark = stateMark(row.state, style);
  return [
    { text: `#${row.seq}`, paint: style.bold },
    { text: `${mark.symbol} ${mark.word}`, paint: mark.paint },
    { text: seen(row.title, { maxChars: 400 }) },
    { text: seen(row.kind, { maxChars: 64 }), paint: style.dim },
    { text: row.effectClass, paint: style.dim },
    { text: ageText(row.atMs, nowMs), paint: style.dim },
  ];
}

function sessionHeading(row: QueueRow, { style, columns }: Screen, { sessions }: QueueViewOptions): readonly string[] {
  const name = seen(clientName(row, sessions), { maxChars: 80 });
  const fitted = columns === null ? name : truncate(name, columns - row.level.length - 3);
  return ['', `${style.bold(isolated(fitted))} ${style.dim(`· ${row.level}`)}`];
}

function changeSetHeading({ changeSet }: QueueRow, { style }: Screen): readonly string[] {
  return [style.dim(`  ${changeSetName(changeSet)}`)];
}

/** Who proposed it, as the client calls itself; a session that has ended is named by its id. */
export function clientName({ session }: QueueRow, sessions: WorkspaceStatus['sessions']): string {
  return sessions.find(({ id }) => id === session)?.client ?? `session ${session.slice(0, 8)}…`;
}

/** `s-…/3` is what the third turn of a session made. */
function changeSetName(changeSet: string): string {
  const turn = /\/(\d+)$/.exec(changeSet)?.[1];
  return turn === undefined ? truncate(seen(changeSet, { maxChars: 64 }), 32) : `turn ${turn}`;
}

interface Known {
  readonly seqs: ReadonlyMap<ActionId, number>;
  readonly uninspectable: ReadonlySet<ActionId>;
}

/** How many rows from here on are said the same of; 0 where the row before said it already. */
function runOf(rows: readonly QueueRow[], from: number, seqs: Known['seqs']): number {
  const said = (at: number): string | undefined => {
    const row = rows[at];
    // A countdown is each action's own.
    return row === undefined || row.gate?.code === 'grace' ? undefined : plainText(row, seqs);
  };
  const own = said(from);
  if (own === undefined || own === '') return 1;
  if (said(from - 1) === own) return 0;
  let end = from + 1;
  while (said(end) === own) end += 1;
  return end - from;
}

/** Whom it waits for and why it stands where it stands; empty where there is nothing to say. */
function plainText(row: QueueRow, seqs: Known['seqs'], grace?: string): string {
  // What is undecided waits for a person first; saying whom it stands behind would be noise on every row.
  const waits = (row.state === 'approved' ? row.waitsFor : []).map((id) => seqText(id, seqs));
  const why = row.why === null || row.why === row.attention?.why ? [] : [seen(grace ?? row.why, { maxChars: 400 })];
  return [...(waits.length === 0 ? [] : [`waits for ${waits.join(', ')}`]), ...why].join(' · ');
}

/** What is the same for several rows is said once, below the first. */
function notesOf(row: QueueRow, { style, columns, nowMs }: Screen, known: Known, run: number): readonly string[] {
  const badges = [
    ...(row.reversible ? [] : ['cannot be undone']),
    ...(known.uninspectable.has(row.id) ? ['cannot be inspected'] : []),
  ];
  const said = run === 0 ? '' : plainText(row, known.seqs, graceText(row, nowMs));
  const plain = said === '' || run === 1 ? said : `${said} (and the ${counted(run - 1, 'action')} below)`;
  const notes = [
    ...(row.attention === null ? [] : [{ text: attentionText(row.attention), paint: style.yellow }]),
    ...(badges.length === 0 ? [] : [{ text: `! ${badges.join(' · ')}`, paint: style.red }]),
    ...(plain === '' ? [] : [{ text: plain, paint: style.dim }]),
  ];
  const room = columns === null ? Infinity : Math.max(columns - widthOf(NOTE_INDENT), NOTE_MIN);
  return notes.flatMap(({ text, paint }) =>
    wrapWords(text, room).map((line) => `${NOTE_INDENT}${paint(isolated(line))}`),
  );
}

/** How long it can still be stopped, and how; `undefined` for what is in no grace period (DR-5). */
function graceText({ gate, seq }: QueueRow, nowMs: number): string | undefined {
  if (gate?.code !== 'grace' || gate.untilMs === null) return undefined;
  // The runtime's time may be ahead of this screen's, and the period is short: a large number would only be wrong.
  const leftS = Math.max(1, Math.ceil((gate.untilMs - nowMs) / 1_000));
  return `applies in ${leftS > 60 ? 'a moment' : `${leftS} s`}, undo with: countersign undo ${seq}`;
}

/** `! conflict: why`; whatever else asks for a second look says in its sentence what it is. */
export function attentionText(attention: { readonly kind: string; readonly why: string }): string {
  return `! ${attention.kind === 'conflict' ? 'conflict' : 'look again'}: ${seen(attention.why, { maxChars: 400 })}`;
}

/** `#12`; an action that is not at hand is named by the beginning of its id. */
export function seqText(id: ActionId, seqs: ReadonlyMap<ActionId, number>): string {
  const seq = seqs.get(id);
  return seq === undefined ? `${id.slice(0, 8)}…` : `#${seq}`;
}

function summary(rows: readonly QueueRow[], { style, columns }: Screen): readonly string[] {
  const states = new Map<ActionState, number>();
  for (const { state } of rows) states.set(state, (states.get(state) ?? 0) + 1);
  const parts = [...states].map(([state, count]) => `${count} ${stateMark(state, style).word}`);
  const again = rows.filter(({ attention }) => attention !== null).length;
  const counts = `${counted(rows.length, 'action')}: ${parts.join(', ')}${again === 0 ? '' : ` · ${again} to look at again`}`;
  const room = columns ?? Infinity;
  const next = nextCommands(rows);
  const oneLine = `next: ${next.join('  or  ')}`;
  const lines =
    widthOf(oneLine) <= room
      ? [oneLine]
      : next.map((command, index) => `${index === 0 ? 'next:' : '  or '} ${command}`);
  return [...wrapWords(counts, room), ...(next.length === 0 ? [] : lines.map((line) => style.bold(line)))];
}
