import fs from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/canonical-json.ts';
import { mergeTexts } from '../../src/surfaces/files/merge.ts';
import { filesLab, type FilesLab, type LabAction } from '../support/files-lab.ts';

const LINES = 'one\ntwo\nthree\nfour\nfive\n';

async function pending(tool: string, args: JsonObject, text = LINES): Promise<{ lab: FilesLab; action: LabAction }> {
  const lab = await filesLab({ 'a.txt': text, 'd/x': 'x' });
  return { lab, action: await lab.call(tool, args) };
}

const edit = (oldText: string, newText: string): readonly [string, JsonObject] => [
  'edit_file',
  { path: 'a.txt', edits: [{ oldText, newText }] },
];

describe('the ground moved under a text', () => {
  test('[GM-1] [GM-3] clean: merged with what the person did, and the overlay serves the merge', async () => {
    const { lab, action } = await pending(...edit('two', 'TWO'));
    lab.put('a.txt', LINES.replace('five', 'FIVE'), 0o640);
    expect(await action.surface.look?.(lab.context(action))).toMatchObject({ type: 'moved' });
    const { answer, action: anew } = await lab.reissue(action);
    expect(answer).toMatchObject({ type: 'reissued', why: 'Merged with your edit of a.txt.' });
    expect(await lab.text('read_text_file', { path: 'a.txt' })).toBe('one\nTWO\nthree\nfour\nFIVE\n');
    expect(await lab.apply(anew)).toMatchObject({ type: 'applied' });
    expect(lab.bytes('a.txt')).toBe('one\nTWO\nthree\nfour\nFIVE\n');
    expect(fs.statSync(lab.at('a.txt')).mode & 0o777).toBe(0o640);
    expect(await lab.revert(anew)).toEqual({ type: 'reverted' });
    expect(lab.bytes('a.txt')).toBe(LINES.replace('five', 'FIVE'));
  });

  test('[GM-1] line endings and a byte order mark survive a merge', async () => {
    const text = '\uFEFFone\r\ntwo\r\nthree\nfour\r\nlast';
    const { lab, action } = await pending(...edit('two\r', 'TWO\r'), text);
    lab.put('a.txt', text.replace('last', 'LAST'));
    const { action: anew } = await lab.reissue(action);
    await lab.apply(anew);
    expect(fs.readFileSync(lab.at('a.txt'), 'utf8')).toBe('\uFEFFone\r\nTWO\r\nthree\nfour\r\nLAST');
  });

  test('[GM-1] an action on a reissued one follows it', async () => {
    const { lab, action } = await pending(...edit('two', 'TWO'));
    const second = await lab.call(...edit('four', 'FOUR'));
    lab.put('a.txt', `zero\n${LINES}`);
    const { action: anew } = await lab.reissue(action);
    const { answer, action: follower } = await lab.reissue(second);
    expect(answer.type).toBe('reissued');
    expect(await lab.apply(anew)).toMatchObject({ type: 'applied' });
    expect(await lab.apply(follower)).toMatchObject({ type: 'applied' });
    expect(lab.bytes('a.txt')).toBe('zero\none\nTWO\nthree\nFOUR\nfive\n');
  });

  test('[GM-1] a world that did not move gives the same content again', async () => {
    const { lab, action } = await pending(...edit('two', 'TWO'));
    const { action: anew } = await lab.reissue(action);
    expect(anew.content).toEqual(action.content);
  });

  test('[GM-2] the same lines: a conflict that leaves the action as it was, until the person takes a side', async () => {
    const { lab, action } = await pending(...edit('two', 'TWO'));
    lab.put('a.txt', LINES.replace('two', '2'));
    const { answer } = await lab.reissue(action);
    expect(answer).toEqual({ type: 'conflict', why: 'a.txt was changed in the same lines.' });
    expect(await lab.text('read_text_file', { path: 'a.txt' })).toContain('TWO');
    const { action: mine } = await lab.reissue(action, 'theirs');
    expect(await lab.apply(mine)).toMatchObject({ type: 'applied' });
    expect(lab.bytes('a.txt')).toBe(LINES.replace('two', 'TWO'));
  });

  test("[GM-2] taking the agent's side of an edit that still fits keeps the person's other lines", async () => {
    const { lab, action } = await pending(...edit('two\nthree', 'TWO\nthree'));
    lab.put('a.txt', `zero\n${LINES}`);
    const { action: mine } = await lab.reissue(action, 'theirs');
    await lab.apply(mine);
    expect(lab.bytes('a.txt')).toBe(`zero\n${LINES.replace('two', 'TWO')}`);
  });

  test('[GM-2] edit against delete, binary, and made by both are conflicts', async () => {
    const deleted = await pending(...edit('two', 'TWO'));
    fs.rmSync(deleted.lab.at('a.txt'));
    expect((await deleted.lab.reissue(deleted.action)).answer).toEqual({
      type: 'conflict',
      why: 'a.txt was deleted since this was proposed.',
    });
    const { action: again } = await deleted.lab.reissue(deleted.action, 'theirs');
    expect(await deleted.lab.apply(again)).toMatchObject({ type: 'applied' });

    const binary = await pending('write_file', { path: 'a.txt', content: 'text' }, '\0binary');
    binary.lab.put('a.txt', '\0other');
    expect((await binary.lab.reissue(binary.action)).answer).toMatchObject({
      type: 'conflict',
      why: expect.stringContaining('is not text'),
    });

    const both = await pending('write_file', { path: 'new.txt', content: 'agent' });
    both.lab.put('new.txt', 'person');
    expect((await both.lab.reissue(both.action)).answer).toMatchObject({
      type: 'conflict',
      why: expect.stringContaining('made by someone else'),
    });
    both.lab.put('new.txt', 'agent');
    expect((await both.lab.reissue(both.action)).answer).toMatchObject({
      type: 'reissued',
      why: expect.stringContaining('already is'),
    });
  });
});

