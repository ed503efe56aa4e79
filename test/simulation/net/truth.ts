import { toHex } from '../../../src/base/bytes.ts';
import { parseCanonical } from '../../../src/base/canonical-json.ts';
import type { Journal } from '../../../src/authority/ports.ts';
import type { Action } from '../../../src/model/action.ts';
import type { JournalEvent, JournalRow } from '../../../src/model/event.ts';
import type { DeviceId } from '../../../src/model/ids.ts';

export type Rows = Pick<Journal, 'head' | 'rows' | 'recordsBefore'>;
export type TakenDecision = Extract<JournalEvent, { kind: 'decision-taken' }>;

/** Rows read at once. */
const PAGE = 256;
const ACTIONS_MAX = 10_000;

/** What is durable, read from the journal and nowhere else. */
export class Truth {
  readonly #journal: () => Rows | undefined;
  readonly #roots = new Map<number, string>();
  readonly #taken = new Map<string, TakenDecision>();
  /** Numbers that were taken twice: there must be none. */
  readonly twice: string[] = [];
  #read = 0;
  #last: JournalRow | undefined;
  #changes = 0;

  constructor(journal: () => Rows | undefined) {
    this.#journal = journal;
  }

  get isKnown(): boolean {
    return this.#journal() !== undefined;
  }

  /** Grows when it is another one. */
  get changes(): number {
    this.#catchUp();
    return this.#changes;
  }

  /** Chain root after so many entries; `undefined` when there are fewer. */
  rootAt(size: number): string | undefined {
    this.#catchUp();
    return this.#roots.get(size);
  }

  taken(device: DeviceId, n: number): TakenDecision | undefined {
    this.#catchUp();
    return this.#taken.get(`${device}/${n}`);
  }

  *allTaken(): Generator<TakenDecision> {
    this.#catchUp();
    yield* this.#taken.values();
  }

  /** Every action as its record has it, by number. */
  actions(): ReadonlyMap<number, Action> {
    const records = this.#journal()?.recordsBefore('action', Number.MAX_SAFE_INTEGER, ACTIONS_MAX) ?? [];
    // reason: the authority writes actions there, and nothing else
    const actions = records.map(({ value }) => parseCanonical(value) as unknown as Action);
    return new Map(actions.map((action) => [action.seq, action]));
  }

  #catchUp(): void {
    const journal = this.#journal();
    if (journal === undefined) return;
    const head = journal.head();
    if (this.#read > head.seq || (this.#read > 0 && this.#wasReplaced(journal))) this.#forget();
    while (this.#read < head.seq) {
      const rows = journal.rows(this.#read + 1, PAGE);
      if (rows.length === 0) return;
      for (const row of rows) {
        this.#roots.set(row.seq, toHex(row.root));
        this.#read = row.seq;
        this.#last = row;
        this.#changes += 1;
        if (row.kind === 'decision-taken') this.#take(row.event);
      }
    }
  }

  #take(bytes: Uint8Array): void {
    // reason: the kind of the row is that of its event
    const event = parseCanonical(bytes) as unknown as TakenDecision;
    const key = `${event.device}/${event.dn}`;
    if (this.#taken.has(key)) this.twice.push(key);
    this.#taken.set(key, event);
  }

  #wasReplaced(journal: Rows): boolean {
    const [last] = journal.rows(this.#read, 1);
    return last !== this.#last && (last === undefined || toHex(last.root) !== this.#roots.get(this.#read));
  }

  #forget(): void {
    this.#roots.clear();
    this.#taken.clear();
    this.#read = 0;
    this.#changes += 1;
  }
}
