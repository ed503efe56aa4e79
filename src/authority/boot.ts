import { parseCanonical, type Json } from '../base/canonical-json.ts';
import type { Action } from '../model/action.ts';
import type { ActionId, SessionId } from '../model/ids.ts';
import type { NoticeFacts } from '../model/notice-facts.ts';
import { foldStances, type AcceptedStance } from '../model/ruling.ts';
import type { Core } from './core.ts';
import type { RecordTable } from './ports.ts';
import type { DeviceRecord } from './rulings.ts';
import type { Session, SessionRecord } from './session.ts';
import { loadStanding } from './standing.ts';

/** Fills memory from the journal's present: what is open, and nothing of history. */
export function load(core: Core): void {
  core.state.clear();
  core.stances.clear();
  core.revertPlans.clear();
  for (const session of core.state.sessions()) reloadRecord(core, session);
  for (const action of live<Action>(core, 'action').toSorted((a, b) => a.seq - b.seq)) {
    core.session(action.lineage.root);
    core.state.set(action);
  }
  const [newest] = core.options.journal.recordsBefore('action', Number.MAX_SAFE_INTEGER, 1);
  // reason: written by `Core.keep` only
  if (newest !== undefined) core.state.floor(parseCanonical(newest.value) as unknown as Action);
  // reason: written by `followRoster` only
  core.rosterNumber = core.store.record('meta', 'roster') as number | undefined;
  core.graces.reset(core.state.openActions());
  loadStanding(core);
  core.bulk.load(core.options.journal);
  core.heard.load(core.options.journal);
  loadSightings(core);
  loadDecided(core);
  for (const record of core.options.journal.liveRecords('notice'))
    loadNotice(core, record.key, parseCanonical(record.value));
  core.ground.reload();
}

/** After a full disk: what was in memory of a session and was not stored never happened. */
function reloadRecord(core: Core, session: Session): void {
  // reason: written by `Core.saveSession` only
  const stored = core.store.record('session', session.record.id) as SessionRecord | undefined;
  if (stored === undefined) core.state.dropSession(session.record.id);
  else session.record = stored;
}

function loadSightings(core: Core): void {
  for (const record of core.options.journal.liveRecords('sighting')) {
    // reason: written by `Core.showed` only
    const { session, action } = parseCanonical(record.value) as unknown as { session: SessionId; action: ActionId };
    const seen = core.session(session);
    seen.sightings.set(action, record.order);
    seen.sightingCount = Math.max(seen.sightingCount, record.order);
  }
  for (const { lineage } of core.state.openActions()) {
    const session = core.session(lineage.root);
    session.sightingCount = Math.max(session.sightingCount, lineage.sawThrough);
  }
}

function loadDecided(core: Core): void {
  for (const record of core.options.journal.liveRecords('stance')) {
    // reason: written by `setStances` only
    const stances = parseCanonical(record.value) as unknown as readonly AcceptedStance[];
    core.stances.set(record.key as ActionId, foldStances(stances)); // reason: keyed by action id
  }
  for (const { device, frozen } of live<DeviceRecord>(core, 'device')) if (frozen) core.frozen.add(device);
}

function loadNotice(core: Core, key: string, facts: Json): void {
  const [session, n] = key.split('/');
  // reason: both written by `Core.notify` only
  const owner = core.session(session as SessionId);
  owner.notices.push({ n: Number(n), facts: facts as unknown as NoticeFacts }); // reason: as above
  owner.noticeCount = Math.max(owner.noticeCount, Number(n));
}

function live<T>(core: Core, table: RecordTable): readonly T[] {
  // reason: each table is written with one shape, and the rows behind it are chained
  return core.options.journal.liveRecords(table).map((record) => parseCanonical(record.value) as unknown as T);
}
