import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunningHome } from '../../src/cli/home/start-home.ts';
import { parseActionId, type WorkspaceId } from '../../src/model/ids.ts';
import { cliLab } from '../support/cli-lab.ts';

/** Waits until an approved action is applied; fails as soon as it is anything else. */
async function applied(
  { home }: RunningHome,
  at: { readonly workspace: WorkspaceId; readonly id: unknown },
): Promise<void> {
  const { workspace } = at;
  const id = parseActionId(at.id);
  if (!id.ok) throw new Error(id.error);
  const port = home.ownerPort();
  for (;;) {
    const { state } = (await port.show({ workspace, id: id.value })).row;
    if (state === 'applied') return;
    expect(['approved', 'applying']).toContain(state);
    await port.waitForChange({ workspace, known: { [id.value]: state }, timeoutMs: 10_000 });
  }
}

describe('deciding', () => {
  test('[DR-11] approves a list whole or not at all, and what can be of it when asked to', async () => {
    const lab = await cliLab();
    const home = await lab.home();
    await lab.guard(home);
    const agent = await lab.agent(home);
    for (const name of ['a', 'b', 'c']) await lab.write(agent, name, `${name}\n`);
    await writeFile(join(lab.workspace, 'c'), 'mine\n');
    const whole = await lab.run('approve', '--all', '--wait', 'applied', '--json');
    expect(whole.code).toBe(1);
    expect(whole.json.map(({ state }) => state)).toEqual(['pending', 'pending', 'pending']);
    const [first] = (await lab.run('queue', '--json')).json;
    expect(first?.['why']).toContain('because of #3');
    await expect(readFile(join(lab.workspace, 'a'))).rejects.toThrow('ENOENT');
    const rest = await lab.run('approve', '--all', '--rest', '--wait', 'applied', '--json');
    expect(rest.json.flatMap(({ state }) => state ?? [])).toEqual(['applied', 'applied']);
  });

  test('[DR-11] says that a list was given back, and exits with 1, also to who does not wait for what it does', async () => {
    const lab = await cliLab();
    const home = await lab.home();
    await lab.guard(home);
    const agent = await lab.agent(home);
    for (const name of ['a', 'b']) await lab.write(agent, name, `${name}\n`);
    await writeFile(join(lab.workspace, 'b'), 'mine\n');
    const plain = await lab.run('approve', '--all');
    expect([plain.code, plain.err.join('\n')]).toEqual([1, expect.stringContaining('because of #2')]);
    await lab.write(agent, 'c', 'c\n');
    await writeFile(join(lab.workspace, 'c'), 'mine\n');
    const json = await lab.run('approve', '1', '3', '--json');
    expect(json.code).toBe(1);
    expect(json.json).toEqual([
      expect.objectContaining({ result: 'received', state: 'pending', why: expect.stringContaining('because of #3') }),
      expect.objectContaining({ result: 'received', state: 'pending' }),
    ]);
    await lab.write(agent, 'd', 'd\n');
    const good = await lab.run('approve', '1', '4', '--json');
    expect([good.code, good.json.map(({ why }) => why)]).toEqual([0, [null, null]]);
  });

  test('[GM-2] [SM-11] ends several conflicts with one word, and asks of each with its own file', async () => {
    const lab = await cliLab();
    const home = await lab.home();
    await lab.guard(home);
    const agent = await lab.agent(home);
    for (const name of ['a', 'b', 'c']) await lab.write(agent, name, `${name}\n`);
    for (const name of ['a', 'b']) await writeFile(join(lab.workspace, name), `mine ${name}\n`);
    await lab.run('approve', '1', '2', '--wait', 'applied');
    const asked = await lab.run('resolve', '1', '2', '3', 'ask', '--yes', '--json');
    expect([asked.code, asked.json.map(({ result }) => result)]).toEqual([1, ['refused', 'received', 'received']]);
    const { notices } = await agent.status();
    const told = notices.filter((notice) => notice.includes('mine '));
    expect(told).toHaveLength(2);
    expect(told.map((notice) => [notice.includes('mine a'), notice.includes('mine b')])).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  test('approves a named list, says why each other is refused, and applies in order', async () => {
    const lab = await cliLab();
    const home = await lab.home();
    await lab.guard(home);
    const agent = await lab.agent(home);
    for (const name of ['a', 'b', 'c', 'd']) await lab.write(agent, name, `${name}\n`);
    const rows = (await lab.run('queue', '--json')).json;
    expect(Object.keys(rows[0] ?? {})).toEqual(
      expect.arrayContaining(
        'id seq session level kind tool state title target digest effectClass reversible verdict why attention needs saw waitsFor changeSet'.split(
          ' ',
        ),
      ),
    );

    const behind = await lab.run('approve', '2', '--wait', 'applied', '--json');
    expect([behind.code, behind.json]).toEqual([
      1,
      [
        expect.objectContaining({
          id: rows[1]?.['id'],
          result: 'received',
          state: 'approved',
          waitsFor: [rows[0]?.['id']],
        }),
      ],
    ]);
    const mixed = await lab.run('approve', '99', '#1', 'nonsense', '--wait', 'applied', '--json');
    expect(mixed.code).toBe(1);
    expect(mixed.json.map(({ id, result, state }) => [id, result, state])).toEqual([
      ['99', 'refused', undefined],
      ['nonsense', 'refused', undefined],
      [rows[0]?.['id'], 'received', 'applied'],
    ]);
    const rest = await lab.run('approve', '--all', '--except', '4', '--wait', 'applied', '--json');
    expect([rest.code, rest.json.map(({ id }) => id)]).toEqual([0, [rows[2]?.['id']]]);
    expect(await readFile(join(lab.workspace, 'c'), 'utf8')).toBe('c\n');
    expect((await lab.run('approve', '1')).err).toEqual([
      expect.stringMatching(/#1 approve: refused \(It is already applied; revert/),
    ]);
    expect((await lab.run('queue')).out.join('\n')).toMatch(/1 action: 1 pending/);
  });

  test('[CA-4] a revert shows what it takes back, asks, and goes back in order', async () => {
    const lab = await cliLab();
    const home = await lab.home();
    await lab.guard(home);
    const agent = await lab.agent(home);
    for (const text of ['one', 'two', 'three']) await lab.write(agent, 'a', `${text}\n`);
    await lab.run('approve', '--all', '--wait', 'applied', '--json');

    const scripted = await lab.run('revert', '1', '--json');
    expect([scripted.code, scripted.json]).toEqual([
      1,
      [expect.objectContaining({ result: 'refused', why: expect.stringMatching(/takes back #3 and #2 first/) })],
    ]);
    const refused = await lab.runAtTerminal(false, 'revert', '1');
    expect([refused.code, refused.asked]).toEqual([1, ['Revert all of it?']]);
    expect(refused.err.filter((line) => line.startsWith('  #')).map((line) => line.slice(0, 4))).toEqual([
      '  #3',
      '  #2',
      '  #1',
    ]);
    expect(await readFile(join(lab.workspace, 'a'), 'utf8')).toBe('three\n');
    const hash = refused.err.join('\n').match(/--plan ([0-9a-f]{64})/)?.[1] ?? '';
    expect((await lab.run('revert', '2', '--plan', hash, '--json')).code, 'the plan of another action').toBe(1);
    expect((await lab.run('revert', '1', '--plan', hash, '--wait', 'applied', '--json')).code).toBe(0);
    await expect(readFile(join(lab.workspace, 'a'), 'utf8')).rejects.toMatchObject({ code: 'ENOENT' });
    const states = (await lab.run('queue', '--all', '--json')).json.map(({ state }) => state);
    expect(states).toEqual(['reverted', 'reverted', 'reverted']);
  });

  test('through an action is everything undecided before it in its lane', async () => {
    const lab = await cliLab();
    const home = await lab.home();
    await lab.guard(home);
    const agent = await lab.agent(home);
    for (const name of ['a', 'b', 'c', 'd']) await lab.write(agent, name, name);
    expect((await lab.run('hold', '1', '--json')).json[0]?.['result']).toBe('received');
    expect((await lab.run('release', '1', '--json')).json[0]?.['result']).toBe('received');
    const through = await lab.run('approve', '--through', '3', '--wait', 'applied', '--json');
    expect([through.code, through.json.map(({ state }) => state)]).toEqual([0, ['applied', 'applied']]);
    // The release put #1 behind #4.
    expect((await lab.run('queue', '--json')).json.map(({ seq, state }) => [seq, state])).toEqual([
      [1, 'pending'],
      [4, 'pending'],
    ]);
  });

  test('[CA-1] a reject shows what falls with it and asks a person, and no script', async () => {
    const lab = await cliLab();
    const home = await lab.home();
    await lab.guard(home);
    const agent = await lab.agent(home);
    await lab.write(agent, 'a', 'one');
    await lab.write(agent, 'a', 'two');
    const no = await lab.runAtTerminal(false, 'reject', '1');
    expect([no.code, no.asked.length]).toEqual([1, 1]);
    expect(no.err.join('\n')).toMatch(/falls with it:\n {2}#2 Write a/);
    expect((await lab.run('queue', '--json')).json.map(({ state }) => state)).toEqual(['pending', 'pending']);
    const yes = await lab.run('reject', '1', '--reason', 'not like this');
    expect([yes.code, yes.out]).toEqual([0, ['#1 reject: received']]);
    expect((await lab.run('queue', '--all', '--json')).json.map(({ state, why }) => [state, why])).toEqual([
      ['rejected', 'not like this'],
      ['rejected', 'Fell with #1.'],
    ]);
    expect((await agent.status()).notices.join('\n')).toMatch(/not like this/);
  });

  test('[GM-2] a conflict has three exits', async () => {
    const lab = await cliLab();
    const path = join(lab.workspace, 'a');
    await writeFile(path, 'base\n');
    const home = await lab.home();
    await lab.guard(home);
    const agent = await lab.agent(home);
    await lab.write(agent, 'a', 'theirs\n');
    await writeFile(path, 'mine\n');
    await lab.run('approve', '1', '--wait', 'applied');
    expect((await lab.run('queue', '--json')).json[0]?.['attention']).toMatchObject({ kind: 'conflict' });
    const bulk = await lab.run('approve', '--all', '--json');
    expect(bulk.json).toEqual([expect.objectContaining({ event: 'excluded', seq: 1 })]);
    expect((await lab.run('resolve', '1', 'theirs', '--json')).json[0]?.['result']).toBe('received');
    const [row] = (await lab.run('queue', '--json')).json;
    expect(row?.['attention']).toMatchObject({ kind: 'reissued' });
    expect((await lab.run('approve', '1', '--wait', 'applied')).code).toBe(0);
    expect(await readFile(path, 'utf8')).toBe('theirs\n');
  });

  test('words that are no command line are a usage error', async () => {
    const lab = await cliLab();
    const lines: (readonly string[])[] = [
      ['fly'],
      ['approve'],
      ['approve', '1', '--all'],
      ['approve', '1', '--except', '2'],
      ['approve', '1', '--nope'],
      ['approve', '1', '--wait', 'long'],
      ['change', '1'],
      ['settle', '1', 'maybe'],
      ['resolve', '1', 'both'],
      ['up', '--port', 'x'],
      ['up', '--cli-right', 'everything'],
      ['audit', 'burn'],
    ];
    for (const line of lines) {
      const { code, err } = await lab.run(...line);
      expect([line, code, err.length]).toEqual([line, 2, 1]);
    }
    expect((await lab.run('approve', '--help')).code).toBe(0);
  });
});

describe('without a home', () => {
  test('[DC-6] the queue is read, a decision is saved, and it is honoured once at the next start', async () => {
    const lab = await cliLab();
    const first = await lab.home();
    await lab.guard(first);
    const agent = await lab.agent(first);
    await lab.write(agent, 'a', 'one\n');
    await lab.write(agent, 'b', 'two\n');
    first.stop();
    await first.ended;

    expect((await lab.run('queue', '--json')).json.map(({ seq, state }) => [seq, state])).toEqual([
      [1, 'pending'],
      [2, 'pending'],
    ]);
    expect((await lab.run('show', '1')).out.join('\n')).toMatch(/\+one/);
    const saved = await lab.run('approve', '1', '--json');
    expect([saved.code, saved.json]).toEqual([0, [expect.objectContaining({ result: 'saved' })]]);
    const waited = await lab.run('reject', '2', '--json');
    expect(waited.json[0]?.['result']).toBe('saved');

    const second = await lab.home();
    const { id: workspace } = await lab.guard(second);
    await applied(second, { workspace, id: saved.json[0]?.['id'] });
    expect(await readFile(join(lab.workspace, 'a'), 'utf8')).toBe('one\n');
    expect((await lab.run('queue', '--all', '--json')).json.map(({ state }) => state)).toEqual(['applied', 'rejected']);
    const history = (await lab.run('show', '1', '--json')).json[0]?.['history'];
    // reason: only the kinds are looked at
    const kinds = (history as readonly { readonly kind: string }[]).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'intent-recorded')).toHaveLength(1);
  });
});
