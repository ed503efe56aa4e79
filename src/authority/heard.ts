import { parseCanonical } from '../base/canonical-json.ts';
import type { Applied } from '../model/action.ts';
import type { ActionId } from '../model/ids.ts';
import type { Journal, Outcome } from './ports.ts';
import type { Store } from './store.ts';

/** What came to light about one attempt after its deadline: the effect's own late answer, or what a probe says. */
export interface Evidence {
  readonly attempt: number;
  readonly outcome: Outcome;
  readonly known: Applied['known'];
}

interface Kept extends Evidence {
  readonly id: ActionId;
}

const PREFIX = 'heard/';

/**
 * What came to light about an action while another attempt of it was under way: it is weighed when that has its outcome.
 * Stored at once, for nobody says it again (EF-6).
 */
export class Heard {
  readonly #store: Pick<Store, 'put' | 'drop'>;
  readonly #kept = new Map<ActionId, readonly Kept[]>();

  constructor(store: Pick<Store, 'put' | 'drop'>) {
    this.#store = store;
  }

  /** Whose evidence waits. */
  ids(): readonly ActionId[] {
    return [...this.#kept.keys()];
  }

  /** Does any of it say that an attempt happened? */
  saysHappened(id: ActionId): boolean {
    return (this.#kept.get(id) ?? []).some(({ outcome }) => outcome.type === 'applied');
  }

  keep(id: ActionId, evidence: Evidence): void {
    const kept: Kept = { id, ...evidence };
    const others = (this.#kept.get(id) ?? []).filter((other) => keyOf(other) !== keyOf(kept));
    this.#kept.set(id, [...others, kept]);
    this.#store.put('meta', keyOf(kept), evidence.attempt, true, kept);
  }

  of(id: ActionId): readonly Evidence[] {
    return this.#kept.get(id) ?? [];
  }

  /** Staged, for the commit of what comes of it. */
  drop(id: ActionId, evidence: Evidence): void {
    const kept: Kept = { id, ...evidence };
    const left = (this.#kept.get(id) ?? []).filter((other) => keyOf(other) !== keyOf(kept));
    if (left.length === 0) this.#kept.delete(id);
    else this.#kept.set(id, left);
    this.#store.drop('meta', keyOf(kept));
  }

  /** What is stored, after a start or a full disk. */
  load(journal: Pick<Journal, 'liveRecords'>): void {
    this.#kept.clear();
    for (const record of journal.liveRecords('meta')) {
      if (!record.key.startsWith(PREFIX)) continue;
      // reason: records of this prefix are written by `keep` only
      const kept = parseCanonical(record.value) as unknown as Kept;
      this.#kept.set(kept.id, [...(this.#kept.get(kept.id) ?? []), kept]);
    }
  }
}

function keyOf({ attempt, id, known }: Kept): string {
  return `${PREFIX}${id}/${attempt}/${known}`;
}
