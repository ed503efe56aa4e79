import { describe, expect, test } from 'vitest';
import type { CardField } from '../../../src/model/card.ts';
import type { ActionContent } from '../../../src/model/content.ts';
import type { LedgerKind } from '../../../src/model/ledger.ts';
import { matchesGlob } from '../../../src/model/path-glob.ts';
import { offeredTests } from '../../../src/panel/rule/offered-tests.ts';
import { firstDraft, testProblem, wishOf } from '../../../src/panel/rule/rule-draft.ts';
import { ruleOffer } from '../../../src/panel/rule/rule-offer.ts';
import { reachOf } from '../../../src/panel/rule/rule-reach.ts';
import type { Located } from '../../../src/panel/inbox/located.ts';
import type { ActionView } from '../../../src/replica/types.ts';
import { Blobs, hashOf, writeFile, type Made } from '../../support/panel-fixture-data.ts';
import { FixtureReplica } from '../../support/panel-fixture.ts';
import { richSet, WORKSPACE } from '../../support/panel-fixture-sets.ts';

const kindOf = (...fields: readonly CardField[]): LedgerKind => ({
  v: 1,
  rev: 1,
  type: 'kind',
  id: 'kind:1',
  tag: 'file.write',
  label: 'Write a file',
  toolDigest: hashOf(1),
  fields,
});
const FILE: CardField = { label: 'File', pointer: '/effect/path', as: 'path' };
const WRITE = kindOf(FILE);

const [workspace] = new FixtureReplica(richSet(0), { nowMs: 0 }).snapshot().workspaces;
const session = workspace!.sessions[0]!.id;
const SAFE = { verdict: { autoApprovable: true, reason: 'An ordinary file.' } };

let seq = 100;
const write = (path: string, over: Parameters<typeof writeFile>[3] = SAFE): Made =>
  writeFile(
    { workspace: WORKSPACE, session, turn: 1, seq: seq++, atMs: 0 },
    new Blobs(),
    { path, before: null, after: 'x\n' },
    over,
  );
const contentOf = ({ detail }: Made): ActionContent => {
  if (detail.type !== 'card') throw new Error('the fixture has the card');
  return detail.content;
};
const viewOf = ({ record }: Made, over: Partial<ActionView> = {}): ActionView => ({
  record,
  claims: [],
  waitsFor: [],
  card: 'here',
  ...over,
});
const located = (made: Made, kinds: readonly LedgerKind[] = [WRITE], over: Partial<ActionView> = {}): Located => ({
  view: viewOf(made, over),
  workspace: { ...workspace!, kinds },
  open: true,
});

describe('what a rule made from a card can ask', () => {
  test.each([
    ['src/deep/a.ts', 'src/deep/**'],
    ['README.md', 'README.md'],
    ['src/.env', 'src/.env'],
    ['.github/workflows/ci.yml', '.github/workflows/**'],
    ['app/[id]/page.tsx', 'app/?id?/**'],
  ])('[DR-2] of a path, its folder: %s', (path, glob) => {
    expect(offeredTests(WRITE, contentOf(write(path)))).toEqual([
      { label: 'File', on: true, test: { is: 'path', field: '/effect/path', glob } },
    ]);
  });

  test.each([
    ['**/a.ts', '??/**', 'src/b.ts'],
    ['src/*/a.ts', 'src/?/**', 'src/lib/b.ts'],
    ['*.ts', '?.ts', 'secret.ts'],
  ])('[T19] of a path that is named like a glob, nothing wider than it: %s', (path, glob, other) => {
    const [offered] = offeredTests(WRITE, contentOf(write(path)));
    expect(offered?.test).toEqual({ is: 'path', field: '/effect/path', glob });
    expect(matchesGlob(glob, other)).toBe(false);
  });

  test('[DR-2] each field its own test, what keeps the rule to its place and partner ticked', () => {
    const kind = kindOf(
      { label: 'To', pointer: '/arguments/to', as: 'recipient' },
      { label: 'Page', pointer: '/arguments/url', as: 'url' },
      { label: 'Text', pointer: '/arguments/text', as: 'text' },
      { label: 'Price', pointer: '/arguments/price', as: 'amount' },
      { label: 'Body', pointer: '/arguments/body', as: 'diff' },
    );
    const args = { to: 'ops-bot', url: 'https://example.com/a', text: 'deploy', price: 12, body: 'x' };
    const offered = offeredTests(kind, { ...contentOf(write('a')), arguments: args });
    expect(offered.map(({ on, test: asked }) => [on, asked])).toEqual([
      [true, { is: 'recipient', field: '/arguments/to', equals: 'ops-bot' }],
      [true, { is: 'host', field: '/arguments/url', host: 'example.com' }],
      [false, { is: 'text', field: '/arguments/text', equals: 'deploy' }],
      [true, { is: 'at-most', field: '/arguments/price', most: 12 }],
    ]);
  });

  test('[T19] nothing that this very action would not pass: no text that joins commands, no address with a name', () => {
    const kind = kindOf(
      { label: 'Command', pointer: '/arguments/text', as: 'text' },
      { label: 'Page', pointer: '/arguments/url', as: 'url' },
      { label: 'Nothing', pointer: '/arguments/none', as: 'recipient' },
    );
    const args = { text: 'ls; rm -r x', url: 'https://me@example.com/' };
    expect(offeredTests(kind, { ...contentOf(write('a')), arguments: args })).toEqual([]);
  });
});

