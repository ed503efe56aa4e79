import { expect, test } from 'vitest';
import { utf8 } from '../../../src/base/bytes.ts';
import { renderAction, type ActionViewInput } from '../../../src/cli/terminal/action-view.ts';
import { interpretCard, type CardTemplate } from '../../../src/model/card.ts';
import { contentOf } from '../../support/action-content.ts';
import { actionIdOf, commonOf, detailOf, NOW_MS, rowOf, sessionIdOf } from '../../support/queue-rows.ts';
import { expectSafe, screenOf, uncoloured, WIDTHS } from '../../support/screens.ts';

const TEMPLATE: CardTemplate = {
  title: 'Write {0}',
  target: 'path',
  fields: [
    { label: 'path', pointer: '/arguments/path', as: 'path' },
    { label: 'note', pointer: '/arguments/note', as: 'text' },
  ],
};
const ROW = rowOf(12, {
  attention: { kind: 'conflict', entry: 40, why: 'src/app.ts was changed on disk after this was proposed' },
  needs: [actionIdOf(11)],
  saw: [actionIdOf(9)],
});
const INPUT: ActionViewInput = {
  detail: detailOf(ROW, {
    falls: [actionIdOf(13)],
    lookAgain: [actionIdOf(15)],
    holds: [{ hash: ROW.digest, by: 'phone' }],
    history: [
      { seq: 31, atMs: NOW_MS - 180_000, kind: 'proposed', by: 'claude-code', detail: {} },
      { seq: 40, atMs: NOW_MS - 60_000, kind: 'attention-raised', by: 'runtime', detail: { why: 'changed on disk' } },
    ],
  }),
  card: interpretCard(TEMPLATE, contentOf({ arguments: { path: 'src/app.ts', note: 'one\ntwo' } })),
  changes: [
    {
      path: 'src/app.ts',
      from: null,
      before: { bytes: utf8('one\ntwo\n'), mode: 0o644 },
      after: { bytes: utf8('one\n2\n'), mode: 0o644 },
    },
  ],
  seqs: new Map([9, 11, 13, 15].map((seq) => [actionIdOf(seq), seq])),
  sessions: [
    {
      id: sessionIdOf(1),
      client: 'claude-code 2.1',
      level: 'advisory',
      connected: true,
      wakes: false,
      nearlyFull: null,
    },
  ],
  agentText: 'I only fix a typo.\n✓ #12 approved',
  revert: null,
  all: false,
};

function drawn(input: ActionViewInput, columns: number | null): string {
  return renderAction(input, screenOf(columns)).lines.join('\n');
}

test('[T1] an action at 60 columns', () => {
  expect(drawn(INPUT, 60)).toMatchInlineSnapshot(`
    "#12 ○ pending · proposed 3 min ago
      Write src/app.ts
      file.write · write_file · claude-code 2.1 · advisory · E1

    ! conflict: src/app.ts was changed on disk after this was
      proposed

    path           src/app.ts
    note           │ one
                   │ two

    src/app.ts  (+1 −1)
    --- a/src/app.ts
    +++ b/src/app.ts
    @@ -1,2 +1,2 @@
    │ one
    │-two
    │+2

    needs          #11
    made after     #9
    falls with it  #13
    look again     #15
    verdict        a person decides: writes a file
    told           the agent is told what is decided at its next
                   call
    revert         possible once applied: the bytes before are
                   kept
    digest         ddddddddddddddddddddddddddddddddddddddddddddd
                   ddddddddddddddddddd

    entry  what              by           detail             age
       31  proposed          claude-code               3 min ago
       40  attention-raised  runtime      changed on…  1 min ago

    The agent says, which nobody checked and which is no part
      of what you approve:
      │ I only fix a typo.
      │ ✓ #12 approved"
  `);
});

test('[T1] an action at 100 columns', () => {
  expect(drawn(INPUT, 100)).toMatchInlineSnapshot(`
    "#12 ○ pending · proposed 3 min ago
      Write src/app.ts
      file.write · write_file · claude-code 2.1 · advisory · E1

    ! conflict: src/app.ts was changed on disk after this was proposed

    path           src/app.ts
    note           │ one
                   │ two

    src/app.ts  (+1 −1)
    --- a/src/app.ts
    +++ b/src/app.ts
    @@ -1,2 +1,2 @@
    │ one
    │-two
    │+2

    needs          #11
    made after     #9
    falls with it  #13
    look again     #15
    verdict        a person decides: writes a file
    told           the agent is told what is decided at its next call
    revert         possible once applied: the bytes before are kept
    digest         dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd

    entry  what              by           detail                 age
       31  proposed          claude-code                   3 min ago
       40  attention-raised  runtime      changed on disk  1 min ago

    The agent says, which nobody checked and which is no part of what you approve:
      │ I only fix a typo.
      │ ✓ #12 approved"
  `);
});

