import type { ActionDetail, QueueRow } from '../../model/owner-port.ts';
import { assert } from '../../base/assert.ts';
import type { ItemKind } from '../../model/decision.ts';
import { display } from '../../model/display.ts';
import { CliDevice, itemsOf, resultsOf } from '../device/cli-device.ts';
import { attemptInDoubt, holdsOf, itemOf, type Asked } from '../device/gestures.ts';
import type { OutboxEntry } from '../device/outbox.ts';
import { select, type Selected, type Selection } from '../device/select.ts';
import { findAction } from '../args/action-ref.ts';
import { wordFlag } from '../args/parse.ts';
import { askedFor, selectionOf } from './asked.ts';
import { CARD_TEMPLATES } from './cards.ts';
import type { Invocation, Run } from './command.ts';
import { textOnDisk } from './disk-now.ts';
import { confirmFalls } from './confirm.ts';
import { followDrain } from './follow.ts';
import { lookedOver } from './given-back.ts';
import { openSource } from './open-source.ts';
import { withPlan } from './revert-plan.ts';
import { labelOf, printExcluded, printReports, type ItemReport } from './report.ts';
import { rightHelp } from './right-help.ts';
import { screenOf } from './screen.ts';
import { send, unanswered, type Sent } from './send.ts';
import { standingLines } from '../terminal/standing-view.ts';
import type { Source } from './source.ts';

/** Kinds that must be shown, or bound, by more than the queue's row. */
const NEEDS_DETAILS: ReadonlySet<ItemKind> = new Set<ItemKind>(['reject', 'change', 'release', 'settle', 'revert']);

/** Every command that decides: resolves what was pointed at, signs an explicit list, saves it, sends it. */
export const run: Run = async (invocation) => {
  const selection = selectionOf(invocation);
  const asked = askedFor(invocation);
  wordFlag(invocation.args, 'wait', ['applied']);
  const source = await openSource(invocation);
  try {
    return await decide(invocation, source, { asked, selection });
  } finally {
    await source.close();
  }
};

async function decide(
  invocation: Invocation,
  source: Source,
  { asked, selection }: { readonly asked: Asked; readonly selection: Selection },
): Promise<number> {
  const { args, command, io } = invocation;
  const json = args.flag('json');
  const rows = await rowsFor(source, selection);
  const places = selection.type === 'through' ? await placesOf(source, rows) : new Map<never, never>();
  const moved = new Set(selection.type === 'moved' ? (await source.moved())?.actions : []);
  const inspectable = (kind: string): boolean => CARD_TEMPLATES.has(kind);
  const pointedAt = select(asked.kind, selection, { rows, places, moved, inspectable });
  const selected = command === 'resolve' && selection.type !== 'moved' ? conflictsOf(pointedAt) : pointedAt;
  printExcluded(io, json, selected.excluded);
  const details = NEEDS_DETAILS.has(asked.kind) ? await detailsOf(source, selected.chosen) : [];
  const planned = await withPlan(invocation, asked, details);
  if (planned === undefined || !(await confirmFalls(invocation, asked, details, rows))) {
    io.note('Nothing was decided.');
    return 1;
  }
  const carried =
    command === 'resolve' && asked.kind === 'change'
      ? await askEach(source, planned, selected.chosen, details)
      : await carryOut(source, planned, selected.chosen, details);
  const reports = [...refusals(selected), ...carried];
  // A person sees at once what was taken; a script gets one object an item, with how it went.
  if (!json) printReports(io, json, command, reports);
  if (!json) await sayMore(invocation, source, asked, reports);
  if (!json && reports.length === 0) io.note('Nothing is waiting for this decision.');
  if (asked.kind === 'reissue' && !json && (await sayReissued(invocation, source, reports))) return 1;
  const followed = await followDrain(invocation, source, asked, reports);
  const list = await lookedOver(source, asked, followed.reports);
  if (json) printReports(io, json, command, list.reports);
  // Whoever follows it has been told why it stands.
  if (list.why !== null && !json && !io.interactive && args.text('wait') === undefined) io.note(display(list.why).text);
  return list.why !== null || followed.reports.some(({ result }) => result === 'refused') ? 1 : followed.exitCode;
}

/** What a person cannot see in the report of single actions: how they get a right, and that nothing begins now. */
async function sayMore(
  { args, io }: Invocation,
  source: Source,
  asked: Asked,
  reports: readonly ItemReport[],
): Promise<void> {
  const help = reports.map(({ why }) => rightHelp(why, source)).find((text) => text !== undefined);
  if (help !== undefined) io.note(help);
  const followed = io.interactive || args.text('wait') !== undefined;
  const begins = asked.kind === 'approve' || asked.kind === 'retry';
  if (followed || !begins || !reports.some(({ result }) => result === 'received')) return;
  const { mode, pauses, ...standing } = await source.standing();
  if (mode === 'plan' || pauses.length > 0)
    for (const line of standingLines({ ...standing, mode, pauses, rules: [] }, screenOf(io))) io.note(line);
}

/** The three exits are for what has no other way out; everything else is approved or rejected. */
function conflictsOf(selected: Selected): Selected {
  const inConflict = ({ attention }: QueueRow): boolean =>
    attention?.kind === 'conflict' || attention?.kind === 'tool-changed';
  const others = selected.chosen.filter((row) => !inConflict(row));
  const why = 'It is in no conflict: approve or reject it.';
  return {
    ...selected,
    chosen: selected.chosen.filter(inConflict),
    refused: [...selected.refused, ...others.map((row) => ({ id: row.id, label: labelOf(row), why }))],
  };
}

