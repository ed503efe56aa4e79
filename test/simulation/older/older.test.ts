import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { textOf } from '../../../src/base/bytes.ts';
import { parseCanonical } from '../../../src/base/canonical-json.ts';
import { nodeCrypto } from '../../../src/crypto/node.ts';
import { Reads } from '../../../src/journal/sqlite/reads.ts';
import { SCHEMA, schemaText } from '../../../src/journal/sqlite/schema.ts';
import type { Action } from '../../../src/model/action.ts';
import type { ActionContent } from '../../../src/model/content.ts';
import type { Transition } from '../../../src/model/event.ts';
import { contentOf } from '../../support/action-content.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { HandMade } from '../invariants/hand-made.ts';
import { wrongIn } from './compare.ts';
import { foldAsVersionOne } from './fold.ts';
import { recordsOfVersionOne } from './records.ts';
import { renew, type Renewed } from './renew.ts';

const GOLDEN = new URL('../../golden/journals/v1/', import.meta.url);
const unpacked = (name: string): Uint8Array =>
  new Uint8Array(brotliDecompressSync(readFileSync(new URL(name, GOLDEN))));
const { sha256 } = nodeCrypto;

test('[F10] what version 1 is said to have made of its rows is what it did make of them, in tables like these', async () => {
  const path = join(await tempDir(), 'journal.db');
  writeFileSync(path, unpacked('journal.db.br'));
  const [golden, present] = [new Sqlite(path, { readonly: true }), new Sqlite(':memory:')];
  present.exec(SCHEMA.ddl);
  expect(schemaText(golden)).toBe(schemaText(present));
  const folded = foldAsVersionOne(new Reads(golden, sha256).rows(1, 10_000));
  // reason: version 1 wrote them
  const actions = JSON.parse(textOf(unpacked('actions.json.br')) ?? '') as readonly Action[];
  expect(folded).toEqual({ ok: true, value: new Map(actions.map((action) => [action.id, action])) });
  golden.close();
  present.close();
});

/** Rows by hand, and what the migration makes of the records that version 1 had beside them. */
function renewed(life: HandMade): { made: Renewed; record: (action: Action) => Action; wrong: readonly string[] } {
  const records = recordsOfVersionOne(life.disk);
  if (!records.ok) throw new Error(records.error);
  const made = renew(life.disk, records.value, sha256);
  const record = ({ id }: Action): Action => {
    const found = made.records.find(({ key, table }) => table === 'action' && key === id);
    // reason: records of this table are actions
    return parseCanonical(found?.value ?? new Uint8Array()) as unknown as Action;
  };
  return { made, record, wrong: [...wrongIn(made, { rows: life.disk.rows, records: records.value }, life.chronicle)] };
}

const BY = { type: 'decision', device: 'd', n: 1 } as unknown as Extract<Transition, { kind: 'approved' }>['by'];
const NO = { kind: 'rejected', because: 'person', by: { type: 'authority' }, reason: null, felledBy: null } as const;
const DID_NOT: readonly Transition[] = [
  { kind: 'doubted', why: 'no answer' },
  { kind: 'not-applied', known: 'settled', mayHappenTwice: true },
];

const TAKEN_BACK = { kind: 'approval-withdrawn', why: 'retracted' } as const;

function lived(life: HandMade, action: Action, ...then: readonly Transition[]): void {
  const intent = { attempt: 1, idempotencyKey: action.id, atMs: 1, deadlineMs: 2 };
  for (const transition of [{ kind: 'approved', by: BY }, { kind: 'intent-recorded', intent }, ...then] as const)
    life.row({ ...transition, action: action.id, n: action.seq, digest: action.digest });
}

test.each<[string, readonly Transition[], boolean]>([
  ['tried again and rejected', [...DID_NOT, { kind: 'retried', by: BY }, NO], true],
  ['tried again, taken back and rejected', [...DID_NOT, { kind: 'retried', by: BY }, TAKEN_BACK, NO], true],
  ['rejected at once', [...DID_NOT, NO], true],
  ['rejected, and it had failed', [{ kind: 'failed', why: 'closed' }, NO], false],
])('[EF-6] late evidence is heard of what version 1 has seen %s', (_, then, afterDidNot) => {
  const life = new HandMade();
  const action = life.propose();
  lived(life, action, ...then);
  const { record, wrong } = renewed(life);
  expect(record(action)).toEqual(life.chronicle.open(action.id));
  expect(record(action)).toMatchObject({ state: 'rejected', afterDidNot });
  expect(wrong).toEqual([]);
});

