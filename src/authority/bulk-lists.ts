import { parseCanonical } from '../base/canonical-json.ts';
import type { Decision } from '../model/decision.ts';
import type { ActionId, DeviceId, Digest } from '../model/ids.ts';
import type { Journal } from './ports.ts';
import type { Store } from './store.ts';

/** One decision of a list, as it is kept until the list was looked over. */
export interface BulkPart {
  readonly device: DeviceId;
  /** What the parts of one list share. */
  readonly list: string;
  readonly index: number;
  readonly of: number;
  /** The decision's number on its device, and its hash. */
  readonly n: number;
  readonly hash: Digest;
  readonly ids: readonly ActionId[];
  /** Why nothing of the list counts, as far as this part shows it; `null` while all of it was received. */
  readonly failed: string | null;
}

/** A list of approvals that counts whole or not at all (DR-11). */
export interface BulkList {
  readonly key: string;
  readonly of: number;
  readonly parts: readonly BulkPart[];
}

const PREFIX = 'bulk/';

/**
 * The lists that were not looked over yet. Each part is stored in the commit that takes its decision, so that whatever
 * a crash interrupts is looked over again.
 */
export class BulkLists {
  readonly #store: Pick<Store, 'put' | 'drop'>;
  readonly #lists = new Map<string, BulkList>();

  constructor(store: Pick<Store, 'put' | 'drop'>) {
    this.#store = store;
  }

  all(): Iterable<BulkList> {
    return this.#lists.values();
  }

  get(key: string): BulkList | undefined {
    return this.#lists.get(key);
  }

  /** The list in which this decision approved something. */
  holding(device: DeviceId, n: number): BulkList | undefined {
    for (const list of this.#lists.values())
      if (list.parts.some((part) => part.device === device && part.n === n)) return list;
    return undefined;
  }

  add(part: BulkPart): BulkList {
    const list = this.#join(part);
    this.#store.put('meta', recordKey(part), part.n, true, part);
    return list;
  }

  /** It was looked over, or given back. */
  close(list: BulkList): void {
    this.#lists.delete(list.key);
    for (const part of list.parts) this.#store.drop('meta', recordKey(part));
  }

  /** What is stored, after a start or a full disk. */
  load(journal: Pick<Journal, 'liveRecords'>): void {
    this.#lists.clear();
    for (const record of journal.liveRecords('meta')) {
      // reason: records of this prefix are written by `add` only
      if (record.key.startsWith(PREFIX)) this.#join(parseCanonical(record.value) as unknown as BulkPart);
    }
  }

  #join(part: BulkPart): BulkList {
    const key = `${part.device}/${part.list}`;
    const known = this.#lists.get(key);
    const list = { key, of: known?.of ?? part.of, parts: [...(known?.parts ?? []), part] };
    this.#lists.set(key, list);
    return list;
  }
}

/** Is this an approval that counts whole or not at all? One item alone always does. */
export function isBulk({ batch, body, items, kind }: Decision): boolean {
  return kind === 'approve' && body?.['mode'] === 'all-or-none' && (batch !== undefined || items.length > 1);
}

export function listKeyOf(decision: Decision): string {
  return `${decision.device}/${listNameOf(decision)}`;
}

export function listNameOf({ batch, n }: Decision): string {
  return batch === undefined ? `n${n}` : `b${batch.id}`;
}

/** All of it has come. */
export function isWhole(list: BulkList): boolean {
  return new Set(list.parts.map(({ index }) => index)).size >= list.of;
}

export function failureOf(list: BulkList | undefined): string | null {
  return list?.parts.find(({ failed }) => failed !== null)?.failed ?? null;
}

export function membersOf(list: BulkList): readonly ActionId[] {
  return [...new Set(list.parts.flatMap(({ ids }) => ids))];
}

function recordKey(part: BulkPart): string {
  return `${PREFIX}${part.device}/${part.list}/${part.n}`;
}
