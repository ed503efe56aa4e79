import { assert } from '../../../src/base/assert.ts';
import type { Result } from '../../../src/base/result.ts';
import type { Action } from '../../../src/model/action.ts';
import type { ActionContent } from '../../../src/model/content.ts';
import type { Decision } from '../../../src/model/decision.ts';
import type { EventBody, EventKind } from '../../../src/model/event.ts';
import {
  parseActionId,
  parseDeviceId,
  parseDigest,
  parseHomeId,
  parseRuleId,
  parseSessionId,
  parseWorkspaceId,
} from '../../../src/model/ids.ts';
import type { Checkpoint } from '../../../src/trust/checkpoint.ts';
import type { Head } from '../../../src/access/head.ts';
import type { Heartbeat } from '../../../src/trust/heartbeat.ts';
import type { Receipt } from '../../../src/trust/receipt.ts';

/** Fixed values of every frozen format. What they become is frozen in `test/golden/wire`. */

export const HOME_SEED = '11'.repeat(32);
export const DEVICE_SEED = '22'.repeat(32);

const must = <T>(result: Result<T>): T => {
  assert(result.ok, 'a golden id is well formed');
  return result.value;
};
const filled = (prefix: string, letter: string): string => `${prefix}-${letter.repeat(26)}`;

export const HOME = must(parseHomeId(filled('h', 'a')));
export const WORKSPACE = must(parseWorkspaceId(filled('w', 'b')));
export const DEVICE = must(parseDeviceId(filled('d', 'c')));
export const SESSION = must(parseSessionId(filled('s', 'd')));
export const FIRST = must(parseActionId(filled('a', 'e')));
export const SECOND = must(parseActionId(filled('a', 'f')));
export const RULE = must(parseRuleId(filled('r', 'g')));
export const digestText = (digit: string) => must(parseDigest(digit.repeat(64)));

/** 2026-01-02T03:04:05.678Z. */
export const AT_MS = 1_767_323_045_678;

export const CONTENT: ActionContent = {
  v: 1,
  workspace: WORKSPACE,
  kind: { tag: 'file.write', label: 'Write a file' },
  tool: 'write_file',
  toolDigest: digestText('1'),
  arguments: { path: 'src/grüße.ts', content: { $blob: digestText('2'), bytes: 4096 } },
  effect: { path: 'src/grüße.ts', mode: 420, bytes: { $blob: digestText('2'), bytes: 4096 }, newline: '\n\u2028' },
  preconditions: [{ resource: 'file:src/grüße.ts', expect: 'absent' }],
  writes: ['file:src/grüße.ts'],
  effectClass: 'E1',
  reversible: true,
  awaitDecision: false,
  lane: null,
};

const RECORD: Action = {
  id: FIRST,
  seq: 12,
  place: 14,
  lane: SESSION,
  content: CONTENT,
  digest: digestText('3'),
  verdict: { autoApprovable: false, reason: 'It writes a new file.' },
  reversibleWhy: 'The file is removed again.',
  lineage: { session: SESSION, root: SESSION, turn: 3, callId: 'call-7', sawThrough: 2 },
  proposedAtMs: AT_MS,
  needs: [SECOND],
  overlay: [{ resource: 'file:src/grüße.ts', value: { type: 'file', bytes: 4096 } }],
  result: { blob: digestText('e') },
  attempts: 0,
  revertAttempts: 0,
  remark: null,
  state: 'pending',
  attention: null,
};

const RULE_WISH = {
  kind: 'file.write',
  toolDigest: digestText('1'),
  where: [
    { is: 'path', field: '/effect/path', glob: 'src/**/*.ts' },
    { is: 'at-most', field: '/effect/bytes', most: 65_536 },
  ],
  forMs: 7 * 24 * 60 * 60 * 1000,
  usesMax: 20,
  text: 'Approve “Write a file” (file.write) without asking, where File matches "src/**/*.ts".',
} as const;

const SEEN = { counter: 41, atMs: AT_MS - 15_000, size: 7, root: digestText('4') };

