import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseCanonical } from '../../../src/base/canonical-json.ts';
import { createCountersign } from '../../../src/index.ts';
import type { Journal, Surface, SurfacePack } from '../../../src/authority/ports.ts';
import type { AgentPort } from '../../../src/model/agent-port.ts';
import type { JournalEvent } from '../../../src/model/event.ts';
import { filesPack } from '../../../src/surfaces/files/index.ts';
import { FakeClock, seededRandom } from '../../../src/testing/index.ts';
import { lastingJournal } from '../../support/lasting-journal.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { WORKSHOP_SECRET } from '../../support/workshop.ts';

type Instead = Partial<Pick<Surface, 'apply' | 'probe'>>;

/** What an applied effect and a probe were asked to do, in their order. */
interface Asked {
  readonly applied: string[];
  readonly probed: string[];
  instead: Instead;
}

/** Real files under a real authority, which says what it is asked. */
async function house(root: string, kept: { journal?: Journal; seed?: number } = {}) {
  const asked: Asked = { applied: [], probed: [], instead: {} };
  const journal = kept.journal ?? lastingJournal();
  const clock = new FakeClock();
  const made = await createCountersign({
    workspace: root,
    surfaces: [watched(filesPack({ root }), asked)],
    journal,
    clock,
    random: seededRandom(kept.seed ?? 1),
    secret: WORKSHOP_SECRET,
  });
  const port = await made.authority.agent({
    name: 'one',
    client: { name: 'test', version: '1' },
    transportId: null,
    host: 'mcp',
    workspaceDir: root,
  });
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 60; turn++) await new Promise((resolve) => void setImmediate(resolve));
  };
  const rows = () => made.authority.queue({ all: true });
  const ids = (...seqs: readonly number[]) => seqs.flatMap((seq) => rows().find((row) => row.seq === seq)?.id ?? []);
  const states = () => rows().map(({ state }) => state);
  return { ...made, asked, clock, ids, journal, port, rows, settled, states };
}

function watched(pack: SurfacePack, asked: Asked): SurfacePack {
  const surfaces = pack.surfaces.map((surface): Surface => ({
    ...surface,
    apply: async (context, signal) => {
      asked.applied.push(String((context.content.effect as { path?: string }).path));
      return (asked.instead.apply ?? surface.apply)(context, signal);
    },
    probe: async (context) => {
      asked.probed.push(context.content.kind.tag);
      return (asked.instead.probe ?? surface.probe)?.(context) ?? { answer: 'unknown', why: '' };
    },
  }));
  return { ...pack, surfaces };
}

const write = (port: AgentPort, path: string, content: string) =>
  port.call({ tool: 'write_file', arguments: { path, content }, callId: null });
const edit = (port: AgentPort, path: string, oldText: string, newText: string) =>
  port.call({ tool: 'edit_file', arguments: { path, edits: [{ oldText, newText }] }, callId: null });

/** A file with three pending steps: a write and two edits of it. */
async function steps() {
  const root = await tempDir();
  writeFileSync(join(root, 'a'), 'zero\n');
  const made = await house(root);
  await write(made.port, 'a', 'one\n');
  await edit(made.port, 'a', 'one', 'two');
  await edit(made.port, 'a', 'two', 'three');
  return { ...made, root, read: () => readFileSync(join(root, 'a'), 'utf8') };
}

function events({ journal }: Pick<Awaited<ReturnType<typeof steps>>, 'journal'>): readonly JournalEvent[] {
  // reason: rows are made of events
  return journal.rows(1, 10_000).map(({ event }) => parseCanonical(event) as unknown as JournalEvent);
}

