import { expect, test } from 'vitest';
import { nextCommands } from '../../../src/cli/terminal/next-command.ts';
import { renderQueue, type QueueViewOptions } from '../../../src/cli/terminal/queue-view.ts';
import { ageText, stateMark } from '../../../src/cli/terminal/words.ts';
import { LIVE_STATES } from '../../../src/model/action.ts';
import { actionIdOf, NOW_MS, rowOf, sessionIdOf } from '../../support/queue-rows.ts';
import { expectSafe, screenOf, uncoloured, WIDTHS } from '../../support/screens.ts';

const OPTIONS: QueueViewOptions = {
  sessions: [
    { id: sessionIdOf(1), client: 'claude-code 2.1', level: 'hooked', connected: true, wakes: false, nearlyFull: null },
  ],
  uninspectable: new Set([actionIdOf(13)]),
};
const HOUR_MS = 3_600_000;
const ROWS = [
  rowOf(11, { state: 'approved', title: 'Rename src/old.ts to src/new.ts', kind: 'file.move', level: 'hooked' }),
  rowOf(14, { session: sessionIdOf(2), state: 'applying', title: 'Write 東京/タワー.ts', atMs: NOW_MS - 5 * HOUR_MS }),
  rowOf(12, {
    level: 'hooked',
    attention: { kind: 'conflict', entry: 40, why: 'src/part-12.ts was changed on disk after this was proposed' },
  }),
  rowOf(13, {
    level: 'hooked',
    changeSet: `${sessionIdOf(1)}/2`,
    kind: 'message.send',
    effectClass: 'E3',
    reversible: false,
    title: 'Send to ops-bot: the deploy of the new parser is ready and waits for somebody to press the button',
    waitsFor: [actionIdOf(12), actionIdOf(99)],
  }),
];

test('the queue at 60 columns', () => {
  expect(renderQueue(ROWS, screenOf(60), OPTIONS).join('\n')).toMatchInlineSnapshot(`
    "  #  state       what                                    age

    claude-code 2.1 · hooked
      turn 1
    #11  ● approved  Rename src/old.ts to src/new.ts   3 min ago
    #12  ○ pending   Write src/part-12.ts              3 min ago
          ! conflict: src/part-12.ts was changed on disk after
          this was proposed
      turn 2
    #13  ○ pending   Send to ops-bot:…ress the button  3 min ago
          ! cannot be undone · cannot be inspected

    session s-aibaea… · advisory
    #14  ▸ applying  Write 東京/タワー.ts                5 h ago

    4 actions: 1 approved, 2 pending, 1 applying · 1 to look at
    again
    next: countersign show 12
      or  countersign resolve 12 mine
      or  countersign resolve 12 theirs
      or  countersign resolve 12 ask"
  `);
});

test('the queue at 100 columns', () => {
  expect(renderQueue(ROWS, screenOf(100), OPTIONS).join('\n')).toMatchInlineSnapshot(`
    "  #  state       what                                                 kind          class        age

    claude-code 2.1 · hooked
      turn 1
    #11  ● approved  Rename src/old.ts to src/new.ts                      file.move     E1     3 min ago
    #12  ○ pending   Write src/part-12.ts                                 file.write    E1     3 min ago
          ! conflict: src/part-12.ts was changed on disk after this was proposed
      turn 2
    #13  ○ pending   Send to ops-bot: the depl…ebody to press the button  message.send  E3     3 min ago
          ! cannot be undone · cannot be inspected

    session s-aibaea… · advisory
    #14  ▸ applying  Write 東京/タワー.ts                                 file.write    E1       5 h ago

    4 actions: 1 approved, 2 pending, 1 applying · 1 to look at again
    next: countersign show 12
      or  countersign resolve 12 mine
      or  countersign resolve 12 theirs
      or  countersign resolve 12 ask"
  `);
});

test('the queue at 200 columns', () => {
  expect(renderQueue(ROWS, screenOf(200), OPTIONS).join('\n')).toMatchInlineSnapshot(`
    "  #  state       what                                                                                               kind          class        age

    claude-code 2.1 · hooked
      turn 1
    #11  ● approved  Rename src/old.ts to src/new.ts                                                                    file.move     E1     3 min ago
    #12  ○ pending   Write src/part-12.ts                                                                               file.write    E1     3 min ago
          ! conflict: src/part-12.ts was changed on disk after this was proposed
      turn 2
    #13  ○ pending   Send to ops-bot: the deploy of the new parser is ready and waits for somebody to press the button  message.send  E3     3 min ago
          ! cannot be undone · cannot be inspected

    session s-aibaea… · advisory
    #14  ▸ applying  Write 東京/タワー.ts                                                                               file.write    E1       5 h ago

    4 actions: 1 approved, 2 pending, 1 applying · 1 to look at again
    next: countersign show 12  or  countersign resolve 12 mine  or  countersign resolve 12 theirs  or  countersign resolve 12 ask"
  `);
});

