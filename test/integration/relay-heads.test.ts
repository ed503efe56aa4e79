import { describe, expect, test } from 'vitest';
import { headWord, toSubprotocols } from '../../src/access/credentials.ts';
import type { SignedText } from '../../src/model/signed-text.ts';
import { canonicalText } from '../../src/base/canonical-json.ts';
import { digestFrom } from '../../src/model/digest.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { RELAY_LIMITS } from '../../sync-server/limits.ts';
import { ask } from '../support/relay-http.ts';
import { RoomWriter } from '../support/relay-updates.ts';
import { relayLab, type RelayClient, type RelayLab } from '../support/relay-lab.ts';
import { credentialsWith, family, grantDevice, inboxOf, protocolsFor, ticketFor } from '../support/relay-people.ts';

const mine = family(10, 2);
const [device, other] = mine.devices;
if (device === undefined || other === undefined) throw new Error('no devices');

const ROOT = digestFrom(new Uint8Array(32));

async function putHead(lab: RelayLab, head: ReturnType<typeof mine.head>): Promise<number> {
  const ticket = await ticketFor(mine.home, lab.origin);
  return (await ask(lab.http, `/h/${mine.home.home}`, { method: 'PUT', ticket, body: canonicalText(head) })).status;
}

describe('a newer head', () => {
  test('ends the sockets and tickets of a device that is not in it, at once, and goes to everybody else', async () => {
    const lab = await relayLab();
    expect(await putHead(lab, mine.head(1))).toBe(204);
    const [gone, stays] = [await lab.join(mine.rooms.ledger, device), await lab.join(mine.rooms.ledger, other)];
    await Promise.all([gone.until('head'), stays.until('head')]);
    const ticket = await ticketFor(device, lab.origin);
    expect((await ask(lab.http, `/h/${mine.home.home}`, { ticket })).status).toBe(200);
    expect(await putHead(lab, mine.head(2, { roster: [other], rosterNumber: 2 }))).toBe(204);
    expect(await gone.closed).toMatchObject({ code: 4403 });
    expect((await ask(lab.http, `/h/${mine.home.home}`, { ticket })).status).toBe(401);
    await stays.until('head', ({ json }) => json.includes('\\"number\\":2'));
    expect(await (await lab.join(inboxOf(device), device)).closed).toMatchObject({ code: 4403 });
    // A grant that is newer than the roster was given after it.
    const again = grantDevice(mine.home, 11, 3);
    await (await (await lab.join(inboxOf(again), again)).open()).settled();
  });

  test('sends readers of a room that it replaces to the new one: 4410, over HTTP 410; the writer stays', async () => {
    const lab = await relayLab();
    await putHead(lab, mine.head(1));
    const reader = await lab.join(mine.rooms.ledger, device);
    const writer = await lab.join(mine.rooms.ledger, mine.home);
    await Promise.all([reader.until('head'), writer.until('head')]);
    await putHead(lab, mine.head(2, { room: '1.2' }));
    expect(await reader.closed).toMatchObject({ code: 4410 });
    await writer.until('head', ({ json }) => json.includes('\\"number\\":2'));
    expect(await (await lab.join(mine.rooms.ledger, device)).closed).toMatchObject({ code: 4410 });
    const ticket = await ticketFor(device, lab.origin);
    expect((await ask(lab.http, `/r/${mine.rooms.ledger}/snapshot`, { ticket })).status).toBe(410);
    expect(writer.over).toBeUndefined();
  });

  test('ends the readers of a tile of the home’s own log that a newer one took the place of', async () => {
    const lab = await relayLab();
    const log = (tile: string) => ({ keyGen: 1, tile, manifestRoot: null, size: 1, root: ROOT, boxes: [], older: [] });
    await putHead(lab, mine.head(1, { log: log('1.1') }));
    const name = `a/${mine.home.home}/-/1.1`;
    const reader = await lab.join(name, device);
    await reader.until('head');
    await putHead(lab, mine.head(2, { log: log('1.2') }));
    expect(await reader.closed).toMatchObject({ code: 4410 });
    const next = await lab.join(name.replace('1.1', '1.2'), device);
    await next.until('head');
    expect(next.over).toBeUndefined();
  });

  test('sets the bytes free of rooms that it replaces', async () => {
    const clock = new FakeClock();
    const lab = await relayLab({ clock });
    await putHead(lab, mine.head(1));
    const ticket = await ticketFor(mine.home, lab.origin);
    const body = new RoomWriter('q/').write(1, new Uint8Array(5_000));
    for (const room of [mine.rooms.ledger, mine.rooms.ledger.replace(/1\.1$/, '1.2')])
      expect((await ask(lab.http, `/r/${room}/snapshot`, { method: 'PUT', ticket, body })).status).toBe(204);
    const both = lab.relay.metrics.read().stored_bytes;
    clock.advance(RELAY_LIMITS.roomIdleMs);
    await putHead(lab, mine.head(2, { room: '1.2' }));
    expect(lab.relay.metrics.read().stored_bytes).toBe(both / 2);
  });

  test('is not shown again to who says that it has it; a lower one, or another of its number, is', async () => {
    const lab = await relayLab();
    await putHead(lab, mine.head(4));
    const shownTo = async (has: SignedText): Promise<boolean> => {
      const words = await protocolsFor(device, mine.rooms.ledger, lab.origin);
      const knows = await (await lab.join(mine.rooms.ledger, [...words, headWord(has)])).open();
      await knows.settled();
      return knows.seen.some(({ type }) => type === 'head');
    };
    expect(await shownTo(mine.head(4))).toBe(false);
    expect(await shownTo(mine.head(3))).toBe(true);
    expect(await shownTo(mine.head(5))).toBe(true);
    expect(await shownTo(mine.head(4, { room: '9.9' }))).toBe(true);
  });

  test('is no head with a lower number, another one of the same number, or one that another key signed', async () => {
    const lab = await relayLab();
    expect(await putHead(lab, mine.head(5))).toBe(204);
    expect(await putHead(lab, mine.head(5))).toBe(204);
    expect(await putHead(lab, mine.head(4))).toBe(409);
    expect(await putHead(lab, mine.head(5, { room: '9.9' }))).toBe(409);
    expect(await putHead(lab, family(50, 0).head(6))).toBe(400);
  });
});

