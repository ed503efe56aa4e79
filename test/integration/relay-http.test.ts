import { describe, expect, test } from 'vitest';
import { canonicalText } from '../../src/base/canonical-json.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { RELAY_LIMITS } from '../../sync-server/limits.ts';
import { ask } from '../support/relay-http.ts';
import { RelayClient, relayLab } from '../support/relay-lab.ts';
import { family, protocolsFor, ticketFor } from '../support/relay-people.ts';
import { rawHttp } from '../support/raw-http.ts';
import { RoomWriter } from '../support/relay-updates.ts';

const PAGE = 'http://localhost:4321';
const TOKEN = 'a-token-of-twenty-two-chars';
const mine = family(10, 1);
const [device] = mine.devices;
if (device === undefined) throw new Error('no device');
const OBJECT = `/o/${mine.home.home}/b/w-1/0123`;

describe('[T14] pages and names', () => {
  const hosts = ['right', 'evil.example', 'localhost.evil.example', '127.0.0.1', 'twice', 'missing'] as const;
  const origins = ['none', PAGE, 'null', 'http://evil.example', `${PAGE}.evil.example`, `${PAGE}/`, 'twice'] as const;
  const rows = hosts.flatMap((host) => origins.map((origin) => [host, origin] as const));

  test.each(rows)(
    'Host %s, Origin %s: only the exact names are answered, over HTTP and WebSocket',
    async (host, origin) => {
      const lab = await relayLab({ pageOrigins: [PAGE] });
      const right = `127.0.0.1:${lab.port}`;
      const headers: [string, string][] = [];
      if (host === 'twice') headers.push(['Host', right], ['Host', right]);
      else if (host !== 'missing') headers.push(['Host', host === 'right' ? right : host]);
      if (origin === 'twice') headers.push(['Origin', PAGE], ['Origin', PAGE]);
      else if (origin !== 'none') headers.push(['Origin', origin]);
      const good = host === 'right' && (origin === 'none' || origin === PAGE);
      const request = { method: 'GET', target: '/healthz', headers, body: '' };
      const answer = await rawHttp('127.0.0.1', lab.port, request);
      if (good) expect(answer.status).toBe(200);
      else expect([400, 403]).toContain(answer.status);
      expect(/access-control-allow-origin: (.*)\r/.exec(answer.head)?.[1]).toBe(
        good && origin === PAGE ? PAGE : undefined,
      );
      const upgrade: [string, string][] = [
        ['Connection', 'Upgrade'],
        ['Upgrade', 'websocket'],
        ['Sec-WebSocket-Version', '13'],
        ['Sec-WebSocket-Key', Buffer.alloc(16, 1).toString('base64')],
      ];
      if (good) {
        const options = origin === PAGE ? { origin: PAGE } : {};
        await (await new RelayClient(`${lab.origin}/notes`, [], options).open()).settled();
      } else {
        const refused = { ...request, target: '/notes', headers: [...headers, ...upgrade] };
        expect([400, 403]).toContain((await rawHttp('127.0.0.1', lab.port, refused)).status);
      }
    },
  );

  test('a target that names another host is refused', async () => {
    const lab = await relayLab();
    const headers = [['Host', `127.0.0.1:${lab.port}`]] as const;
    for (const target of ['//evil.example/healthz', `http://evil.example/healthz`]) {
      const answer = await rawHttp('127.0.0.1', lab.port, { method: 'GET', target, headers, body: '' });
      expect(answer.status).toBeGreaterThanOrEqual(400);
    }
  });

  test('a page asks first, and is told what it may send; a form’s body is never taken', async () => {
    const lab = await relayLab({ pageOrigins: [PAGE] });
    const preflight = await ask(lab.http, OBJECT, { method: 'OPTIONS', headers: { origin: PAGE } });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, HEAD, PUT, POST, DELETE, OPTIONS');
    expect(preflight.headers.get('access-control-allow-headers')).toBe('authorization, content-type');
    expect(preflight.headers.get('access-control-allow-origin')).toBe(PAGE);
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
    expect(
      (await ask(lab.http, OBJECT, { method: 'OPTIONS', headers: { origin: 'http://evil.example' } })).status,
    ).toBe(403);
    const ticket = await ticketFor(mine.home, lab.origin);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', '']) {
      const headers = { 'content-type': type };
      expect((await ask(lab.http, '/ticket', { method: 'POST', body: '{}', headers })).status).toBe(415);
      expect((await ask(lab.http, OBJECT, { method: 'PUT', ticket, body: '{}', headers })).status).toBe(415);
      expect((await ask(lab.http, `/h/${mine.home.home}`, { method: 'PUT', ticket, body: '{}', headers })).status).toBe(
        415,
      );
    }
  });
});

