import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { casePlace, type CasePlace } from '../support/case-place.ts';

/** Twelve cases that a gate in front of an agent gets wrong easily, against the running product. */

const message = (text: string): Record<string, unknown> => ({ text });
const append = (line: string): Record<string, unknown> => ({
  path: 'notes.txt',
  edits: [{ oldText: 'end\n', newText: `${line}\nend\n` }],
});

async function withNotes(): Promise<CasePlace> {
  const place = await casePlace();
  await writeFile(join(place.workspace, 'notes.txt'), 'end\n');
  return place;
}

/** Sends one message and ends with the state it comes to. */
async function sends(place: CasePlace, tool: 'send_message' | 'call_webhook'): Promise<void> {
  await (await place.agent()).call(tool, message('hello'));
  await place.run('approve', '1', '--json');
}

describe('the twelve cases', () => {
  test('[case 1] two tabs approve the same action: one effect', async () => {
    const place = await withNotes();
    const home = await place.start('files');
    await (await place.agent()).call('edit_file', append('once'));
    const [link] = (await place.run('panel', '--json')).json;
    const tabs = await Promise.all([place.tab(home), place.tab(home, String(link?.['url']))]);
    for (const tab of tabs) await tab.sees('the card', () => tab.action(1).card === 'here');
    await Promise.all(tabs.map((tab) => tab.decide('approve', [1])));
    for (const tab of tabs) await tab.sees('#1 applied', () => tab.action(1).record.state === 'applied');
    expect(await place.text('notes.txt')).toBe('once\nend\n');
    expect(await place.intents(1)).toEqual([1]);
  });

  test('[case 2] an approval by hand races the drain: one effect each, in order', async () => {
    const place = await withNotes();
    const home = await place.start('files');
    const agent = await place.agent();
    for (const line of ['first', 'second', 'third']) await agent.call('edit_file', append(line));
    const tab = await place.tab(home);
    await tab.sees('the cards', () => [1, 2, 3].every((seq) => tab.action(seq).card === 'here'));
    await Promise.all([
      tab.decide('approve', [1, 2]),
      place.run('approve', '2', '3', '--json'),
      tab.decide('approve', [3]),
    ]);
    await place.until('applied', 'applied', 'applied');
    expect(await place.text('notes.txt')).toBe('first\nsecond\nthird\nend\n');
    expect(await place.intents(1, 2, 3)).toEqual([1, 1, 1]);
  });

  test('[case 3] approved, then rejected while it is applied: late, shown, and a revert takes it back', async () => {
    const place = await casePlace();
    await place.start('wire');
    await place.line('wait', true);
    await sends(place, 'send_message');
    await place.until('applying');
    const late = await place.run('reject', '1', '--json');
    expect(late.json).toEqual([
      expect.objectContaining({ result: 'received', why: expect.stringContaining('had begun before this arrived') }),
    ]);
    await place.line('wait', false);
    await place.until('applied');
    expect(await place.queue()).toMatchObject([{ why: expect.stringContaining('rejected it after it had begun') }]);
    expect(place.sent()).toHaveLength(1);
    expect((await place.run('revert', '1', '--wait', 'applied', '--json')).code).toBe(0);
    expect(place.sent()).toEqual([]);
  });

  test('[case 4] the answer is lost after the effect, then a retry: in doubt, and never a second effect by itself', async () => {
    const place = await casePlace();
    await place.start('wire');
    await place.line('drop', true);
    await sends(place, 'call_webhook');
    await place.until('in-doubt');
    const retried = await place.run('retry', '1', '--json');
    expect([retried.code, retried.json]).toEqual([1, [expect.objectContaining({ result: 'refused' })]]);
    await place.run('settle', '1', 'did-not', '--json');
    const again = await place.run('retry', '1', '--json');
    expect(again.json).toEqual([
      expect.objectContaining({ result: 'refused', why: expect.stringContaining('may happen twice') }),
    ]);
    expect(place.sent(), 'a person’s wrong word alone sends nothing').toHaveLength(1);
  });

  test('[case 5] a crash after the effect, then a restart: asked where it can be, in doubt where it cannot', async () => {
    const place = await casePlace();
    const home = await place.start('wire');
    await place.line('die', true);
    await sends(place, 'send_message');
    await home.ended;
    await place.line('die', false);
    const second = await place.start('wire');
    await place.until('applied');
    expect(place.sent()).toHaveLength(1);

    await place.line('die', true);
    await (await place.agent()).call('call_webhook', message('blind'));
    await place.run('approve', '2', '--json');
    await second.ended;
    await place.line('die', false);
    await place.start('wire');
    await place.until('applied', 'in-doubt');
    expect(place.sent()).toHaveLength(2);
  });

  test('[case 6] a parent is rejected: what needs it falls, and that is shown first', async () => {
    const place = await withNotes();
    await place.start('files');
    const agent = await place.agent();
    await agent.call('edit_file', append('parent'));
    await agent.call('edit_file', append('child'));
    const { err } = await place.run('reject', '1', '--yes');
    expect(err).toMatch(/This falls with it:\n\s+#2 /);
    await place.until('rejected', 'rejected');
    expect((await agent.call('read_text_file', { path: 'notes.txt' })).join('\n')).not.toMatch(/parent|child/);
  });

  test('[case 7] what stands in front is rejected: what waited behind it is applied', async () => {
    const place = await withNotes();
    await place.start('files');
    const agent = await place.agent();
    await agent.call('write_file', { path: 'gate.txt', content: 'gate\n' });
    await agent.call('edit_file', append('behind'));
    await place.run('approve', '2', '--json');
    await place.until('pending', 'approved');
    await place.run('reject', '1', '--json');
    await place.until('rejected', 'applied');
    expect([await place.text('gate.txt'), await place.text('notes.txt')]).toEqual([null, 'behind\nend\n']);
  });

  test('[case 8] a connection is removed while something waits: closed, and the agent is told', async () => {
    const place = await casePlace();
    const home = await place.start('wire');
    const agent = await place.agent();
    await agent.call('send_message', message('hello'));
    await agent.close();
    home.child.kill('SIGTERM');
    await home.ended;
    await place.start('files');
    expect(await place.queue()).toMatchObject([
      { state: 'rejected', why: 'What would apply it is not installed any more.' },
    ]);
    const told = await (await place.agent()).call('list_directory', { path: '.' });
    expect(told.join('\n')).toContain('was closed, because its tool is gone');
    expect(place.sent()).toEqual([]);
  });

  test('[case 9] a rule for a kind outside the catalogue is refused, and approves nothing', async () => {
    const place = await withNotes();
    await place.start('files', '--cli-right', 'approve-all');
    const { code, err } = await place.run('rules', 'add', '--kind', 'wire.send_message', '--yes');
    expect([code, err]).toEqual([1, expect.stringContaining('see: countersign rules catalogue')]);
    expect((await place.run('rules', 'ls', '--json')).json).toEqual([]);
    await (await place.agent()).call('edit_file', append('waits'));
    await place.until('pending');
    expect(await place.text('notes.txt')).toBe('end\n');
  });

  test('[case 10] #3 is approved before #1: it waits for it', async () => {
    const place = await withNotes();
    await place.start('files');
    const agent = await place.agent();
    for (const name of ['one', 'two', 'three']) await agent.call('write_file', { path: name, content: name });
    const { code, json } = await place.run('approve', '3', '--wait', 'applied', '--json');
    const ids = (await place.queue()).map(({ id }) => id);
    expect([code, json]).toEqual([1, [expect.objectContaining({ state: 'approved', waitsFor: [ids[0]] })]]);
    expect(await place.text('three')).toBeNull();
    await place.run('approve', '1', '2', '--json');
    await place.until('applied', 'applied', 'applied');
  });

  test('[case 11] a card shows a shortened text: the approval is bound to all of it', async () => {
    const place = await withNotes();
    const home = await place.start('files');
    const lines = Array.from({ length: 4_000 }, (_, line) => `line ${line}`);
    const agent = await place.agent();
    await agent.call('write_file', { path: 'long.txt', content: [...lines, 'harmless'].join('\n') });
    const [before] = await place.queue();
    await place.run('reject', '1', '--json');
    await agent.call('write_file', { path: 'long.txt', content: [...lines, 'something else'].join('\n') });
    const [, now] = await place.queue();
    expect(now?.title, 'they look alike').toBe(before?.title);
    const tab = await place.tab(home);
    await tab.sees('the card', () => tab.action(2).card === 'here');
    const { id, digest } = tab.action(2).record;
    expect(digest).not.toBe(before?.digest);
    const wrong = new Map([[id, before?.digest ?? digest]]);
    const workspace = tab.workspace().id;
    await expect(tab.replica.decide({ workspace, kind: 'approve', ids: [id], shown: wrong })).rejects.toMatchObject({
      code: 'stale',
    });
    expect(await place.text('long.txt')).toBeNull();
    const body = { mode: 'rest', unseenLines: 3_900 };
    await tab.replica.decide({ workspace, kind: 'approve', ids: [id], shown: new Map([[id, digest]]), body });
    await place.until('rejected', 'applied');
    expect(await place.text('long.txt')).toBe([...lines, 'something else'].join('\n'));
  });

  test('[case 12] what was applied is reverted: the file is as it was', async () => {
    const place = await withNotes();
    await place.start('files');
    await (await place.agent()).call('edit_file', append('oops'));
    await place.run('approve', '1', '--wait', 'applied', '--json');
    expect(await place.text('notes.txt')).toBe('oops\nend\n');
    expect((await place.run('revert', '1', '--wait', 'applied', '--json')).json).toMatchObject([{ state: 'reverted' }]);
    expect(await place.text('notes.txt')).toBe('end\n');
  });
});