test('[EF-6] what version 1 has seen tried again may happen twice, and asks for a yes to that', () => {
  const life = new HandMade();
  const [again, other] = [life.propose(), life.propose()];
  const approved = life.propose();
  lived(life, again, ...DID_NOT, { kind: 'retried', by: BY }, TAKEN_BACK);
  lived(life, other, { kind: 'failed', why: 'closed' }, { kind: 'retried', by: BY }, TAKEN_BACK);
  lived(life, approved, ...DID_NOT, { kind: 'retried', by: BY }, TAKEN_BACK, { kind: 'approved', by: BY });
  const { record, wrong } = renewed(life);
  expect(record(again)).toMatchObject({ state: 'pending', givenUp: true });
  expect(record(other)).not.toHaveProperty('givenUp');
  expect(record(approved)).toMatchObject({ state: 'approved', givenUp: true });
  expect(life.chronicle.broken).toEqual([]);
  expect(wrong).toEqual([]);
});

const HAPPENED = { attempt: 1, atMs: 3, evidence: {}, drift: null, known: 'settled' } as const;
const BEGUN = { attempt: 1, idempotencyKey: 'r1', atMs: 4, deadlineMs: 5 } as const;
const IS_SO = { kind: 'applied', applied: HAPPENED, result: null } as const;
const TAKES_BACK = { kind: 'revert-begun', intent: BEGUN, by: { type: 'authority' } } as const;
const [DOUBTED] = DID_NOT;

test.each<[string, readonly Transition[], boolean, ActionContent['effectClass']?]>([
  ['rejected after a person said did-not', [...DID_NOT, NO], true],
  ['tried again after a person said did-not', [...DID_NOT, { kind: 'retried', by: BY }], true],
  ['applied by a person’s word', [DOUBTED!, IS_SO], true],
  ['applied by that, and its revert refused', [DOUBTED!, IS_SO, TAKES_BACK, { kind: 'revert-refused', why: '' }], true],
  ['applied by that, and reverted', [DOUBTED!, IS_SO, TAKES_BACK, { kind: 'reverted' }], false],
  ['applied by that, where only a file can be compared', [DOUBTED!, IS_SO], false, 'E1'],
  ['applied by that, where nothing can be asked', [DOUBTED!, IS_SO], false, 'E4'],
  ['applied by its own word', [{ kind: 'applied', applied: { ...HAPPENED, known: 'surface' }, result: null }], false],
  ['failed for certain', [DOUBTED!, { kind: 'not-applied', known: 'probe', mayHappenTwice: false }, NO], false],
])('[EF-6] a migration has asked about at every start what is %s, or not', (_, then, asked, effectClass = 'E3') => {
  const life = new HandMade();
  const action = life.propose({ content: contentOf({ effectClass }) });
  lived(life, action, ...then);
  const { made, wrong } = renewed(life);
  expect(made.records.filter(({ key }) => key === `settled/${action.id}`)).toHaveLength(asked ? 1 : 0);
  expect(wrong).toEqual([]);
});

const APPLIED = { attempt: 1, atMs: 3, evidence: {}, drift: null, known: 'surface' } as const;

test('[CA-4] a migration makes which applied actions need one, and a check sees it when one is missing', () => {
  const life = new HandMade();
  const base = life.propose();
  const [first, second, open] = [1, 2, 3].map(() => life.propose({ needs: [base.id] }));
  for (const action of [base, first, second])
    if (action !== undefined) lived(life, action, { kind: 'applied', applied: APPLIED, result: null });
  expect(renewed(life).wrong).toEqual([]);
  const records = recordsOfVersionOne(life.disk);
  if (!records.ok || first === undefined || open === undefined) throw new Error('a life of version 1');
  const made = renew(life.disk, records.value, sha256);
  const without = { ...made, records: made.records.filter(({ key }) => key !== `needs:${base.id}/${first.id}`) };
  const before = { rows: life.disk.rows, records: records.value };
  expect([...wrongIn(without, before, life.chronicle)]).toEqual([
    expect.stringMatching(`^${base.id} is needed by .*, ${first.id} without its edge$`),
  ]);
});

test('[F10] what version 1 had no words for is no life of version 1', () => {
  const life = new HandMade();
  const action = life.propose();
  lived(life, action);
  const { id, seq: n, digest } = action;
  life.row({ kind: 'failed', why: 'closed', action: id, n, digest });
  expect(recordsOfVersionOne(life.disk).ok).toBe(true);
  const attention = { kind: 'tool-changed', entry: 1, why: 'new' } as const;
  life.row({ kind: 'attention-raised', attention, action: id, n, digest });
  expect(recordsOfVersionOne(life.disk)).toEqual({ ok: false, error: 'attention-raised of what is failed' });
});
