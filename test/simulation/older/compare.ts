import { equalBytes, textOf } from '../../../src/base/bytes.ts';
import { canonicalBytes, parseCanonical, type JsonObject } from '../../../src/base/canonical-json.ts';
import type { JournalRecord } from '../../../src/authority/ports.ts';
import type { Action } from '../../../src/model/action.ts';
import type { JournalRow } from '../../../src/model/event.ts';
import type { ActionId } from '../../../src/model/ids.ts';
import type { Chronicle } from '../chronicle.ts';
import type { Renewed } from './renew.ts';

/** In the world, and what can be taken back. */
const STANDING: ReadonlySet<string> = new Set(['applied', 'reverting', 'revert-in-doubt']);

/**
 * What of a renewed journal is not as it must be: every row and record of the old one as it was, and beside them which
 * of what is applied needs what (CA-4), and what is asked about at every start (EF-6), as the model knows them, and
 * nothing else.
 */
export function* wrongIn(
  renewed: Renewed,
  before: { readonly rows: readonly JournalRow[]; readonly records: readonly JournalRecord[] },
  chronicle: Pick<Chronicle, 'actions'>,
): Generator<string> {
  // An action is what this version makes of its rows, whatever the older one made of them.
  const meant = ({ key, table, value }: JournalRecord): Uint8Array => {
    // reason: keys of this table are ids of actions
    const known = table === 'action' ? chronicle.actions.get(key as ActionId) : undefined;
    return known === undefined ? value : canonicalBytes(known.action);
  };
  yield* renewed.wrong;
  if (renewed.rows.length !== before.rows.length) yield `it has ${renewed.rows.length} rows of ${before.rows.length}`;
  for (const [at, row] of before.rows.entries()) {
    const now = renewed.rows[at];
    const same = now?.kind === row.kind && equalBytes(now.event, row.event) && equalBytes(now.root, row.root);
    if (!same) yield `row ${row.seq} is another one`;
  }
  const left = new Map(renewed.records.map((record) => [`${record.table} ${record.key}`, record]));
  for (const record of before.records) {
    const id = `${record.table} ${record.key}`;
    const now = left.get(id);
    left.delete(id);
    const same = now?.live === record.live && now.order === record.order && equalBytes(now.value, meant(record));
    if (!same) yield `${id} is another one`;
  }
  for (const [need, needing] of neededIn(chronicle)) {
    const found = chainOf(left, need);
    if (found.join(' ') !== needing.toReversed().join(' '))
      yield `${need} is needed by ${found.join(', ') || 'nothing'}`;
  }
  for (const { id, seq } of settledIn(chronicle)) {
    const key = `meta settled/${id}`;
    const found = left.get(key);
    left.delete(key);
    const same = found?.live === true && found.order === seq && textOf(found.value) === 'true';
    if (!same) yield `${key} is ${found === undefined ? 'not there' : 'another one'}`;
  }
  for (const id of left.keys()) yield `${id} should not be there`;
}

/** A person's word is what is known of them, and there is a way to ask the world (EF-6). */
function settledIn({ actions }: Pick<Chronicle, 'actions'>): readonly Action[] {
  const settled = [...actions.values()].flatMap((known) => (known.settled === undefined ? [] : [known.action]));
  return settled.filter(({ content, ...action }) => {
    if (content.effectClass !== 'E2' && content.effectClass !== 'E3') return false;
    return action.state !== 'reverted' && (!('applied' in action) || action.applied.known === 'settled');
  });
}

/** By what each action is needed that is in the world, in the order of their numbers. */
function neededIn({ actions }: Pick<Chronicle, 'actions'>): ReadonlyMap<string, readonly string[]> {
  const needed = new Map<string, string[]>();
  const standing = [...actions.values()].flatMap(({ action }) => (STANDING.has(action.state) ? [action] : []));
  for (const { id, needs } of standing.toSorted((a, b) => a.seq - b.seq))
    for (const need of needs) needed.set(need, [...(needed.get(need) ?? []), id]);
  return needed;
}

/** Takes the chain of one action out, newest first. */
function chainOf(left: Map<string, JournalRecord>, need: string): readonly string[] {
  const take = (key: string): JsonObject | undefined => {
    const record = left.get(`meta ${key}`);
    left.delete(`meta ${key}`);
    // reason: records under these names are objects
    return record && (parseCanonical(record.value) as JsonObject);
  };
  const found: string[] = [];
  let next = take(`needed:${need}`)?.['newest'];
  while (typeof next === 'string' && found.length <= left.size + 1) {
    const edge = take(`needs:${need}/${next}`);
    found.push(edge === undefined ? `${next} without its edge` : next);
    next = edge?.['before'];
  }
  return found;
}
