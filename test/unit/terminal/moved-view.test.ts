import { expect, test } from 'vitest';
import { renderMoved, renderNearlyFull } from '../../../src/cli/terminal/moved-view.ts';
import { actionIdOf, rowOf, sessionIdOf } from '../../support/queue-rows.ts';
import { screenOf } from '../../support/screens.ts';

test('[GM-4] what moved is one block with its ways on, and nothing where nothing did', () => {
  const why = 'This was made on main, and your files are on topic now.';
  expect(renderMoved({ why, actions: [actionIdOf(1), actionIdOf(2)] }, screenOf(80)).join('\n')).toMatchInlineSnapshot(`
    "! This was made on main, and your files are on topic now. 2 actions stopped
    because of it, and what stands behind them waits. Switch back, or put the files
    back, and all of it goes on by itself. Or:
      countersign resolve --moved merge   make them anew on your files as they are
      countersign hold --moved            set them aside
    "
  `);
  expect(renderMoved(null, screenOf(80))).toEqual([]);
  const hostile = renderMoved({ why: 'on \u001b[31mred\u202e now', actions: [actionIdOf(1)] }, screenOf(80)).join('');
  expect(hostile).not.toMatch(/[\u001b\u202e]/u);
});

test('[CP-1] a queue that is nearly full says whose, and only of sessions that are shown', () => {
  const session = { id: sessionIdOf(1), client: 'agent', level: 'advisory', connected: true, wakes: false } as const;
  const sessions = [
    { ...session, nearlyFull: 'The queue is 80 % full.' },
    { ...session, id: sessionIdOf(2), nearlyFull: 'Not shown.' },
  ];
  expect(renderNearlyFull([rowOf(1)], sessions, screenOf(80))).toEqual(['! agent: The queue is 80 % full.']);
});
