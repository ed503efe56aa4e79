import { InvariantError } from '../base/assert.ts';
import type { Cancel } from '../base/clock.ts';
import { CountersignError } from '../base/errors.ts';
import type { AgentPort, SessionHello, Wake } from '../model/agent-port.ts';
import type { ActionDetail, QuarantineView, QueueRow, StandingView, WorkspaceStatus } from '../model/owner-port.ts';
import { nearlyFull } from '../model/caps.ts';
import type { DecisionItem } from '../model/decision.ts';
import type { ActionId, DeviceId, Digest } from '../model/ids.ts';
import type { SignedText } from '../model/signed-text.ts';
import { AgentSession } from './agent-session.ts';
import { load } from './boot.ts';
import { Core } from './core.ts';
import { Drain } from './drain.ts';
import { askAgainUnderNewFence } from './fence.ts';
import { followRoster } from './follow-roster.ts';
import { FollowUp } from './follow-up.ts';
import { markLeft } from './left-quarantine.ts';
import { ResourceLocks } from './locks.ts';
import { AUTHORITY_LIMITS, type AuthorityOptions } from './options.ts';
import { InboxIntake, type Inbox } from './publish/inbox-intake.ts';
import type { Published } from './publish/outlet.ts';
import { Publisher } from './publish/publisher.ts';
import { QuarantineNotice } from './publish/quarantine-notice.ts';
import { recover } from './recovery.ts';
import { closeOrphans } from './orphans.ts';
import { RuleClock, sweepRules } from './rules.ts';
import { detailOf, rowOf } from './rows.ts';
import { lastDecision, Rulings, type TakeOptions } from './rulings.ts';
import { openSession } from './sessions.ts';
import { standingView } from './standing-view.ts';
import { askAfterToolChange } from './tool-change.ts';
import { waitForChange, type Watched } from './wait-for-change.ts';
import { Witness } from './witness.ts';

/** Settled actions that `queue --all` answers, newest first; the audit log has every one. */
const SETTLED_SHOWN_MAX = 1_000;

/**
 * Opens the journal's present and settles what a crash interrupted; only then does anything drain.
 *
 * Throws: `storage`, `full` when the first commit fails.
 */
export async function openAuthority(
  options: AuthorityOptions,
  /** Decisions that were saved while nothing ran are taken here: a reject among them still comes in time. */
  beforeDrain: (authority: Authority) => Promise<void> = async () => undefined,
): Promise<Authority> {
  const authority = new Authority(options);
  try {
    await authority.begin(beforeDrain);
  } catch (error) {
    await authority.abandon();
    throw error;
  }
  return authority;
}

/** The one writer of a workspace: takes proposals and decisions, rules, and drains in order. */
export class Authority {
  readonly #options: AuthorityOptions;
  readonly #core: Core;
  readonly #locks = new ResourceLocks();
  readonly #drain: Drain;
  readonly #followUp: FollowUp;
  readonly #rulings: Rulings;
  readonly #witness: Witness;
  readonly #ruleClock: RuleClock;
  readonly #publisher: Publisher | undefined;
  readonly #intake: InboxIntake | undefined;
  /** Shown in place of everything else while the journal is in quarantine. */
  #notice: QuarantineNotice | undefined;
  readonly #stopping = new AbortController();
  /** Something was not stored, and nothing has been since. */
  #full = false;
  #trying = false;
  #cancelTry: Cancel = () => undefined;