test.each(WIDTHS)('at %i columns colours add only our own escapes and move nothing', (columns) => {
  const plain = renderAction(INPUT, screenOf(columns)).lines;
  const coloured = renderAction(INPUT, screenOf(columns, { colours: true })).lines;
  expect(plain.join('')).not.toContain('\u001b');
  expect(uncoloured(coloured)).toEqual(plain);
  expectSafe(plain, screenOf(columns));
});

test('[T1] what the agent says stands last, on a rail, whatever it says', () => {
  const lines = drawn({ ...INPUT, agentText: 'digest  ffff\n\n#12 ✓ applied\u001b[2J' }, 60).split('\n');
  expect(lines.slice(-3)).toEqual(['  │ digest  ffff', '  │', '  │ #12 ✓ applied\\u{1B}[2J']);
});

test('[T1] the agent’s words change nothing above them', () => {
  const above = (agentText: string | null): string =>
    drawn({ ...INPUT, agentText }, 100)
      .split('The agent says')[0]
      ?.trimEnd() ?? '';
  expect(above('Approve me\u202e')).toBe(above('other'));
  expect(above(null)).toBe(above('other'));
});

test('[T1] a value of many lines cannot pass for another field', () => {
  const card = interpretCard(TEMPLATE, contentOf({ arguments: { path: 'a', note: 'x\npath           /etc/passwd' } }));
  const lines = drawn({ ...INPUT, card }, 100).split('\n');
  expect(lines.filter((line) => line.startsWith('path'))).toEqual(['path           a']);
});

test('what cannot be undone, inspected or trusted is said first', () => {
  const row = rowOf(12, { reversible: false });
  const card = interpretCard(null, contentOf({ tool: 'transf\u0435r', arguments: { to: 'bob\u200b', sum: 5 } }));
  const text = drawn({ ...INPUT, detail: detailOf(row), card, changes: [], agentText: null }, 100);
  expect(text).toMatchInlineSnapshot(`
    "#12 ○ pending · proposed 3 min ago
      Call transfеr
      file.write · write_file · claude-code 2.1 · advisory · E1

    ! cannot be undone: a message cannot be called back
    ! cannot be inspected: these are the raw arguments of a tool without a card
    ! a name mixes alphabets: it may not be what it looks like
    ! holds characters that cannot be seen; they are shown as \\u{…}

    /to            bob\\u{200B}
    /sum           5 (number)

    verdict        a person decides: writes a file
    told           the agent is told what is decided at its next call
    revert         not possible: a message cannot be called back
    digest         dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"
  `);
});

test('drift between prediction and outcome is said', () => {
  const applied = {
    attempt: 1,
    atMs: NOW_MS,
    evidence: {},
    drift: 'the mode was kept at 600',
    known: 'probe',
  } as const;
  const action = { ...commonOf(ROW), state: 'applied', applied, contradicted: false } as const;
  expect(drawn({ ...INPUT, detail: detailOf(ROW, { action }) }, null)).toContain(
    'outcome        differs from the prediction (found by looking): the mode was kept at 600',
  );
});

test('what a revert would do is the surface’s answer when it was asked', () => {
  const revert = { feasible: false, why: 'the file was changed since' };
  expect(drawn({ ...INPUT, revert }, null)).toContain('revert         not possible: the file was changed since');
});

test('[T2] lines and bytes that were left out are counted', () => {
  const long = Array.from({ length: 1_000 }, (_, i) => `line ${i}\n`).join('');
  const card = interpretCard(TEMPLATE, contentOf({ arguments: { path: 'a', note: 'x'.repeat(10_000) } }));
  const changes = [{ path: 'a', from: null, before: null, after: { bytes: utf8(long), mode: null } }];
  const view = renderAction({ ...INPUT, card, changes }, screenOf(100));
  expect(view.linesNotShown).toBeGreaterThan(500);
  expect(view.bytesNotShown).toBeGreaterThan(5_000);
  expect(renderAction({ ...INPUT, card, changes, all: true }, screenOf(100)).linesNotShown).toBe(0);
});
