import { utf8 } from '../../src/base/bytes.ts';
import type { WorkspaceId } from '../../src/model/ids.ts';
import type { LedgerSession } from '../../src/model/ledger.ts';
import {
  Blobs,
  hashOf,
  idOf,
  message,
  otherFile,
  program,
  session,
  toolCall,
  writeFile,
  type Made,
  type Place,
} from './panel-fixture-data.ts';

/** What a home of the fixture holds. */
export interface FixtureSet {
  readonly sessions: readonly LedgerSession[];
  readonly open: readonly Made[];
  readonly settled: readonly Made[];
}

export const WORKSPACE = idOf<WorkspaceId>('w', 1);
const MINUTE = 60_000;
const ended = (at: number) => ({ type: 'device' as const, device: idOf<never>('d', at), n: 4 });

/** Numbers places as they come, newest last, a minute apart. */
function placer(nowMs: number, first = 1) {
  let seq = first;
  return (session_: LedgerSession, turn: number): Place => {
    const place = { workspace: WORKSPACE, session: session_.id, turn, seq, atMs: nowMs - (60 - (seq % 60)) * MINUTE };
    seq += 1;
    return place;
  };
}

/** Three sessions and 43 open actions in every state a person meets, and what was settled before. */
export function richSet(nowMs: number): FixtureSet {
  const blobs = new Blobs();
  const at = placer(nowMs);
  const claude = session(1, { name: 'fix the invoices', client: 'claude-code' });
  const cursor = session(2, { client: 'cursor', level: 'hooked' });
  const ops = session(3, { client: 'ops-agent', level: 'advisory', connected: false });
  const settled = [
    writeFile(
      at(claude, 1),
      blobs,
      { path: 'README.md', before: '# Old\n', after: '# New\n' },
      {
        state: 'applied',
        by: ended(1),
        revertable: { feasible: true, why: 'Nothing changed it since.' },
      },
    ),
    writeFile(
      at(claude, 1),
      blobs,
      { path: 'src/legacy.ts', before: 'a\n', after: 'b\n' },
      {
        state: 'applied',
        by: ended(2),
        revertable: { feasible: false, why: 'The file was changed since.' },
        remark: 'The folder had other permissions than simulated.',
      },
    ),
    message(
      at(ops, 1),
      blobs,
      { to: 'ops-bot', text: 'Deploy at 14:00' },
      { state: 'applied', by: { type: 'rule', rule: idOf('rule', 1) } },
    ),
    writeFile(
      at(cursor, 1),
      blobs,
      { path: 'package.json', before: '{}\n', after: '{"a":1}\n' },
      {
        state: 'rejected',
        because: 'person',
        by: ended(2),
        reason: 'No new dependencies, please.',
      },
    ),
    writeFile(at(cursor, 1), blobs, { path: 'tmp/x', before: null, after: 'x' }, { state: 'reverted', by: ended(1) }),
  ].toReversed();
  return {
    sessions: [claude, cursor, ops],
    open: [...invoices(at, claude, blobs), ...pages(at, cursor, blobs), ...mails(at, ops, blobs)],
    settled,
  };
}

type At = ReturnType<typeof placer>;

function invoices(at: At, of: LedgerSession, blobs: Blobs): readonly Made[] {
  const steps = [
    'export const tax = 19;\n',
    'export const tax = 20;\n',
    'export const tax = 20;\nexport const zero = 0;\n',
  ];
  const base = `${program(40)}export const tax = 18;\n${program(30, 'eur')}`;
  const versions = [base, ...steps.map((step) => base.replace('export const tax = 18;\n', step))];
  const edits = versions
    .slice(1)
    .map((after, index) => writeFile(at(of, 2), blobs, { path: 'src/app.ts', before: versions[index] ?? '', after }));
  return [
    ...edits,
    writeFile(at(of, 2), blobs, { path: 'src/invoice/total.ts', before: null, after: program(24) }),
    writeFile(at(of, 2), blobs, {
      path: 'src/app.ts',
      before: versions.at(-1) ?? '',
      after: `${versions.at(-1)}// end\n`,
    }),
    writeFile(at(of, 2), blobs, {
      path: 'assets/logo.png',
      before: new Uint8Array([0x89, 0x50, 0, 1, 2]),
      after: new Uint8Array(2_048),
    }),
    writeFile(at(of, 3), blobs, {
      path: 'scripts/run.sh',
      before: '#!/bin/sh\necho hi\n',
      after: '#!/bin/sh\necho hi\n',
      mode: 0o755,
    }),
    otherFile(at(of, 3), blobs, {
      op: 'move',
      from: 'src/old-name.ts',
      to: 'src/new-name.ts',
      entries: [{ type: 'file', path: '', sha256: hashOf(7), bytes: 900, mode: 0o644 }],
    }),
    otherFile(at(of, 3), blobs, { op: 'mkdir', path: 'src/invoice/tests', paths: ['src/invoice/tests'], mode: 0o755 }),
    otherFile(at(of, 3), blobs, {
      op: 'delete',
      path: 'docs/draft.md',
      entries: [{ type: 'file', path: '', content: { ...blobs.put('# Draft\n\nOld words.\n') }, mode: 0o644 }],
    }),
    writeFile(
      at(of, 4),
      blobs,
      { path: 'src/rates.ts', before: program(12), after: program(12, 'usd') },
      {
        attention: { kind: 'conflict', entry: 80, why: 'src/rates.ts was changed in the same lines.' },
        attentionEntry: 80,
      },
    ),
    writeFile(at(of, 4), blobs, { path: 'big/generated.txt', before: null, after: program(20_000) }),
    writeFile(at(of, 4), blobs, {
      path: `packages/${'a-rather-long-folder-name/'.repeat(7)}and-a-file-with-a-long-name.component.test.ts`,
      before: null,
      after: 'export {};\n',
    }),
    writeFile(at(of, 4), blobs, { path: 'src/held.ts', before: 'a\n', after: 'b\n' }, { state: 'held' }),
    writeFile(
      at(of, 4),
      blobs,
      { path: 'src/late.ts', before: 'a\n', after: 'b\n' },
      { state: 'approved', by: ended(2) },
    ),
  ];
}

