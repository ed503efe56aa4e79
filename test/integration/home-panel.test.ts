import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openGrant } from '../../src/access/grant.ts';
import { openHead } from '../../src/access/head.ts';
import { fromHex } from '../../src/base/bytes.ts';
import { LINK_LIMITS } from '../../src/cli/home/panel-links.ts';
import type { RunningHome } from '../../src/cli/home/start-home.ts';
import { nodeCrypto } from '../../src/crypto/node.ts';
import { cliLab, type CliLab } from '../support/cli-lab.ts';
import { enrolBody, enrolRequest, enrolWith, getFrom, newKeys, plantPanel } from '../support/home-panel.ts';
import { rawHttp } from '../support/raw-http.ts';

function portOf(home: RunningHome): number {
  return Number(new URL(home.home.status().panelUrl).port);
}

const link = async (home: RunningHome, by: 'up' | 'panel' = 'panel') => home.home.ownerPort().panelLink({ by });

describe('[T17] the panel’s page', () => {
  test('comes with a policy that lets it run its own code and talk to its own relay, and nothing else', async () => {
    const lab = await cliLab();
    await plantPanel(join(lab.dir, 'panel'));
    const port = portOf(await lab.home());
    const { body, head, status } = await getFrom(port, '/');
    expect([status, body]).toEqual([200, '<!doctype html><title>panel</title>']);
    expect(head).toContain(
      `content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; font-src 'self'; manifest-src 'self'; worker-src 'self'; connect-src 'self' ws://localhost:${port}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types countersign`,
    );
    for (const line of [
      'cross-origin-opener-policy: same-origin',
      'referrer-policy: no-referrer',
      'x-content-type-options: nosniff',
      'x-frame-options: DENY',
      'cache-control: no-cache',
    ]) {
      expect(head).toContain(line);
    }
  });

  test('files whose names change with their content are kept for good, the others are asked for again', async () => {
    const lab = await cliLab();
    await plantPanel(join(lab.dir, 'panel'));
    const port = portOf(await lab.home());
    const caching = async (target: string) => /cache-control: (.*)/.exec((await getFrom(port, target)).head)?.[1];
    expect(await caching('/assets/app-4f3a.js')).toBe('public, max-age=31536000, immutable');
    expect(await caching('/worker.js')).toBe('no-cache');
    expect((await getFrom(port, '/worker.js')).head).toContain('content-type: text/javascript');
  });

  test.each([
    '/nothing.js',
    '/assets/notes.txt',
    '/assets',
    '/assets/',
    '/assets/../../state/cli.key',
    '/..%2fstate%2fcli.key',
    '/%2e%2e/state/cli.key',
    '/.hidden.js',
    '/assets/a/b.js',
    '/app.js\\..\\x.js',
    '/index.html%00.js',
    '/mcp/x',
    '/panel',
  ])('has no other files: %s', async (target) => {
    const lab = await cliLab();
    await plantPanel(join(lab.dir, 'panel'));
    await writeFile(join(lab.dir, 'panel', '.hidden.js'), 'hidden');
    const { status } = await getFrom(portOf(await lab.home()), target);
    expect(status).toBe(404);
  });

  test('that was not built yet says how to build it', async () => {
    const lab = await cliLab();
    const { body, status } = await getFrom(portOf(await lab.home()), '/');
    expect([status, body]).toEqual([503, expect.stringContaining('npm run build')]);
  });

  test('has one address: under another name of this machine it would be another device', async () => {
    const lab = await cliLab();
    const port = portOf(await lab.home());
    for (const name of ['127.0.0.1', '[::1]']) {
      const { head, status } = await getFrom(port, '/x?y=1', { host: `${name}:${port}` });
      expect([status, /location: (.*)/.exec(head)?.[1]]).toEqual([308, `http://localhost:${port}/x?y=1`]);
    }
  });

  test('is told at any time which relay to use', async () => {
    const lab = await cliLab();
    const home = await lab.home();
    const { body } = await getFrom(portOf(home), '/panel/home');
    const { homeId, relayUrl, version } = home.home.status();
    expect(JSON.parse(body)).toEqual({ home: homeId, relayUrl, version });
  });
});

