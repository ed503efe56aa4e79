import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toHex } from '../../src/base/bytes.ts';
import { CountersignError } from '../../src/base/errors.ts';
import type { Journal } from '../../src/authority/ports.ts';
import { openInBrowser, openLinkInBrowser } from '../../src/cli/commands/open-browser.ts';
import { HomeBook } from '../../src/cli/home/home-book.ts';
import { HomeDevices } from '../../src/cli/home/home-devices.ts';
import { PanelLinks } from '../../src/cli/home/panel-links.ts';
import { parseRelayChoice, rememberedRelay, rememberRelay } from '../../src/cli/home/relay-choice.ts';
import { openStateFolder } from '../../src/cli/state/folder.ts';
import { nodeCrypto, nodeRandom, nodeSigner } from '../../src/crypto/node.ts';
import { FakeClock, memoryJournal, seededRandom } from '../../src/testing/index.ts';
import { tempDir } from '../support/temp-dir.ts';
import { newKeys } from '../support/home-panel.ts';

/** A journal whose disk is full while `full()` says so. */
function fillable(full: () => boolean): Journal {
  const journal = memoryJournal();
  return new Proxy(journal, {
    get(target, key) {
      if (key === 'commit' && full()) return () => Promise.reject(new CountersignError('full', 'The disk is full.'));
      const value: unknown = Reflect.get(target, key, target);
      // reason: the journal's own methods, on the journal itself
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

test('[F2] a link that met a full disk is good again when there is space', async () => {
  let full = false;
  const signer = nodeSigner(new Uint8Array(32).fill(1));
  const self = nodeSigner(new Uint8Array(32).fill(2));
  const book = await HomeBook.open({
    journal: fillable(() => full),
    crypto: nodeCrypto,
    signer,
    clock: new FakeClock(),
    random: seededRandom(1),
    onFatal: () => undefined,
  });
  const commandLine = await book.admit({ publicKey: self.publicKey, nickname: 'command line', right: undefined });
  const devices = new HomeDevices({
    book,
    homeKey: signer.publicKey,
    crypto: nodeCrypto,
    random: nodeRandom,
    self: commandLine,
    port: 1,
    relayUrl: 'ws://localhost:1',
    sessions: () => ({ live: false, uncontained: false }),
    online: () => null,
  });
  const { url } = devices.link('panel');
  const keys = newKeys();
  const asked = {
    secret: url.slice(url.indexOf('#b=') + 3),
    publicKey: toHex(keys.signer.publicKey),
    boxKey: keys.boxKey,
    nickname: 'laptop',
  };
  full = true;
  await expect(devices.enrol(asked)).rejects.toMatchObject({ code: 'full' });
  expect(devices.list()).toHaveLength(1);
  full = false;
  const asCommandLine = { ...asked, publicKey: toHex(self.publicKey) };
  await expect(devices.enrol(asCommandLine), '[DC-8] nobody enrols by its key').rejects.toMatchObject({
    code: 'denied',
  });
  await devices.enrol(asked);
  expect(devices.list()).toMatchObject([{ self: true }, { nickname: 'laptop', self: false }]);
});

test('a secret is 128 bits, and only its own text brings its right', () => {
  const links = new PanelLinks({ random: seededRandom(7), sha256: nodeCrypto.sha256 });
  const secret = links.mint('view');
  expect(secret).toMatch(/^[\w-]{22}$/);
  for (const other of ['', 'x', secret.slice(1), `${secret}A`, ` ${secret}`, secret.toUpperCase(), '\u0000']) {
    expect([other, links.take(other)]).toEqual([other, undefined]);
  }
  expect(links.take(secret)?.right).toBe('view');
  expect(links.take(secret)).toBeUndefined();
});

test.each([
  ['wss://relay.example', 'wss://relay.example'],
  ['https://relay.example:8443/', 'wss://relay.example:8443'],
  ['ws://localhost:4420', 'ws://localhost:4420'],
  ['http://127.0.0.1:4420', 'ws://127.0.0.1:4420'],
  ['ws://[::1]:4420', 'ws://[::1]:4420'],
])('--relay %s is the relay %s', (text, url) => {
  expect(parseRelayChoice(text, { insecure: false, token: undefined })).toEqual({
    type: 'elsewhere',
    url,
    token: null,
  });
});

test.each([
  '',
  'relay.example',
  'ftp://relay.example',
  'wss://relay.example/path',
  'wss://me@relay.example',
  'wss://r/?x',
])('--relay %j is none', (text) => {
  expect(() => parseRelayChoice(text, { insecure: true, token: undefined })).toThrow(
    /--relay takes an address such as/,
  );
});

test('a relay on another machine needs TLS, unless a person says otherwise', () => {
  const choose = (insecure: boolean) => parseRelayChoice('ws://192.168.0.7:4420', { insecure, token: undefined });
  expect(() => choose(false)).toThrow(/needs TLS: wss:/);
  expect(choose(true)).toEqual({ type: 'elsewhere', url: 'ws://192.168.0.7:4420', token: null });
});

test('a relay is remembered with its token, and the token goes with it', async () => {
  const folder = await openStateFolder(join(await tempDir(), 'state'));
  const token = 'sixteen-characters-at-least';
  const chosen = parseRelayChoice('wss://relay.example', { insecure: false, token });
  await rememberRelay(folder, chosen);
  expect(await rememberedRelay(folder)).toEqual({ type: 'elsewhere', url: 'wss://relay.example', token });
  expect((await stat(folder.relayToken)).mode & 0o777).toBe(0o600);
  await rememberRelay(folder, parseRelayChoice('wss://other.example', { insecure: false, token: undefined }));
  expect(await rememberedRelay(folder)).toEqual({ type: 'elsewhere', url: 'wss://other.example', token: null });
  await rememberRelay(folder, { type: 'embedded' });
  expect(await rememberedRelay(folder)).toEqual({ type: 'embedded' });
  expect(() => parseRelayChoice('wss://relay.example', { insecure: false, token: 'short' })).toThrow(/token is 16/);
});

test('[DC-10] a link that is opened is no argument of a program: those are seen by everybody on the machine', async () => {
  const dir = await tempDir();
  const [opener, heard] = [join(dir, 'opener'), join(dir, 'heard')];
  await writeFile(opener, `#!/bin/sh\nprintf '%s' "$*" > '${heard}'\n`, { mode: 0o700 });
  const url = 'http://localhost:4400/#b=AAAAAAAAAAAAAAAAAAAAAA';
  expect(await openLinkInBrowser(dir, url, opener)).toBe(true);
  const argument = await readFile(heard, 'utf8');
  expect(argument).toMatch(/^file:/);
  expect(argument).not.toContain('AAAA');
  expect((await stat(new URL(argument))).mode & 0o777).toBe(0o600);
  expect(await readFile(new URL(argument), 'utf8')).toContain(`url=${url}"`);
});

test.each([
  ['true', true],
  ['false', false],
  ['no-such-program-anywhere', false],
])('an opener that is %s: %s', async (opener, opened) => {
  expect(await openInBrowser('http://localhost:1/', opener)).toBe(opened);
});