test.each(WIDTHS)('at %i columns colours add only our own escapes and move nothing', (columns) => {
  const plain = renderQueue(ROWS, screenOf(columns), OPTIONS);
  const coloured = renderQueue(ROWS, screenOf(columns, { colours: true }), OPTIONS);
  expect(plain.join('')).not.toContain('\u001b');
  expect(coloured.join('')).toContain('\u001b[');
  expect(uncoloured(coloured)).toEqual(plain);
  expectSafe(plain, screenOf(columns));
});

test('every state has a symbol and a word of its own', () => {
  const states = [...LIVE_STATES, 'applied', 'reverting', 'revert-in-doubt', 'reverted', 'rejected'] as const;
  const marks = states.map((state) => stateMark(state, screenOf(60).style));
  expect(new Set(marks.map(({ symbol }) => symbol)).size).toBe(states.length);
  expect(new Set(marks.map(({ word }) => word)).size).toBe(states.length);
});

test('within a session no row is reordered, and sessions come as they first appear', () => {
  const rows = [rowOf(5), rowOf(3, { session: sessionIdOf(2) }), rowOf(4), rowOf(1, { session: sessionIdOf(2) })];
  const order = renderQueue(rows, screenOf(null), OPTIONS).flatMap((line) => /^ *#(\d+)/.exec(line)?.[1] ?? []);
  expect(order).toEqual(['5', '4', '3', '1']);
});

test('an empty queue says so', () => {
  expect(renderQueue([], screenOf(60), OPTIONS)).toEqual(['Nothing is waiting.']);
});

test.each([
  ['doubt before all', [rowOf(1), rowOf(2, { state: 'in-doubt' })], ['settle 2 happened', 'settle 2 did-not']],
  ['failure before what is new', [rowOf(1), rowOf(2, { state: 'failed' })], ['retry 2', 'reject 2']],
  ['one pending', [rowOf(1)], ['show 1', 'approve 1']],
  ['many pending', [rowOf(1), rowOf(2)], ['show 1', 'approve 1', 'approve --all']],
  ['held', [rowOf(1, { state: 'held' })], ['release 1', 'reject 1']],
  ['nothing for a person', [rowOf(1, { state: 'applying' })], []],
] as const)('next command: %s', (_, rows, commands) => {
  expect(nextCommands(rows)).toEqual(commands.map((command) => `countersign ${command}`));
});

test.each([
  [0, 'just now'],
  [-HOUR_MS, 'just now'],
  [59_999, 'just now'],
  [60_000, '1 min ago'],
  [HOUR_MS * 23, '23 h ago'],
  [HOUR_MS * 24 * 1_200, '1,200 d ago'],
])('%i ms ago reads %s', (ageMs, text) => {
  expect(ageText(NOW_MS - ageMs, NOW_MS)).toBe(text);
});

test('[DR-5] what is in its grace period says how long it can still be stopped, and how', () => {
  const row = rowOf(12, {
    state: 'approved',
    reversible: false,
    why: 'It cannot be undone, so it waits.',
    gate: { code: 'grace', untilMs: NOW_MS + 7_200 },
  });
  const view = renderQueue([row], screenOf(100), OPTIONS).join('\n');
  expect(view).toContain('applies in 8 s, undo with: countersign undo 12');
  expect(view).not.toContain('so it waits');
  const ahead = { ...row, gate: { code: 'grace', untilMs: NOW_MS + 10 * HOUR_MS } } as const;
  expect(renderQueue([ahead], screenOf(100), OPTIONS).join('\n')).toContain('applies in a moment, undo with');
});

test('what is said of several rows in a row is said once, below the first', () => {
  const why = 'Nothing of the list it was approved with was applied.';
  const rows = [rowOf(1, { why }), rowOf(2, { why }), rowOf(3), rowOf(4, { why }), rowOf(5, { why: 'Else.' })];
  const lines = renderQueue(rows, screenOf(200), { sessions: [], uninspectable: new Set() });
  const notes = lines.filter((line) => line.startsWith('      '));
  expect(notes.map((line) => line.trim())).toEqual([`${why} (and the 1 action below)`, why, 'Else.']);
});

test('[EF-6] what happened against a person’s word is agreed to or taken back', () => {
  const row = rowOf(7, { state: 'applied', contradicted: true });
  expect(nextCommands([rowOf(8), row])).toEqual(['countersign settle 7 happened', 'countersign revert 7']);
  expect(nextCommands([{ ...row, reversible: false }])).toEqual(['countersign settle 7 happened']);
});

test('whoever is in doubt about taking something back is told how to settle it', () => {
  const lines = renderQueue([rowOf(7, { state: 'revert-in-doubt' })], screenOf(200), {
    sessions: [],
    uninspectable: new Set(),
  });
  expect(lines.at(-1)).toContain('countersign settle 7 happened');
});
