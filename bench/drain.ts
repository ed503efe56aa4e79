import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createCountersign, type Countersign } from '../src/index.ts';
import type { Journal } from '../src/authority/ports.ts';
import { nodeCrypto } from '../src/crypto/node.ts';
import { openSqliteJournal } from '../src/journal/sqlite/index.ts';
import type { ActionId } from '../src/model/ids.ts';
import { bareSyncs } from './lib/bare-syncs.ts';
import { addHistory } from './lib/history.ts';
import type { Report } from './lib/figure.ts';
import { noopPack } from './lib/noop-pack.ts';

const ACTIONS = 10_000;
const HISTORY = 100_000;
/** Actions that one decision may name. */
const GESTURE = 512;
/** Steps on one target that the cap counts once, so that a session may queue them all. */
const STEPS_PER_TARGET = 50;
/** One head record each for an intent and an outcome. */
const HEAD_BYTES = 2 * 128;
const ROUNDS = 2;

/** What draining costs beside the syncs that it cannot do without, and whether a long history makes it dearer. */
export async function run(report: Report): Promise<void> {
  const empty: number[] = [];
  const long: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const drained = await drain({ history: 0 });
    empty.push(drained.seconds);
    bare.push(drained.bareSeconds);
    long.push((await drain({ history: HISTORY })).seconds);
  }
  const best = (seconds: readonly number[]): number => Math.min(...seconds);
  const ours = ACTIONS / best(empty);
  const beside = ACTIONS / best(bare);
  report({
    bench: 'drain',
    figure: `${ACTIONS} approved no-op actions in one lane`,
    unit: 'per s',
    ours,
    beside,
    besideName: 'a bare loop of as many bytes and syncs',
    goal: '>= 0.5',
    holds: ours >= 0.5 * beside,
  });
  report({
    bench: 'drain',
    figure: `with ${HISTORY} settled actions in history`,
    unit: 's',
    ours: best(long),
    beside: best(empty),
    besideName: 'an empty history',
    goal: '<= 1.1',
    holds: best(long) <= 1.1 * best(empty),
  });
}

interface Drained {
  readonly seconds: number;
  readonly bareSeconds: number;
}

/** Queues, approves all but the first, which everything waits for, and times from its approval to the last effect. */
async function drain({ history }: { readonly history: number }): Promise<Drained> {
  // The disk that counts is the one people keep their work on, not a memory file system.
  const place = realpathSync(mkdtempSync(join(process.cwd(), 'node_modules', '.bench-')));
  const stateDir = join(place, 'state');
  mkdirSync(stateDir);
  const journal = openSqliteJournal({ dir: stateDir });
  if (history > 0) await addHistory(journal, history);
  let left = ACTIONS;
  let ended = (): void => undefined;
  const all = new Promise<void>((resolve) => (ended = resolve));
  const pack = noopPack(() => {
    left -= 1;
    if (left === 0) ended();
  });
  const made = await createCountersign({ workspace: place, surfaces: [pack], journal, crypto: nodeCrypto });
  try {
    const [first, ...others] = await queue(made);
    if (first === undefined) throw new Error('the bench queued nothing');
    for (let at = 0; at < others.length; at += GESTURE) await made.person.approve(others.slice(at, at + GESTURE));
    const before = journal.head().seq;
    const startedAtNs = process.hrtime.bigint();
    await made.person.approve([first]);
    await all;
    const seconds = Number(process.hrtime.bigint() - startedAtNs) / 1e9;
    const journalBytes = bytesPerAction(journal, before);
    return { seconds, bareSeconds: bareSyncs({ dir: stateDir, count: ACTIONS, journalBytes, headBytes: HEAD_BYTES }) };
  } finally {
    await made.stop();
    rmSync(place, { recursive: true, force: true });
  }
}

async function queue({ authority }: Countersign): Promise<readonly ActionId[]> {
  const port = await authority.agent({
    name: 'drained',
    client: { name: 'bench', version: '1' },
    transportId: null,
    host: 'mcp',
    workspaceDir: '/',
  });
  const ids: ActionId[] = [];
  for (let i = 0; i < ACTIONS; i++) {
    const target = `t${Math.floor(i / STEPS_PER_TARGET)}`;
    const answer = await port.call({ tool: 'tick', arguments: { target, n: i }, callId: null });
    if (answer.type !== 'simulated') throw new Error(`the bench expected a queued action and got ${answer.type}`);
    ids.push(answer.actionId);
  }
  return ids;
}

/** What one action's intent and outcome put into the database: their rows, and the action's record twice. */
function bytesPerAction(journal: Journal, after: number): number {
  const rows = journal.rows(after + 1, 200).filter((row) => row.kind === 'intent-recorded' || row.kind === 'applied');
  const bytes = rows.reduce((sum, row) => sum + row.event.length + row.audit.length, 0);
  const [record] = journal.recordsBefore('action', Number.MAX_SAFE_INTEGER, 1);
  return Math.round((2 * bytes) / Math.max(1, rows.length)) + (record?.value.length ?? 0);
}