/** Each is told of its own file, so each is a decision of its own. */
async function askEach(
  source: Source,
  asked: Asked,
  chosen: readonly QueueRow[],
  details: readonly ActionDetail[],
): Promise<readonly ItemReport[]> {
  const reports: ItemReport[] = [];
  for (const row of chosen) {
    const own = details.filter(({ action }) => action.id === row.id);
    reports.push(...(await carryOut(source, await withPersonsText(source, asked, own), [row], own)));
  }
  return reports;
}

/** An agent that is asked what to do with a conflict gets the person's side of it; its own it knows (GM-2). */
async function withPersonsText(source: Source, asked: Asked, [detail]: readonly ActionDetail[]): Promise<Asked> {
  const say = asked.kind === 'change' ? asked.body?.['say'] : undefined;
  if (typeof say !== 'string' || detail === undefined) return asked;
  return { ...asked, body: { ...asked.body, say: say + (await textOnDisk(source.root, detail.action.content)) } };
}

/** What came of taking the agent's version; true when it is still in conflict. */
async function sayReissued({ io }: Invocation, source: Source, reports: readonly ItemReport[]): Promise<boolean> {
  const taken = new Set(reports.filter(({ result }) => result === 'received').map(({ id }) => id));
  const rows = (await source.queue({ all: false })).filter(({ id }) => taken.has(id));
  for (const { seq, attention } of rows) {
    if (attention?.kind === 'conflict') io.note(`#${seq} is still in conflict: ${display(attention.why).text}`);
    else io.out(`#${seq} is made anew over the files as they are. Look, then approve: countersign show ${seq}`);
  }
  return rows.some(({ attention }) => attention?.kind === 'conflict');
}

/** Signs, saves and sends. Without a runtime the decision stays saved and is taken at the next `up` (DC-6). */
async function carryOut(
  source: Source,
  asked: Asked,
  chosen: readonly QueueRow[],
  details: readonly ActionDetail[],
): Promise<readonly ItemReport[]> {
  if (chosen.length === 0) return [];
  const { workspace } = source;
  const device = await CliDevice.open(source.folder);
  try {
    const entries = await device.save({
      workspace,
      ...completed(asked, details),
      items: chosen.map(itemOf),
      holdsLifted: asked.kind === 'release' ? holdsOf(details) : [],
      heartbeat: await source.heartbeat(),
    });
    const sent = await send(device, source);
    return reportsOf(device, entries, chosen, sent);
  } finally {
    device.close();
  }
}

function reportsOf(
  device: CliDevice,
  entries: readonly OutboxEntry[],
  chosen: readonly QueueRow[],
  sent: Sent,
): readonly ItemReport[] {
  const labels = new Map<string, string>(chosen.map((row) => [row.id, labelOf(row)]));
  const delivered = new Map(device.deliveredOf(entries).map((one) => [one.entry.n, one]));
  return entries.flatMap((entry) => {
    const one = delivered.get(entry.n);
    const turnedAway = typeof sent === 'string' ? undefined : sent.get(entry.n);
    const results =
      one === undefined
        ? itemsOf(entry).map(({ id }) => ({ id, ...unanswered(turnedAway, sent) }))
        : resultsOf(one).map(received);
    return results.map((result) => ({ ...result, label: labels.get(result.id) ?? result.id }));
  });
}

/** A decision that came late was taken, and says so (CA-5). */
function received({ id, result, why }: ReturnType<typeof resultsOf>[number]) {
  return { id, result: result === 'late' ? 'received' : result, why } as const;
}

function refusals(selected: Selected): readonly ItemReport[] {
  return selected.refused.map(({ id, label, why }) => ({ id, label, result: 'refused', why }));
}

/** Settled actions are looked up only when a name was not found among the open ones: history may be long. */
async function rowsFor(source: Source, selection: Selection): Promise<readonly QueueRow[]> {
  const open = await source.queue({ all: false });
  const refs =
    selection.type === 'ids'
      ? selection.refs
      : [...selection.except, ...(selection.type === 'through' ? [selection.ref] : [])];
  return refs.every((ref) => findAction(open, ref).ok) ? open : source.queue({ all: true });
}

/** A settle is about one attempt: the one that is in doubt as the person sees it. */
function completed(asked: Asked, details: readonly ActionDetail[]): Asked {
  const [detail] = details;
  if (asked.kind !== 'settle' || detail === undefined) return asked;
  const attempt = attemptInDoubt(detail);
  assert(attempt !== undefined, 'only what is in doubt is selected for a settle');
  return { ...asked, body: { ...asked.body, attempt } };
}

/** Where undecided work stands: the queue lists by number, and a release gives new places. */
async function placesOf(source: Source, rows: readonly QueueRow[]) {
  const details = await detailsOf(
    source,
    rows.filter(({ state }) => state === 'pending' || state === 'approved'),
  );
  return new Map(details.map(({ action }) => [action.id, { lane: action.lane, place: action.place }]));
}

function detailsOf(source: Source, rows: readonly QueueRow[]): Promise<readonly ActionDetail[]> {
  return Promise.all(rows.map(({ id }) => source.show(id)));
}
