import { toHex, utf8 } from '../../base/bytes.ts';
import { givenBackBecause } from '../../model/list-back.ts';
import { parseCanonical } from '../../base/canonical-json.ts';
import { CountersignError } from '../../base/errors.ts';
import type { DecisionDraft } from '../../model/decision-drafts.ts';
import type { Decision } from '../../model/decision.ts';
import type { WorkspaceId } from '../../model/ids.ts';
import { parseDecision } from '../../trust/decision.ts';
import type { Receipt } from '../../trust/receipt.ts';
import { Mutex } from '../../base/mutex.ts';
import type { Core } from '../core.ts';
import type { DecisionKey, OutboxEntry, RefusedEntry } from '../ports.ts';
import type { Outgoing } from '../types.ts';
import { saveDecisions } from './save-decisions.ts';

/** A decision of this device that has no receipt yet, with what it says. */
export interface Waiting extends OutboxEntry {
  readonly decision: Decision;
}

/**
 * The decisions of this device on their way (DC-6), as the store has them: every window keeps its own picture and
 * looks again when another says that something has changed.
 */
export class Outbox {
  readonly #core: Core;
  readonly #changed: () => void;
  readonly #turn = new Mutex();
  readonly #saving = new Mutex();
  #waiting: readonly Waiting[] = [];
  #refused: readonly RefusedEntry[] = [];
  #said: ReadonlySet<string> | undefined;
  #outgoing: readonly Outgoing[] = [];

  constructor(core: Core, changed: () => void) {
    this.#core = core;
    this.#changed = changed;
  }

  get waiting(): readonly Waiting[] {
    return this.#waiting;
  }

  get refused(): readonly RefusedEntry[] {
    return this.#refused;
  }

  get outgoing(): readonly Outgoing[] {
    return this.#outgoing;
  }

  /** Looks at the store. */
  reload(): Promise<void> {
    return this.#turn.run(async () => {
      const { refused, waiting } = await this.#core.storage.outbox.read();
      const known = new Map(this.#waiting.map((each) => [each.hash, each]));
      this.#waiting = waiting.map((entry) => ({
        ...entry,
        decision: known.get(entry.hash)?.decision ?? decisionOf(entry),
      }));
      // What was refused before this window opened has been said before.
      this.#said ??= new Set(refused.map(keyText));
      this.#refused = refused.filter((each) => this.#said?.has(keyText(each)) !== true);
      this.#outgoing = [...this.#waiting.map(ofWaiting), ...this.#refused.map(ofRefused)];
      this.#changed();
    });
  }

  /** Numbers, signs and stores one gesture, all of it or nothing. Durable when it answers. Throws: as `saveDecisions`. */
  async save(workspace: WorkspaceId, drafts: readonly DecisionDraft[]): Promise<readonly Outgoing[]> {
    const { crypto, keys, random, storage } = this.#core;
    const batchId = toHex(random.bytes(16));
    const parts = { outbox: storage.outbox, signer: keys.signer, crypto, batchId };
    // One after the other in this window: only other windows can be first.
    const entries = await this.#saving.run(() => saveDecisions(parts, workspace, drafts));
    await this.reload();
    return entries.map((entry) => ofWaiting({ ...entry, decision: decisionOf(entry) }));
  }

  async markSent(keys: readonly DecisionKey[]): Promise<void> {
    if (keys.length === 0) return;
    await this.#core.storage.outbox.markSent(keys);
    await this.reload();
  }

  /**
   * Takes the home's receipts: what they answer is not kept any longer. One for another text than was signed here is
   * no answer; the caller is told of it.
   */
  async settle(
    workspace: WorkspaceId,
    receipts: Iterable<Receipt>,
  ): Promise<{ readonly settled: number; readonly foreign: readonly number[] }> {
    const waiting = new Map(this.#waiting.filter((each) => each.workspace === workspace).map((each) => [each.n, each]));
    const foreign: number[] = [];
    let settled = 0;
    for (const receipt of receipts) {
      const entry = waiting.get(receipt.n);
      if (entry === undefined) continue;
      if (receipt.decision !== entry.hash) foreign.push(entry.n);
      else {
        await this.#core.storage.outbox.settle(entry, refusedOf(entry, receipt));
        settled += 1;
      }
    }
    if (settled > 0) await this.reload();
    return { settled, foreign };
  }
}

/** What did not count of it; `null` when all of it did. */
function refusedOf({ decision, n, workspace }: Waiting, receipt: Receipt): RefusedEntry | null {
  const { kind } = decision;
  if (receipt.refused !== null)
    return { workspace, n, kind, ids: decision.items.map(({ id }) => id), why: receipt.refused };
  const not = receipt.results.filter(({ result }) => result !== 'received');
  // Of a list that counts whole or not at all, the sentence that names what stood in its way.
  const first = not.find(({ why }) => givenBackBecause(why ?? null) !== null) ?? not[0];
  if (first === undefined) return null;
  return { workspace, n, kind, ids: not.map(({ id }) => id), why: first.why ?? 'The runtime did not count it.' };
}

function decisionOf(entry: OutboxEntry): Decision {
  const decision = parseDecision(parseCanonical(utf8(entry.payload)));
  if (!decision.ok) throw new CountersignError('storage', `A saved decision cannot be read. ${decision.error}`);
  return decision.value;
}

function keyText({ n, workspace }: DecisionKey): string {
  return `${workspace}:${n}`;
}

function ofWaiting({ decision, n, state, workspace }: Waiting): Outgoing {
  const ids = decision.items.map(({ id }) => id);
  return { workspace, n, kind: decision.kind, ids, state, why: null };
}

function ofRefused({ ids, kind, n, why, workspace }: RefusedEntry): Outgoing {
  return { workspace, n, kind, ids, state: 'refused', why };
}
