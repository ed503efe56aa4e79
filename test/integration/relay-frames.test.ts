import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { relayLab, saying, type RelayClient } from '../support/relay-lab.ts';
import { bytesUntilEnd, closeCodeIn, upgradedByHand } from '../support/relay-raw.ts';
import { RoomWriter } from '../support/relay-updates.ts';

const MIB = 1024 * 1024;

describe('[F8] a frame that a relay does not take ends its socket, with a code', () => {
  const masked = (first: number, payload: Uint8Array): Uint8Array => {
    const head =
      payload.length < 126
        ? [first, 0x80 | payload.length]
        : [first, 0x80 | 126, payload.length >> 8, payload.length & 255];
    return Uint8Array.from([...head, 0, 0, 0, 0, ...payload]);
  };

  test('too long in one piece: 4413', async () => {
    const lab = await relayLab();
    const client = await (await lab.join('notes')).open();
    client.sendRaw(new Uint8Array(MIB + 1));
    expect(await client.closed).toMatchObject({ code: 4413, reason: 'A message was larger than the relay takes.' });
  });

  test('too long in many pieces: 4413, and not one piece more is kept', async () => {
    const lab = await relayLab();
    const client = await (await lab.join('notes')).open();
    for (let piece = 0; piece < 20; piece++) client.socket.send(new Uint8Array(64 * 1024), { fin: false });
    expect(await client.closed).toMatchObject({ code: 4413 });
  });

  test.each([
    ['text', (client: RelayClient) => client.socket.send('hello'), 4422],
    ['an unknown message', (client: RelayClient) => client.sendRaw(Uint8Array.of(42)), 4422],
    ['an empty one', (client: RelayClient) => client.sendRaw(new Uint8Array()), 4422],
    ['one that ends too early', (client: RelayClient) => client.sendRaw(Uint8Array.of(0, 2, 200, 1)), 4422],
    ['one with something after it', (client: RelayClient) => client.sendRaw(Uint8Array.of(3, 0)), 4422],
    ['an update that is none', (client: RelayClient) => client.sendUpdate(Uint8Array.of(255, 255, 255)), 4422],
    ['an update in version 2', (client: RelayClient) => client.sendUpdate(version2()), 4422],
    ['a state vector that is none', (client: RelayClient) => client.sendStep1(Uint8Array.of(200)), 4422],
    ['a presence that is no JSON', (client: RelayClient) => client.sendAwareness(saying(1, 1, '{')), 4422],
    ['a presence too long', (client: RelayClient) => client.sendAwareness(saying(1, 1, `"${'x'.repeat(4096)}"`)), 4413],
  ] as const)('%s', async (_what, act, code) => {
    const lab = await relayLab();
    const client = await (await lab.join('notes')).open();
    act(client);
    expect(await client.closed).toMatchObject({ code });
    // The room goes on for others.
    await (await (await lab.join('notes')).open()).settled();
  });

  test('a frame that breaks RFC 6455: 1002', async () => {
    const lab = await relayLab();
    const raw = await upgradedByHand(lab.port, 'notes');
    raw.write(masked(0xf2, Uint8Array.of(0)));
    expect(closeCodeIn(await bytesUntilEnd(raw))).toBe(1002);
  });

  test('one struct too many that waits for what never comes: 4422', async () => {
    const lab = await relayLab();
    const client = await (await lab.join('notes')).open();
    const writer = new RoomWriter('notes');
    const updates = Array.from({ length: 200 }, (_, n) => writer.write(n));
    for (const update of updates.slice(1)) client.sendUpdate(update);
    expect(await client.closed).toMatchObject({ code: 4422 });
  });
});

function version2(): Uint8Array {
  const doc = new Y.Doc();
  doc.getArray('records').push([Uint8Array.of(1)]);
  return Y.encodeStateAsUpdateV2(doc);
}
