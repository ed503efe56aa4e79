import { canonicalBytes } from '../../../src/base/canonical-json.ts';
import type { Action, Intent } from '../../../src/model/action.ts';
import type { Decision, ItemKind } from '../../../src/model/decision.ts';
import { digestOf } from '../../../src/model/digest.ts';
import type { EventBody, ItemResult, Transition } from '../../../src/model/event.ts';
import { actionId, sessionId, type DeviceId, type Digest } from '../../../src/model/ids.ts';
import type { ActionContent } from '../../../src/model/content.ts';
import { decisionHash, signDecision } from '../../../src/trust/decision.ts';
import { makeRow } from '../../../src/trust/journal-row.ts';
import { contentOf } from '../../support/action-content.ts';
import { Chronicle } from '../chronicle.ts';
import { makeDice } from '../dice.ts';
import { SimDisk } from '../disk.ts';
import { SimHousehold } from '../household.ts';
import { Judge } from '../judge.ts';
import { HEALED_WORLD } from '../rates.ts';
import { quickCrypto } from '../sim-crypto.ts';
import { Time } from '../sim-time.ts';
import { World } from '../world.ts';

interface Said {
  readonly n?: number;
  readonly result?: ItemResult['result'];
  readonly digest?: Digest;
  readonly holdsLifted?: readonly Digest[];
  readonly body?: Decision['body'];
  readonly batch?: Decision['batch'];
  readonly seen?: null;
  /** What it is about besides. */
  readonly besides?: readonly Action[];
  /** Signed by another device than it names. */
  readonly signer?: number;
}

/** A journal written by hand, row by row, so that what no authority would write can be shown to the invariants. */
export class HandMade {
  readonly household: SimHousehold;
  readonly world: World;
  readonly disk = new SimDisk();
  readonly chronicle = new Chronicle();
  readonly judge: Judge;
  /** `invariant 7: …: why`. */
  readonly wrong: string[] = [];
  #count = 0;
  #numbers = 0;

  constructor() {
    const dice = makeDice(1);
    this.household = new SimHousehold({
      sim: quickCrypto(),
      dice,
      rights: ['approve-all', 'approve-all', 'reject-only'],
    });
    const time = new Time();
    this.world = new World({ dice, time, rates: HEALED_WORLD, occurred: () => undefined });
    const fail = (what: string, why: string): void => void this.wrong.push(`${what}: ${why}`);
    const { household, world, disk, chronicle } = this;
    this.judge = new Judge({
      household,
      world,
      disk,
      chronicle,
      fail,
      occurred: () => undefined,
      nowMs: () => time.nowMs(),
    });
    disk.onRows = (rows) => this.judge.rows(rows);
    this.judge.running = 1;
    this.row({ kind: 'started', fence: 1, keyGen: 1 });
  }

  /** Numbers of the invariants that were broken so far. */
  get broken(): readonly number[] {
    return [...new Set(this.wrong.map((line) => Number(/^invariant (\d+)/.exec(line)?.[1])))];
  }

  /** Writes one event, its head record, and the record of its action. */
  row(body: EventBody, { witnessed = true, change = {} }: { witnessed?: boolean; change?: object } = {}): number {
    const { sha256 } = this.household.crypto;
    const made = makeRow(sha256, this.disk.end, { body, atMs: this.disk.end.seq, salt: '00'.repeat(16) });
    const row = { ...made, ...change };
    this.judge.asked([row]);
    this.disk.store([{ rows: [row], puts: [], drops: [], blobs: [] }], this.disk.wholeUntil);
    if (witnessed) this.disk.witness([row]);
    if ('action' in body) this.keep(body.action);
    this.judge.touched();
    return row.seq;
  }

  /** The table's record as the rows have it. */
  keep(id: Action['id']): void {
    const action = this.chronicle.open(id);
    if (action === undefined) return;
    const record = { table: 'action', key: id, order: action.seq, live: true, value: canonicalBytes(action) } as const;
    this.disk.table('action').set(id, record);
  }