describe('consecutive writes of one file', () => {
  test('[DR-11] are one effect, from the first base to the last bytes, and each records it', async () => {
    const made = await steps();
    await made.person.approve(made.ids(1, 2, 3));
    await made.settled();
    expect(made.asked.applied).toEqual(['a']);
    expect(made.read()).toBe('three\n');
    expect(made.states()).toEqual(['applied', 'applied', 'applied']);
    const kinds = events(made).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'intent-recorded')).toHaveLength(3);
    expect(kinds.filter((kind) => kind === 'applied')).toHaveLength(3);
    expect(made.rows().map(({ why }) => why)).toEqual([null, null, null]);
  });

  test('[DR-11] end where one is not approved, and go on from there', async () => {
    const made = await steps();
    await made.person.approve(made.ids(1, 2));
    await made.settled();
    expect(made.read()).toBe('two\n');
    await made.person.approve(made.ids(3));
    await made.settled();
    expect(made.read()).toBe('three\n');
    expect(made.asked.applied).toEqual(['a', 'a']);
  });

  test('[DR-11] another file in between makes them two effects, in order', async () => {
    const made = await steps();
    await write(made.port, 'b', 'x');
    await edit(made.port, 'a', 'three', 'four');
    await made.person.approve(made.ids(1, 2, 3, 4, 5));
    await made.settled();
    expect(made.asked.applied).toEqual(['a', 'b', 'a']);
    expect(made.read()).toBe('four\n');
  });

  test.each(['hold', 'reject', 'retract'] as const)(
    '[DR-11] a %s before the effect takes that one out',
    async (kind) => {
      const made = await steps();
      await made.person.approve(made.ids(2, 3));
      await made.person.decide({ kind, ids: made.ids(3) });
      await made.person.approve(made.ids(1));
      await made.settled();
      expect(made.read()).toBe('two\n');
      expect(made.states().slice(0, 2)).toEqual(['applied', 'applied']);
    },
  );

  test('[DR-11] a reverted step leaves what came before it, and an earlier one is not reverted by itself', async () => {
    const made = await steps();
    await made.person.approve(made.ids(1, 2, 3));
    await made.settled();
    const [first] = made.ids(1);
    if (first !== undefined) expect((await made.authority.show(first)).row.state).toBe('applied');
    await made.person.decide({ kind: 'revert', ids: made.ids(3) });
    await made.settled();
    expect(made.read()).toBe('two\n');
    expect(made.states()).toEqual(['applied', 'applied', 'reverted']);
  });

  test('[DR-11] what the ground has instead stops all of them, and nothing is half done', async () => {
    const made = await steps();
    writeFileSync(join(made.root, 'a'), 'theirs\n');
    await made.person.approve(made.ids(1, 2, 3));
    await made.settled();
    expect(made.read()).toBe('theirs\n');
    expect(made.states()[0]).toBe('pending');
  });

  test('[DR-11] a file that was not there is made with the last bytes', async () => {
    const root = await tempDir();
    mkdirSync(join(root, 'sub'));
    const made = await house(root);
    await write(made.port, 'sub/new', 'one\n');
    await edit(made.port, 'sub/new', 'one', 'two');
    await made.person.approve(made.ids(1, 2));
    await made.settled();
    expect(readFileSync(join(root, 'sub/new'), 'utf8')).toBe('two\n');
    expect(made.asked.applied).toEqual(['sub/new']);
  });

  test('[DR-11] one that hangs leaves all in doubt, and its late answer settles all', async () => {
    const made = await steps();
    let answer: (() => void) | undefined;
    made.asked.instead.apply = () =>
      new Promise((resolve) => {
        answer = () => resolve({ type: 'applied', evidence: {}, drift: null });
      });
    await made.person.approve(made.ids(1, 2, 3));
    await made.settled();
    made.clock.advance(60_000);
    await made.settled();
    expect(made.states()).toEqual(['in-doubt', 'in-doubt', 'in-doubt']);
    answer?.();
    await made.settled();
    expect(made.states()).toEqual(['applied', 'applied', 'applied']);
  });

  test.each([
    ['had happened', 'three\n', ['applied', 'applied', 'applied'], 'three\n', 0],
    ['had not begun', 'zero\n', ['applied', 'applied', 'applied'], 'three\n', 1],
    ['cannot be told', 'two\n', ['in-doubt', 'in-doubt', 'in-doubt'], 'two\n', 0],
  ])('[DR-11] after a crash, one that %s', async (_, onDisk, states, left, redone) => {
    const first = await steps();
    first.asked.instead.apply = () => new Promise(() => undefined);
    await first.person.approve(first.ids(1, 2, 3));
    await first.settled();
    expect(first.states()).toEqual(['applying', 'applying', 'applying']);
    writeFileSync(join(first.root, 'a'), onDisk);
    const second = await house(first.root, { journal: first.journal, seed: 2 });
    await second.settled();
    expect(second.states()).toEqual(states);
    expect(first.read()).toBe(left);
    expect(second.asked.applied).toHaveLength(redone);
  });

  test('[DR-11] [LC-2] after a crash that left the witness of some of them only, none has begun', async () => {
    const first = await steps();
    first.asked.instead.apply = () => new Promise(() => undefined);
    await first.person.approve(first.ids(1, 2, 3));
    await first.settled();
    expect(await first.person.reject(first.ids(3))).toMatchObject([{ result: 'late' }]);
    const intent = first.journal.rows(1, 1_000).find(({ kind }) => kind === 'intent-recorded');
    const torn: Journal = { ...first.journal, health: { state: 'ahead', witnessed: intent?.seq ?? 0 } };
    const second = await house(first.root, { journal: torn, seed: 2 });
    await second.settled();
    expect(first.read()).toBe('two\n');
    expect(second.states()).toEqual(['applied', 'applied', 'rejected']);
  });
});
