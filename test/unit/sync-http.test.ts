import { describe, expect, test } from 'vitest';
import { CountersignError } from '../../src/base/errors.ts';
import { HTTP_LIMITS, openHttp, type HttpCall } from '../../src/sync/http.ts';
import { SYNC_LIMITS } from '../../src/sync/messages.ts';
import type { Fetch, FetchRequest } from '../../src/sync/ports.ts';
import { openRelayClient } from '../../src/sync/relay-client.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { HOME, homeIdentity, LEDGER, headOf, signedHead, SyncLab } from '../support/sync-lab.ts';

const GET: HttpCall = { method: 'GET', path: '/x', bytesMax: 16 };

function http(fetch: Fetch): { clock: FakeClock; call: (call?: HttpCall) => Promise<Uint8Array> } {
  const clock = new FakeClock();
  const opened = openHttp('ws://localhost:4420', { fetch, clock });
  return { clock, call: (call = GET) => opened.call(call) };
}

/** What it rejects with, and nothing if it does not. */
async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
}

async function turn(): Promise<void> {
  await new Promise((resolve) => void setImmediate(resolve));
}

describe('a request', () => {
  test('goes to the relay over HTTP, without cookies, cache or redirects', async () => {
    const seen: [string, FetchRequest][] = [];
    const { call } = http(async (url, request) => {
      seen.push([url, request]);
      return new Response('hello');
    });
    expect(await call()).toEqual(new TextEncoder().encode('hello'));
    expect(seen[0]?.[0]).toBe('http://localhost:4420/x');
    expect(seen[0]?.[1]).toMatchObject({ credentials: 'omit', cache: 'no-store', redirect: 'error' });
  });

  test.each([
    [400, 'bad-input', 'malformed'],
    [401, 'denied', 'unauthenticated'],
    [403, 'denied', 'forbidden'],
    [404, 'not-found', 'gone'],
    [408, 'busy', 'slow'],
    [409, 'stale', 'replaced'],
    [413, 'bad-input', 'too-large'],
    [418, 'bad-input', 'malformed'],
    [429, 'busy', 'too-fast'],
    [500, 'closed', 'unreachable'],
    [503, 'closed', 'unreachable'],
    [507, 'full', 'full'],
  ])('answered with %i fails with a code and our own words', async (status, code, reason) => {
    const { call } = http(async () => new Response('<b>hostile words</b>', { status }));
    const thrown = await failure(call());
    expect(thrown).toMatchObject({ code, cause: { reason }, effect: 'none' });
    expect(String(thrown)).not.toContain('hostile');
  });

  test('that nobody answers is given up, also by a fetch that does not heed its signal', async () => {
    const { call, clock } = http(() => new Promise(() => undefined));
    const thrown = failure(call());
    await turn();
    clock.advance(HTTP_LIMITS.idleMsMax);
    expect(await thrown).toMatchObject({ code: 'closed', cause: { reason: 'unreachable' } });
  });

  test('whose answer drips is not given up between drips, and is in the end', async () => {
    const dripper: { drip: (() => void) | undefined } = { drip: undefined };
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => void (dripper.drip = () => controller.enqueue(Uint8Array.of(1))),
      cancel: () => void (dripper.drip = undefined),
    });
    const { call, clock } = http(async () => new Response(body));
    const thrown = failure(call({ ...GET, bytesMax: 1_000_000 }));
    await turn();
    let ms = 0;
    for (; dripper.drip !== undefined && ms < 2 * HTTP_LIMITS.requestMsMax; ms += HTTP_LIMITS.idleMsMax - 1) {
      dripper.drip();
      await turn();
      await turn();
      clock.advance(HTTP_LIMITS.idleMsMax - 1);
      await turn();
    }
    expect(ms).toBeGreaterThan(HTTP_LIMITS.requestMsMax / 2);
    expect(ms).toBeLessThan(HTTP_LIMITS.requestMsMax + 2 * HTTP_LIMITS.idleMsMax);
    expect(await thrown).toMatchObject({ code: 'closed' });
  });

  test('whose answer says or has more than was agreed on is left', async () => {
    const said = http(async () => new Response('x', { headers: { 'content-length': '17' } }));
    expect(await failure(said.call())).toMatchObject({ code: 'closed' });
    const had = http(async () => new Response('x'.repeat(17)));
    expect(await failure(had.call())).toMatchObject({ code: 'closed' });
    const fits = http(async () => new Response('x'.repeat(16)));
    expect(await fits.call()).toHaveLength(16);
  });

  test('ends with its client, and leaves no timer', async () => {
    const clock = new FakeClock();
    let timers = 0;
    const counted = {
      nowMs: () => clock.nowMs(),
      monotonicMs: () => clock.monotonicMs(),
      soon: (run: () => void) => clock.soon(run),
      after: (delayMs: number, run: () => void) => {
        timers++;
        const cancel = clock.after(delayMs, run);
        return () => {
          timers--;
          cancel();
        };
      },
    };
    const opened = openHttp('ws://localhost:4420', { fetch: () => new Promise(() => undefined), clock: counted });
    const thrown = failure(opened.call(GET));
    await turn();
    expect(timers).toBe(2);
    opened.close();
    expect(await thrown).toMatchObject({ code: 'closed' });
    expect(await failure(opened.call(GET))).toMatchObject({ code: 'closed' });
    expect(timers).toBe(0);
  });
});