  propose(change: Partial<Action> & { readonly content?: ActionContent } = {}): Action {
    const n = ++this.#count;
    const content = change.content ?? contentOf({ effect: { name: 'a', text: `text ${n}` } });
    const action = {
      id: actionId(new Uint8Array(16).fill(n)),
      seq: n,
      place: n,
      lane: 'lane',
      digest: digestOf(this.household.crypto.sha256, content),
      verdict: { autoApprovable: false, reason: '' },
      reversibleWhy: '',
      lineage: { session: SESSION, root: SESSION, turn: 1, callId: null, sawThrough: 0 },
      proposedAtMs: 0,
      needs: [],
      overlay: [],
      result: null,
      attempts: 0,
      revertAttempts: 0,
      remark: null,
      state: 'pending',
      attention: null,
      ...change,
      content,
      // reason: a pending action, with what a test wants otherwise
    } as Action;
    this.row({ kind: 'proposed', action: action.id, n: action.seq, digest: action.digest, record: action, saw: [] });
    return action;
  }

  /** A decision of a device, taken with this result; answers the row, and its hash. */
  decide(kind: ItemKind, action: Action, device = 0, said: Said = {}): { readonly n: number; readonly hash: Digest } {
    const { home, workspace, members, crypto } = this.household;
    const n = said.n ?? ++this.#numbers;
    const id = members[device]?.id ?? members[0]!.id;
    const decision: Decision = {
      v: 1,
      home,
      workspace,
      device: id,
      n,
      prev: n === 1 ? null : action.digest,
      kind,
      items: [
        { id: action.id, digest: said.digest ?? action.digest },
        ...(said.besides ?? []).map((other) => ({ id: other.id, digest: other.digest })),
      ],
      holdsLifted: said.holdsLifted ?? [],
      seen: said.seen === undefined ? { counter: 1, atMs: 0, size: 1, root: action.digest } : said.seen,
      ...(kind === 'approve' ? { body: { mode: 'rest' } } : {}),
      ...(said.body === undefined ? {} : { body: said.body }),
      ...(said.batch === undefined ? {} : { batch: said.batch }),
    };
    const signed = signDecision(members[said.signer ?? device]!.signer, decision);
    const hash = decisionHash(crypto.sha256, signed.payload);
    this.row({
      kind: 'decision-taken',
      device: id,
      dn: n,
      hash,
      decision: signed.payload,
      signature: signed.signature,
      results: [action, ...(said.besides ?? [])].map((one) => ({
        id: one.id,
        result: said.result ?? 'received',
        why: null,
      })),
    });
    return { n, hash };
  }

  step(action: Action, transition: Transition): void {
    const digest =
      transition.kind === 'reissued' ? transition.digest : (this.chronicle.open(action.id)?.digest ?? action.digest);
    this.row({ ...transition, action: action.id, n: action.seq, digest });
  }

  approve(action: Action, device = 0, said: Said = {}): void {
    const { n } = this.decide('approve', action, device, said);
    this.step(action, { kind: 'approved', by: { type: 'decision', device: this.household.members[device]!.id, n } });
  }

  /** Approves the first of a list that counts whole or not at all. */
  approveList([action, ...besides]: readonly [Action, ...Action[]]): { readonly device: DeviceId; readonly n: number } {
    const { n } = this.decide('approve', action, 0, { besides, body: { mode: 'all-or-none' } });
    const device = this.household.members[0]!.id;
    this.step(action, { kind: 'approved', by: { type: 'decision', device, n } });
    return { device, n };
  }

  intend(action: Action): Intent {
    const attempt = (this.chronicle.open(action.id)?.attempts ?? 0) + 1;
    const intent = { attempt, idempotencyKey: `key ${action.seq}`, atMs: 0, deadlineMs: 1 };
    this.step(action, { kind: 'intent-recorded', intent });
    return intent;
  }

  call(action: Action, { attempt, idempotencyKey: key }: Intent, content = action.content): void {
    this.judge.call({ verb: 'apply', key, attempt, content, life: 1 });
  }

  applied(action: Action, known: 'surface' | 'settled' = 'surface'): void {
    const applied = { attempt: 1, atMs: 0, evidence: {}, drift: null, known };
    this.step(action, { kind: 'applied', applied, result: null });
  }

  /** Approved, begun, happened, and said to be. */
  apply(action: Action): void {
    this.approve(action);
    const intent = this.intend(action);
    this.call(action, intent);
    this.world.happened(intent.idempotencyKey, { keyed: false });
    this.applied(action);
  }
}

const SESSION = sessionId(new Uint8Array(16));
