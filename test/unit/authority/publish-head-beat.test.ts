import { expect, test } from 'vitest';
import { PUBLISH_LIMITS } from '../../../src/authority/publish/limits.ts';
import { digestFrom } from '../../../src/model/digest.ts';
import { publishLab, type PublishLab } from '../../support/publish-lab.ts';
import { put } from '../../support/workshop.ts';

function newest({ heads }: PublishLab) {
  const heartbeat = heads.at(-1)?.heartbeat;
  if (heartbeat === undefined) throw new Error('the head holds no heartbeat');
  return heartbeat;
}

test('[DC-5] the head of an idle workspace gets a heartbeat every ten minutes and no more often', async () => {
  const lab = await publishLab();
  await put(await lab.agent(), 'a', 'one');
  await lab.settled();
  const [first, heads, beats] = [newest(lab), lab.heads.length, lab.outlet.beats.length];
  for (let atMs = 0; atMs < PUBLISH_LIMITS.headBeatMs - PUBLISH_LIMITS.heartbeatMs; atMs += PUBLISH_LIMITS.heartbeatMs)
    lab.world.clock.advance(PUBLISH_LIMITS.heartbeatMs);
  expect(lab.heads.length - heads).toBe(0);
  expect(lab.outlet.beats.length - beats, 'those who look hear one every 15 s').toBeGreaterThan(30);
  lab.world.clock.advance(PUBLISH_LIMITS.heartbeatMs);
  expect(lab.heads.length - heads).toBe(1);
  expect(newest(lab).counter).toBeGreaterThan(first.counter);
  expect(newest(lab).atMs - first.atMs).toBeGreaterThanOrEqual(PUBLISH_LIMITS.headBeatMs - PUBLISH_LIMITS.heartbeatMs);
});

test('[DC-5] the last word of a runtime that ends is a heartbeat of the whole log in the head', async () => {
  const lab = await publishLab();
  await put(await lab.agent(), 'a', 'one');
  await lab.settled();
  const before = newest(lab);
  lab.world.clock.advance(PUBLISH_LIMITS.heartbeatMs * 2);
  await lab.authority.stop();
  const last = lab.rows.at(-1);
  if (last === undefined) throw new Error('the end is an entry');
  expect(last.kind).toBe('stopped');
  expect(newest(lab)).toMatchObject({ size: last.seq, root: digestFrom(last.root) });
  expect(newest(lab).counter).toBeGreaterThan(before.counter);
});
