import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import Sqlite from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { textOf } from '../../src/base/bytes.ts';
import { verifySqliteJournal, verifyHeadLog } from '../../src/journal/sqlite/index.ts';
import { backupFile } from '../../src/journal/sqlite/migrate.ts';
import { openSqliteJournal } from '../../src/journal/sqlite/open.ts';
import { SCHEMA } from '../../src/journal/sqlite/schema.ts';
import type { Action } from '../../src/model/action.ts';
import type { ActionId } from '../../src/model/ids.ts';
import { verifyLog } from '../../src/cli/commands/verify-audit.ts';
import { FakeClock } from '../../src/testing/index.ts';
import { foldOf, recordsOf } from '../support/golden-fold.ts';
import { goldenWorld, passed, type GoldenThings, type GoldenWorld } from '../support/golden-life.ts';
import { secondWorld } from '../support/golden-second.ts';
import { LAB_HOME_KEY, LAB_PLACE, publishLab, type PublishLab } from '../support/publish-lab.ts';
import { tempDir } from '../support/temp-dir.ts';
import { get, put } from '../support/workshop.ts';

/**
 * Goal: a journal that a released version wrote means the same to every later one.
 * Method: `scripts/golden-journal.ts` kept one of each version, with an action in every state and the state as that
 * version saw it. Copies are opened, folded and compared, and then life goes on in them.
 */
const GOLDEN = new URL('../golden/journals/', import.meta.url);
const VERSIONS = readdirSync(GOLDEN).map((name) => Number(/^v(\d+)$/u.exec(name)?.[1]));

interface Kept extends GoldenThings {
  readonly nowMs: number;
  readonly said: PublishLab['world']['said'];
}

function unpacked(version: number, name: string): Uint8Array {
  return new Uint8Array(brotliDecompressSync(readFileSync(new URL(`v${version}/${name}.br`, GOLDEN))));
}

/** A copy to spoil, with what its version knew of it. */
async function copyOf(version: number): Promise<{ dir: string; actions: readonly Action[]; kept: Kept }> {
  const dir = await tempDir();
  for (const name of ['journal.db', 'head.log']) writeFileSync(join(dir, name), unpacked(version, name));
  const actions = JSON.parse(textOf(unpacked(version, 'actions.json')) ?? '') as readonly Action[];
  return { dir, actions, kept: JSON.parse(readFileSync(new URL(`v${version}/world.json`, GOLDEN), 'utf8')) as Kept };
}

test('[F10] there is a journal of every version up to the present one', () => {
  expect(VERSIONS.toSorted((a, b) => a - b)).toEqual(Array.from({ length: SCHEMA.version }, (_, index) => index + 1));
});

describe.each(VERSIONS)('[F10] a journal of version %i', (version) => {
  test('[F10] folds to the state that its own version saw, row by row and in its records', async () => {
    const { actions, dir } = await copyOf(version);
    const journal = openSqliteJournal({ dir });
    expect(journal.health).toEqual({ state: 'sound' });
    expect([...foldOf(journal).values()]).toEqual(actions);
    expect([...recordsOf(journal).values()]).toEqual(actions);
    await journal.close();
    expect(verifySqliteJournal({ dir }).faults).toEqual([]);
    expect(verifyHeadLog(dir).faults).toEqual([]);
    expect(readdirSync(dir).includes(backupFile(version))).toBe(version < SCHEMA.version);
  });

  test('[F10] is verified to its end, and one of an older version when the runtime has renewed it', async () => {
    const { dir } = await copyOf(version);
    const verified = () =>
      verifyLog({ dir, ...LAB_PLACE, homeKey: LAB_HOME_KEY, witnessed: [], onProgress: () => undefined });
    if (version < SCHEMA.version) {
      await expect(verified()).rejects.toMatchObject({
        code: 'stale',
        message: expect.stringMatching(/start the runtime/),
      });
      await openSqliteJournal({ dir }).close();
    }
    expect(await verified()).toMatchObject({ result: 'ok', why: null });
  });

  test('[F10] is refused by the version before it, and left as it was', async () => {
    const { dir } = await copyOf(version);
    const before = readFileSync(join(dir, 'journal.db'));
    const schema = { ...SCHEMA, version: version - 1, migrations: [] };
    expect(() => openSqliteJournal({ dir }, { schema })).toThrow(expect.objectContaining({ code: 'too-new' }));
    expect(readFileSync(join(dir, 'journal.db')).equals(before)).toBe(true);
  });

  test('[F10] goes on: what was interrupted ends, what waits is decided, what was applied is taken back', async () => {
    const { lab, world, journal, at } = await openedAgain(version);
    const states = (): readonly (readonly [number, string])[] =>
      ENDS_AT_START.map(([n]) => [n, lab.authority.queue({ all: true })[at(n) - 1]?.state ?? 'gone'] as const);
    await passed(lab);
    expect(states()).toEqual(ENDS_AT_START);
    expect(world.notes.get('begun'), 'its intent was durable, and it had not happened').toBe('text');
    await asksAgain(lab, world);
    await decidesAll(lab, (...ns) => ns.map((n) => lab.idOf(at(n))));
    await setsFree(lab);
    expect(lab.authority.queue({ all: false }), 'every one of them came to an end').toEqual([]);

    const first = lab.idOf(at(1));
    const { revertPlan } = await lab.authority.show(first);
    expect(revertPlan?.steps.map(({ seq }) => seq)).toEqual([at(2), at(1)]);
    await lab.phone.decide({ kind: 'revert', ids: [first], body: { planHash: revertPlan?.hash ?? '' } });
    await passed(lab);
    expect([1, 2].map((n) => lab.authority.queue({ all: true })[at(n) - 1]?.state)).toEqual(['reverted', 'reverted']);
    expect(world.notes.has('base')).toBe(false);

    expect([...foldOf(journal)]).toEqual([...recordsOf(journal)]);
    const published = lab.actions().map(({ seq, state }) => [seq, state]);
    expect(published).toEqual(lab.authority.queue({ all: true }).map(({ seq, state }) => [seq, state]));
    expect(lab.alarms).toEqual([]);
  });
});

