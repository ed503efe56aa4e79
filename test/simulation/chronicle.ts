import { textOf } from '../../src/base/bytes.ts';
import type { Action, Intent } from '../../src/model/action.ts';
import type { Decision } from '../../src/model/decision.ts';
import type { EventBody, ItemResult, JournalEvent, JournalRow } from '../../src/model/event.ts';
import type { ActionId, DeviceId, Digest } from '../../src/model/ids.ts';
import { step } from '../../src/model/lifecycle.ts';
import { NOTHING_SET, stand, type Standing, type StandingEvent } from '../../src/model/standing.ts';

/** A decision that the journal has, as one action sees it. */
export interface Taken {
  readonly seq: number;
  readonly decision: Decision;
  readonly hash: Digest;
  readonly result: ItemResult['result'];
  readonly digest: Digest;
  readonly attention: number | undefined;
}

export interface Attempt {
  /** The row of its intent. */
  readonly seq: number;
  readonly n: number;
  /** The key its effect carries: its own, or that of the first of those it happens together with. */
  readonly key: string;
  readonly digest: Digest;
  readonly intent: Intent;
  /** What it ended as; `undefined` while it runs. */
  end: 'applied' | 'failed' | 'doubted' | 'attempt-voided' | undefined;
}

/** One action as the journal's rows tell it. */
export interface Known {
  action: Action;
  readonly proposedSeq: number;
  /** What its session had been shown before, and was not over then. */
  readonly saw: readonly ActionId[];
  readonly taken: Taken[];
  /** Approvals of lists of which nothing counts. */
  readonly givenBack: Set<Digest>;
  readonly attempts: Attempt[];
  readonly reverts: Attempt[];
  /** Rows that are about it. */
  rows: number;
  /** The row of a reject that was accepted, whoever asked; the row at which it was rejected, whyever. */
  rejectedSeq: number | undefined;
  endedSeq: number | undefined;
  /** The row since which it is approved. */
  approvedSeq: number;
  /** A person's word on what became of it, and late evidence against it. */
  settled: 'happened' | 'did-not' | undefined;
  contradicted: boolean;
}

export type ActionRowEvent = Extract<JournalEvent, { action: ActionId; digest: Digest }>;

/** The journal's rows folded a second time, row by row, as soon as they are in the database. */
export class Chronicle {
  readonly actions = new Map<ActionId, Known>();
  readonly lanes = new Map<string, Set<ActionId>>();
  readonly dependants = new Map<ActionId, ActionId[]>();
  readonly decisions = new Map<
    Digest,
    {
      readonly seq: number;
      readonly decision: Decision;
      readonly signature: string;
      readonly payload: string;
      readonly results: readonly ItemResult[];
    }
  >();
  readonly refusals = new Map<string, number>();
  readonly frozenOrRevoked = new Set<DeviceId>();
  fence = 0;
  /** The row that raised it last. */
  fenceSeq = 0;
  /** What a person has set for the workspace: mode, pauses, rules. */
  standing: Standing = NOTHING_SET;
  /** The row that set the mode last. */
  modeSeq = 0;
  seq = 0;
  /** What was wrong with a row itself. */
  readonly broken: string[] = [];

  /** Takes the next row. `before` runs with its event while the fold still is what it was. */
  take(row: JournalRow, before: (event: JournalEvent) => void = () => undefined): JournalEvent {
    // reason: canonical bytes of an event, which the store made
    const event = JSON.parse(textOf(row.event) ?? 'null') as JournalEvent;
    before(event);
    if (row.seq !== this.seq + 1 || event.seq !== row.seq) this.broken.push(`row ${row.seq} follows row ${this.seq}`);
    this.seq = row.seq;
    if (event.kind === 'proposed') this.#propose(event);
    else if (event.kind === 'decision-taken') this.#decide(event);
    else if (event.kind === 'started') this.#start(event);
    else if (STANDING.has(event.kind)) this.#stand(event);
    else if ('action' in event) this.#step(event);
    return event;
  }

  open(id: ActionId): Action | undefined {
    return this.actions.get(id)?.action;
  }

  parse(event: { readonly decision: string }): Decision {
    // reason: a signed payload that the authority has opened
    return JSON.parse(event.decision) as Decision;
  }

  /** Open actions of a lane before a place. */
  *earlier(lane: string, place: number): Generator<Action> {
    for (const id of this.lanes.get(lane) ?? []) {
      const action = this.open(id);
      if (action !== undefined && action.place < place) yield action;
    }
  }

  /** Everything that needs it, directly or through others. */
  needing(id: ActionId): ReadonlySet<ActionId> {
    const found = new Set<ActionId>();
    const next = [id];
    for (let one = next.pop(); one !== undefined; one = next.pop())
      for (const dependant of this.dependants.get(one) ?? [])
        if (!found.has(dependant)) {
          found.add(dependant);
          next.push(dependant);
        }
    return found;
  }

