import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { useBrowsers } from '../support/browser.ts';
import { screenshot } from '../support/browser-process.ts';

/** What the tests of the panel lean on, seen to work: a net that cannot catch proves nothing. */
const browsers = useBrowsers();
const heard: string[] = [];
let server: Server;
let origin = '';

beforeAll(async () => {
  server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.setHeader('content-security-policy', "default-src 'self'; img-src *; connect-src *");
    response.end('<!doctype html><title>a page</title><p>hello');
  });
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) =>
    socket.on('message', (text: Buffer) => {
      heard.push(text.toString());
      socket.send(text);
    }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  origin = `http://localhost:${address.port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test('people share no storage; windows of one person do', async () => {
  const [ada, grace] = [await browsers.person({ width: 390, height: 844 }), await browsers.person()];
  for (const { page } of [ada, grace]) await page.goto(origin);
  await ada.page.evaluate(() => localStorage.setItem('who', 'ada'));
  const second = await ada.window();
  await second.goto(origin);
  expect(await second.evaluate(() => localStorage.getItem('who'))).toBe('ada');
  expect(await grace.page.evaluate(() => localStorage.getItem('who'))).toBeNull();
  expect(await ada.page.evaluate(() => innerWidth)).toBe(390);
});

test('a page has what the panel stands on', async () => {
  const { page } = await browsers.person({ colorScheme: 'dark' });
  await page.goto(origin);
  const has = await page.evaluate(async () => ({
    secure: isSecureContext,
    locks: await navigator.locks.request('a', () => 'held'),
    workers: 'serviceWorker' in navigator,
    dark: matchMedia('(prefers-color-scheme: dark)').matches,
    key: 'privateKey' in (await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])),
  }));
  expect(has).toEqual({ secure: true, locks: 'held', workers: true, dark: true, key: true });
});

/** Runs in a page: one row into IndexedDB, answered when its transaction is complete. */
function saveDurably(row: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('kept', 1);
    opening.addEventListener('upgradeneeded', () => opening.result.createObjectStore('rows'));
    opening.addEventListener('error', () => reject(opening.error));
    opening.addEventListener('success', () => {
      const change = opening.result.transaction('rows', 'readwrite', { durability: 'strict' });
      change.objectStore('rows').put(row, row);
      change.addEventListener('complete', () => resolve());
    });
  });
}

/** Runs in a page. */
function savedRows(): Promise<readonly unknown[]> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('kept', 1);
    opening.addEventListener('error', () => reject(opening.error));
    opening.addEventListener('success', () => {
      const asking = opening.result.transaction('rows').objectStore('rows').getAll();
      asking.addEventListener('success', () => resolve(asking.result));
    });
  });
}

test('a kept storage survives closing, and kill -9 where it was made durable', async () => {
  const kept = await browsers.kept();
  const first = await kept.open();
  await first.page.goto(origin);
  await first.page.evaluate(saveDurably, 'one');
  await first.close();

  const second = await kept.open();
  await second.page.goto(origin);
  await second.page.evaluate(saveDurably, 'two');
  await second.kill();
  expect(second.page.isClosed()).toBe(true);

  const third = await kept.open();
  await third.page.goto(origin);
  expect(await third.page.evaluate(savedRows)).toEqual(['one', 'two']);
});

test('without a network new connections fail and open ones carry nothing until it is back', async () => {
  const { page, network } = await browsers.person();
  await page.goto(origin);
  await page.evaluate(
    async (url) => {
      const socket = new WebSocket(url);
      const got: string[] = [];
      Object.assign(window, { socket, got });
      socket.addEventListener('message', ({ data }) => got.push(String(data)));
      await new Promise((resolve) => socket.addEventListener('open', resolve));
    },
    origin.replace('http', 'ws'),
  );
  await network('off');
  const refused = await page.evaluate(
    async (url) => {
      // reason: put there above
      const { socket } = window as unknown as { readonly socket: WebSocket };
      socket.send('from the tunnel');
      const second = new WebSocket(url);
      await new Promise((resolve) => second.addEventListener('error', resolve));
      return [navigator.onLine, await fetch('/').catch((cause: Error) => cause.name)];
    },
    origin.replace('http', 'ws'),
  );
  expect(refused).toEqual([false, 'TypeError']);
  expect(heard).not.toContain('from the tunnel');
  await network('on');
  // reason: put there above
  await page.waitForFunction(() => (window as unknown as { readonly got: string[] }).got.length === 1);
  expect(heard).toContain('from the tunnel');
});

test('violations, errors and foreign addresses are seen', async () => {
  const { page, seen } = await browsers.person();
  await page.goto(origin);
  expect(seen.foreign(origin)).toEqual([]);
  await page.evaluate(async () => {
    const script = document.createElement('script');
    script.textContent = 'window.ran = true';
    document.body.append(script);
    const image = new Image();
    image.src = 'https://elsewhere.example/beacon.png';
    await new Promise((resolve) => image.addEventListener('error', resolve));
    const socket = new WebSocket('wss://elsewhere.example/');
    await new Promise((resolve) => socket.addEventListener('error', resolve));
    setTimeout(() => {
      throw new Error('nobody caught this');
    });
  });
  await expect.poll(() => seen.errors.join('\n')).toContain('nobody caught this');
  expect(seen.violations).toEqual([expect.stringContaining('script-src-elem: inline')]);
  expect(seen.foreign(origin)).toEqual(['https://elsewhere.example/beacon.png', 'wss://elsewhere.example/']);
  expect(await page.evaluate(() => 'ran' in window)).toBe(false);
});

test('a screenshot is a picture in a file whose place is said', async () => {
  const { page } = await browsers.person({ width: 380, height: 600 });
  await page.goto(origin);
  const path = await screenshot(page, 'harness');
  onTestFinished(() => rm(dirname(path), { recursive: true }));
  expect((await readFile(path)).subarray(1, 4).toString()).toBe('PNG');
});