describe('whether there can be a rule', () => {
  const why = (made: Made, kinds = [WRITE], over: Partial<ActionView> = {}) =>
    ruleOffer(located(made, kinds, over), 'approve-all')?.barred;

  test('[DR-2] never for what cannot be undone or inspected, or is not called safe, and each says so', () => {
    expect(why(write('a'))).toBe(null);
    expect(why(write('a', { ...SAFE, reversible: false }))).toMatch(/cannot be undone/);
    expect(why(write('a', { ...SAFE, inspectable: false }))).toMatch(/cannot be inspected/);
    expect(why(write('a', { verdict: { autoApprovable: false, reason: 'a is a script.' } }))).toMatch(/a is a script/);
    expect(why(write('a'), [])).toMatch(/not one that rules can be about/);
  });

  test('[DR-2] only for what is undecided, and only on a device with every right', () => {
    expect(ruleOffer(located(write('a', { ...SAFE, state: 'approved' })), 'approve-all')).toBe(null);
    expect(ruleOffer({ ...located(write('a')), open: false }, 'approve-all')).toBe(null);
    expect(ruleOffer(located(write('a')), 'approve-reversible')?.barred).toMatch(/every right/);
  });
});

test('[DR-2] the rule is signed in the runtime’s words, and says what of the queue it approves and what not', () => {
  const own = write('src/a.ts');
  const draft = firstDraft(offeredTests(WRITE, contentOf(own)));
  const wish = wishOf(WRITE, { ...draft, usesMax: 10 });
  expect(wish.text).toBe(
    'Approve “Write a file” (file.write) without asking, where File matches "src/**", for 1 day, 10 times at most, if it can be undone and its tool calls this one safe',
  );
  const raised = { kind: 'reissued', entry: 4, why: 'It is another one now.' } as const;
  const others: readonly (readonly [Made, RegExp | null, Partial<ActionView>?])[] = [
    [own, null],
    [write('src/b.ts'), null],
    [write('lib/a.ts'), /Not what this rule is about/],
    [write('src/c.sh', { verdict: { autoApprovable: false, reason: 'c.sh is a script.' } }), /c\.sh is a script/],
    [write('src/d.ts', { ...SAFE, reversible: false }), /cannot be undone/],
    [write('src/e.ts', { ...SAFE, attention: raised }), /looked at by a person/],
    [write('src/f.ts', { ...SAFE, state: 'held' }), /decided about already/],
  ];
  const reach = reachOf(
    WRITE,
    wish,
    others.map(([made]) => ({ view: viewOf(made), content: contentOf(made) })),
  );
  expect(reach.covered).toEqual(others.filter(([, reason]) => reason === null).map(([{ record }]) => record.id));
  expect(reach.left).toEqual(
    others.flatMap(([{ record }, reason]) =>
      // reason: an asymmetric matcher stands for the text it matches
      reason === null ? [] : [{ id: record.id, why: expect.stringMatching(reason) as string }],
    ),
  );
  const blind = reachOf(WRITE, wish, [{ view: viewOf(own), content: undefined }]);
  expect(blind.covered, 'what is not here is not said to be covered').toEqual([]);
});

test('[DR-2] what cannot be compared is not signed, and the reason is said', () => {
  const asked = (glob: string) =>
    testProblem({ label: 'File', on: true, test: { is: 'path', field: '/effect/path', glob } });
  expect(asked('src/**')).toBe(null);
  expect(asked('src/{a,b}')).toMatch(/knows only \*, \? and \*\*/);
  expect(asked('../x')).toMatch(/relative path/);
  expect(asked('é'.repeat(200))).toMatch(/too long/);
  expect(testProblem({ label: 'File', on: false, test: { is: 'path', field: '/effect/path', glob: '' } })).toBe(null);
  const most = { is: 'at-most', field: '/arguments/price', most: Number.NaN } as const;
  expect(testProblem({ label: 'Price', on: true, test: most })).toMatch(/whole number/);
});