test('[F10] [EF-6] what version 1 knew by a person’s word alone is asked about when life goes on', async () => {
  const { lab, at } = await openedAgain(1, { final: true });
  await passed(lab);
  expect(lab.alarms).toEqual([expect.stringContaining('did not happen')]);
  expect(lab.authority.queue({ all: true })[at(13) - 1]).toMatchObject({ state: 'not-applied', contradicted: true });
});

test('[F10] of an older version what is damaged is named, and left as it was', async () => {
  const { dir } = await copyOf(1);
  const database = new Sqlite(join(dir, 'journal.db'));
  database.exec(
    `UPDATE records SET crc = crc + 1 WHERE rowid = (SELECT rowid FROM records WHERE tbl = 'action' LIMIT 1)`,
  );
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
  const open = () => openSqliteJournal({ dir });
  expect(open).toThrow(expect.objectContaining({ code: 'quarantined', effect: 'none' }));
  expect(open).toThrow(/older version and damaged.*put a backup of .* back.*the action record a-/);
  const after = new Sqlite(join(dir, 'journal.db'), { readonly: true });
  expect(after.pragma('user_version', { simple: true })).toBe(1);
  expect(after.prepare(`SELECT count(*) FROM records WHERE key LIKE 'need%'`).pluck().get()).toBe(0);
  after.close();
});

/** What becomes of that life by itself when it goes on; numbers are those of `liveGolden`. */
const ENDS_AT_START = [
  [6, 'failed'],
  [7, 'approved'],
  [8, 'not-applied'],
  [12, 'not-applied'],
  [14, 'applied'],
  [15, 'rejected'],
  [18, 'held'],
  [21, 'pending'],
  [22, 'held'],
  [23, 'pending'],
  [24, 'pending'],
  [27, 'pending'],
  [28, 'reverted'],
  [29, 'applied'],
  [30, 'applied'],
] as const;

/** The same home a minute later, over what is left of its world. */
async function openedAgain(version: number, { final = false }: { readonly final?: boolean } = {}) {
  const { actions, dir, kept } = await copyOf(version);
  const world = version === 1 ? goldenWorld(kept) : secondWorld(kept);
  world.post.way.final = final;
  const journal = openSqliteJournal({ dir });
  const clock = new FakeClock({ nowMs: kept.nowMs + 60_000 });
  const lab = await publishLab({ journal, shelf: world, clock, seed: 99, said: kept.said });
  const before = actions.findIndex(({ content }) => content.arguments['name'] === 'base');
  return { lab, world, journal, at: (n: number) => before + n };
}

/** Agents come back: they are told once, a repeated call is the same action, and a no stays a no. */
async function asksAgain(lab: PublishLab, world: GoldenWorld): Promise<void> {
  const locked = await lab.agent('locked');
  expect((await get(locked, 'locked')).notices).toEqual([expect.stringContaining('The shelf is locked.')]);
  expect((await get(locked, 'locked')).notices).toEqual([]);
  const said = await lab.agent('said');
  expect(await put(said, 'no', 'text')).toMatchObject({ type: 'refused', code: 'rejected' });
  const well = await lab.agent('well');
  const letters = world.post.letters.length;
  expect(await well.call({ tool: 'send', arguments: { text: 'hello' }, callId: 'c1' })).toMatchObject({
    state: 'applied',
  });
  expect(world.post.letters).toHaveLength(letters);
}

async function decidesAll(lab: PublishLab, ids: (...ns: readonly number[]) => readonly ActionId[]): Promise<void> {
  await lab.phone.decide({ kind: 'retry', ids: ids(6, 8) });
  await lab.phone.decide({ kind: 'retry', ids: ids(12), body: { mayHappenTwice: true } });
  await lab.tablet.decide({ kind: 'release', ids: ids(18) });
  await lab.tablet.decide({ kind: 'reissue', ids: ids(23), body: { mode: 'theirs' } });
  await passed(lab);
  await lab.tablet.reject(ids(26), 'The other one is enough.');
  const results = await lab.phone.approve(ids(18, 21, 22, 23, 24, 25, 27));
  expect(results.filter(({ result }) => result !== 'received')).toEqual([]);
  await passed(lab);
}

/** What only a second version has: a session that was paused, and an alarm that nobody has answered. */
async function setsFree(lab: PublishLab): Promise<void> {
  for (const { session } of lab.authority.standing().pauses)
    await lab.phone.decide({ kind: 'resume', ids: [], body: { session: session ?? '' } });
  const alarms = lab.authority.queue({ all: false }).filter((row) => row.contradicted);
  for (const { id } of alarms)
    await lab.phone.decide({ kind: 'settle', ids: [id], body: { answer: 'happened', attempt: 1 } });
  await passed(lab);
}
