import { CountersignError } from '../../src/base/errors.ts';
import type { ActionId, DeviceId, HomeId } from '../../src/model/ids.ts';
import type { LedgerAction, LedgerDevice } from '../../src/model/ledger.ts';
import type {
  ActionView,
  AuditLine,
  AuditLog,
  Claim,
  Look,
  Outgoing,
  Replica,
  Setting,
  Snapshot,
  Wish,
  WorkspaceView,
} from '../../src/replica/types.ts';
import { idOf, type Made } from './panel-fixture-data.ts';
import { WORKSPACE, type FixtureSet } from './panel-fixture-sets.ts';

const OWN = idOf<DeviceId>('d', 1);
const PHONE = idOf<DeviceId>('d', 2);

export interface FixtureOptions {
  readonly nowMs: number;
  /** Milliseconds of each leg of a decision's way: saved, sent, received, applied. `null`: it stays saved. */
  readonly legMs?: number | null;
  readonly auditSize?: number;
}

/** A home without a runtime: it shows what it was made of, and decisions change it as the real one would. */
export class FixtureReplica implements Replica {
  readonly home = idOf<HomeId>('h', 1);
  readonly device = OWN;
  /** What was asked of it, for tests to read. */
  readonly wishes: Wish[] = [];
  readonly settings: Setting[] = [];
  /** Makes the next `decide` fail as a full disk does. */
  failNext = false;
  readonly #options: FixtureOptions;
  readonly #listeners = new Set<() => void>();
  readonly #made = new Map<ActionId, Made>();
  #snapshot: Snapshot;
  #n = 0;

