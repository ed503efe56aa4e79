import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliLab } from '../support/cli-lab.ts';
import { useBrowsers } from '../support/browser.ts';
import { builtPanel } from '../support/built-panel.ts';
import { relayProcess } from '../support/home-relay-process.ts';
import { row } from '../support/panel-eyes.ts';

/** The runtime sleeps, the relay elsewhere does not: the page comes from what the browser kept. */
const browsers = useBrowsers();

test('[DC-6] a person decides while the runtime sleeps, in a page that is loaded anew, and it is taken when it wakes', async () => {
  const lab = await cliLab();
  await builtPanel(join(lab.dir, 'panel'));
  const first = await lab.home({ port: undefined });
  const { homeId, panelUrl } = first.home.status();
  first.stop();
  await first.ended;
  const { origin } = new URL(panelUrl);
  const relay = await relayProcess({ dir: lab.dir, port: 0, args: ['--home', homeId, '--origin', origin] });
  const running = await lab.home({ port: undefined, relay: { type: 'elsewhere', url: relay.url, token: null } });
  await lab.guard(running);
  await lab.write(await lab.agent(running), 'a.txt', 'one');
  const { context, page, seen } = await browsers.person();
  await page.goto((await running.home.ownerPort().panelLink({ by: 'panel' })).url);
  await page.getByRole('button', { name: 'Make this browser a device' }).click();
  await row(page, 'a.txt').first().waitFor();
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));

  running.stop();
  await running.ended;
  await page.reload();
  await row(page, 'a.txt').first().locator('.tick input').check();
  await page.getByRole('button', { name: /^Approve \d/ }).click();
  await page
    .locator('dialog')
    .getByRole('button', { name: /^Approve/ })
    .click();
  await row(page, 'a.txt')
    .first()
    .getByText(/not taken/)
    .waitFor();
  expect(existsSync(join(lab.workspace, 'a.txt'))).toBe(false);

  const again = await lab.home({ port: undefined });
  await lab.guard(again);
  await expect.poll(() => readFile(join(lab.workspace, 'a.txt'), 'utf8').catch(() => null)).toBe('one');
  await row(page, 'a.txt').first().waitFor({ state: 'detached' });
  expect(seen.violations).toEqual([]);
  expect(seen.foreign(origin, relay.url, relay.url.replace('ws:', 'http:'))).toEqual([]);
  await context.close();
});
