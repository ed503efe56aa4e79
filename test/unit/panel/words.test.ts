import { expect, test } from 'vitest';
import { ACTION_STATES } from '../../../src/model/action.ts';
import { ITEM_KINDS } from '../../../src/model/decision.ts';
import { commandOf, KEYS } from '../../../src/panel/app/keys.ts';
import { guessNickname, takeSecret } from '../../../src/panel/gate/link.ts';
import { claimWords, doneOf, verbOf } from '../../../src/panel/words/claim-words.ts';
import { ageWords, numbered } from '../../../src/panel/words/counts.ts';
import { exitsOf } from '../../../src/panel/words/exits.ts';
import { badgesOf } from '../../../src/panel/inbox/badges.ts';
import { quarantineWords, runtimeWords, worstRuntime } from '../../../src/panel/status/status-words.ts';
import { auditWords } from '../../../src/panel/words/audit-words.ts';
import { stateWords } from '../../../src/panel/words/state-words.ts';
import type { ActionView, Claim } from '../../../src/replica/types.ts';
import { FixtureReplica } from '../../support/panel-fixture.ts';
import { richSet } from '../../support/panel-fixture-sets.ts';

const [some] = new FixtureReplica(richSet(0), { nowMs: 0 }).snapshot().workspaces[0]!.open;
const view = (over: Partial<ActionView['record']>, claims: readonly Claim[] = []): ActionView => ({
  ...some!,
  claims,
  record: { ...some!.record, ...over },
});
const claim = (over: Partial<Claim>): Claim => ({
  device: some!.record.id as unknown as Claim['device'],
  nickname: 'phone',
  own: false,
  n: 1,
  kind: 'approve',
  note: null,
  state: 'sent',
  why: null,
  ...over,
});
const kinds = (...args: Parameters<typeof exitsOf>) => exitsOf(...args).map(({ label }) => label);

test('every state has a symbol of its own, so that nothing hangs on colour', () => {
  expect(new Set(ACTION_STATES.map((state) => stateWords(state).symbol)).size).toBe(ACTION_STATES.length);
});

test('[PN-10] no decision has a word that stands beside the six', () => {
  const words = ITEM_KINDS.flatMap((kind) => [verbOf(kind), doneOf(kind)]).join(' ');
  expect(words).not.toMatch(/declin|den(y|ied)|discard|dismiss|accept/i);
});

test.each([
  [claim({}), 'Approved on phone, not taken by the runtime yet'],
  [claim({ kind: 'reject', state: 'received' }), 'Rejected on phone: taken by the runtime'],
  [claim({ own: true, state: 'saved' }), 'Approved here: saved on this device, not sent yet'],
  [claim({ own: true, state: 'refused', why: 'It has changed.' }), 'Approve here was refused: It has changed.'],
])('[PN-1] the life of a decision is said (%#)', (given, words) => {
  expect(claimWords(given)).toBe(words);
});

test.each([
  ['pending', {}, ['Approve', 'Reject', 'Ask for a change', 'Hold']],
  ['held', {}, ['Release', 'Reject', 'Ask for a change']],
  ['failed', {}, ['Retry', 'Reject']],
  ['not-applied', { mayHappenTwice: true }, ['Retry (may happen twice)', 'Reject']],
  ['in-doubt', {}, ['It happened', 'It did not happen']],
  ['revert-in-doubt', {}, ['The revert happened', 'The revert did not happen']],
  ['applied', { revertable: { feasible: true, why: '' } }, ['Revert']],
  ['applied', { revertable: { feasible: false, why: '' } }, []],
  ['applying', {}, []],
] as const)('an action that is %s is left the ways there are (%j)', (state, over, labels) => {
  expect(kinds(view({ state, ...over }), 'approve-all')).toEqual(labels);
});

test('[GM-2] a conflict has three ways out, and approving is none of them', () => {
  const attention = { kind: 'conflict', entry: 1, why: '' } as const;
  expect(kinds(view({ attention }), 'approve-all')).toEqual(['Keep mine', 'Take the agent’s', 'Ask the agent']);
});

test('[EF-7] a workspace in quarantine is never said to be online, and stands before all others', () => {
  const [well] = new FixtureReplica(richSet(0), { nowMs: 0 }).snapshot().workspaces;
  const ill = { ...well!, quarantine: 'The journal is damaged: row 7.' };
  expect(runtimeWords(ill, 0)).toMatchObject({ text: 'In quarantine', tone: 'warn' });
  expect(worstRuntime([well!, ill])).toBe(ill);
  expect([quarantineWords(well!), quarantineWords(ill)]).toEqual([null, expect.stringContaining('row 7')]);
});