describe('proofs', () => {
  test.each([
    ['spent', async (lab: RelayLab) => reuse(lab)],
    ['for another room', async (lab: RelayLab) => lab.join(mine.rooms.tile, await wordsFor(lab, mine.rooms.ledger))],
    [
      'that names another room than its challenge was given for',
      async (lab: RelayLab) => {
        const challenge = await challengeOf(lab, mine.rooms.ledger);
        const named = credentialsWith(mine.home, { room: mine.rooms.tile, origin: lab.origin, challenge });
        return lab.join(mine.rooms.ledger, toSubprotocols(named));
      },
    ],
    [
      'of a device that says it is another',
      async (lab: RelayLab) => {
        const challenge = await challengeOf(lab, mine.rooms.ledger);
        const stolen = { ...device, signer: other.signer };
        return lab.join(
          mine.rooms.ledger,
          toSubprotocols(credentialsWith(stolen, { room: mine.rooms.ledger, origin: lab.origin, challenge })),
        );
      },
    ],
    [
      'for another relay',
      async (lab: RelayLab) => lab.join(mine.rooms.ledger, await wordsFor(lab, mine.rooms.ledger, 'ws://127.0.0.1:1')),
    ],
    ['malformed', async (lab: RelayLab) => lab.join(mine.rooms.ledger, ['countersign.1', 'auth.nonsense'])],
    ['missing', async (lab: RelayLab) => lab.join(mine.rooms.ledger, ['countersign.1'])],
  ] as const)('%s: the upgrade is accepted, then closed with 4401', async (_what, join) => {
    const lab = await relayLab({ admission: { open: false, homes: [mine.home.home], tokens: [] } });
    const client = await (await join(lab)).open();
    expect(await client.closed).toMatchObject({ code: 4401 });
  });

  test('too old: 4401', async () => {
    const clock = new FakeClock();
    const lab = await relayLab({ clock });
    const words = await wordsFor(lab, mine.rooms.ledger);
    clock.advance(RELAY_LIMITS.challengeMs);
    expect(await (await lab.join(mine.rooms.ledger, words)).closed).toMatchObject({ code: 4401 });
  });

  test('of a home that is not served: 4403, and no ticket', async () => {
    const lab = await relayLab({ admission: { open: false, homes: [family(50, 0).home.home], tokens: [] } });
    expect(await (await lab.join(mine.rooms.ledger, mine.home)).closed).toMatchObject({ code: 4403 });
    expect(await ticketFor(mine.home, lab.origin)).toBe(403);
  });
});

async function wordsFor(lab: RelayLab, room: string, origin = lab.origin): Promise<readonly string[]> {
  const challenge = await challengeOf(lab, room);
  return toSubprotocols(credentialsWith(mine.home, { room, origin, challenge }));
}

async function challengeOf(lab: RelayLab, room: string): Promise<string> {
  const { text } = await ask(lab.http, `/challenge?room=${encodeURIComponent(room)}`);
  // reason: what the relay under test answers
  return (JSON.parse(text) as { challenge: string }).challenge;
}

async function reuse(lab: RelayLab): Promise<RelayClient> {
  const words = await wordsFor(lab, mine.rooms.ledger);
  await (await (await lab.join(mine.rooms.ledger, words)).open()).settled();
  return lab.join(mine.rooms.ledger, words);
}
