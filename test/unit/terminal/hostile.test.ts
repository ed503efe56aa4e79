import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { utf8 } from '../../../src/base/bytes.ts';
import { renderAction } from '../../../src/cli/terminal/action-view.ts';
import { advanceProgress, NO_PROGRESS } from '../../../src/cli/terminal/progress.ts';
import { renderQueue } from '../../../src/cli/terminal/queue-view.ts';
import { interpretCard } from '../../../src/model/card.ts';
import { contentOf } from '../../support/action-content.ts';
import { detailOf, NOW_MS, rowOf, sessionIdOf } from '../../support/queue-rows.ts';
import { expectSafe, screenOf, uncoloured, WIDTHS } from '../../support/screens.ts';

interface HostileCase {
  readonly name: string;
  readonly parts: readonly (string | { readonly repeat: string; readonly times: number })[];
}

/** Floods are shortened here; in their full size they are shown by the tests of display. */
const PART_TIMES_MAX = 2_000;
const CASES: readonly HostileCase[] = JSON.parse(
  readFileSync(new URL('../../golden/hostile-text.json', import.meta.url), 'utf8'),
);

function textOf({ parts }: HostileCase): string {
  return parts
    .map((part) => (typeof part === 'string' ? part : part.repeat.repeat(Math.min(part.times, PART_TIMES_MAX))))
    .join('');
}

/** Every view with the text in every place that takes text from outside. */
function views(text: string, columns: number, options: { readonly colours: boolean }): readonly string[] {
  const screen = screenOf(columns, options);
  const words = { title: text, why: text, kind: text, tool: text, target: text, changeSet: text };
  const row = rowOf(1, {
    ...words,
    verdict: { autoApprovable: false, reason: text },
    attention: { kind: text, entry: 1, why: text },
    state: 'in-doubt',
  });
  const sessions = [
    { id: sessionIdOf(1), client: text, level: 'advisory', connected: true, wakes: false, nearlyFull: null } as const,
  ];
  const other = rowOf(2, { ...words, changeSet: 's/2' });
  const card = interpretCard(null, contentOf({ tool: text, arguments: { [text.slice(0, 500)]: text } }));
  const history = [{ seq: 1, atMs: NOW_MS, kind: text, by: text, detail: { why: text } }];
  const bytes = { bytes: utf8(text), mode: null };
  const action = renderAction(
    {
      detail: detailOf(row, { history, holds: [{ hash: row.digest, by: text }] }),
      card,
      changes: [{ path: text, from: `${text}2`, before: { bytes: utf8('a\n'), mode: null }, after: bytes }],
      seqs: new Map(),
      sessions,
      agentText: text,
      revert: { feasible: true, why: text },
      all: false,
    },
    screen,
  );
  const progress = advanceProgress(NO_PROGRESS, [row, { ...other, state: 'applying' }], { ...screen, rewrites: true });
  const queue = renderQueue([row, other], screen, { sessions, uninspectable: new Set() });
  return [...queue, ...action.lines, ...progress.lines, progress.status ?? ''];
}

test.each(CASES)('[T2] $name stays inside its lines on every screen', (hostile) => {
  const text = textOf(hostile);
  for (const columns of WIDTHS) {
    const plain = views(text, columns, { colours: false });
    expectSafe(plain, screenOf(columns));
    const coloured = views(text, columns, { colours: true });
    expect(uncoloured(coloured)).toEqual(plain);
  }
});