test.each([
  [null, 'Runtime not heard yet'],
  [0, 'Runtime last heard 2 min ago'],
] as const)('what was not heard since this page was opened is said as that (%s)', (heartbeatAtMs, words) => {
  const [workspace] = new FixtureReplica(richSet(0), { nowMs: 0 }).snapshot().workspaces;
  const unknown = { ...workspace!, runtime: { state: 'unknown', heartbeatAtMs } } as typeof workspace;
  expect(runtimeWords(unknown!, 120_000).text).toBe(words);
});

test('what is held with another one says with which; what a person held itself needs no badge', () => {
  const held = { state: 'held', attention: null, awaitDecision: false } as const;
  const texts = (over: object) => badgesOf(view({ ...held, ...over }), () => undefined).map(({ text }) => text);
  expect(texts({ holds: [], why: 'Parked with #15.' })).toContain('Parked with #15.');
  const own = [{ device: some!.record.id, hash: some!.record.digest }];
  expect(texts({ holds: own, why: 'On hold.' })).not.toContain('On hold.');
});

test('the ways out of a conflict say what comes of them, and taking the agent’s writes nothing yet', () => {
  const attention = { kind: 'conflict', entry: 1, why: '' } as const;
  const means = exitsOf(view({ attention }), 'approve-all').map((exit) => exit.means);
  expect(means).toEqual([
    expect.stringContaining('stays'),
    expect.stringContaining('before anything is written'),
    expect.stringContaining('propose again'),
  ]);
});

test.each([
  ['applied', 'surface', { what: 'applied', why: null }],
  ['not-applied', 'settled', { what: 'not applied', why: 'said by a person' }],
  ['rejected', 'surface', { what: 'rejected', why: 'surface' }],
  ['intent-recorded', null, { what: 'intent recorded', why: null }],
] as const)('an entry of the log is said in words (%s, %s)', (kind, why, words) => {
  expect(auditWords({ kind, why })).toEqual(words);
});

test('[DC-11] what this device approved can be taken back; what another one did is its own', () => {
  expect(kinds(view({}, [claim({ own: true })]), 'approve-all')).toEqual(['Undo approve', 'Reject']);
  expect(kinds(view({}, [claim({})]), 'approve-all')).toContain('Approve');
});

test.each([
  ['view', 0],
  ['reject-only', 3],
  ['approve-all', 4],
] as const)('a right of %s leaves what it allows', (right, count) => {
  expect(exitsOf(view({}), right).filter(({ barred }) => barred === null).length).toBe(count);
});

test('what cannot be shown cannot be approved', () => {
  const [approve] = exitsOf({ ...view({}), card: 'lost' }, 'approve-all');
  expect(approve?.barred).toMatch(/not here/);
});

test('a key means something only when nobody writes and no other key is held', () => {
  const facts = { key: 'a', altKey: false, ctrlKey: false, metaKey: false, writing: false };
  expect(commandOf(facts)).toBe('approve');
  expect(commandOf({ ...facts, writing: true })).toBeUndefined();
  expect(commandOf({ ...facts, ctrlKey: true })).toBeUndefined();
  expect(new Set(KEYS.map(({ key }) => key)).size).toBe(KEYS.length);
});

test('a link’s secret leaves the address at once', () => {
  const seen: string[] = [];
  const history = { replaceState: (_state: unknown, _title: string, url: string) => void seen.push(url) };
  const at = (hash: string) => ({ hash, pathname: '/', search: '?a=1' }) as Location;
  expect(takeSecret(at(`#b=${'x'.repeat(22)}`), history as unknown as History)).toBe('x'.repeat(22));
  expect(takeSecret(at('#b=<script>'), history as unknown as History)).toBeNull();
  expect(seen).toEqual(['/?a=1', '/?a=1']);
  expect(takeSecret(at(''), history as unknown as History)).toBeNull();
});

test('words for people', () => {
  expect(guessNickname('Mozilla/5.0 (X11; Linux x86_64) AppleWebKit Chrome/143 Safari/537')).toBe('Chrome on Linux');
  expect(ageWords(0, 3 * 3_600_000)).toBe('3 h');
  expect(numbered([1, 2, 3], 2)).toBe('#1, #2 and 1 more');
});