describe('a link', () => {
  test('makes the browser that opens it a device, with a grant that the home signed', async () => {
    const lab = await cliLab();
    const home = await lab.home();
    const { url } = await link(home);
    const keys = newKeys();
    const enrolled = await enrolWith(url, keys, 'the laptop');
    const homeKey = fromHex(enrolled.homeKey) ?? new Uint8Array();
    const { homeId, relayUrl } = home.home.status();
    const grant = openGrant(nodeCrypto.verify, homeKey, homeId, enrolled.grant);
    expect(grant).toMatchObject({ ok: true, value: { home: homeId, right: 'approve-reversible' } });
    const head = openHead(nodeCrypto.verify, homeKey, { home: homeId, number: 0 }, enrolled.head);
    const device = grant.ok ? grant.value.device : '';
    expect(head.ok && head.value.roster.find((entry) => entry.device === device)).toMatchObject({
      boxKey: keys.boxKey,
      right: 'approve-reversible',
    });
    expect(enrolled.relayUrl).toBe(relayUrl);
    expect((await lab.run('devices', 'ls', '--json')).json).toMatchObject([
      { nickname: 'command line', self: true },
      { id: device, nickname: 'the laptop', right: 'approve-reversible', self: false },
    ]);
  });

  test('works once; after that one sentence says how to get another', async () => {
    const lab = await cliLab();
    const home = await lab.home();
    const { url } = await link(home);
    await enrolWith(url, newKeys());
    const late = /^410: This link was used already, .*countersign panel$/;
    await expect(enrolWith(url, newKeys())).rejects.toThrow(late);
    const unknown = `${url.slice(0, url.indexOf('#'))}#b=${'A'.repeat(22)}`;
    await expect(enrolWith(unknown, newKeys())).rejects.toThrow(late);
    expect(await home.home.ownerPort().devices()).toHaveLength(2);
  });

  test('of fifty that are used at the same moment is used by one', async () => {
    const lab = await cliLab();
    const home = await lab.home();
    const { url } = await link(home);
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => enrolWith(url, newKeys())));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await home.home.ownerPort().devices()).toHaveLength(2);
  });

  test('[CP-3] makes room for newer ones when many were printed and none was used', async () => {
    const lab = await cliLab();
    const home = await lab.home();
    const links = await Promise.all(Array.from({ length: LINK_LIMITS.unusedMax + 1 }, () => link(home)));
    await expect(enrolWith(links[0]?.url ?? '', newKeys())).rejects.toThrow(/410/);
    await enrolWith(links[1]?.url ?? '', newKeys());
    await enrolWith(links.at(-1)?.url ?? '', newKeys());
  });

  test('is not used up by a request that is malformed', async () => {
    const lab = await cliLab();
    const home = await lab.home();
    const port = portOf(home);
    const { url } = await link(home);
    const good = enrolBody(url, newKeys());
    const bad: unknown[] = [
      '',
      '{',
      'null',
      [],
      {},
      { ...good, more: 1 },
      { ...good, publicKey: 'ff' },
      { ...good, publicKey: (good['publicKey'] ?? '').toUpperCase() },
      { ...good, boxKey: '0'.repeat(64) },
      { ...good, nickname: ' ' },
      { ...good, nickname: 'x'.repeat(65) },
      { ...good, secret: 1 },
      { ...good, nickname: 'x'.repeat(5_000) },
    ];
    const statuses: number[] = [];
    for (const body of bad) statuses.push((await rawHttp('127.0.0.1', port, enrolRequest(port, body))).status);
    expect(statuses).toEqual([...bad.slice(1).map(() => 400), 413]);
    await enrolWith(url, newKeys());
  });

  test('[DC-10] gives every right only while no session is live', async () => {
    const lab = await cliLab();
    const home = await lab.home();
    await lab.guard(home);
    expect(await link(home, 'up')).toMatchObject({ right: 'approve-all' });
    expect(await link(home, 'panel')).toMatchObject({ right: 'approve-reversible' });
    const agent = await lab.agent(home);
    expect(await link(home, 'up')).toMatchObject({ right: 'approve-reversible' });
    await agent.close();
    expect(await link(home, 'up')).toMatchObject({ right: 'approve-all' });
  });

  test('never lowers what a device may do already', async () => {
    const lab = await cliLab();
    const home = await lab.home();
    const keys = newKeys();
    await enrolWith((await link(home, 'up')).url, keys);
    await enrolWith((await link(home, 'panel')).url, keys, 'renamed');
    expect((await home.home.ownerPort().devices())[1]).toMatchObject({ right: 'approve-all', nickname: 'renamed' });
  });
});