  constructor(set: FixtureSet, options: FixtureOptions) {
    this.#options = options;
    for (const made of [...set.open, ...set.settled]) this.#made.set(made.record.id, made);
    const device = (id: DeviceId, nickname: string): readonly [DeviceId, LedgerDevice] => [
      id,
      { v: 1, rev: 1, type: 'device', id, nickname, right: 'approve-all', removed: false },
    ];
    this.#snapshot = {
      number: 1,
      right: 'approve-all',
      nickname: 'desk',
      connection: { state: 'online', trouble: null },
      volatile: null,
      sending: true,
      outgoing: [],
      alarms: [],
      workspaces: [
        {
          id: WORKSPACE,
          name: 'shop',
          root: '/home/me/code/shop',
          quarantine: null,
          moved: null,
          runtime: { state: 'online', heartbeatAtMs: options.nowMs - 3_000 },
          loaded: 'live',
          trouble: null,
          sessions: set.sessions,
          devices: new Map([device(OWN, 'desk'), device(PHONE, 'phone')]),
          standing: null,
          rules: [],
          kinds: [],
          open: set.open.map(({ record }) => viewOf(record)),
          settled: set.settled.map(({ record }) => viewOf(record)),
        },
      ],
    };
  }

  snapshot = (): Snapshot => this.#snapshot;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  detail: Replica['detail'] = (_workspace, id) =>
    Promise.resolve(this.#made.get(id)?.detail ?? { type: 'lost', why: 'The relay has not got it.' });

  look = (wish: Wish): Look => {
    const { open, settled } = this.#workspace();
    const all = new Map([...open, ...settled].map((view) => [view.record.id, view]));
    const included: ActionId[] = [];
    const excluded: { id: ActionId; why: string }[] = [];
    for (const id of wish.ids) {
      const view = all.get(id);
      const why = view === undefined ? 'It is not in the queue any more.' : whyNot(wish, view);
      if (why === null) included.push(id);
      else excluded.push({ id, why });
    }
    const seqs = new Set(included.map((id) => all.get(id)?.record.seq ?? 0));
    const takesAway = wish.kind === 'reject' || wish.kind === 'change' || wish.kind === 'revert';
    const having = (edge: 'needs' | 'saw') =>
      open
        .filter(({ record }) => !included.includes(record.id))
        .filter(({ record }) =>
          record[edge].ranges.some(([from, to]) => [...seqs].some((seq) => from <= seq && seq <= to)),
        )
        .map(({ record }) => record.id);
    return {
      included,
      excluded,
      falls: takesAway ? having('needs') : [],
      lookAgain: takesAway ? having('saw') : [],
      takesBack: [],
      planHash: null,
      more: false,
    };
  };

  set = (setting: Setting): Promise<readonly Outgoing[]> => {
    this.settings.push(setting);
    return Promise.resolve([]);
  };

  decide = (wish: Wish): Promise<readonly Outgoing[]> => {
    if (this.failNext) {
      this.failNext = false;
      return Promise.reject(new CountersignError('full', 'This device has no room left for decisions.'));
    }
    this.wishes.push(wish);
    const n = (this.#n += 1);
    const out: Outgoing = { workspace: wish.workspace, n, kind: wish.kind, ids: wish.ids, state: 'saved', why: null };
    this.#set({ outgoing: [...this.#snapshot.outgoing, out] });
    this.#claim(wish.ids, {
      device: OWN,
      nickname: 'desk',
      own: true,
      n,
      kind: wish.kind,
      note: wish.note ?? null,
      state: 'saved',
      why: null,
    });
    const { legMs = 60 } = this.#options;
    if (legMs !== null) {
      setTimeout(() => this.#moved(n, 'sent'), legMs);
      setTimeout(() => this.#moved(n, 'received'), legMs * 2);
      setTimeout(() => this.#settle(wish, n), legMs * 3);
    }
    return Promise.resolve([out]);
  };

  audit = (): AuditLog => {
    const size = this.#options.auditSize ?? 1_234;
    return {
      size,
      page: ({ before, limit }) =>
        Promise.resolve(auditLines(Math.min(before ?? size + 1, size + 1), limit, this.#options.nowMs)),
      verify: async (onProgress) => {
        for (let done = 0; done <= size; done += Math.ceil(size / 20)) {
          onProgress(done, size);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        return { result: 'ok', entries: size };
      },
    };
  };

  reconnect = (): void => this.#set({ connection: { state: 'online', trouble: null } });

  close = (): Promise<void> => Promise.resolve();

  /** Changes what the whole snapshot says. */
  change(change: Partial<Snapshot>): void {
    this.#set(change);
  }

  changeWorkspace(change: Partial<WorkspaceView>): void {
    this.#set({ workspaces: [{ ...this.#workspace(), ...change }] });
  }

  /** A decision of the phone shows up. */
  claimElsewhere(seq: number, kind: Claim['kind'], state: Claim['state'] = 'sent'): void {
    const id = this.#idOf(seq);
    this.#claim([id], { device: PHONE, nickname: 'phone', own: false, n: 7, kind, note: null, state, why: null });
  }

  /** The runtime says something else of what stays open. */
  changeElsewhere(seq: number, over: Partial<LedgerAction>): void {
    this.#update([this.#idOf(seq)], ({ record }) => viewOf({ ...record, rev: record.rev + 1, ...over }));
  }

  /** The runtime says that it is over. */
  settleElsewhere(seq: number, over: Partial<LedgerAction>): void {
    this.#leave([this.#idOf(seq)], { by: { type: 'device', device: PHONE, n: 7 }, ...over });
  }

  /** Something new arrives at the end of the list. */
  arrive(made: Made): void {
    this.#made.set(made.record.id, made);
    this.changeWorkspace({ open: [...this.#workspace().open, viewOf(made.record)] });
  }

  #workspace(): WorkspaceView {
    const [workspace] = this.#snapshot.workspaces;
    if (workspace === undefined) throw new Error('the fixture has a workspace');
    return workspace;
  }

  #idOf(seq: number): ActionId {
    const found = this.#workspace().open.find(({ record }) => record.seq === seq);
    if (found === undefined) throw new Error(`#${seq} is not open`);
    return found.record.id;
  }

  #claim(ids: readonly ActionId[], claim: Claim): void {
    this.#update(ids, (view) => ({ ...view, claims: [...view.claims, claim] }));
  }

  #moved(n: number, state: Outgoing['state']): void {
    const outgoing = this.#snapshot.outgoing.map((out) => (out.n === n ? { ...out, state } : out));
    this.#set({ outgoing: outgoing.filter((out) => out.state !== 'received') });
    this.#update(null, (view) =>
      view.claims.some((claim) => claim.own && claim.n === n)
        ? { ...view, claims: view.claims.map((claim) => (claim.own && claim.n === n ? { ...claim, state } : claim)) }
        : view,
    );
  }

  #settle(wish: Wish, n: number): void {
    const by = { type: 'device' as const, device: OWN, n };
    const { falls } = this.look(wish);
    switch (wish.kind) {
      case 'approve':
      case 'retry':
        return this.#leave(wish.ids, {
          state: 'applied',
          by,
          revertable: { feasible: true, why: 'Nothing changed it since.' },
        });
      case 'reject':
      case 'change':
        this.#leave(falls, { state: 'rejected', because: 'cascade', by: { type: 'authority' } });
        return this.#leave(wish.ids, { state: 'rejected', because: 'person', by, reason: wish.note ?? null });
      case 'settle':
        return this.#leave(wish.ids, { state: wish.body?.['answer'] === 'happened' ? 'applied' : 'not-applied', by });
      case 'revert':
        return this.#leave(wish.ids, { state: 'reverted', by, revertable: null });
      case 'hold':
        return this.#update(wish.ids, (view) => ({
          ...view,
          claims: [],
          record: { ...view.record, rev: view.record.rev + 1, state: 'held' },
        }));
      default:
        return this.#update(wish.ids, (view) => ({
          ...view,
          claims: [],
          record: { ...view.record, rev: view.record.rev + 1, state: 'pending', attention: null },
        }));
    }
  }

  #leave(ids: readonly ActionId[], over: Partial<LedgerAction>): void {
    const workspace = this.#workspace();
    const going = [...workspace.open, ...workspace.settled].filter(({ record }) => ids.includes(record.id));
    const settled = going.map((view) =>
      viewOf({ ...view.record, rev: view.record.rev + 1, ...over, changedAtMs: Date.now() }),
    );
    const stays = ({ record }: ActionView) => !ids.includes(record.id);
    this.changeWorkspace({
      open: workspace.open.filter(stays),
      settled: [...settled.toReversed(), ...workspace.settled.filter(stays)],
    });
  }

  #update(ids: readonly ActionId[] | null, change: (view: ActionView) => ActionView): void {
    const workspace = this.#workspace();
    const wanted = ids === null ? null : new Set(ids);
    const all = (views: readonly ActionView[]) =>
      views.map((view) => (wanted === null || wanted.has(view.record.id) ? change(view) : view));
    this.changeWorkspace({ open: all(workspace.open), settled: all(workspace.settled) });
  }

  #set(change: Partial<Snapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change, number: this.#snapshot.number + 1 };
    for (const listener of this.#listeners) listener();
  }
}

