import type { ActionDetail, WorkspaceStatus } from '../../model/owner-port.ts';
import type { Card, ShownField } from '../../model/card.ts';
import { formatCount } from '../../model/display.ts';
import type { ActionId } from '../../model/ids.ts';
import { renderDiff } from './diff-view.ts';
import type { FileChange } from '../../model/file-diff.ts';
import { renderHistory } from './history-view.ts';
import { attentionText, clientName, seqText } from './queue-view.ts';
import { isolated, seen, seenLines } from './seen.ts';
import type { Paint, Screen } from './style.ts';
import { pad, truncate, widthOf, wrapHard, wrapWords } from './width.ts';
import { ageText, stateMark } from './words.ts';

export interface ActionViewInput {
  readonly detail: ActionDetail;
  /** The card as this device interpreted it from the content. */
  readonly card: Card;
  /** Files before and after, with the bytes fetched and checked. */
  readonly changes: readonly FileChange[];
  /** Numbers of other actions by id. */
  readonly seqs: ReadonlyMap<ActionId, number>;
  readonly sessions: WorkspaceStatus['sessions'];
  /** What the agent said about it; shown apart, never part of the card. */
  readonly agentText: string | null;
  /** What the surface answered when it was asked whether a revert would work now; `null` when it was not asked. */
  readonly revert: { readonly feasible: boolean; readonly why: string } | null;
  /** Shows every line of every difference. */
  readonly all: boolean;
}

export interface ActionView {
  readonly lines: readonly string[];
  /** Lines of differences and bytes of fields that were left out: what an approval did not look at. */
  readonly linesNotShown: number;
  readonly bytesNotShown: number;
}

const LABEL_COLUMNS = 14;
const VALUE_MIN = 20;
/** Actions named in one list; what falls with a reject is listed in full before it is confirmed. */
const IDS_MAX = 50;

/** Everything a person may want to know of one action, its card first, what the agent said last. */
export function renderAction(input: ActionViewInput, screen: Screen): ActionView {
  const { detail, card, changes } = input;
  const diffs = changes.map((change) => renderDiff(change, screen, { all: input.all }));
  const sections = [
    heading(input, screen),
    warnings(input, screen),
    fieldsOf(card, screen),
    ...diffs.map(({ lines }) => lines),
    relations(input, screen),
    renderHistory(detail.history, input.seqs, screen),
    agentWords(input.agentText, screen),
  ];
  const lines = sections
    .filter((section) => section.length > 0)
    .flatMap((section, index) => (index === 0 ? section : ['', ...section]));
  return {
    lines,
    linesNotShown: diffs.reduce((sum, { linesNotShown }) => sum + linesNotShown, 0),
    bytesNotShown: card.fields.reduce((sum, { cutBytes }) => sum + cutBytes, 0),
  };
}

function heading(
  { detail: { row }, card, sessions }: ActionViewInput,
  { style, columns, nowMs }: Screen,
): readonly string[] {
  const mark = stateMark(row.state, style);
  const title = columns === null ? [card.title] : wrapHard(card.title, Math.max(columns - 2, VALUE_MIN));
  const origin = [row.kind, row.tool, clientName(row, sessions)].map((text) => isolated(seen(text, { maxChars: 80 })));
  return [
    `${style.bold(`#${row.seq}`)} ${mark.paint(`${mark.symbol} ${mark.word}`)} ${style.dim(`· proposed ${ageText(row.atMs, nowMs)}`)}`,
    ...title.map((piece) => `  ${style.bold(isolated(piece))}`),
    ...paragraph(`  ${[...origin, row.level, row.effectClass].join(' · ')}`, columns, style.dim),
  ];
}

function warnings({ detail: { row, action }, card }: ActionViewInput, { style, columns }: Screen): readonly string[] {
  const found = [
    ...(row.attention === null ? [] : [attentionText(row.attention)]),
    ...(row.reversible ? [] : [`! cannot be undone: ${seen(action.reversibleWhy, { maxChars: 400 })}`]),
    ...(card.inspectable ? [] : ['! cannot be inspected: these are the raw arguments of a tool without a card']),
    ...(card.flags.includes('mixed-script') ? ['! a name mixes alphabets: it may not be what it looks like'] : []),
    ...(card.flags.includes('escaped') ? ['! holds characters that cannot be seen; they are shown as \\u{…}'] : []),
  ];
  return found.flatMap((text) => paragraph(text, columns, style.yellow));
}

function fieldsOf({ fields }: Card, screen: Screen): readonly string[] {
  const longest = fields.reduce((most, { label }) => Math.max(most, widthOf(label)), LABEL_COLUMNS);
  const labelColumns = screen.columns === null ? longest : Math.min(longest, Math.floor(screen.columns / 3));
  return fields.flatMap((field) => fieldLines(field, labelColumns, screen));
}