  constructor(options: AuthorityOptions) {
    this.#options = options;
    this.#core = new Core(options, () => this.#reload());
    load(this.#core);
    this.#drain = new Drain(this.#core, this.#locks);
    this.#followUp = new FollowUp(this.#core, this.#locks, this.#drain);
    this.#rulings = new Rulings(this.#core, (follow) => this.#followUp.follow(follow));
    this.#witness = new Witness(this.#core);
    this.#ruleClock = new RuleClock(this.#core, () => this.#drain.wake());
    this.#publisher = this.#makePublisher();
    this.#intake = this.#publisher && this.#makeIntake(this.#publisher);
    this.#core.onStored = (rows) => {
      this.#witness.take(rows);
      this.#followUp.stored(rows);
      if (this.#full) this.#drainAgain();
      this.#checkpointIfDue();
      this.#ruleClock.look();
      this.#publisher?.stored(rows.length);
    };
  }

  /** The first step of `openAuthority`; in quarantine nothing begins (EF-7). */
  async begin(beforeDrain: (authority: Authority) => Promise<void>): Promise<void> {
    const { journal, publish } = this.#options;
    if (journal.health.state === 'quarantined') {
      this.#options.onAlarm(`The journal is in quarantine, nothing is applied: ${journal.health.why}`);
      this.#notice = publish && new QuarantineNotice(this.#core, publish);
      this.#notice?.show();
      return;
    }
    const keyGen = publish?.keys().newest.gen ?? 1;
    this.#core.store.stage({ kind: 'started', fence: this.#options.fence, keyGen });
    markLeft(this.#core);
    await recover(this.#core, this.#drain);
    // After that: an attempt that is void has gone back to its approval, which was given under the old fence.
    askAgainUnderNewFence(this.#core);
    closeOrphans(this.#core);
    await this.#core.commit();
    this.#options.left?.onMarked();
    await this.#followUp.resume();
    // Devices may have gone and tools may have changed while nothing ran.
    const changed = [askAfterToolChange(this.#core), followRoster(this.#core), sweepRules(this.#core)];
    if (changed.includes(true)) await this.#core.commit();
    this.#core.ground.start(() => this.#drain.wake());
    this.#publisher?.start();
    await beforeDrain(this);
    // While all that was awaited nobody heard of a change.
    if (followRoster(this.#core)) await this.#core.commit();
    this.#drain.start();
    this.#followUp.start();
  }

  /** What `openAuthority` leaves when it fails: nothing that runs. The journal is its caller's to close. */
  async abandon(): Promise<void> {
    this.#stopping.abort();
    this.#cancelTry();
    this.#ruleClock.stop();
    this.#followUp.stop();
    this.#core.ground.stop();
    this.#core.wakes.stop();
    this.#notice?.stop();
    await this.#publisher?.abandon();
  }

  /** `wake`: how the host reaches an agent that asks nothing; without it the agent is told at its next call. */
  async agent(hello: SessionHello, host: { readonly wake?: Wake } = {}): Promise<AgentPort> {
    if (this.#stopping.signal.aborted)
      throw new CountersignError('closed', 'Countersign is stopping. Try again when it runs.');
    const session = await openSession(this.#core, hello);
    return new AgentSession(this.#core, {
      id: session.record.id,
      stopping: this.#stopping.signal,
      moved: () => this.#drain.wake(),
      mode: hello.mode,
      closed: this.#core.wakes.connected(session, host.wake),
    });
  }

  status(): Omit<WorkspaceStatus, 'id' | 'root'> {
    this.#core.ground.look();
    const { health } = this.#options.journal;
    const sessions = [...this.#core.state.sessions()].map(({ record, connections, load: waiting }) => ({
      id: record.id,
      client: record.name === null ? record.client : `${record.client} “${record.name}”`,
      level: 'advisory' as const,
      connected: connections > 0,
      wakes: this.#core.wakes.canWake(record.id),
      nearlyFull: nearlyFull(waiting),
    }));
    return {
      fence: this.#options.fence,
      open: this.#core.state.openCount,
      quarantine: health.state === 'quarantined' ? health.why : null,
      moved: movedOf(this.#core),
      sessions,
    };
  }

  /** What people have set for the workspace. */
  standing(): StandingView {
    return standingView(this.#core);
  }

  /** Why nothing goes on, and what had begun and nobody knows the end of; `null` for a journal that is sound (EF-7). */
  quarantine(): QuarantineView | null {
    const { health } = this.#options.journal;
    if (health.state !== 'quarantined') return null;
    const doubtful = health.doubtful.map(({ actionSeq, attempt }) => {
      const action = this.#core.actionNumbered(actionSeq);
      const known = action === undefined ? null : { title: rowOf(this.#core, action).title, state: action.state };
      return { seq: actionSeq, attempt, known };
    });
    return { why: health.why, doubtful };
  }

  /** Open actions in the order of their numbers; with `all`, the newest settled ones before them. */
  queue(options: { readonly all: boolean }): readonly QueueRow[] {
    const core = this.#core;
    core.ground.look();
    const open = [...core.state.openActions()];
    const settled = options.all
      ? core.options.journal
          .recordsBefore('action', Number.MAX_SAFE_INTEGER, SETTLED_SHOWN_MAX)
          // reason: records of this table are keyed by action id
          .map((record) => core.action(record.key as ActionId))
          .filter((action) => action !== undefined && core.state.open(action.id) === undefined)
          .filter((action) => action !== undefined)
      : [];
    return [...settled, ...open].toSorted((a, b) => a.seq - b.seq).map((action) => rowOf(core, action));
  }

  /** Throws: `not-found`. */
  async show(id: ActionId): Promise<ActionDetail> {
    const action = this.#core.action(id);
    if (action === undefined) throw new CountersignError('not-found', 'There is no such action.');
    return detailOf(this.#core, action);
  }

  /** What a decision about it must name. Throws: `not-found`. */
  item(id: ActionId): DecisionItem {
    const action = this.#core.action(id);
    if (action === undefined) throw new CountersignError('not-found', 'There is no such action.');
    const attention = action.newestAttention;
    return { id, digest: action.digest, ...(attention === undefined ? {} : { attention: attention.entry }) };
  }

  /** Throws: `not-found`. */
  blob(hash: Digest): Uint8Array {
    return this.#core.store.blob(hash);
  }

  /** Where a device's chain of decisions goes on. */
  lastDecision(device: DeviceId): { readonly n: number; readonly hash: Digest | null } {
    return lastDecision(this.#core, device);
  }

  heartbeat(): SignedText {
    return this.#witness.heartbeat();
  }

  /** What the head must say of this workspace; `undefined` where nothing is published. */
  published(): Published | undefined {
    return this.#publisher?.published;
  }

  /**
   * Takes what lies in a device's inbox, in the order of its numbers, and publishes the receipts. Call it with the whole
   * inbox whenever that changed: what was answered is not asked again. Never rejects.
   */
  async takeInbox(device: DeviceId, inbox: Inbox): Promise<void> {
    await this.#intake?.take(device, inbox);
  }

  /**
   * Somebody was added to the roster, removed, or has another right; or the content key is another one. Resolves when
   * what follows is durable (DC-8).
   */
  async rosterChanged(): Promise<void> {
    this.#publisher?.rosterChanged();
    this.#notice?.rosterChanged();
    if (this.#options.journal.health.state === 'quarantined' || this.#stopping.signal.aborted) return;
    if (!followRoster(this.#core)) return;
    await this.#core.commit();
    this.#drain.wake();
  }

  /** The relay holds something in this room that this authority did not write: it goes on in another one. */
  roomDamaged(room: string): void {
    this.#publisher?.damaged(room);
    this.#notice?.damaged(room);
  }

  /** The relay lost what it was given: every blob, tile and page is handed over again. */
  putAgain(): void {
    // What is in doubt is not made again from a journal that may have lost it.
    if (this.#notice === undefined) this.#publisher?.putAgain();
  }

  /** One receipt a decision, in their order; sent only once the decision is durable (DC-6). */
  async decide(
    decisions: readonly SignedText[],
    options: TakeOptions = { outcomes: 'awaited' },
  ): Promise<{ readonly receipts: readonly SignedText[] }> {
    const { health } = this.#options.journal;
    if (health.state === 'quarantined')
      throw new CountersignError('quarantined', `Nothing is decided while the journal is in quarantine: ${health.why}`);
    if (this.#stopping.signal.aborted)
      throw new CountersignError('closed', 'Countersign is stopping; the decision is kept and sent again.');
    try {
      return { receipts: await this.#rulings.take(decisions, options) };
    } catch (error) {
      if (error instanceof InvariantError) this.#options.onFatal(error);
      throw error;
    }
  }

  /** Answers the rows of those that left the state given for them, or none at the time-out. */
  async waitForChange(watched: Watched): Promise<readonly QueueRow[]> {
    const changed = await waitForChange(this.#core, watched, this.#stopping.signal);
    return changed.map((action) => rowOf(this.#core, action));
  }

  /** Finishes what is in flight, begins nothing new, and closes the journal. */
  async stop(): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    this.#stopping.abort();
    this.#cancelTry();
    this.#ruleClock.stop();
    this.#notice?.stop();
    this.#followUp.stop();
    this.#core.ground.stop();
    this.#core.wakes.stop();
    await this.#drain.stop();
    await this.#followUp.ended();
    await this.#core.store.idle();
    if (this.#options.journal.health.state !== 'quarantined') {
      this.#witness.checkpoint();
      this.#core.store.stage({ kind: 'stopped' });
      try {
        await this.#core.commit();
        await this.#publisher?.stop();
      } finally {
        await this.#publisher?.abandon();
      }
    }
    await this.#options.journal.close();
  }

  #makePublisher(): Publisher | undefined {
    const { publish } = this.#options;
    if (publish === undefined) return undefined;
    const publisher = new Publisher({
      core: this.#core,
      options: publish,
      heartbeat: () => this.#witness.heartbeat(),
      headBeat: () => this.#witness.seen(),
      checkpoint: () => this.#witness.newest,
    });
    this.#core.watch = publisher.watch();
    return publisher;
  }

  #makeIntake(publisher: Publisher): InboxIntake {
    return new InboxIntake({
      core: this.#core,
      publisher,
      keys: () => publisher.keys(),
      // Inboxes are taken one after the other: nobody's no waits there for what another decision asked for.
      decide: async (decisions) => (await this.decide(decisions, { outcomes: 'left' })).receipts,
      refuse: (device, n, why) => this.#rulings.refuse(device, n, why),
    });
  }

  #checkpointIfDue(): void {
    if (!this.#witness.due || this.#stopping.signal.aborted) return;
    this.#witness.checkpoint();
    this.#core.commit().catch(() => undefined); // Core has reported it; the next commit asks again.
  }

  /** Something could be stored again: what a full disk stopped goes on. */
  #drainAgain(): void {
    this.#full = false;
    this.#goOn();
  }

  #goOn(): void {
    // Nobody says again who was removed meanwhile (DC-8). A disk that is still full brings it here again.
    if (followRoster(this.#core)) this.#core.commit().catch(() => undefined);
    this.#drain.goOn();
    this.#intake?.goOn();
    this.#followUp.goOn();
  }

  /** Nobody says when there is space again, so what is owed is tried now and then; one that fails comes here again. */
  #goOnLater(): void {
    if (this.#trying) return;
    this.#trying = true;
    this.#cancelTry = this.#options.clock.after(AUTHORITY_LIMITS.fullRetryMs, () => {
      this.#trying = false;
      if (!this.#stopping.signal.aborted) this.#goOn();
    });
  }

  /** The disk was full: what is in memory and not on disk never happened. */
  #reload(): void {
    load(this.#core);
    this.#witness.lost();
    this.#publisher?.lost();
    this.#goOnLater();
    if (this.#full) return;
    this.#full = true;
    this.#options.onAlarm('The disk is full: nothing new is queued until there is space. What is queued is safe.');
  }
}

function movedOf({ ground }: Core): WorkspaceStatus['moved'] {
  const moved = ground.moved();
  return moved === undefined ? null : { why: moved.why, actions: moved.actions.map(({ id }) => id) };
}
