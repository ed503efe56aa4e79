import { canonicalBytes } from '../../base/canonical-json.ts';
import type { LedgerDraft } from '../../doc/ledger-author.ts';
import type { ContentKey } from '../../doc/keys.ts';
import type { Action } from '../../model/action.ts';
import { nearlyFull } from '../../model/caps.ts';
import {
  parseActionId,
  parseDeviceId,
  parseSessionId,
  type ActionId,
  type DeviceId,
  type SessionId,
} from '../../model/ids.ts';
import { LEDGER_LIMITS, type LedgerRecord } from '../../model/ledger.ts';
import type { Core } from '../core.ts';
import type { PublishOptions } from '../options.ts';
import type { SessionRecord } from '../session.ts';
import { isSettled } from '../state.ts';
import { actionFileBytes, actionFileRef, payloadsOf } from './action-file.ts';
import { actionDraft } from './action-record.ts';
import type { Blobs } from './blobs.ts';
import { Dirty, take } from './dirty.ts';
import type { Feasibility } from './feasibility.ts';
import { PUBLISH_LIMITS } from './limits.ts';
import { deviceDraft, sessionDraft, shownDevices, workspaceDraft } from './other-records.ts';
import type { Receipts } from './receipts.ts';
import { isStandingId, standingDraft, standingIds } from './standing-records.ts';
import type { Trail } from './trail.ts';

/** What must become of the ledger so that it says what is. */
export interface Difference {
  readonly puts: readonly LedgerDraft[];
  readonly drops: readonly string[];
}

export interface DraftsParts {
  readonly core: Core;
  readonly options: PublishOptions;
  readonly trail: Trail;
  readonly feasibility: Feasibility;
  readonly receipts: Receipts;
  readonly blobs: Blobs;
}

/**
 * Compares what is with what was published. It remembers of each record only a hash: what is the same again is neither
 * signed nor sent.
 */
export class Drafts {
  readonly #parts: DraftsParts;
  readonly dirty = new Dirty();
  /** No agent is connected any more, whatever its connection says. */
  #ending = false;
  /** Hash of each published record without its revision, by its id. */
  #published = new Map<string, string>();
  readonly #open = new Set<ActionId>();
  /** Settled actions that are published, the one that settled first in front. */
  readonly #settled = new Set<ActionId>();
  /** Open ones that found no place. */
  readonly #left = new Set<ActionId>();
  /** The sessions that published actions name. */
  readonly #named = new Map<ActionId, readonly SessionId[]>();
  readonly #namings = new Map<SessionId, number>();

  constructor(parts: DraftsParts) {
    this.#parts = parts;
  }