describe('devices and the command line', () => {
  async function withDevice(lab: CliLab, cliRight: 'approve-all' | 'approve-reversible') {
    const home = await lab.home({ cliRight });
    await lab.guard(home);
    const keys = newKeys();
    await enrolWith((await link(home)).url, keys);
    const id = String((await lab.run('devices', 'ls', '--json')).json[1]?.['id']);
    return { home, keys, id };
  }

  test('are changed with every right only, and the refusal says how it is done', async () => {
    const lab = await cliLab();
    const { home, id } = await withDevice(lab, 'approve-reversible');
    for (const args of [
      ['revoke', id],
      ['rights', id, 'view'],
    ]) {
      const { code, err } = await lab.run('devices', ...args);
      expect([code, err]).toEqual([
        1,
        [
          expect.stringMatching(
            /needs? the right|right approve-all; the command line has approve-reversible\. .*--cli-right approve-all\. A panel with that right can do it now\./,
          ),
        ],
      ]);
    }
    expect(await home.home.ownerPort().devices()).toHaveLength(2);
  });

  test('[T22] not even then while an agent that is not contained could be the one who types', async () => {
    const lab = await cliLab();
    const { home, id } = await withDevice(lab, 'approve-all');
    const agent = await lab.agent(home);
    expect((await lab.run('devices', 'revoke', id)).err[0]).toMatch(/While an agent’s session is live/);
    await agent.close();
    expect((await lab.run('devices', 'revoke', id)).code).toBe(0);
  });

  test('[DC-8] a revoked one is out of the head, and its key does not come back', async () => {
    const lab = await cliLab();
    const { home, id, keys } = await withDevice(lab, 'approve-all');
    expect((await lab.run('devices', 'rights', id.slice(0, 8), 'view', '--json')).json).toMatchObject([
      { id, right: 'view' },
    ]);
    expect((await lab.run('devices', 'revoke', id)).out).toEqual([expect.stringMatching(/is revoked/)]);
    expect(await home.home.ownerPort().devices()).toHaveLength(1);
    await expect(enrolWith((await link(home)).url, keys)).rejects.toThrow(/403: This browser was revoked/);
    expect((await lab.run('devices', 'revoke', id)).err[0]).toMatch(/There is no device/);
  });

  test('what is not understood is said, with exit code 2', async () => {
    const lab = await cliLab();
    for (const args of [['lists'], ['revoke'], ['rights', 'd-abcdef', 'all'], ['ls', 'x']]) {
      expect((await lab.run('devices', ...args)).code).toBe(2);
    }
    expect(await lab.run('devices', 'ls')).toMatchObject({ code: 1, err: [expect.stringMatching(/No home runs/)] });
  });
});

describe('the port of a home', () => {
  test('is chosen once and kept', async () => {
    const lab = await cliLab();
    const ports: number[] = [];
    for (let start = 0; start < 3; start += 1) {
      const home = await lab.home({ port: undefined });
      ports.push(portOf(home));
      home.stop();
      await home.ended;
    }
    expect(new Set(ports).size).toBe(1);
    expect((await readFile(join(lab.state, 'mcp.port'), 'utf8')).trim()).toBe(String(ports[0]));
    expect((await lab.run('where', '--json')).json[0]).toMatchObject({ port: ports[0] });
  });

  test('that is in use when the home comes back is named, with what to do', async () => {
    const lab = await cliLab();
    const home = await lab.home({ port: undefined });
    const port = portOf(home);
    home.stop();
    await home.ended;
    const other = createServer().listen(port, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    await expect(lab.home({ port: undefined })).rejects.toThrow(
      new RegExp(`^Port ${port}, which this home has had before, is in use .* --port N\\. .*panels .* opened anew`),
    );
  });

  test('differs between two homes of one machine', async () => {
    const lab = await cliLab();
    const first = await lab.home({ port: undefined });
    const second = await lab.home({ port: undefined, state: join(lab.dir, 'other') });
    expect(portOf(first)).not.toBe(portOf(second));
  });
});
