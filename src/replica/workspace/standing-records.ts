import type { LedgerKind, LedgerRule, LedgerStanding } from '../../model/ledger.ts';
import type { WorkspaceView } from '../types.ts';

type Shown = Pick<WorkspaceView, 'standing' | 'rules' | 'kinds'>;

/** What people have set for one workspace, and what they can set, as its ledger says it. */
export class StandingRecords {
  readonly #rules = new Map<string, LedgerRule>();
  readonly #kinds = new Map<string, LedgerKind>();
  #settings: LedgerStanding | null = null;
  #shown: Shown | undefined;

  /** The same object until something changes. */
  view(): Shown {
    this.#shown ??= {
      standing: this.#settings,
      rules: [...this.#rules.values()].toSorted((a, b) => a.addedAtMs - b.addedAtMs || (a.id < b.id ? -1 : 1)),
      kinds: [...this.#kinds.values()].toSorted((a, b) => (a.tag < b.tag ? -1 : 1)),
    };
    return this.#shown;
  }

  *ids(): Generator<string> {
    if (this.#settings !== null) yield this.#settings.id;
    yield* this.#rules.keys();
    yield* this.#kinds.keys();
  }

  set(record: LedgerStanding | LedgerRule | LedgerKind): void {
    if (record.type === 'standing') this.#settings = record;
    else if (record.type === 'rule') this.#rules.set(record.id, record);
    else this.#kinds.set(record.id, record);
    this.#shown = undefined;
  }

  remove(id: string): void {
    if (id === this.#settings?.id) this.#settings = null;
    this.#rules.delete(id);
    this.#kinds.delete(id);
    this.#shown = undefined;
  }
}
