import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliLab } from '../support/cli-lab.ts';

/** Real homes, sockets and journals in this process; the command line as a person types it. */
const stateOf = (rows: readonly Record<string, unknown>[]): Record<string, unknown> =>
  Object.fromEntries(rows.map((row) => [row['seq'], row['state']]));

test('[DR-2] [DC-8] [DR-8] [DR-10] rules, pauses and plan mode over the command line, and what is refused while an agent is there', async () => {
  const lab = await cliLab();
  const home = await lab.home({ cliRight: 'approve-all' });
  await lab.guard(home);
  mkdirSync(join(lab.workspace, 'notes'));

  const catalogue = await lab.run('rules', 'catalogue', '--json');
  expect(catalogue.json.map((kind) => kind['tag'])).toContain('file.write');
  const unknown = await lab.run('rules', 'add', '--kind', 'shell.run');
  expect(unknown).toMatchObject({ code: 1 });
  expect(unknown.err.join('\n')).toContain('countersign rules catalogue');
  expect((await lab.run('rules', 'add', '--kind', 'file.write', '--where', 'Colour=red')).code).toBe(2);
  expect((await lab.run('rules', 'add', '--kind', 'file.write', '--expires', 'soon')).code).toBe(2);

  const made = await lab.run(
    'rules',
    'add',
    '--kind',
    'file.write',
    '--where',
    'path=notes/**',
    '--expires',
    '2h',
    '--max',
    '5',
  );
  expect(made, made.err.join('\n')).toMatchObject({ code: 0 });
  expect(made.out.join('\n')).toContain('where File matches "notes/**", for 2 hours, 5 times at most');

  const agent = await lab.agent(home);
  expect(await lab.write(agent, 'notes/a.md', 'hello\n')).toMatchObject({ type: 'simulated', state: 'approved' });
  expect(await lab.write(agent, 'other.md', 'hello\n')).toMatchObject({ type: 'simulated', state: 'pending' });
  await expect.poll(() => existsSync(join(lab.workspace, 'notes/a.md'))).toBe(true);
  const [rule] = (await lab.run('rules', 'ls', '--json')).json;
  expect(rule).toMatchObject({ kind: 'file.write', uses: 1, usesMax: 5 });
  expect((await lab.run('queue')).out.join('\n')).toContain('1 rule in force');

  // Stopping needs no more than the command line has beside a live agent; going on does.
  expect((await lab.run('pause')).code).toBe(0);
  await lab.run('approve', '2');
  expect((await lab.run('queue')).out.join('\n')).toContain('The workspace is paused by');
  const resumed = await lab.run('resume');
  expect(resumed.code).toBe(1);
  expect(resumed.err.join('\n')).toContain('end its session first');
  const added = await lab.run('rules', 'add', '--kind', 'file.edit', '--json');
  expect(added.json).toMatchObject([
    { id: 'file.edit', result: 'refused', why: expect.stringContaining('approve-all') },
  ]);
  expect((await lab.run('mode', 'plan')).code).toBe(0);
  expect(await lab.write(agent, 'more.md', 'x')).toMatchObject({ type: 'refused', code: 'plan' });
  expect((await lab.run('mode', 'act')).code).toBe(1);
  await agent.close();

  expect((await lab.run('resume')).code).toBe(0);
  expect(stateOf((await lab.run('queue', '--json')).json)).toEqual({ 2: 'approved' });
  expect((await lab.run('status')).out.join('\n')).toContain('Plan mode is on');
  const anyway = await lab.run('anyway', '2', '--wait', 'applied', '--json');
  expect(anyway.json).toMatchObject([{ result: 'received', state: 'applied' }]);
  expect(existsSync(join(lab.workspace, 'other.md'))).toBe(true);
  expect((await lab.run('mode', 'act')).code).toBe(0);
  expect((await lab.run('rules', 'rm', String(rule?.['id']).slice(0, 8))).code).toBe(0);
  expect((await lab.run('rules', 'ls')).out).toEqual(['No rule is in force: every action waits for a person.']);
  expect((await lab.run('rules', 'ls', 'more')).code).toBe(2);
});

test('[DR-2] a person at a terminal reads the rule, and what it covers, before it is signed', async () => {
  const lab = await cliLab();
  const home = await lab.home({ cliRight: 'approve-all' });
  await lab.guard(home);
  mkdirSync(join(lab.workspace, 'notes'));
  const agent = await lab.agent(home);
  await lab.write(agent, 'notes/a.md', 'hello\n');
  await lab.write(agent, 'other.md', 'hello\n');
  await agent.close();
  const asked = await lab.runAtTerminal(false, 'rules', 'add', '--kind', 'file.write', '--where', 'path=notes/**');
  expect(asked).toMatchObject({ code: 1, asked: ['Make this rule?'] });
  const said = asked.err.join('\n');
  expect(said).toContain('Approve “Write a file” (file.write) without asking');
  expect(said).toContain('#1 Write notes/a.md');
  expect(said).not.toContain('other.md');
  expect((await lab.run('rules', 'ls', '--json')).json).toEqual([]);
});