function pages(at: At, of: LedgerSession, blobs: Blobs): readonly Made[] {
  return Array.from({ length: 18 }, (_, index) =>
    writeFile(at(of, 1 + Math.floor(index / 9)), blobs, {
      path: `site/page-${index + 1}.html`,
      before: `<h1>Page ${index}</h1>\n<p>Old text of the page</p>\n`,
      after: `<h1>Page ${index}</h1>\n<p>New text of the page</p>\n<p>More</p>\n`,
    }),
  );
}

function mails(at: At, of: LedgerSession, blobs: Blobs): readonly Made[] {
  return [
    message(
      at(of, 1),
      blobs,
      { to: 'ops-bot', text: 'Restart the worker at 15:00.\nThen tell the team.' },
      { awaitDecision: true },
    ),
    toolCall(at(of, 1), blobs, 'acme_create_ticket', {
      title: 'Disk is full',
      priority: 5,
      urgent: true,
      tags: ['disk', 'ops'],
    }),
    message(at(of, 1), blobs, { to: 'billing@ехample.com', text: 'The invoice is attached.' }),
    writeFile(
      at(of, 2),
      blobs,
      { path: 'etc/cron.txt', before: 'a\n', after: 'b\n' },
      {
        state: 'failed',
        why: 'The disk was full; nothing was changed.',
        attempts: 1,
      },
    ),
    message(
      at(of, 2),
      blobs,
      { to: 'status-page', text: 'All systems normal.' },
      {
        state: 'in-doubt',
        why: 'The answer did not come in time.',
        attempts: 1,
      },
    ),
    message(
      at(of, 2),
      blobs,
      { to: 'pager', text: 'Wake up.' },
      { state: 'not-applied', attempts: 1, mayHappenTwice: true },
    ),
    writeFile(at(of, 3), blobs, { path: 'rtl/\u05e9\u05dc\u05d5\u05dd \u202etxt.exe', before: null, after: 'x\n' }),
    writeFile(at(of, 3), blobs, {
      path: 'note.txt',
      before: 'one\ttwo\n',
      after: `one    two\n\u202eevil\u202c\n${'\n'.repeat(400)}rm -rf /\n`,
    }),
    writeFile(
      at(of, 3),
      blobs,
      { path: 'src/stale.ts', before: 'a\n', after: 'b\n' },
      {
        attention: { kind: 'stale', entry: 81, why: 'The approval was more than a day old.' },
        attentionEntry: 81,
      },
    ),
    writeFile(
      at(of, 3),
      blobs,
      { path: 'src/needs.ts', before: 'a\n', after: 'b\n' },
      {
        needs: { ranges: [[6, 8]], more: false },
        saw: {
          ranges: [
            [9, 10],
            [1, 1],
          ],
          more: false,
        },
      },
    ),
  ];
}

/** So many small writes that a list must not hold them all. */
export function manySet(nowMs: number, count: number): FixtureSet {
  const blobs = new Blobs();
  const at = placer(nowMs);
  const one = session(1, { name: 'rename everything' });
  const open = Array.from({ length: count }, (_, index) => {
    const path = `src/module-${Math.floor(index / 100)}/file-${index}.ts`;
    const place = at(one, 1 + Math.floor(index / 50));
    return writeFile(place, blobs, { path, before: 'old\n', after: 'new\n' });
  });
  return { sessions: [one], open, settled: [] };
}

/** Texts made to be taken for something else, in every place an agent can write to. */
export function hostileSet(nowMs: number, texts: readonly string[]): FixtureSet {
  const blobs = new Blobs();
  const at = placer(nowMs);
  const one = session(1, { name: texts[0] ?? '', client: texts[1] ?? '' });
  return {
    sessions: [one],
    settled: [],
    open: texts.flatMap((text, index) => [
      message(
        at(one, index),
        blobs,
        { to: text.slice(0, 200), text },
        { why: text.slice(0, 900), remark: text.slice(0, 900) },
      ),
      toolCall(at(one, index), blobs, text.slice(0, 100), { [text.slice(0, 60) || 'empty']: text }),
      writeFile(at(one, index), blobs, {
        path: text.slice(0, 200) || 'x',
        before: utf8(text),
        after: utf8(`${text}\n${text}`),
      }),
    ]),
  };
}
