import { canonicalText } from '../../src/base/canonical-json.ts';
import type { Right } from '../../src/model/decision.ts';
import type { JournalEvent, JournalRow } from '../../src/model/event.ts';
import type { ActionId, DeviceId, Digest } from '../../src/model/ids.ts';
import type { Household } from './contract.ts';
import type { ActionRowEvent, Chronicle, Known } from './chronicle.ts';
import type { SimDisk } from './disk.ts';
import { INVARIANTS } from './invariants/index.ts';
import type { Invariant, Read, Received, Scene } from './invariants/invariant.ts';
import type { Call, World } from './world.ts';

/** Rows that are held against the notes as they were, and their branch. */
const SEEN_BESIDE: ReadonlySet<JournalRow['kind']> = new Set<JournalRow['kind']>([
  'intent-recorded',
  'revert-begun',
  'revert-refused',
  'reverted',
]);

interface Snapshot {
  readonly fromSeq: number;
  readonly number: number;
  readonly revoked: ReadonlySet<DeviceId>;
  readonly rights: ReadonlyMap<DeviceId, Right>;
}

type Hook = 'onRow' | 'onCall' | 'onReceipt' | 'onRead' | 'onAnswer' | 'onAction' | 'whole';
const withHook = <H extends Hook>(hook: H) =>
  INVARIANTS.filter((one): one is Invariant & Required<Pick<Invariant, H>> => one[hook] !== undefined);
const ON = {
  row: withHook('onRow'),
  call: withHook('onCall'),
  receipt: withHook('onReceipt'),
  read: withHook('onRead'),
  answer: withHook('onAnswer'),
  action: withHook('onAction'),
  whole: withHook('whole'),
};

interface JudgeParts {
  readonly chronicle: Chronicle;
  readonly world: World;
  readonly disk: SimDisk;
  readonly household: Household;
  readonly fail: (what: string, why: string) => void;
  readonly occurred: (what: string) => void;
  readonly nowMs: () => number;
}

/** Holds every step against the invariants, and keeps what they look at. */
export class Judge {
  readonly #parts: JudgeParts;
  readonly #begun = new Set<string>();
  readonly #misled = new Set<ActionId>();
  readonly #receipts: Received[] = [];
  readonly #touched = new Set<ActionId>();
  readonly #snapshots: Snapshot[] = [];
  readonly forged = new Set<Digest>();
  /** The same, by whoever means harm in the network. */
  forgedElsewhere: ReadonlySet<Digest> = new Set();
  running = 0;
  /** When the process that runs now began. */
  lifeAtMs = 0;
  readonly #askedAtMs = new Map<number, number>();
  readonly #notesAt = new Map<number, ReadonlyMap<string, string>>();
  readonly #branchAt = new Map<number, string>();
  readonly #scene: Scene;

