import { describe, expect, test } from 'vitest';
import { REJECTED, refs } from './make-notice.ts';
import { noticeText, type Fence, type NoticeFacts } from '../../../src/model/notice-facts.ts';
import { aid } from './make-action.ts';

const fence: Fence = (text, from) => `[${from}] ${text}`;
const about = { id: aid(12), seq: 12, tool: 'write_file' };

describe('rejected', () => {
  test('[SM-8] says what, by whom, why, what fell with it, and what is true now', () => {
    const facts: NoticeFacts = { ...REJECTED, fell: refs(15, 13, 14, 18), restart: [] };
    expect(noticeText(facts, fence)).toBe(
      '#12 "write_file" on "src/app.ts" was rejected by a person, on "laptop". It is not applied and will not be. ' +
        'With it fell what needs it: #13–#15, #18. From now on your reads, tests and commands do not show any of this. ' +
        'Do not repeat the same call: it gets this answer again. The reason:\n[whoever rejected #12] Not this file.',
    );
  });

  test('[SM-7] restart names exactly what the session was shown; shown nothing, there is no restart', () => {
    expect(noticeText({ ...REJECTED, restart: refs(12, 14) }, fence)).toContain('Restart: you were shown #12, #14. ');
    expect(noticeText({ ...REJECTED, restart: [] }, fence)).not.toContain('estart');
  });

  test('[LC-6] each cause has its own words, and only a person’s rejection forbids the same call', () => {
    const said = (['person', 'cascade', 'withdrawn', 'user-edited', 'surface-removed'] as const).map((because) =>
      noticeText({ ...REJECTED, because, by: null, reason: null, fell: [] }, fence),
    );
    expect(said.map((text) => text.split('. ')[0])).toEqual([
      '#12 "write_file" on "src/app.ts" was rejected',
      '#12 "write_file" on "src/app.ts" fell, because what it needs was withdrawn',
      '#12 "write_file" on "src/app.ts" was withdrawn',
      '#12 "write_file" on "src/app.ts" was set aside: their own version stays',
      '#12 "write_file" on "src/app.ts" was closed, because its tool is gone',
    ]);
    expect(said.map((text) => text.includes('Do not repeat'))).toEqual([true, false, false, false, false]);
    expect(said.every((text) => !text.includes('\n'))).toBe(true);
  });
});

test('[SM-8] a requested change gives what to do instead and every remark with its line, inside one fence', () => {
  const facts: NoticeFacts = {
    ...about,
    type: 'change-requested',
    target: 'src/app.ts',
    by: 'phone',
    say: 'Keep the old name.',
    remarks: [
      { path: 'src/app.ts', line: 3, text: 'here' },
      { path: 'src/app.ts', line: 9, text: 'and here' },
    ],
    fell: [],
    restart: [],
  };
  expect(noticeText(facts, fence)).toBe(
    '#12 "write_file" on "src/app.ts" was rejected by a person, on "phone", who asks for something else instead. ' +
      'It is not applied and will not be. From now on your reads, tests and commands do not show any of this. ' +
      'What is asked for:\n' +
      '[the person who rejected #12] Keep the old name.\nsrc/app.ts:3: here\nsrc/app.ts:9: and here',
  );
});

test.each<[NoticeFacts, string]>([
  [
    { ...about, type: 'reverted', target: 'src/app.ts', by: 'laptop', fell: refs(20), restart: [] },
    '#12 "write_file" on "src/app.ts" had been applied and was taken back by a person, on "laptop". With it fell what ' +
      'needs it: #20. From now on your reads, tests and commands do not show any of this.',
  ],
  [
    { ...about, type: 'merged', path: 'src/app.ts' },
    '"src/app.ts" was changed outside this session while #12 "write_file" waited. #12 now holds your change merged ' +
      'with that one, and your reads show the merged text. Read the file again before you edit it.',
  ],
  [
    { ...about, type: 'failed', why: 'Disk full.' },
    '#12 "write_file" was approved but could not be applied. It changed nothing. What its tool said:\n' +
      '[the tool of #12] Disk full.',
  ],
  [
    { ...about, type: 'in-doubt', why: 'No answer.' },
    'It is not known whether #12 "write_file" took effect. A person settles that; do not repeat the call. ' +
      'What is known:\n[the tool of #12] No answer.',
  ],
  [
    { ...about, type: 'held', parkedWith: refs(13, 14) },
    '#12 "write_file" was put on hold by a person, and with it what needs it: #13–#14. That decides nothing: your ' +
      'reads still show it, and what needs it waits with it.',
  ],
  [{ type: 'released', actions: refs(12, 14) }, 'No longer on hold: #12, #14.'],
  [{ type: 'nearly-full', text: 'The queue is 80 % full.' }, 'The queue is 80 % full.'],
])('[SM-8] %o in words', (facts, text) => {
  expect(noticeText(facts, fence)).toBe(text);
});
