import { parseCanonical } from '../../base/canonical-json.ts';
import type { EpochMs } from '../../base/clock.ts';
import type { Action, Actor, ApprovalSource } from '../../model/action.ts';
import type { EventKind, Transition } from '../../model/event.ts';
import type { ActionId } from '../../model/ids.ts';
import type { LedgerActor } from '../../model/ledger.ts';
import type { AuditEntry } from '../../trust/audit.ts';
import type { Core } from '../core.ts';

/** Who decided last about an action, and when it last changed. */
export interface Traced {
  readonly by: LedgerActor | null;
  readonly changedAtMs: EpochMs;
}

/** Kinds of events by which somebody decides. */
const DECIDING: ReadonlySet<EventKind> = new Set<EventKind>([
  'approved',
  'retried',
  'held',
  'released',
  'rejected',
  'revert-begun',
]);

/** Rows of an action that are looked through for who decided last: no action has that many attempts. */
const ROWS_MAX = 100;

/**
 * What an action's own record does not keep of its past. Noted as it happens, and read from the journal for what was
 * there before this start: each answer equals what the rows say.
 */
export class Trail {
  readonly #core: Core;
  readonly #traced = new Map<ActionId, Traced>();

  constructor(core: Core) {
    this.#core = core;
  }

  note(action: Action, transition: Transition, atMs: EpochMs): void {
    const by = 'by' in transition ? ledgerActor(transition.by) : this.of(action).by;
    this.#traced.set(action.id, { by, changedAtMs: atMs });
  }

  of(action: Action): Traced {
    const known = this.#traced.get(action.id) ?? this.#fromRows(action);
    this.#traced.set(action.id, known);
    return known;
  }

  forget(id: ActionId): void {
    this.#traced.delete(id);
  }

  /** What was noted may never have become durable. */
  clear(): void {
    this.#traced.clear();
  }

  #fromRows(action: Action): Traced {
    const rows = this.#core.options.journal.rowsOf(action.seq, ROWS_MAX);
    const newest = rows.at(-1);
    if (newest === undefined || newest.kind === 'proposed') return { by: null, changedAtMs: action.proposedAtMs };
    const deciding = rows.findLast(({ kind }) => DECIDING.has(kind));
    // reason: audit bytes are made by trust from an event, and chained
    const entry = deciding && (parseCanonical(deciding.audit) as unknown as AuditEntry);
    return { by: entry?.by ? auditActor(entry.by, entry.why) : null, changedAtMs: newest.atMs };
  }
}

export function ledgerActor(by: Actor | ApprovalSource): LedgerActor {
  if (by.type === 'device' || by.type === 'decision') return { type: 'device', device: by.device, n: by.n };
  return by.type === 'rule' ? { type: 'rule', rule: by.rule } : { type: by.type };
}

const RULE = 'rule ';

/** The log calls a rule by the authority that applied it, and says which one. */
function auditActor(by: Actor, why: string | null): LedgerActor {
  const rule = by.type === 'authority' && why?.startsWith(RULE) === true ? why.slice(RULE.length) : undefined;
  return rule === undefined ? ledgerActor(by) : { type: 'rule', rule };
}
