import { expect, test } from 'vitest';
import { deviceId, homeId } from '../../src/model/ids.ts';
import { homeNow, keepRelayNow, standingOf } from '../../src/replica/browser/home-now.ts';
import { memoryStorage } from '../../src/replica/index.ts';
import type { Identity } from '../../src/replica/ports.ts';

const identity: Identity = {
  home: homeId(new Uint8Array(16)),
  homeKey: 'f'.repeat(64),
  device: deviceId(new Uint8Array(16)),
  nickname: 'laptop',
  relayUrl: 'ws://localhost:1',
  grant: { payload: '{}', signature: 'f'.repeat(128) },
  keys: null,
};

async function relayAfter(answer: () => Promise<{ readonly ok: boolean; text(): Promise<string> }>) {
  const { identity: store } = memoryStorage();
  await store.save(identity);
  await keepRelayNow(store, identity, await homeNow(identity, answer));
  return (await store.load())?.relayUrl;
}

const says =
  (value: unknown, ok = true) =>
  async () => ({ ok, text: async () => JSON.stringify(value) });

test('a home that moved to another relay takes its panels along', async () => {
  const said = { home: identity.home, relayUrl: 'wss://relay.example', version: '1' };
  expect(await relayAfter(says(said))).toBe('wss://relay.example');
});

test.each([
  ['does not answer', () => Promise.reject(new TypeError('no network'))],
  ['says that there is nothing', says({}, false)],
  ['says something else', says({ relayUrl: 'wss://relay.example' })],
  ['is another home', says({ home: homeId(new Uint8Array(16).fill(1)), relayUrl: 'wss://x.example', version: '1' })],
  ['says too much', says({ home: identity.home, relayUrl: 'x'.repeat(10_000), version: '1' })],
  ['says no JSON', async () => ({ ok: true, text: async () => '<!doctype html>' })],
] as const)('one that %s changes nothing', async (_what, answer) => {
  expect(await relayAfter(answer)).toBe('ws://localhost:1');
});

test.each([
  ['of a browser that never was one', undefined, { home: identity.home, relayUrl: 'ws://x', member: false }, 'none'],
  ['of a home that sleeps', identity, undefined, 'device'],
  ['of a home that counts it', identity, { home: identity.home, relayUrl: 'ws://x', member: true }, 'device'],
  ['of a home that does not say', identity, { home: identity.home, relayUrl: 'ws://x' }, 'device'],
  ['of a home that removed it', identity, { home: identity.home, relayUrl: 'ws://x', member: false }, 'removed'],
  ['of another home at the same port', identity, { home: 'h-other', relayUrl: 'ws://x', member: false }, 'other-home'],
] as const)('what a browser is: %s', (_what, known, now, standing) => {
  expect(standingOf(known, now)).toBe(standing);
});

test('the home is asked about this very device', async () => {
  const asked: string[] = [];
  await homeNow(identity, async (path) => {
    asked.push(path);
    return { ok: false, text: async () => '' };
  });
  expect(asked).toEqual([`/panel/home?device=${identity.device}`]);
});
