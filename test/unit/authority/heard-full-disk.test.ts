import { expect, test } from 'vitest';
import { CountersignError } from '../../../src/base/errors.ts';
import { AUTHORITY_LIMITS } from '../../../src/authority/options.ts';
import type { JournalBatch, Outcome } from '../../../src/authority/ports.ts';
import { memoryJournal } from '../../../src/testing/index.ts';
import { overJournal } from '../../support/over-journal.ts';
import { post } from '../../support/post-surface.ts';
import { workshop } from '../../support/workshop.ts';

/** A disk that is full from when the first outcome `failed` is on it. */
function fullAfterFailure() {
  const disk = { full: false };
  const failed = ({ rows }: JournalBatch): boolean => rows.some(({ kind }) => kind === 'failed');
  const journal = overJournal(memoryJournal(), async (batch, store) => {
    if (disk.full) throw new CountersignError('full', 'The disk is full.');
    await store(batch);
    disk.full = failed(batch);
  });
  return { disk, journal };
}

test('[EF-6] all that was heard is weighed when a disk that was full has space again', async () => {
  const { disk, journal } = fullAfterFailure();
  const world = post({ effectClass: 'E3' });
  const { agent, alarms, authority, clock, idOf, person, settled, states } = await workshop({ shelf: world, journal });
  const waiting: ((outcome: Outcome) => void)[] = [];
  world.way.there = () => new Promise<Outcome>((resolve) => void waiting.push(resolve));
  world.way.asked = async () => ({ answer: 'unknown', why: 'The line is dead.' });
  await (await agent()).call({ tool: 'send', arguments: { text: 'one' }, callId: null });
  await person.approve([idOf(1)]);
  for (const attempt of [1, 2]) {
    await settled();
    clock.advance(AUTHORITY_LIMITS.effectMsMax);
    await settled();
    await person.decide({ kind: 'settle', ids: [idOf(1)], body: { answer: 'did-not', attempt } });
    await person.decide({ kind: 'retry', ids: [idOf(1)], body: { mayHappenTwice: true } });
  }
  await settled();
  expect([states(), waiting.length]).toEqual([{ 1: 'applying' }, 3]);
  const [first, second, third] = waiting;
  first?.({ type: 'applied', evidence: {}, drift: null });
  second?.({ type: 'applied', evidence: {}, drift: null });
  await settled();
  third?.({ type: 'failed', why: 'The box is full.' });
  await settled();
  expect([states(), disk.full]).toEqual([{ 1: 'failed' }, true]);
  clock.advance(AUTHORITY_LIMITS.fullRetryMs);
  await settled();
  disk.full = false;
  clock.advance(AUTHORITY_LIMITS.fullRetryMs);
  await settled();
  expect(authority.queue({ all: true })).toMatchObject([
    { state: 'applied', contradicted: true, why: expect.stringContaining('It happened twice') },
  ]);
  expect(alarms.filter((text) => text.startsWith('#1:'))).toHaveLength(2);
  expect(journal.liveRecords('meta').filter(({ key }) => key.startsWith('heard/'))).toEqual([]);
});