  /** Begins with what a ledger holds; with an empty one, for another room. What was settled there stays known. */
  reset(records: Iterable<LedgerRecord>): void {
    this.#published = new Map();
    for (const each of [this.#open, this.#left, this.#named, this.#namings]) each.clear();
    for (const record of records) {
      const { rev: _rev, ...draft } = record;
      this.#published.set(record.id, this.#hashOf(draft));
      if (record.type === 'action') this.#restore(record.id);
    }
  }

  /** Everything that is or was published is looked at again. */
  markAll(): void {
    const { core, options, receipts } = this.#parts;
    const { dirty } = this;
    for (const id of this.#settled) dirty.actions.add(id);
    for (const { id } of core.state.openActions()) dirty.actions.add(id);
    for (const { record } of core.state.sessions()) dirty.sessions.add(record.id);
    for (const { id } of shownDevices(options)) dirty.devices.add(id);
    for (const id of receipts.ids()) dirty.receipts.add(id);
    for (const id of standingIds(core)) dirty.standing.add(id);
    dirty.workspace = true;
    for (const id of this.#published.keys()) this.#markById(id);
  }

  /** The last word: who was connected is no more. */
  end(): void {
    this.#ending = true;
    for (const { record } of this.#parts.core.state.sessions()) this.dirty.sessions.add(record.id);
  }

  markDevices(): void {
    for (const { id } of shownDevices(this.#parts.options)) this.dirty.devices.add(id);
    for (const id of this.#published.keys()) if (id.startsWith('d-')) this.#markById(id);
  }

  /** At most so many records of what is dirty; the rest stays so. `key` is that of the room they are for. */
  next(key: ContentKey): Difference {
    const { dirty } = this;
    /** What was published of an id before this difference. */
    const before = new Map<string, string | undefined>();
    const puts = new Map<string, LedgerDraft>();
    const drops = new Set<string>();
    const room = (): number => PUBLISH_LIMITS.recordsPerUpdate - puts.size - drops.size;
    const say = (id: string, draft: LedgerDraft | undefined): void => {
      const hash = draft && this.#hashOf(draft);
      if (!before.has(id)) before.set(id, this.#published.get(id));
      puts.delete(id);
      drops.delete(id);
      if (draft === undefined || hash === undefined) {
        this.#published.delete(id);
        if (before.get(id) !== undefined) drops.add(id);
        return;
      }
      this.#published.set(id, hash);
      if (before.get(id) !== hash) puts.set(id, draft);
    };
    for (const id of take(dirty.devices, room())) say(id, this.#device(id));
    for (const id of take(dirty.actions, room())) say(id, this.#action(id, key));
    for (const id of this.#tooMany()) say(id, undefined);
    for (const id of take(dirty.sessions, Math.max(room(), 1))) say(id, this.#session(id));
    for (const id of take(dirty.standing, Math.max(room(), 1))) say(id, standingDraft(this.#parts.core, id));
    for (const id of take(dirty.receipts, Math.max(room(), 1))) say(id, this.#parts.receipts.draft(id, key));
    if (dirty.workspace) say(this.#parts.core.options.workspace, this.#workspace());
    dirty.workspace = false;
    return { puts: [...puts.values()], drops: [...drops] };
  }

  /** A record that no reader would accept was not published. */
  unpublished(id: string): void {
    this.#published.delete(id);
  }

  #action(id: ActionId, key: ContentKey): LedgerDraft | undefined {
    const { blobs, core, feasibility, trail } = this.#parts;
    const action = core.action(id);
    if (action === undefined || !this.#finds(action)) {
      this.#forget(id, action);
      return undefined;
    }
    this.#name(action);
    const file = actionFileRef(core, action);
    blobs.put(key, file.$blob, () => actionFileBytes(core, action));
    if (this.#open.has(id)) blobs.open(key, id, payloadsOf(action.content));
    else {
      blobs.settled(id);
      for (const waiting of blobs.waiting()) this.dirty.actions.add(waiting);
    }
    return actionDraft(core, action, { traced: trail.of(action), revertable: feasibility.of(action) });
  }

  /** Its place in the ledger: among the open ones while there is room, then with those that settled last. */
  #finds(action: Action): boolean {
    const { id } = action;
    if (isSettled(action)) {
      if (this.#open.delete(id)) this.#letIn();
      this.#left.delete(id);
      if (!this.#settled.has(id)) this.#settled.add(id);
      return true;
    }
    this.#settled.delete(id);
    if (!this.#open.has(id) && this.#open.size >= LEDGER_LIMITS.openMax) {
      this.#left.add(id);
      return false;
    }
    this.#open.add(id);
    return true;
  }

  #letIn(): void {
    for (const id of take(this.#left, 1)) this.dirty.actions.add(id);
  }

  /** Settled actions that give way to newer ones. */
  #tooMany(): readonly ActionId[] {
    const gone = take(this.#settled, this.#settled.size - LEDGER_LIMITS.settledMax);
    for (const id of gone) this.#forget(id, this.#parts.core.action(id));
    return gone;
  }

  #forget(id: ActionId, action: Action | undefined): void {
    const { feasibility, trail } = this.#parts;
    this.#settled.delete(id);
    this.#open.delete(id);
    trail.forget(id);
    if (action !== undefined) feasibility.forget(action);
    for (const session of this.#named.get(id) ?? []) {
      const namings = (this.#namings.get(session) ?? 1) - 1;
      if (namings > 0) this.#namings.set(session, namings);
      else {
        this.#namings.delete(session);
        this.dirty.sessions.add(session);
      }
    }
    this.#named.delete(id);
  }

  #name(action: Action): void {
    if (this.#named.has(action.id)) return;
    const sessions = [...new Set([action.lineage.session, action.lineage.root])];
    this.#named.set(action.id, sessions);
    for (const session of sessions) {
      const namings = this.#namings.get(session) ?? 0;
      this.#namings.set(session, namings + 1);
      if (namings === 0) this.dirty.sessions.add(session);
    }
  }

  /** A session is shown while an agent is connected, or while something it made is. */
  #session(id: SessionId): LedgerDraft | undefined {
    const { core } = this.#parts;
    const session = core.state.session(id);
    const connected = !this.#ending && (session?.connections ?? 0) > 0;
    if (!connected && !this.#namings.has(id)) return undefined;
    // reason: records of this table are written by `saveSession` only
    const record = session?.record ?? (core.store.record('session', id) as SessionRecord | undefined);
    if (record === undefined) return undefined;
    const full = session === undefined ? null : nearlyFull(session.load);
    return sessionDraft(record, { connected, wakes: connected && core.wakes.canWake(id), nearlyFull: full });
  }

  #device(id: DeviceId): LedgerDraft | undefined {
    const device = shownDevices(this.#parts.options).find((each) => each.id === id);
    return device && deviceDraft(device);
  }

  #workspace(): LedgerDraft {
    return workspaceDraft(this.#parts.core, this.#parts.options);
  }

  #restore(id: ActionId): void {
    const action = this.#parts.core.action(id);
    if (action === undefined) return;
    this.#name(action);
    if (isSettled(action)) this.#settled.add(id);
    else this.#open.add(id);
  }

  #markById(id: string): void {
    const { dirty } = this;
    const [action, session, device] = [parseActionId(id), parseSessionId(id), parseDeviceId(id)];
    if (action.ok) dirty.actions.add(action.value);
    else if (session.ok) dirty.sessions.add(session.value);
    else if (device.ok) dirty.devices.add(device.value);
    else if (isStandingId(id)) dirty.standing.add(id);
    else if (id.includes('/')) dirty.receipts.add(id);
  }

  #hashOf(draft: LedgerDraft | Omit<LedgerRecord, 'rev'>): string {
    return this.#parts.core.store.hash(canonicalBytes(draft));
  }
}