/** A value of many lines hangs on a rail of its own: no line of it can pass for a field. */
function fieldLines(field: ShownField, labelColumns: number, { style, columns }: Screen): readonly string[] {
  const label = pad(isolated(truncate(field.label, labelColumns, 'middle')), labelColumns);
  const plain = field.type === 'string' || field.type === 'blob' || field.type === 'absent';
  const typed = plain ? '' : ` (${field.type})`;
  const room = columns === null ? Infinity : Math.max(columns - labelColumns - 3 - typed.length, VALUE_MIN);
  const rows = field.value.split('\n').flatMap((line) => wrapHard(line, room));
  if (rows.length === 1) return [`${style.dim(label)} ${isolated(rows[0] ?? '')}${style.dim(typed)}`];
  return rows.map((row, index) => {
    const before = style.dim(index === 0 ? label : pad('', labelColumns));
    return `${before} │ ${isolated(row)}${index === 0 ? style.dim(typed) : ''}`;
  });
}

function relations(input: ActionViewInput, screen: Screen): readonly string[] {
  const { row, action, falls, lookAgain, holds } = input.detail;
  const list = (ids: readonly ActionId[]): string | null => idList(ids, input.seqs);
  const facts: readonly (readonly [label: string, value: string | null])[] = [
    ['waits for', list(row.waitsFor)],
    ['needs', list(row.needs)],
    ['made after', list(row.saw)],
    ['falls with it', list(falls)],
    ['look again', list(lookAgain)],
    [
      'held by',
      row.state !== 'held' || holds.length === 0 ? null : holds.map(({ by }) => seen(by, { maxChars: 80 })).join(', '),
    ],
    ['why', row.why === null ? null : seen(row.why, { maxChars: 400 })],
    [
      'verdict',
      `${row.verdict.autoApprovable ? 'safe to approve by rule' : 'a person decides'}: ${seen(row.verdict.reason, { maxChars: 400 })}`,
    ],
    ['told', toldText(input)],
    ['stands for', standsFor(input.detail)],
    ['revert', revertText(input)],
    ['outcome', outcomeText(input.detail)],
    ['remark', action.remark === null ? null : seen(action.remark, { maxChars: 400 })],
    ['digest', row.digest],
  ];
  return facts.flatMap(([label, value]) => (value === null ? [] : fact(label, value, screen)));
}

/** How the agent hears of what is decided (SM-12); nothing where there is nothing left to decide. */
function toldText({ detail: { row }, sessions }: ActionViewInput): string | null {
  if (row.state !== 'pending' && row.state !== 'approved' && row.state !== 'held') return null;
  const wakes = sessions.find(({ id }) => id === row.session)?.wakes === true;
  return wakes ? 'the agent is woken and told what is decided' : 'the agent is told what is decided at its next call';
}

/** What its references became, in the order in which they stand there (SM-4). */
function standsFor({ action }: ActionDetail): string | null {
  const values = action.resolved?.values ?? [];
  if (values.length === 0) return null;
  return values.map(({ reference, value }) => `${reference} is ${seen(value, { maxChars: 400 })}`).join('; ');
}

function idList(ids: readonly ActionId[], seqs: ReadonlyMap<ActionId, number>): string | null {
  if (ids.length === 0) return null;
  const named = ids.slice(0, IDS_MAX).map((id) => seqText(id, seqs));
  return named.join(', ') + (ids.length > IDS_MAX ? ` and ${formatCount(ids.length - IDS_MAX)} more` : '');
}

function fact(label: string, value: string, { style, columns }: Screen): readonly string[] {
  const room = columns === null ? Infinity : Math.max(columns - LABEL_COLUMNS - 1, VALUE_MIN);
  return wrapWords(value, room).map(
    (row, index) => `${style.dim(pad(index === 0 ? label : '', LABEL_COLUMNS))} ${isolated(row)}`,
  );
}

function revertText({ detail: { row, action }, revert }: ActionViewInput): string {
  if (revert !== null)
    return `${revert.feasible ? 'possible' : 'not possible'}: ${seen(revert.why, { maxChars: 400 })}`;
  return `${row.reversible ? 'possible once applied' : 'not possible'}: ${seen(action.reversibleWhy, { maxChars: 400 })}`;
}

/** Where what happened differs from what was shown when it was approved (SM-5). */
function outcomeText({ action }: ActionDetail): string | null {
  if (!('applied' in action)) return null;
  const { drift, known } = action.applied;
  const how = { surface: '', probe: ' (found by looking)', settled: ' (as a person said)' }[known];
  return drift === null ? `as predicted${how}` : `differs from the prediction${how}: ${seen(drift, { maxChars: 400 })}`;
}

function agentWords(text: string | null, { style, columns }: Screen): readonly string[] {
  if (text === null) return [];
  const room = columns === null ? Infinity : Math.max(columns - 4, VALUE_MIN);
  const lines = seenLines(text, { maxChars: 4_000 }).flatMap((line) => wrapHard(line, room));
  const head = 'The agent says, which nobody checked and which is no part of what you approve:';
  return [...paragraph(head, columns, style.dim), ...lines.map((line) => `  │ ${isolated(line)}`.trimEnd())];
}

function paragraph(text: string, columns: number | null, paint: Paint): readonly string[] {
  const room = columns === null ? Infinity : Math.max(columns - 2, VALUE_MIN);
  return wrapWords(text.trimStart(), room).map((line, index) => {
    const indent = index > 0 || text.startsWith(' ') ? '  ' : '';
    return paint(indent + isolated(line));
  });
}