export const DECISIONS: Readonly<Record<'approve' | 'change' | 'release' | 'ruleAdd', Decision>> = {
  approve: {
    v: 1,
    home: HOME,
    workspace: WORKSPACE,
    device: DEVICE,
    n: 1,
    prev: null,
    kind: 'approve',
    items: [
      { id: FIRST, digest: digestText('3') },
      { id: SECOND, digest: digestText('5'), attention: 6 },
    ],
    holdsLifted: [],
    seen: SEEN,
    batch: { id: 'b1', index: 0, of: 2 },
    body: { mode: 'rest', unseenLines: 120 },
    via: ['countersign', 'bash', 'tmux'],
  },
  change: {
    v: 1,
    home: HOME,
    workspace: WORKSPACE,
    device: DEVICE,
    n: 2,
    prev: digestText('6'),
    kind: 'change',
    items: [{ id: FIRST, digest: digestText('3') }],
    holdsLifted: [],
    seen: null,
    body: { say: 'Keep the old name.', remarks: [{ path: 'src/grüße.ts', line: 7, text: 'not exported 😀' }] },
    note: 'See "remarks" \u0007 \\ below.',
  },
  release: {
    v: 1,
    home: HOME,
    workspace: WORKSPACE,
    device: DEVICE,
    n: 3,
    prev: digestText('7'),
    kind: 'release',
    items: [{ id: FIRST, digest: digestText('3') }],
    holdsLifted: [digestText('8')],
    seen: SEEN,
  },
  ruleAdd: {
    v: 1,
    home: HOME,
    workspace: WORKSPACE,
    device: DEVICE,
    n: 4,
    prev: digestText('9'),
    kind: 'rule.add',
    items: [],
    holdsLifted: [],
    seen: SEEN,
    body: RULE_WISH,
  },
};

export const RECEIPT: Receipt = {
  v: 1,
  home: HOME,
  workspace: WORKSPACE,
  device: DEVICE,
  n: 1,
  decision: digestText('6'),
  results: [
    { id: FIRST, result: 'received', why: null },
    { id: SECOND, result: 'refused', why: 'The digest is another one.' },
  ],
  entry: 8,
  refused: null,
  atMs: AT_MS,
};

export const HEARTBEAT: Heartbeat = {
  v: 1,
  home: HOME,
  workspace: WORKSPACE,
  counter: 42,
  atMs: AT_MS,
  size: 8,
  root: digestText('a'),
};

export const CHECKPOINT: Checkpoint = {
  v: 1,
  home: HOME,
  workspace: WORKSPACE,
  size: 8,
  root: digestText('a'),
  tree: digestText('b'),
  atMs: AT_MS,
};

export const HEAD: Head = {
  v: 1,
  home: HOME,
  number: 5,
  atMs: AT_MS,
  roster: [
    {
      device: DEVICE,
      publicKey: 'c'.repeat(64),
      boxKey: 'd'.repeat(64),
      right: 'approve-reversible',
      addedEntry: 2,
    },
  ],
  rosterNumber: 1,
  workspaces: [
    {
      id: WORKSPACE,
      fence: 1,
      keyGen: 2,
      room: '1.1',
      tile: '1.3',
      manifestRoot: digestText('c'),
      checkpoint: { size: 8, root: digestText('a'), tree: digestText('b') },
      heartbeat: { counter: 3, atMs: AT_MS, size: 8, root: digestText('a') },
      boxes: [{ device: DEVICE, box: 'A'.repeat(107) }],
      older: [{ keyGen: 1, sealed: 'B'.repeat(96) }],
    },
  ],
  log: {
    keyGen: 1,
    tile: '1.2',
    manifestRoot: null,
    size: 9,
    root: digestText('e'),
    boxes: [{ device: DEVICE, box: 'C'.repeat(107) }],
    older: [],
  },
};

const ABOUT = { action: FIRST, n: 12, digest: digestText('3') } as const;
const BY_DEVICE = { type: 'device', device: DEVICE, n: 1 } as const;
const INTENT = { attempt: 1, idempotencyKey: 'k1', atMs: AT_MS, deadlineMs: AT_MS + 60_000 } as const;
const APPLIED = { attempt: 1, atMs: AT_MS, evidence: { ino: 9 }, drift: 'other mode', known: 'surface' } as const;
const ATTENTION = { kind: 'conflict', entry: 6, why: 'It changed: SECRET CONTENTS' } as const;

