import { once } from 'node:events';
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { VERSION } from '../../src/base/version.ts';
import { ask } from '../support/relay-http.ts';
import { RelayClient } from '../support/relay-lab.ts';
import { family, protocolsFor, ticketFor, type Person } from '../support/relay-people.ts';
import { startRelay } from '../support/relay-process.ts';
import { contentsOf, docOf, RoomWriter } from '../support/relay-updates.ts';
import { tempDir } from '../support/temp-dir.ts';

const mine = family(10, 1);
const [device] = mine.devices;
if (device === undefined) throw new Error('no device');
const CANARY = 'c4n4ry-4f1e-8d2b';

async function client(url: string, room: string, who?: Person): Promise<RelayClient> {
  const origin = url.replace(/^http/, 'ws');
  return new RelayClient(`${origin}/${room}`, who === undefined ? [] : await protocolsFor(who, room, origin));
}

describe('the relay as a process', () => {
  test('says where it listens, answers /healthz, and ends at SIGTERM with 1001 for everybody', async () => {
    const relay = startRelay('--port', '0', '--open', '--data', await tempDir());
    const url = await relay.url;
    const health = await fetch(`${url}/healthz`);
    expect(health.status).toBe(200);
    expect(health.headers.get('content-type')).toBe('application/json');
    expect(await health.json()).toEqual({ status: 'ok', version: VERSION });
    const socket = await (await client(url, 'notes')).open();
    socket.sendUpdate(new RoomWriter('notes').write(1));
    await socket.settled();
    relay.child.kill('SIGTERM');
    expect(await socket.closed).toMatchObject({ code: 1001 });
    expect((await relay.ended).code).toBe(0);
    await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed');
  });

  test('has nothing else, and says so', async () => {
    const url = await startRelay('--port=0', '--open', '--data', await tempDir()).url;
    expect(await ask(url, '/')).toMatchObject({ status: 404, text: expect.stringContaining('nothing here') });
    expect(await ask(url, '/healthz', { method: 'POST', body: '{}' })).toMatchObject({ status: 405 });
  });

  test('refuses what it cannot do, in one sentence', async () => {
    const running = startRelay('--port', '0', '--open', '--data', await tempDir());
    const { port } = new URL(await running.url);
    const data = await tempDir();
    const cases = [
      [startRelay('--port', port, '--open', '--data', data), 1, /^The relay cannot listen on .*\.\n$/],
      [startRelay('--port', '70000', '--open'), 2, /^The port must be .*"70000"\.\n$/],
      [startRelay('--port', '0'), 2, /^Say whom the relay serves: .*\.\n$/],
    ] as const;
    for (const [relay, code, sentence] of cases)
      expect(await relay.ended).toEqual({ code, said: expect.stringMatching(sentence) });
  });

  test('keeps every change it acknowledged through kill -9, and a restart gives them back', async () => {
    const data = await tempDir();
    const source = new RoomWriter('q/');
    let acknowledged = 0;
    for (let round = 0; round < 3; round++) {
      const relay = startRelay('--port', '0', '--home', mine.home.home, '--data', data);
      const writer = await (await client(await relay.url, mine.rooms.ledger, mine.home)).open();
      const asked = await writer.until('step1');
      // What was acknowledged is there; what was not is sent again.
      const missing = Y.encodeStateAsUpdate(source.doc, asked.bytes);
      expect(contentsOf(docOf(source.state)).length - newRecords(missing)).toBeGreaterThanOrEqual(acknowledged);
      const kept = contentsOf(source.doc).length;
      const hasNews = missing.length > 2;
      if (hasNews) writer.sendStep2(missing);
      for (let n = 0; n < 400; n++) writer.sendUpdate(source.write(n, Uint8Array.of(round, n >> 8, n & 255)));
      // In the middle of it.
      const last = await writer.until('durable', ({ through }) => through >= 50 * (round + 1));
      relay.child.kill('SIGKILL');
      await relay.ended;
      const durable = writer.seen.findLast(({ type }) => type === 'durable');
      const through = durable?.type === 'durable' ? durable.through : last.through;
      acknowledged = kept + through - (hasNews ? 1 : 0);
    }
    const relay = startRelay('--port', '0', '--home', mine.home.home, '--data', data);
    const url = await relay.url;
    const ticket = await ticketFor(device, url.replace(/^http/, 'ws'));
    const { bytes } = await ask(url, `/r/${mine.rooms.ledger}/snapshot`, { ticket });
    const stored = contentsOf(docOf(bytes));
    expect(stored.length).toBeGreaterThanOrEqual(acknowledged);
    expect(stored).toEqual(contentsOf(source.doc).slice(0, stored.length));
  });

  test('works again after its store is gone: its writer fills it', async () => {
    const data = await tempDir();
    const source = new RoomWriter('q/');
    const run = async (): Promise<readonly string[]> => {
      const relay = startRelay('--port', '0', '--home', mine.home.home, '--data', data);
      const url = await relay.url;
      const writer = await (await client(url, mine.rooms.ledger, mine.home)).open();
      const asked = await writer.until('step1');
      source.write(1);
      writer.sendStep2(Y.encodeStateAsUpdate(source.doc, asked.bytes));
      await writer.until('durable');
      const ticket = await ticketFor(device, url.replace(/^http/, 'ws'));
      const { bytes } = await ask(url, `/r/${mine.rooms.ledger}/snapshot`, { ticket });
      relay.child.kill('SIGKILL');
      await relay.ended;
      return contentsOf(docOf(bytes));
    };
    expect(await run()).toHaveLength(1);
    await rm(data, { recursive: true });
    expect(await run()).toHaveLength(2);
  });

  test('refuses a damaged store with a sentence that says what to do', async () => {
    const data = await tempDir();
    const first = startRelay('--port', '0', '--open', '--data', data);
    const socket = await (await client(await first.url, 'notes')).open();
    const source = new RoomWriter('notes');
    for (let n = 0; n < 100; n++) socket.sendUpdate(source.write(n, new Uint8Array(1_000)));
    await socket.settled();
    first.child.kill('SIGTERM');
    await first.ended;
    truncateSync(join(data, 'relay.db'), 8_192);
    const again = await startRelay('--port', '0', '--open', '--data', data).ended;
    expect(again).toEqual({
      code: 1,
      said: expect.stringMatching(/^The relay's store in .* is damaged .*send what they have\.\n$/),
    });
  });

  test('[T20] writes neither contents nor secrets into its log', async () => {
    const data = await tempDir();
    const token = `${CANARY}-token-${CANARY}`;
    const admit = join(data, 'tokens.jsonl');
    writeFileSync(admit, `${JSON.stringify({ token, nickname: 'friends' })}\n`);
    const relay = startRelay('--port', '0', '--open', '--admit', admit, '--data', join(data, 'store'));
    const url = await relay.url;
    const origin = url.replace(/^http/, 'ws');
    const words = await protocolsFor(mine.home, mine.rooms.ledger, origin);
    const writer = await new RelayClient(`${origin}/${mine.rooms.ledger}`, words).open();
    writer.sendUpdate(new RoomWriter('q/').write(1, new TextEncoder().encode(CANARY)));
    await writer.until('durable');
    const stock = await new RelayClient(`${origin}/notes?secret=${CANARY}`, [`token.${token}`]).open();
    stock.sendRaw(new TextEncoder().encode(CANARY));
    await stock.closed;
    const turnedAway = await new RelayClient(`${origin}/notes`, [`token.wrong-${CANARY}`]).closed;
    expect(turnedAway.code).toBe(4401);
    const ticket = await ticketFor(mine.home, origin, token);
    await ask(url, `/o/${mine.home.home}/b/w/1`, { method: 'PUT', ticket, body: CANARY });
    await ask(url, `/h/${mine.home.home}`, {
      method: 'PUT',
      ticket,
      body: JSON.stringify({ payload: CANARY, signature: '' }),
    });
    relay.child.kill('SIGTERM');
    const { said } = await relay.ended;
    expect(said).toContain('"opened"');
    expect(said).toContain('"closed"');
    expect(said).toContain('"turned away"');
    for (const secret of [CANARY, String(ticket), ...words.slice(1)]) expect(said.includes(secret)).toBe(false);
    // A token is nowhere on disk but in the file of its owner; what was stored is.
    const files = readdirSync(join(data, 'store')).map((name) => readFileSync(join(data, 'store', name), 'latin1'));
    expect(files.some((text) => text.includes(CANARY))).toBe(true);
    expect(files.some((text) => text.includes(token))).toBe(false);
  });

  test('a second relay on one store is refused', async () => {
    const data = await tempDir();
    const first = startRelay('--port', '0', '--open', '--data', data);
    await first.url;
    const second = await startRelay('--port', '0', '--open', '--data', data).ended;
    expect(second).toEqual({ code: 1, said: expect.stringMatching(/^Another relay has the store in .* open\.\n$/) });
    expect(first.child.exitCode).toBeNull();
    first.child.kill('SIGINT');
    expect(await once(first.child, 'exit')).toEqual([0, null]);
  });
});

/** Records in an update that another copy lacks. */
function newRecords(update: Uint8Array): number {
  return Y.decodeUpdate(update).structs.filter((struct) => struct instanceof Y.Item).length;
}
