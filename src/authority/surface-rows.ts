import type { JsonObject } from '../base/canonical-json.ts';
import type { Rows, RowsWriter } from './ports.ts';
import type { Store } from './store.ts';

/** What a pack's transactional effects (E0) have kept: as durable as the rest of what is staged, or being stored. */
export function rowsOf(store: Pick<Store, 'record'>, pack: string): Rows {
  // reason: written by `StagedRows` only, which takes objects
  return { get: (key) => store.record('row', rowKey(pack, key)) as JsonObject | undefined };
}

/** The rows of one transaction: nothing of it is staged before the surface has said that it is applied. */
export class StagedRows implements RowsWriter {
  readonly #rows: Rows;
  readonly #pack: string;
  readonly #changed = new Map<string, JsonObject | null>();

  constructor(store: Pick<Store, 'record'>, pack: string) {
    this.#rows = rowsOf(store, pack);
    this.#pack = pack;
  }

  get(key: string): JsonObject | undefined {
    const changed = this.#changed.get(key);
    return changed === undefined ? this.#rows.get(key) : (changed ?? undefined);
  }

  put(key: string, value: JsonObject): void {
    this.#changed.set(key, value);
  }

  drop(key: string): void {
    this.#changed.set(key, null);
  }

  stage(store: Pick<Store, 'put' | 'drop'>): void {
    for (const [key, value] of this.#changed) {
      if (value === null) store.drop('row', rowKey(this.#pack, key));
      else store.put('row', rowKey(this.#pack, key), 0, false, value);
    }
  }
}

function rowKey(pack: string, key: string): string {
  return `${pack}/${key}`;
}