describe('objects', () => {
  test('never change, are kept by who fetched them for ever, and go when the home says so', async () => {
    const lab = await relayLab();
    const ticket = await ticketFor(mine.home, lab.origin);
    const put = async (byte: number) => ask(lab.http, OBJECT, { method: 'PUT', ticket, body: Uint8Array.of(byte) });
    expect((await put(1)).status).toBe(204);
    expect((await put(1)).status).toBe(204);
    expect((await put(2)).status).toBe(409);
    const got = await ask(lab.http, OBJECT, { ticket });
    expect([...got.bytes]).toEqual([1]);
    expect(got.headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
    expect(got.headers.get('content-type')).toBe('application/octet-stream');
    expect(got.headers.get('x-content-type-options')).toBe('nosniff');
    expect(lab.relay.metrics.read().stored_bytes).toBe(1);
    const there = await ask(lab.http, OBJECT, { method: 'HEAD', ticket });
    expect([there.status, there.bytes.length, there.headers.get('content-length')]).toEqual([200, 0, '1']);
    expect((await ask(lab.http, OBJECT, { method: 'DELETE', ticket })).status).toBe(204);
    expect((await ask(lab.http, OBJECT, { ticket })).status).toBe(404);
    expect((await ask(lab.http, OBJECT, { method: 'HEAD', ticket })).status).toBe(404);
    expect(lab.relay.metrics.read().stored_bytes).toBe(0);
    expect((await put(2)).status).toBe(204);
  });

  test.each(['b/../x', 'b/w/..', 'x/w/1', 'b/w', 'b/w/1/2', 'b//1', 'b/w/%2e%2e', 'b/w/a%2fb'])(
    'a path like %s is none',
    async (path) => {
      const lab = await relayLab();
      const ticket = await ticketFor(mine.home, lab.origin);
      const headers = [
        ['Host', `127.0.0.1:${lab.port}`],
        ['Authorization', `Bearer ${String(ticket)}`],
      ] as const;
      const request = { method: 'GET', target: `/o/${mine.home.home}/${path}`, headers, body: '' };
      expect((await rawHttp('127.0.0.1', lab.port, request)).status).toBe(404);
    },
  );

  test('are refused when they are too large, said or found out', async () => {
    const lab = await relayLab({ limits: { objectBytesMax: 1_000 } });
    const ticket = await ticketFor(mine.home, lab.origin);
    expect((await ask(lab.http, OBJECT, { method: 'PUT', ticket, body: new Uint8Array(1_001) })).status).toBe(413);
    const chunk = `${(1_001).toString(16)}\r\n${'x'.repeat(1_001)}\r\n0\r\n\r\n`;
    const headers = [
      ['Host', `127.0.0.1:${lab.port}`],
      ['Authorization', `Bearer ${String(ticket)}`],
      ['Content-Type', 'application/octet-stream'],
      ['Transfer-Encoding', 'chunked'],
    ] as const;
    const answer = await rawHttp('127.0.0.1', lab.port, { method: 'PUT', target: OBJECT, headers, body: chunk });
    expect(answer.status).toBe(413);
    expect((await ask(lab.http, OBJECT, { ticket })).status).toBe(404);
  });
});

describe('snapshots', () => {
  test('of a room that nobody wrote: 404; malformed: 422; too large: 413; of no room: 404', async () => {
    const lab = await relayLab({ limits: { snapshotBytesMax: 1_000 } });
    const ticket = await ticketFor(mine.home, lab.origin);
    const path = `/r/${mine.rooms.ledger}/snapshot`;
    const put = async (body: Uint8Array) => (await ask(lab.http, path, { method: 'PUT', ticket, body })).status;
    expect((await ask(lab.http, path, { ticket })).status).toBe(404);
    expect(await put(Uint8Array.of(255, 255))).toBe(422);
    expect(await put(new Uint8Array(1_001))).toBe(413);
    expect(await put(new RoomWriter('d/').write(1))).toBe(422);
    expect((await ask(lab.http, '/r/notes/snapshot', { ticket })).status).toBe(404);
    expect((await ask(lab.http, `/r/${mine.rooms.head}/snapshot`, { ticket })).status).toBe(404);
    expect((await ask(lab.http, path, { ticket })).status).toBe(404);
    expect(await put(new RoomWriter('q/').write(1))).toBe(204);
    expect((await ask(lab.http, path, { ticket })).headers.get('cache-control')).toBe('no-store');
  });
});

describe('tickets', () => {
  test('end after ten minutes, and nothing else is a ticket', async () => {
    const clock = new FakeClock();
    const lab = await relayLab({ clock });
    const ticket = await ticketFor(mine.home, lab.origin);
    const status = async (shown: string | number) => (await ask(lab.http, OBJECT, { ticket: shown })).status;
    expect(await status(ticket)).toBe(404);
    clock.advance(RELAY_LIMITS.ticketMs - 1);
    expect(await status(ticket)).toBe(404);
    clock.advance(1);
    expect(await status(ticket)).toBe(401);
    expect(await status('AAAA')).toBe(401);
    expect((await ask(lab.http, '/ticket', { method: 'POST', body: '{"credentials":"x"}' })).status).toBe(401);
    expect((await ask(lab.http, '/ticket', { method: 'POST', body: '{"other":"x"}' })).status).toBe(400);
    expect((await ask(lab.http, '/challenge?room=notes')).status).toBe(400);
  });
});

describe('tokens', () => {
  test('let a home in, which brings its devices, until they end; and bound what it stores', async () => {
    const clock = new FakeClock();
    const expiresMs = clock.nowMs() + 60_000;
    const token = { token: TOKEN, nickname: 'friends', bytes: 2_000, expiresMs };
    const lab = await relayLab({ clock, admission: { open: false, homes: [], tokens: [token] } });
    expect(await ticketFor(mine.home, lab.origin)).toBe(403);
    expect(await ticketFor(device, lab.origin)).toBe(403);
    const ticket = await ticketFor(mine.home, lab.origin, TOKEN);
    expect(ticket).toEqual(expect.any(String));
    const body = canonicalText(mine.head(1));
    expect((await ask(lab.http, `/h/${mine.home.home}`, { method: 'PUT', ticket, body })).status).toBe(204);
    expect(await ticketFor(device, lab.origin)).toEqual(expect.any(String));
    const words = await protocolsFor(mine.home, mine.rooms.ledger, lab.origin);
    const writer = await (await lab.join(mine.rooms.ledger, [...words, `token.${TOKEN}`])).open();
    writer.sendUpdate(new RoomWriter('q/').write(1, new Uint8Array(1_500)));
    await writer.until('durable');
    expect((await ask(lab.http, OBJECT, { method: 'PUT', ticket, body: new Uint8Array(1_000) })).status).toBe(507);
    clock.advance(60_000);
    expect(await ticketFor(device, lab.origin)).toBe(403);
    expect(await ticketFor(mine.home, lab.origin, TOKEN)).toBe(403);
    expect((await ask(lab.http, OBJECT, { ticket })).status).toBe(403);
  });
});

describe('the numbers', () => {
  test('are for programs on the machine, or for who shows a token', async () => {
    const lab = await relayLab({
      pageOrigins: [PAGE],
      admission: { open: true, homes: [], tokens: [{ token: TOKEN, nickname: 'me' }] },
    });
    const writer = await (await lab.join('notes')).open();
    writer.sendUpdate(new RoomWriter('notes').write(1));
    await writer.settled();
    const near = await ask(lab.http, '/metrics');
    expect(near.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(near.text).toContain('# TYPE countersign_relay_sockets gauge\ncountersign_relay_sockets 1\n');
    expect(near.text).toContain('countersign_relay_updates_total 1\n');
    for (const headers of [{ origin: PAGE }, { 'x-forwarded-for': '203.0.113.5' }, { forwarded: 'for=203.0.113.5' }]) {
      expect((await ask(lab.http, '/metrics', { headers })).status).toBe(403);
      expect((await ask(lab.http, '/metrics', { headers, ticket: TOKEN })).status).toBe(200);
    }
  });
});

test('what is not the relay’s is left to who embeds it', async () => {
  const lab = await relayLab();
  expect(await ask(lab.http, '/panel')).toMatchObject({ status: 404, text: 'not the relay' });
  expect(await ask(lab.http, '/healthzz')).toMatchObject({ text: 'not the relay' });
  expect((await ask(lab.http, '/healthz?x=1')).status).toBe(200);
  expect((await ask(lab.http, '/healthz', { method: 'DELETE' })).status).toBe(405);
});
