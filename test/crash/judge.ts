import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Journal } from '../../src/authority/ports.ts';
import { parseCanonical } from '../../src/base/canonical-json.ts';
import { verifyLog } from '../../src/cli/commands/verify-audit.ts';
import { verifyHeadLog, verifySqliteJournal } from '../../src/journal/sqlite/index.ts';
import { openSqliteJournal, type SqliteJournalPorts } from '../../src/journal/sqlite/open.ts';
import { messageOf } from '../../src/base/errors.ts';
import type { Action, ActionState } from '../../src/model/action.ts';
import { CRASH_IDS, openCrashHome, type CrashPlace } from '../support/crash-home.ts';
import { ROW_PACK, timesOf } from '../support/crash-row-surface.ts';
import { fileOf, settled, type Said } from '../support/crash-scenes.ts';
import { sinkEntries, type SinkPlace } from '../support/crash-sink-client.ts';
import type { SinkEntry } from '../support/crash-sink.ts';
import { wrongEnd, type Fate, type Seen } from './ends.ts';

/** Milliseconds after which what still moves is stuck: generous, for only what is wrong takes them. */
const STILL_MS = 10_000;

export interface Verdict {
  /** One sentence for each promise that was broken. */
  readonly wrong: readonly string[];
  readonly doubts: number;
}

/** Starts again over what a fault has left, without a fault, and holds the promises against it. */
export async function judge(
  place: CrashPlace,
  { fate, ports, said }: { readonly said: readonly Said[]; readonly fate: Fate; readonly ports?: SqliteJournalPorts },
): Promise<Verdict> {
  try {
    const first = await restarted(place, ports);
    const again = await restarted({ ...place, seed: place.seed + 1 }, ports);
    return {
      wrong: [
        ...first.flatMap((seen) => wrongWith(seen, said, fate)),
        ...lost(first, said),
        ...leftovers(place, first),
        ...changed(first, again),
        ...(await unverified(place.state, ports)),
      ],
      doubts: first.filter(({ state }) => state === 'in-doubt' || state === 'revert-in-doubt').length,
    };
  } catch (error) {
    return { wrong: [`it did not start again: ${messageOf(error)}`], doubts: 0 };
  }
}

async function restarted(place: CrashPlace, ports: SqliteJournalPorts | undefined): Promise<readonly Seen[]> {
  const fatal: string[] = [];
  const home = await openCrashHome(
    place,
    { onAlarm: (text) => fatal.push(text), onFatal: (error) => fatal.push(messageOf(error)) },
    ports === undefined ? {} : { ports },
  );
  try {
    await settled(home, () => undefined, STILL_MS);
    const rows = home.authority.queue({ all: true });
    const actions = await Promise.all(rows.map(async ({ id }) => (await home.authority.show(id)).action));
    const seen = await lookAt(place, actions, ports);
    if (fatal.length > 0) throw new Error(fatal.join(' '));
    return seen;
  } finally {
    await home.authority.stop();
  }
}

/** What the world shows of each action: files hold the name once for each effect, the sink counts. */
export async function lookAt(
  place: { readonly state: string; readonly workspace: string; readonly sink: SinkPlace },
  actions: readonly Action[],
  ports?: SqliteJournalPorts,
): Promise<readonly Seen[]> {
  const rows = openSqliteJournal({ dir: place.state, readOnly: true }, ports);
  const entries = Object.values(await sinkEntries(place.sink));
  const seen = actions.map((action) => {
    const { effect, effectClass } = action.content;
    const known = { id: action.id, state: action.state, effectClass };
    const path = effect['path'];
    if (typeof path === 'string') {
      const name = path.replace(/\.txt$/, '');
      return { ...known, name, effects: timesIn(place.workspace, name), undone: 0 };
    }
    const name = String(effect['name']);
    if (effectClass === 'E0') return { ...known, name, effects: timesInRow(rows, name), undone: 0 };
    return { ...known, name, ...sumOf(entries.filter((entry) => entry.name === name)) };
  });
  await rows.close();
  return seen;
}

function timesInRow(journal: Journal, name: string): number {
  const row = journal.record('row', `${ROW_PACK}/${name}`);
  return row === undefined ? 0 : timesOf(parseCanonical(row.value));
}

function timesIn(workspace: string, name: string): number {
  const path = join(workspace, fileOf(name));
  return existsSync(path) ? readFileSync(path, 'utf8').split(`${name}\n`).length - 1 : 0;
}

function sumOf(entries: readonly SinkEntry[]): Pick<Seen, 'effects' | 'undone'> {
  const effects = entries.reduce((sum, entry) => sum + entry.effects, 0);
  return { effects, undone: entries.reduce((sum, entry) => sum + entry.undone, 0) };
}

function wrongWith(seen: Seen, said: readonly Said[], fate: Fate): readonly string[] {
  const received = new Set(said.flatMap((each) => (each.say === 'received' && each.id === seen.id ? [each.kind] : [])));
  const known = said.findLast((each) => each.say === 'state' && each.id === seen.id);
  const last = known?.say === 'state' ? known.state : undefined;
  return wrongEnd(seen, { received, last, fate });
}

/** What was answered is there. */
function lost(seen: readonly Seen[], said: readonly Said[]): readonly string[] {
  const ids = new Set(seen.map(({ id }) => id));
  return said.flatMap((each) =>
    each.say === 'proposed' && !ids.has(each.id) ? [`${each.name} was answered, and is lost`] : [],
  );
}

/** A temporary file stays only where a person has to look. */
function leftovers({ workspace }: CrashPlace, seen: readonly Seen[]): readonly string[] {
  const looked: ReadonlySet<ActionState> = new Set(['in-doubt', 'revert-in-doubt', 'failed', 'not-applied']);
  if (seen.some(({ state }) => looked.has(state))) return [];
  return readdirSync(workspace)
    .filter((name) => name.startsWith('.countersign-'))
    .map((name) => `${name} was left behind`);
}

/** Another start changes nothing, but for what the world has told meanwhile about something in doubt. */
function changed(first: readonly Seen[], again: readonly Seen[]): readonly string[] {
  return first.flatMap((before, index) => {
    const after = again[index];
    const same = after?.effects === before.effects && after.undone === before.undone;
    const { state } = before;
    const told = state === 'in-doubt' || state === 'revert-in-doubt' || state === after?.state;
    return same && told ? [] : [`another start changed ${before.name}, which was ${state}`];
  });
}

/** Every row, record, blob and head record, their chain, and what the log says about itself. */
export async function unverified(state: string, ports: SqliteJournalPorts = {}): Promise<readonly string[]> {
  const verdict = await verifyLog({ dir: state, ...CRASH_IDS, witnessed: [], onProgress: () => undefined, ports });
  return [
    ...(verdict.result === 'ok' ? [] : [`audit verify says ${verdict.result}: ${String(verdict.why)}`]),
    ...verifySqliteJournal({ dir: state }).faults,
    ...verifyHeadLog(state).faults,
  ];
}
