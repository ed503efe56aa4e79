import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startHome, type RunningHome } from '../../src/cli/home/start-home.ts';
import { openStateFolder } from '../../src/cli/state/folder.ts';
import { enrolBody, enrolRequest, headerList, newKeys, plantPanel, type HeaderChanges } from '../support/home-panel.ts';
import { rawHttp, type RawRequest } from '../support/raw-http.ts';

type Make = (port: number, link: string) => RawRequest;

const get =
  (target: string, changes: (port: number) => HeaderChanges = () => ({})): Make =>
  (port) => ({
    method: 'GET',
    target,
    headers: headerList({ host: `localhost:${port}`, ...changes(port) }),
    body: '',
  });

const enrol =
  (changes: (port: number) => HeaderChanges, more: Partial<RawRequest> = {}): Make =>
  (port, link) => ({ ...enrolRequest(port, enrolBody(link, newKeys()), changes(port)), ...more });

const upgrade = (changes: (port: number) => HeaderChanges): Make =>
  get('/h/x', (port) => ({
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    ...changes(port),
  }));

const post = (target: string, type: string): Make => {
  return (port) => ({
    method: 'POST',
    target,
    headers: headerList({ host: `localhost:${port}`, 'content-type': type, 'content-length': '2' }),
    body: '{}',
  });
};

const FOREIGN = 'https://evil.example';

/** A row: what is wrong, the status it must get, the request. */
const ROWS: readonly (readonly [string, number, Make])[] = [
  ['page: Host missing', 400, get('/', () => ({ host: null }))],
  ['page: Host empty', 403, get('/', () => ({ host: '' }))],
  ['page: Host a rebound name', 403, get('/', (port) => ({ host: `evil.example:${port}` }))],
  ['page: Host without a port', 403, get('/', () => ({ host: 'localhost' }))],
  ['page: Host of another port', 403, get('/', (port) => ({ host: `localhost:${port + 1}` }))],
  ['page: Host with a suffix', 403, get('/', (port) => ({ host: `localhost.evil.example:${port}` }))],
  ['page: Host with a trailing dot', 403, get('/', (port) => ({ host: `localhost.:${port}` }))],
  ['page: Host in capitals', 403, get('/', (port) => ({ host: `LOCALHOST:${port}` }))],
  ['page: Host 0.0.0.0', 403, get('/', (port) => ({ host: `0.0.0.0:${port}` }))],
  ['page: Host twice', 400, get('/', (port) => ({ host: [`localhost:${port}`, 'evil.example'] }))],
  ['page: Origin of a foreign page', 403, get('/', () => ({ origin: FOREIGN }))],
  ['page: Origin null', 403, get('/', () => ({ origin: 'null' }))],
  ['page: Origin of another port', 403, get('/', (port) => ({ origin: `http://localhost:${port + 1}` }))],
  ['page: Origin with TLS', 403, get('/', (port) => ({ origin: `https://localhost:${port}` }))],
  ['page: POST', 405, post('/', 'application/json')],
  ['page: POST as a form', 405, post('/', 'application/x-www-form-urlencoded')],
  ['page: a whole address', 400, get('http://evil.example/')],
  ['page: a path of another host', 400, get('//evil.example/')],
  ['about: Host a rebound name', 403, get('/panel/home', (port) => ({ host: `evil.example:${port}` }))],
  ['about: a foreign page', 403, get('/panel/home', () => ({ origin: FOREIGN }))],
  ['enrol: Host missing', 400, enrol(() => ({ host: null }))],
  ['enrol: Host a rebound name', 403, enrol((port) => ({ host: `evil.example:${port}` }))],
  ['enrol: a rebound page of its own origin', 403, enrol((port) => rebound(port))],
  ['enrol: Host twice', 400, enrol((port) => ({ host: [`localhost:${port}`, `localhost:${port}`] }))],
  ['enrol: Origin missing', 403, enrol(() => ({ origin: null }))],
  ['enrol: Origin empty', 403, enrol(() => ({ origin: '' }))],
  ['enrol: Origin null', 403, enrol(() => ({ origin: 'null' }))],
  ['enrol: Origin of a foreign page', 403, enrol(() => ({ origin: FOREIGN }))],
  ['enrol: Origin 127.0.0.1', 403, enrol((port) => ({ origin: `http://127.0.0.1:${port}` }))],
  ['enrol: Origin of another port', 403, enrol((port) => ({ origin: `http://localhost:${port + 1}` }))],
  ['enrol: Origin with TLS', 403, enrol((port) => ({ origin: `https://localhost:${port}` }))],
  ['enrol: Origin with a slash', 403, enrol((port) => ({ origin: `http://localhost:${port}/` }))],
  ['enrol: Origin with a suffix', 403, enrol((port) => ({ origin: `http://localhost:${port}.evil.example` }))],
  ['enrol: Origin twice', 400, enrol((port) => ({ origin: [`http://localhost:${port}`, FOREIGN] }))],
  ['enrol: own header missing', 403, enrol(() => ({ 'x-countersign': null }))],
  ['enrol: own header with another value', 403, enrol(() => ({ 'x-countersign': 'true' }))],
  ['enrol: own header twice', 400, enrol(() => ({ 'x-countersign': ['1', '1'] }))],
  ['enrol: as a form', 415, enrol(() => ({ 'content-type': 'application/x-www-form-urlencoded' }))],
  ['enrol: as multipart', 415, enrol(() => ({ 'content-type': 'multipart/form-data; boundary=x' }))],
  ['enrol: as text', 415, enrol(() => ({ 'content-type': 'text/plain' }))],
  ['enrol: as text that mentions JSON', 415, enrol(() => ({ 'content-type': 'text/plain; x=application/json' }))],
  ['enrol: without a type', 415, enrol(() => ({ 'content-type': null }))],
  ['enrol: of a type twice', 400, enrol(() => ({ 'content-type': ['application/json', 'text/plain'] }))],
  ['enrol: too large', 413, enrol(() => ({ 'content-length': '1000000' }))],
  ['enrol: GET', 405, enrol(() => ({}), { method: 'GET' })],
  ['enrol: PUT', 405, enrol(() => ({}), { method: 'PUT' })],
  ['enrol: the question a foreign page asks first', 403, enrol(() => ({ origin: FOREIGN }), { method: 'OPTIONS' })],
  ['relay: Host a rebound name', 403, get('/challenge?room=x', (port) => ({ host: `evil.example:${port}` }))],
  ['relay: Host missing', 400, get('/challenge?room=x', () => ({ host: null }))],
  ['relay: Host twice', 400, get('/challenge?room=x', (port) => ({ host: [`localhost:${port}`, 'evil.example'] }))],
  ['relay: a foreign page', 403, get('/challenge?room=x', () => ({ origin: FOREIGN }))],
  ['relay: Origin null', 403, get('/challenge?room=x', () => ({ origin: 'null' }))],
  ['relay: the panel under another name', 403, get('/healthz', (port) => ({ origin: `http://127.0.0.1:${port}` }))],
  ['relay: objects of a foreign page', 403, get('/o/x/b/y', () => ({ origin: FOREIGN }))],
  ['relay: heads of a foreign page', 403, get('/h/x', () => ({ origin: FOREIGN }))],
  ['relay: snapshots under a rebound name', 403, get('/r/q/x/snapshot', (port) => ({ host: `evil.example:${port}` }))],
  ['socket: a foreign page', 403, upgrade(() => ({ connection: 'upgrade', origin: FOREIGN }))],
  ['socket: Origin null', 403, upgrade(() => ({ connection: 'upgrade', origin: 'null' }))],
  ['socket: Host a rebound name', 403, upgrade((port) => ({ connection: 'upgrade', host: `evil.example:${port}` }))],
  ['socket: a rebound page', 403, upgrade((port) => ({ connection: 'upgrade', ...rebound(port) }))],
  ['agents: Host a rebound name', 403, get('/mcp', (port) => ({ host: `evil.example:${port}` }))],
  ['agents: the panel itself', 403, get('/mcp', (port) => ({ origin: `http://localhost:${port}` }))],
  ['agents: a foreign page', 403, get('/mcp', () => ({ origin: FOREIGN }))],
  ['agents: no token', 401, get('/mcp')],
];

