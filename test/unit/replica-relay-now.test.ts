import { expect, test } from 'vitest';
import { deviceId, homeId } from '../../src/model/ids.ts';
import { keepRelayNow } from '../../src/replica/browser/relay-now.ts';
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
  await keepRelayNow(store, identity, answer);
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
