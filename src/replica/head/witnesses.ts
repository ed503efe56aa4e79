import { fromHex } from '../../base/bytes.ts';
import type { Json } from '../../base/canonical-json.ts';
import { list, nullable, read, record } from '../../base/shape.ts';
import { count, digest } from '../../access/fields.ts';
import type { Digest, WorkspaceId } from '../../model/ids.ts';
import type { LogEnd } from '../../trust/verify-log.ts';
import type { Core } from '../core.ts';
import { REPLICA_LIMITS } from '../limits.ts';

/** What the home has signed of its log at one moment: in a heartbeat, a checkpoint of the head, a ledger's sum. */
export interface Witnessed {
  readonly size: number;
  readonly root: Digest;
  /** Merkle root, where it was named. */
  readonly tree: Digest | null;
}

const kept = list(record({ size: count, root: digest, tree: nullable(digest) }), { max: REPLICA_LIMITS.witnessedMax });

/**
 * What this device has seen of one audit log, kept for good. A log that later does not run through all of these ends
 * is not the log it was (invariant 15).
 */
export class Witnesses {
  readonly #core: Core;
  readonly #workspace: WorkspaceId;
  readonly #bySize = new Map<number, Witnessed>();
  #saving = false;

  constructor(core: Core, workspace: WorkspaceId) {
    this.#core = core;
    this.#workspace = workspace;
  }

  async load(): Promise<void> {
    const fact = await this.#core.storage.facts.get(this.#key);
    const known = fact === undefined ? undefined : read(kept, fact.value);
    if (known?.ok === true) for (const each of known.value) this.#take(each);
  }

  /** The end of the log that was seen with the most entries. */
  get newest(): Witnessed | undefined {
    return [...this.#bySize.values()].reduce<Witnessed | undefined>(
      (most, each) => (most === undefined || each.size > most.size ? each : most),
      undefined,
    );
  }

  add(seen: Witnessed): void {
    if (!this.#take(seen) || this.#saving) return;
    this.#saving = true;
    this.#core.run(async () => {
      // What comes in one turn is kept together.
      await new Promise<void>((resolve) => this.#core.clock.soon(resolve));
      this.#saving = false;
      await this.#core.storage.facts.raise(this.#key, { number: this.newest?.size ?? 0, value: this.#json() });
    });
  }

  /** For the check of the log. */
  ends(): readonly LogEnd[] {
    return [...this.#bySize.values()].flatMap(({ root, size, tree }) => {
      const bytes = fromHex(root);
      const treeBytes = tree === null ? undefined : fromHex(tree);
      return bytes === undefined
        ? []
        : [{ size, root: bytes, ...(treeBytes === undefined ? {} : { tree: treeBytes }) }];
    });
  }

  /** Answers whether it is news. */
  #take(seen: Witnessed): boolean {
    const known = this.#bySize.get(seen.size);
    if (known !== undefined) {
      const same = known.root === seen.root && (known.tree === null || seen.tree === null || known.tree === seen.tree);
      if (!same) this.#fork(seen.size);
      if (!same || seen.tree === null || known.tree !== null) return false;
    }
    this.#bySize.set(seen.size, seen);
    this.#thinOut();
    return true;
  }

  #fork(size: number): void {
    const sentence = `After ${size} entries the runtime has signed two different logs. Do not approve anything before you know why.`;
    this.#core.alarms.raise({ kind: 'fork', workspace: this.#workspace, sentence });
  }

  /** Of the older half every second one goes: what is recent is known closely, what is old from time to time. */
  #thinOut(): void {
    if (this.#bySize.size <= REPLICA_LIMITS.witnessedMax) return;
    const sizes = [...this.#bySize.keys()].toSorted((a, b) => a - b);
    sizes.slice(0, sizes.length / 2).forEach((size, at) => {
      if (at % 2 === 1) this.#bySize.delete(size);
    });
  }

  #json(): Json {
    return [...this.#bySize.values()].map(({ root, size, tree }) => ({ size, root, tree }));
  }

  get #key(): string {
    return `witnessed/${this.#workspace}`;
  }
}