function viewOf(record: LedgerAction): ActionView {
  return { record, claims: [], waitsFor: [], card: 'here' };
}

const UNDECIDED: ReadonlySet<string> = new Set(['pending', 'approved', 'held']);

function whyNot({ kind }: Wish, { record }: ActionView): string | null {
  if (kind === 'approve' && !UNDECIDED.has(record.state))
    return `#${record.seq} is ${record.state}: retry or reject it.`;
  if (kind === 'approve' && record.attention?.kind === 'conflict')
    return `#${record.seq} is in conflict with the files as they are.`;
  if (kind === 'hold' && !UNDECIDED.has(record.state))
    return `#${record.seq} is ${record.state}: only what has not begun can be held.`;
  return null;
}

const KINDS = ['proposed', 'approved', 'intent', 'applied', 'rejected', 'decision taken'];

function auditLines(before: number, limit: number, nowMs: number): readonly AuditLine[] {
  const first = before - 1;
  return Array.from({ length: Math.max(Math.min(limit, first), 0) }, (_, at) => {
    const seq = first - at;
    return {
      seq,
      atMs: nowMs - (first - seq) * 61_000,
      kind: KINDS[seq % KINDS.length] ?? 'proposed',
      n: seq % 9 === 0 ? null : Math.ceil(seq / 4),
      by: seq % 2 === 0 ? 'desk' : 'claude-code',
      why: seq % 11 === 0 ? 'What it needs was rejected.' : null,
    };
  });
}