describe('the ground moved under a move, a delete, a folder', () => {
  test('[GM-1] a changed file is moved with its new bytes, also seen so while it waits', async () => {
    const { lab, action } = await pending('move_file', { source: 'a.txt', destination: 'b.txt' });
    lab.put('a.txt', 'changed\n');
    expect(await lab.text('read_text_file', { path: 'b.txt' })).toBe('changed\n');
    expect(await lab.apply(action)).toMatchObject({
      type: 'failed',
      why: 'a.txt has changed since this was proposed.',
    });
    const { action: anew } = await lab.reissue(action);
    expect(await lab.apply(anew)).toMatchObject({ type: 'applied' });
    expect(lab.bytes('b.txt')).toBe('changed\n');
  });

  test('[GM-2] a destination that exists now, or a source that is gone, is a conflict', async () => {
    const { lab, action } = await pending('move_file', { source: 'a.txt', destination: 'b.txt' });
    lab.put('b.txt', '');
    expect((await lab.reissue(action)).answer).toEqual({ type: 'conflict', why: 'destination: b.txt exists already.' });
    fs.rmSync(lab.at('b.txt'));
    fs.rmSync(lab.at('a.txt'));
    expect((await lab.reissue(action)).answer).toEqual({ type: 'conflict', why: 'source: a.txt does not exist.' });
  });

  test('[GM-2] a delete of what was changed or has grown is a conflict; of what is gone, nothing', async () => {
    const file = await pending('delete_file', { path: 'a.txt' });
    file.lab.put('a.txt', 'changed');
    expect((await file.lab.reissue(file.action)).answer.type).toBe('conflict');
    const { action: anyway } = await file.lab.reissue(file.action, 'theirs');
    expect(await file.lab.apply(anyway)).toMatchObject({ type: 'applied' });
    const tree = await pending('delete_file', { path: 'd', recursive: true });
    tree.lab.put('d/y', 'new');
    expect((await tree.lab.reissue(tree.action)).answer).toMatchObject({
      type: 'conflict',
      why: expect.stringContaining('d is no longer as it was'),
    });
    fs.rmSync(tree.lab.at('d'), { recursive: true });
    const { answer, action } = await tree.lab.reissue(tree.action);
    expect(answer).toMatchObject({ type: 'reissued', why: 'd is already gone.' });
    expect(await tree.lab.apply(action)).toMatchObject({ type: 'applied' });
    expect(await tree.lab.revert(action)).toEqual({ type: 'reverted' });
  });

  test('[GM-1] a folder that exists now is made as far as it is missing', async () => {
    const { lab, action } = await pending('create_directory', { path: 'x/y/z' });
    fs.mkdirSync(lab.at('x'));
    expect(await lab.apply(action)).toMatchObject({ type: 'failed' });
    const { action: anew } = await lab.reissue(action);
    expect(await lab.apply(anew)).toMatchObject({ type: 'applied' });
    await lab.revert(anew);
    expect(Object.keys(lab.disk())).toEqual(['a.txt', 'd', 'd/x', 'x']);
  });
});

describe('merge', () => {
  test('a hostile pair of texts is refused, not computed for minutes', () => {
    const blank = '\n'.repeat(5_000);
    expect(mergeTexts(`a\n${blank}b`, `x\n${'\nx\n'.repeat(500)}`, `p\n${blank}q`)).toEqual({ type: 'too-large' });
  });

  test('what one side alone changed, or both alike, is the result', () => {
    const text = fc
      .array(fc.constantFrom('a\n', 'b\n', '\n', 'c\r\n'), { maxLength: 12 })
      .map((lines) => lines.join(''));
    fc.assert(
      fc.property(text, text, (base, side) => {
        expect(mergeTexts(base, side, base)).toEqual({ type: 'clean', text: side });
        expect(mergeTexts(base, base, side)).toEqual({ type: 'clean', text: side });
        expect(mergeTexts(base, side, side)).toEqual({ type: 'clean', text: side });
      }),
    );
  });

  test('both sides are in a clean merge, whichever comes first', () => {
    const line = fc.constantFrom('a\n', 'b\n', '\n');
    const part = fc.array(line, { maxLength: 4 }).map((lines) => lines.join(''));
    fc.assert(
      fc.property(part, part, part, part, (head, newHead, tail, newTail) => {
        const wall = 'wall\nwall of\nwall\n';
        const [base, mine, theirs] = [head + wall + tail, newHead + wall + tail, head + wall + newTail];
        expect(mergeTexts(base, mine, theirs)).toEqual({ type: 'clean', text: newHead + wall + newTail });
        expect(mergeTexts(base, theirs, mine)).toEqual({ type: 'clean', text: newHead + wall + newTail });
      }),
    );
  });

  test('a large text with small changes is merged', () => {
    const text = Array.from({ length: 40_000 }, (_, n) => `line ${n}\n`).join('');
    const merged = mergeTexts(text, text.replace('line 7\n', 'seven\n'), text.replace('line 39000\n', 'late\n'));
    expect(merged).toEqual({
      type: 'clean',
      text: text.replace('line 7\n', 'seven\n').replace('line 39000\n', 'late\n'),
    });
  });
});