  #propose(event: Extract<EventBody, { kind: 'proposed' }> & { readonly seq: number }): void {
    const { record } = event;
    if (this.actions.has(record.id)) this.broken.push(`${record.id} was proposed twice`);
    this.actions.set(record.id, {
      action: record,
      proposedSeq: event.seq,
      saw: event.saw,
      taken: [],
      givenBack: new Set(),
      attempts: [],
      reverts: [],
      rows: 1,
      rejectedSeq: undefined,
      endedSeq: undefined,
      approvedSeq: 0,
      settled: undefined,
      contradicted: false,
    });
    this.#index(undefined, record);
  }

  #step(event: ActionRowEvent): void {
    const known = this.actions.get(event.action);
    if (known === undefined || event.kind === 'proposed') {
      this.broken.push(`row ${event.seq} is about an action that was never proposed`);
      return;
    }
    const stepped = step(known.action, event, event.atMs);
    if (!stepped.ok) {
      this.broken.push(`row ${event.seq}: ${stepped.why}`);
      return;
    }
    const before = known.action;
    known.action = stepped.action;
    known.rows += 1;
    if (stepped.action.state === 'approved' && before.state !== 'approved') known.approvedSeq = event.seq;
    if (stepped.action.digest !== event.digest) this.broken.push(`row ${event.seq} names another digest`);
    if (event.kind === 'approval-withdrawn' && event.why === 'list') giveBack(known, before);
    this.#remember(known, event);
    this.#index(before, stepped.action);
  }

  #remember(known: Known, event: ActionRowEvent): void {
    switch (event.kind) {
      case 'intent-recorded':
        known.attempts.push(attemptOf(event));
        break;
      case 'revert-begun':
        known.reverts.push(attemptOf(event));
        break;
      case 'applied':
        if (event.applied.known === 'settled') known.settled = 'happened';
        end(known.attempts, 'applied');
        break;
      case 'failed':
      case 'doubted':
      case 'attempt-voided':
        end(known.attempts, event.kind);
        break;
      case 'not-applied':
        if (event.known === 'settled') known.settled = 'did-not';
        end(known.attempts, 'failed');
        break;
      case 'reverted':
        end(known.reverts, 'applied');
        break;
      case 'revert-refused':
        end(known.reverts, 'failed');
        break;
      case 'revert-doubted':
        end(known.reverts, 'doubted');
        break;
      case 'rejected':
        known.endedSeq = event.seq;
        break;
      case 'contradicted':
        known.contradicted = true;
        break;
      case 'approved':
      case 'approval-withdrawn':
      case 'attention-raised':
      case 'reissued':
      case 'held':
      case 'released':
      case 'retried':
      case 'proposed':
        break;
    }
  }

  #decide(event: Extract<EventBody, { kind: 'decision-taken' }> & { readonly seq: number }): void {
    const decision = this.parse(event);
    const { seq, hash, signature } = event;
    if (this.decisions.has(hash)) this.broken.push(`decision ${hash.slice(0, 8)} was taken twice`);
    this.decisions.set(hash, { seq, decision, signature, payload: event.decision, results: event.results });
    for (const [at, item] of decision.items.entries()) {
      const result = event.results[at];
      if (result?.why !== null && result?.why !== undefined) this.#count(result.why);
      const known = this.actions.get(item.id);
      if (known === undefined || result === undefined) continue;
      const { attention, digest } = item;
      known.taken.push({ seq, decision, hash, result: result.result, digest, attention });
      const rejects = decision.kind === 'reject' || decision.kind === 'change';
      if (rejects && result.result === 'received') known.rejectedSeq ??= seq;
    }
  }

  #count(why: string): void {
    this.refusals.set(why, (this.refusals.get(why) ?? 0) + 1);
  }

  #start({ fence, seq }: { readonly fence: number; readonly seq: number }): void {
    if (fence < this.fence) this.broken.push(`fence ${fence} follows fence ${this.fence}`);
    if (fence > this.fence) this.fenceSeq = seq;
    this.fence = fence;
  }

  #stand(event: JournalEvent): void {
    if (event.kind === 'mode-set') this.modeSeq = event.seq;
    // reason: only kinds of `STANDING` come here
    this.standing = stand(this.standing, event as StandingEvent, event.atMs);
  }

  #index(before: Action | undefined, action: Action): void {
    for (const need of action.needs) {
      if (before?.needs.includes(need) === true) continue;
      const list = this.dependants.get(need);
      if (list === undefined) this.dependants.set(need, [action.id]);
      else list.push(action.id);
    }
    const lane = this.lanes.get(action.lane);
    if (isOver(action)) lane?.delete(action.id);
    else if (lane === undefined) this.lanes.set(action.lane, new Set([action.id]));
    else lane.add(action.id);
  }
}

const STANDING: ReadonlySet<string> = new Set<StandingEvent['kind']>([
  'rule-added',
  'rule-removed',
  'mode-set',
  'paused',
  'resumed',
]);

/** Not in its lane any more; one that late evidence denies stops it until a person has seen that. */
export function isOver(action: Action): boolean {
  return (
    action.state === 'rejected' || action.state === 'reverted' || (action.state === 'applied' && !action.contradicted)
  );
}

function giveBack(known: Known, action: Action): void {
  const by = action.state === 'approved' && action.by.type === 'decision' ? action.by : undefined;
  const said = known.taken.find(({ decision }) => decision.device === by?.device && decision.n === by.n);
  if (said !== undefined) known.givenBack.add(said.hash);
}

function attemptOf({
  seq,
  intent,
  digest,
}: Pick<Extract<ActionRowEvent, { intent: Intent }>, 'seq' | 'intent' | 'digest'>): Attempt {
  const { idempotencyKey: key, attempt: n } = intent.together ?? intent;
  return { seq, n, key, digest: intent.resolved?.digest ?? digest, intent, end: undefined };
}

function end(attempts: readonly Attempt[], as: NonNullable<Attempt['end']>): void {
  const last = attempts.at(-1);
  if (last !== undefined) last.end = as;
}