/** What a page sends whose name was made to point at this machine after it had been loaded from elsewhere. */
function rebound(port: number): HeaderChanges {
  return { host: `evil.example:${port}`, origin: `http://evil.example:${port}` };
}

describe('[T14] who may ask at the port of a home', () => {
  let dir = '';
  let running: RunningHome;
  let port = 0;
  let link = '';
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'countersign-'));
    await plantPanel(join(dir, 'panel'));
    running = await startHome({
      folder: await openStateFolder(join(dir, 'state')),
      cliRight: undefined,
      port: 0,
      relay: undefined,
      panelDir: join(dir, 'panel'),
      idleMs: undefined,
      log: () => undefined,
    });
    link = (await running.home.ownerPort().panelLink({ by: 'up' })).url;
    port = Number(new URL(link).port);
  });
  afterAll(async () => {
    running.stop();
    await running.ended;
    await rm(dir, { recursive: true, force: true });
  });

  test.each(ROWS)('%s → %i', async (_what, status, make) => {
    const answer = await rawHttp('127.0.0.1', port, make(port, link));
    expect([answer.status, answer.body]).toEqual([status, expect.any(String)]);
    expect(answer.head).not.toMatch(/access-control-allow|set-cookie/i);
    expect(answer.head).toMatch(/connection: close/i);
    expect(answer.body).not.toContain('<title>panel');
  });

  test('and what was turned away has used up no link', async () => {
    expect(await running.home.ownerPort().devices()).toHaveLength(1);
    const answer = await rawHttp('127.0.0.1', port, enrolRequest(port, enrolBody(link, newKeys())));
    expect(answer.status).toBe(200);
  });

  test('both loopback addresses answer', async () => {
    for (const host of ['127.0.0.1', '::1']) {
      expect((await rawHttp(host, port, get('/')(port, link))).status).toBe(200);
    }
  });
});