  constructor(parts: JudgeParts) {
    this.#parts = parts;
    const { chronicle, world, disk, household } = parts;
    const running = (): number => this.running;
    const lifeAtMs = (): number => this.lifeAtMs;
    this.#scene = {
      chronicle,
      world,
      disk,
      household,
      isForged: (hash) => this.forged.has(hash) || this.forgedElsewhere.has(hash),
      begun: this.#begun,
      misled: this.#misled,
      receipts: this.#receipts,
      revokedAt: (seq) => this.#at(seq)?.revoked ?? new Set(),
      rightAt: (seq, device) => this.#at(seq)?.rights.get(device) ?? 'view',
      askedAtMs: (seq) => this.#askedAtMs.get(seq) ?? 0,
      notesAt: (seq) => this.#notesAt.get(seq) ?? world.notes,
      branchAt: (seq) => this.#branchAt.get(seq) ?? world.branch,
      get running() {
        return running();
      },
      get lifeAtMs() {
        return lifeAtMs();
      },
    };
  }

  /** Rows were staged: what the roster says now is what they are judged by. */
  asked(rows: readonly JournalRow[]): void {
    const [first] = rows;
    for (const { seq, kind } of rows) {
      this.#askedAtMs.set(seq, this.#parts.nowMs());
      if (!SEEN_BESIDE.has(kind)) continue;
      this.#notesAt.set(seq, new Map(this.#parts.world.notes));
      this.#branchAt.set(seq, this.#parts.world.branch);
    }
    const { roster, members } = this.#parts.household;
    if (first === undefined) return;
    // What was asked for under these numbers before was given up; a full disk gives many rows up at once.
    while ((this.#snapshots.at(-1)?.fromSeq ?? 0) >= first.seq) this.#snapshots.pop();
    if (this.#snapshots.at(-1)?.number === roster.number()) return;
    this.#snapshots.push({
      fromSeq: first.seq,
      number: roster.number(),
      revoked: new Set(members.filter(({ revoked }) => revoked).map(({ id }) => id)),
      rights: new Map(members.map(({ id, right }) => [id, right])),
    });
  }

  /** Rows are in the database. */
  rows(rows: readonly JournalRow[]): void {
    const { chronicle, occurred } = this.#parts;
    for (const row of rows) {
      let from = '';
      const event = chronicle.take(row, (next) => {
        for (const one of ON.row) this.#report(one, one.onRow(this.#scene, next, row));
        this.#see(next);
        from = 'action' in next ? (chronicle.open(next.action)?.state ?? '') : '';
      });
      if ('action' in event) {
        this.#touched.add(event.action);
        this.#countWays(event);
        occurred(event.kind === 'proposed' ? 'row: proposed' : `transition: ${from}, ${event.kind}`);
      } else {
        occurred(`row: ${event.kind}`);
        if (event.kind === 'decision-refused') occurred(`refused: ${plain(event.why)}`);
        if (event.kind === 'decision-taken') this.#countResults(event);
      }
    }
  }

  call(call: Call): void {
    for (const one of ON.call) this.#report(one, one.onCall(this.#scene, call));
    this.#begun.add(`${call.verb} ${call.key} ${call.attempt}`);
    this.#parts.occurred(`began: ${call.verb} ${call.content.effectClass}`);
  }

  receipt(receipt: Received): void {
    this.#receipts.push(receipt);
    for (const one of ON.receipt) this.#report(one, one.onReceipt(this.#scene, receipt));
  }

  read(read: Read): void {
    for (const one of ON.read) this.#report(one, one.onRead(this.#scene, read));
  }

  answer(said: unknown): void {
    const text = canonicalText(said);
    for (const one of ON.answer) this.#report(one, one.onAnswer(this.#scene, text));
  }

  /** After every step: what it touched. */
  touched(): void {
    for (const id of this.#touched) {
      const known = this.#parts.chronicle.actions.get(id);
      if (known !== undefined) this.#action(known);
    }
    this.#touched.clear();
  }

  /** Everything there is. */
  whole(): void {
    for (const known of this.#parts.chronicle.actions.values()) this.#action(known);
    for (const one of ON.whole) this.#report(one, one.whole(this.#scene));
  }

  #action(known: Known): void {
    for (const one of ON.action) this.#report(one, one.onAction(this.#scene, known));
  }

  /** A person's word about an attempt is compared with the world when it is given. */
  #see(event: JournalEvent): void {
    const { chronicle, world } = this.#parts;
    if (event.kind !== 'not-applied' && event.kind !== 'applied') return;
    const key = chronicle.actions.get(event.action)?.attempts.at(-1)?.key;
    if (key === undefined) return;
    const settledNo = event.kind === 'not-applied' && event.known === 'settled';
    const settledYes = event.kind === 'applied' && event.applied.known === 'settled';
    const wrongNo = settledNo && (world.effect(key).count > 0 || world.mayLand(key));
    const wrongYes = settledYes && world.effect(key).count === 0;
    if (!wrongNo && !wrongYes) return;
    this.#misled.add(event.action);
    this.#parts.occurred(wrongNo ? 'person: says did-not, and it did' : 'person: says happened, and it did not');
  }

  /** Ways of a transition that the table of transitions does not tell apart. */
  #countWays(event: ActionRowEvent): void {
    const { occurred } = this.#parts;
    if (event.kind === 'intent-recorded' && event.intent.together !== undefined) occurred('way: several as one effect');
    if (event.kind === 'intent-recorded' && event.intent.resolved !== undefined)
      occurred('way: a reference became a name');
    if (event.kind === 'proposed' && event.record.replaces !== undefined) occurred('way: edited by a person');
    if (event.kind === 'approved') occurred(`way: approved by a ${event.by.type}`);
    if (event.kind === 'approval-withdrawn') occurred(`way: approval withdrawn, ${event.why}`);
    if (event.kind === 'attention-raised' || event.kind === 'reissued')
      occurred(`way: attention, ${event.attention.kind}`);
    if (event.kind === 'rejected') occurred(`way: rejected, ${event.because}`);
  }

  #countResults(event: Extract<JournalEvent, { kind: 'decision-taken' }>): void {
    const { kind } = JSON.parse(event.decision) as { readonly kind: string };
    for (const { result, why } of event.results) {
      this.#parts.occurred(`decided: ${kind}, ${result}`);
      if (why !== null) this.#parts.occurred(`refused: ${plain(why)}`);
    }
  }

  #at(seq: number): Snapshot | undefined {
    return this.#snapshots.findLast((snapshot) => snapshot.fromSeq <= seq) ?? this.#snapshots[0];
  }

  #report({ n, says }: Invariant, wrong: string | undefined): void {
    if (wrong !== undefined && wrong !== '') this.#parts.fail(`invariant ${n}: ${says}`, wrong);
  }
}

/** A sentence without what differs from one action to the next. */
function plain(why: string): string {
  return why
    .replaceAll(/#\d+/g, '#n')
    .replaceAll(/a-[a-z2-7]{26}/g, '#n')
    .replaceAll(/(?:#n, )*#n\. Release/g, '#n. Release')
    .replace(/because of (?:#n(?:, )?)+.*/, 'because of #n')
    .replaceAll(/attempt \d+/g, 'attempt n')
    .replaceAll(/device \d+/g, 'device n');
}