describe('a ticket', () => {
  test('is fetched once for many, and renewed once when the relay forgot it', async () => {
    const lab = new SyncLab({ identity: homeIdentity });
    const tickets = (): number => lab.relay.requests.filter((each) => each === 'POST /ticket').length;
    await Promise.all([1, 2, 3].map((at) => lab.client.objects.put(`b/${at}`, Uint8Array.of(at))));
    expect(tickets()).toBe(1);
    lab.relay.restart();
    const read = await Promise.all([1, 2, 3].map((at) => lab.client.objects.get(`b/${at}`)));
    expect(read).toEqual([Uint8Array.of(1), Uint8Array.of(2), Uint8Array.of(3)]);
    expect(tickets()).toBe(2);
  });

  test('is renewed before the relay forgets it, by our own clock', async () => {
    const lab = new SyncLab({ identity: homeIdentity });
    await lab.client.objects.put('b/1', Uint8Array.of(1));
    lab.clock.advance(9.5 * 60_000);
    lab.relay.requests.length = 0;
    await lab.client.objects.get('b/1');
    expect(lab.relay.requests).toEqual(['GET /challenge', 'POST /ticket', `GET /o/${HOME}/b/1`]);
  });

  test('that is never good is asked for twice, not for ever', async () => {
    const lab = new SyncLab({ identity: homeIdentity });
    lab.relay.answer = (_, path) => (path.startsWith('/o/') ? new Response('', { status: 401 }) : undefined);
    expect(await failure(lab.client.objects.put('b/1', Uint8Array.of(1)))).toMatchObject({ code: 'denied' });
    expect(lab.relay.requests.filter((each) => each === 'POST /ticket')).toHaveLength(2);
  });
});

describe('what a relay stores', () => {
  test('is read again while it cannot be reached, a bounded number of times', async () => {
    const lab = new SyncLab({ identity: homeIdentity });
    await lab.client.objects.put('b/1', Uint8Array.of(7));
    let failures = 2;
    lab.relay.answer = () => (failures-- > 0 ? 'unreachable' : undefined);
    const found = lab.client.objects.get('b/1');
    await lab.pass(5000);
    expect(await found).toEqual(Uint8Array.of(7));
    lab.relay.answer = () => 'unreachable';
    const lost = failure(lab.client.objects.get('b/1'));
    await lab.pass(60_000, 1000);
    expect(await lost).toMatchObject({ code: 'closed' });
  });

  test('is not sent again when it is there, and asked for only where that is cheaper', async () => {
    const lab = new SyncLab({ identity: homeIdentity });
    const [small, large] = [new Uint8Array(4 * 1024), new Uint8Array(4 * 1024 + 1).fill(7)];
    const sent = async (path: string, body: Uint8Array): Promise<readonly string[]> => {
      lab.relay.requests.length = 0;
      await lab.client.objects.put(path, body);
      return lab.relay.requests.flatMap((each) => (each.includes('/o/') ? [each.split(' ')[0] ?? ''] : []));
    };
    expect([await sent('b/1', small), await sent('b/1', small)]).toEqual([['PUT'], ['PUT']]);
    expect([await sent('b/2', large), await sent('b/2', large)]).toEqual([['HEAD', 'PUT'], ['HEAD']]);
    expect(await lab.client.objects.get('b/2')).toEqual(large);
    lab.relay.answer = (method) => (method === 'HEAD' ? new Response('', { status: 503 }) : undefined);
    expect(await failure(lab.client.objects.put('b/2', large)), 'tried again later').toMatchObject({ code: 'closed' });
  });

  test('is not found once, and deleted twice', async () => {
    const lab = new SyncLab({ identity: homeIdentity });
    expect(await failure(lab.client.objects.get('b/1'))).toMatchObject({ code: 'not-found' });
    await lab.client.objects.put('b/1', Uint8Array.of(1));
    await lab.client.objects.delete('b/1');
    await lab.client.objects.delete('b/1');
    expect(await lab.client.snapshots.get(LEDGER)).toBeUndefined();
  });

  test('is the head, newest by our own word', async () => {
    const lab = new SyncLab({ identity: homeIdentity });
    expect(await lab.client.head.refresh()).toBeUndefined();
    await lab.client.head.put(signedHead(headOf(4)));
    expect(lab.client.head.newest()?.head.number).toBe(4);
    expect(lab.relay.head).toEqual(signedHead(headOf(4)));
    lab.relay.answer = (method) => (method === 'PUT' ? new Response('', { status: 409 }) : undefined);
    expect(await failure(lab.client.head.put(signedHead(headOf(3))))).toMatchObject({ code: 'stale' });
  });
});

test.each([
  '',
  'http://localhost',
  'ws://localhost/path',
  'ws://localhost?x=1',
  'ws://me:secret@localhost',
  'localhost',
])('a relay is not named like %j', (relayUrl) => {
  const open = (): unknown =>
    openRelayClient({
      relayUrl,
      identity: homeIdentity,
      ports: {} as never, // reason: it throws before it looks at them
      onFault: () => undefined,
    });
  expect(open).toThrow(CountersignError);
});

test('bounds of HTTP follow those of the messages', () => {
  expect(HTTP_LIMITS.smallBytesMax).toBeLessThan(SYNC_LIMITS.updateBytesMax);
});