/** One event of every kind. */
export const EVENTS: { readonly [K in EventKind]: EventBody & { readonly kind: K } } = {
  opened: { kind: 'opened', what: 'workspace', id: WORKSPACE, detail: { root: '/home/ada/SECRET' } },
  started: { kind: 'started', fence: 1, keyGen: 1 },
  stopped: { kind: 'stopped' },
  'device-added': {
    kind: 'device-added',
    device: DEVICE,
    publicKey: 'c'.repeat(64),
    nickname: 'SECRET name',
    right: 'approve-all',
  },
  'device-right': { kind: 'device-right', device: DEVICE, right: 'view' },
  'session-opened': {
    kind: 'session-opened',
    session: SESSION,
    root: SESSION,
    client: 'SECRET client',
    host: 'mcp',
    level: 'advisory',
  },
  proposed: { kind: 'proposed', ...ABOUT, record: RECORD, saw: [SECOND] },
  'decision-taken': {
    kind: 'decision-taken',
    device: DEVICE,
    dn: 1,
    hash: digestText('6'),
    decision: '{"note":"SECRET note"}',
    signature: 'd'.repeat(128),
    results: [{ id: FIRST, result: 'received', why: null }],
  },
  'decision-refused': { kind: 'decision-refused', device: 'anyone', dn: null, why: 'Unknown device.', count: 3 },
  'notices-told': { kind: 'notices-told', session: SESSION, through: 4 },
  checkpointed: {
    kind: 'checkpointed',
    size: 10,
    tree: digestText('b'),
    signed: { payload: '{}', signature: 'd'.repeat(128) },
  },
  quarantined: { kind: 'quarantined', why: 'The head log names rows that are gone.' },
  approved: { kind: 'approved', ...ABOUT, by: { type: 'decision', device: DEVICE, n: 1 } },
  'approval-withdrawn': { kind: 'approval-withdrawn', ...ABOUT, why: 'retracted' },
  'attention-raised': { kind: 'attention-raised', ...ABOUT, attention: ATTENTION },
  reissued: {
    kind: 'reissued',
    ...ABOUT,
    oldDigest: digestText('5'),
    content: CONTENT,
    overlay: RECORD.overlay,
    needs: [],
    reversibleWhy: 'The previous version is kept.',
    verdict: RECORD.verdict,
    attention: { ...ATTENTION, kind: 'reissued' },
  },
  held: { kind: 'held', ...ABOUT, parked: { own: false, heldWith: [SECOND] }, by: BY_DEVICE },
  released: { kind: 'released', ...ABOUT, place: 20, by: BY_DEVICE },
  rejected: {
    kind: 'rejected',
    ...ABOUT,
    because: 'cascade',
    by: BY_DEVICE,
    reason: 'not like this',
    felledBy: SECOND,
  },
  'intent-recorded': { kind: 'intent-recorded', ...ABOUT, intent: INTENT },
  'attempt-voided': { kind: 'attempt-voided', ...ABOUT },
  applied: {
    kind: 'applied',
    ...ABOUT,
    applied: APPLIED,
    result: { inline: { content: [{ type: 'text', text: 'Done.' }] } },
  },
  failed: { kind: 'failed', ...ABOUT, why: 'The disk is full.' },
  doubted: { kind: 'doubted', ...ABOUT, why: 'No answer before the deadline.' },
  'not-applied': { kind: 'not-applied', ...ABOUT, known: 'settled', mayHappenTwice: true },
  retried: { kind: 'retried', ...ABOUT, by: { type: 'rule', rule: 'r1' } },
  'revert-begun': { kind: 'revert-begun', ...ABOUT, intent: { ...INTENT, attempt: 2 }, by: BY_DEVICE },
  reverted: { kind: 'reverted', ...ABOUT },
  'revert-refused': { kind: 'revert-refused', ...ABOUT, why: 'The file is not as the action left it.' },
  'revert-doubted': { kind: 'revert-doubted', ...ABOUT, why: 'No answer.' },
  contradicted: { kind: 'contradicted', ...ABOUT, evidence: 'applied', applied: APPLIED },
  'rule-added': {
    kind: 'rule-added',
    rule: {
      id: RULE,
      kind: RULE_WISH.kind,
      toolDigest: RULE_WISH.toolDigest,
      where: RULE_WISH.where,
      usesMax: RULE_WISH.usesMax,
      text: RULE_WISH.text,
      device: DEVICE,
      n: 1,
      addedAtMs: AT_MS,
      expiresAtMs: AT_MS + RULE_WISH.forMs,
      uses: 0,
    },
  },
  'rule-removed': { kind: 'rule-removed', rule: RULE, why: 'person', by: BY_DEVICE },
  'mode-set': { kind: 'mode-set', mode: 'plan', by: BY_DEVICE },
  paused: { kind: 'paused', session: SESSION, by: BY_DEVICE },
  resumed: { kind: 'resumed', session: null, by: BY_DEVICE },
};
