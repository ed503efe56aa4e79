import { expect, test } from 'vitest';
import { utf8 } from '../../src/base/bytes.ts';
import { canonicalText } from '../../src/base/canonical-json.ts';
import { nodeCrypto } from '../../src/crypto/node.ts';
import { openHeadFeed } from '../../src/sync/head-feed.ts';
import { headOf, homeIdentity, signedHead } from '../support/sync-lab.ts';

const json = (number: number) => {
  const { payload, signature } = signedHead(headOf(number));
  return utf8(canonicalText({ payload, signature }));
};

/** A feed whose questions wait for the test to answer them. */
function lab() {
  const asked: ((body: Uint8Array) => void)[] = [];
  const odd: string[] = [];
  const feed = openHeadFeed({
    tickets: { call: () => new Promise((resolve) => asked.push(resolve)) },
    identity: homeIdentity,
    verify: nodeCrypto.verify,
    known: undefined,
    onFault: (thrown) => {
      throw thrown;
    },
  });
  feed.subscribeOddities(({ kind }) => odd.push(kind));
  return { asked, feed, odd };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
}

test('[T9] an older head that a newer one overtook on the way is no going back', async () => {
  const { asked, feed, odd } = lab();
  const answer = feed.refresh();
  feed.take(json(6));
  asked[0]?.(json(5));
  await answer;
  await settle();
  expect([odd, feed.newest()?.head.number, asked.length]).toEqual([[], 6, 2]);
  asked[1]?.(json(6));
  await settle();
  expect(odd).toEqual([]);
});

test('[T9] one that the relay still shows when it is asked again is', async () => {
  const { asked, feed, odd } = lab();
  feed.take(json(6));
  feed.take(json(5));
  feed.take(json(4));
  expect([odd, asked.length]).toEqual([[], 1]);
  asked[0]?.(json(5));
  await settle();
  expect([odd, feed.newest()?.head.number]).toEqual([['rollback'], 6]);
});
