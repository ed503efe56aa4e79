import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { useBrowsers } from '../support/browser.ts';
import { enrol, homeOnDisk, rowOf } from '../support/browser-home.ts';
import { bytesBelow, canary, canFind } from '../support/hostile-canary.ts';
import { wireTo } from '../support/hostile-wire.ts';

const browsers = useBrowsers();
// Homes, relays and browsers start as processes: on a busy machine that alone is half a minute.
vi.setConfig({ testTimeout: 180_000 });

describe('the search for canaries', () => {
  const word = canary('found');

  test.each(['utf8', 'utf16le', 'hex', 'base64', 'base64url'] as const)('finds one written as %s', (encoding) => {
    const text = encoding.startsWith('utf') ? word : Buffer.from(`before ${word} after`).toString(encoding);
    const bytes = encoding === 'utf16le' ? Buffer.from(text, encoding) : Buffer.from(text);
    expect(canFind(Buffer.concat([Buffer.from('some'), bytes, Buffer.from('bytes')]), word)).toBe(true);
    expect(canFind(bytes, canary('other'))).toBe(false);
  });
});

describe('[T20] what an agent wants, and what a person says of it', () => {
  test('is in no frame between home, devices and relay, in no file of the relay, and in no log', async () => {
    const planted = ['path', 'content', 'reason', 'nickname'].map(canary);
    const [path = '', content = '', reason = '', nickname = ''] = planted;
    const home = await homeOnDisk();
    let relayPort = 0;
    const wire = await wireTo(() => relayPort);
    onTestFinished(() => wire.close());
    const address = `ws://localhost:${wire.port}`;
    const relay = await home.relay({ args: ['--public-origin', address] });
    relayPort = relay.port;
    const running = await home.start('--relay', address);
    const logs: Buffer[] = [];
    for (const { stderr, stdout } of [relay.child, running.child])
      for (const stream of [stderr, stdout]) stream?.on('data', (chunk: Buffer) => logs.push(chunk));

    await home.propose([`src/${path}-1.ts`, `src/${path}-2.ts`], `export const secret = '${content}';\n`);
    const { page } = await browsers.person();
    await enrol(page, await home.link(), nickname);
    await rowOf(page, `${path}-2`).locator('.row-main').click();
    await page.getByTestId('detail').getByText(content).first().waitFor();
    await page.locator('.detail-actions').getByRole('button', { name: 'Reject' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill(reason);
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Reject/ })
      .click();
    await rowOf(page, `${path}-2`).waitFor({ state: 'detached' });
    await rowOf(page, `${path}-1`).locator('.row-main').click();
    await page.locator('.detail-actions').getByRole('button', { name: 'Approve', exact: true }).click();
    await rowOf(page, `${path}-1`).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^Audit/ }).click();
    await page.locator('.audit-line').first().waitFor();

    const heard = wire.heard();
    const stored = await bytesBelow(home.relayData);
    expect(heard.toString('latin1'), 'the ear is on the wire').toContain(`q/${String(running.ready['homeId'])}`);
    expect(heard.length, 'and hears ledgers, blobs and tiles').toBeGreaterThan(20_000);
    expect(stored.map(({ bytes }) => bytes.length > 0)).toContain(true);
    for (const word of planted) {
      expect(canFind(heard, word), `${word} on the wire`).toBe(false);
      expect(canFind(Buffer.concat(logs), word), `${word} in a log`).toBe(false);
      for (const file of stored) expect(canFind(file.bytes, word), `${word} in ${file.path}`).toBe(false);
    }
    const own = await bytesBelow(join(home.state));
    expect(
      own.some(({ bytes }) => canFind(bytes, content)),
      'the home itself has it',
    ).toBe(true);
  });
});
