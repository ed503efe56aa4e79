import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliLab } from '../support/cli-lab.ts';
import { useBrowsers } from '../support/browser.ts';
import { builtPanel } from '../support/built-panel.ts';
import { row } from '../support/panel-eyes.ts';

/** The panel as people have it: served by a home, over its relay, with the files of a real workspace behind it. */
const browsers = useBrowsers();

test('a person opens the link, approves, and the file is there; a second browser sees who did it', async () => {
  const lab = await cliLab();
  await builtPanel(join(lab.dir, 'panel'));
  await mkdir(join(lab.workspace, 'src'));
  const home = await lab.home();
  await lab.guard(home);
  const agent = await lab.agent(home);
  await lab.write(agent, 'src/app.ts', 'export const app = 1;\n');
  await lab.write(agent, 'src/other.ts', 'export const other = 2;\n');
  const link = async () => (await home.home.ownerPort().panelLink({ by: 'panel' })).url;
  const { origin } = new URL(home.home.status().panelUrl);

  const first = await browsers.person({ width: 1280, height: 900, colorScheme: 'light', touch: false });
  const second = await browsers.person({ width: 390, height: 844, colorScheme: 'dark', touch: true });
  for (const { page } of [first, second]) {
    await page.goto(await link());
    await page.getByRole('button', { name: 'Make this browser a device' }).click();
    await row(page, 'src/app.ts').first().waitFor();
    expect(page.url(), 'the secret does not stay in the address').toBe(`${origin}/`);
  }
  await row(first.page, 'src/app.ts').first().locator('.tick input').check();
  await first.page.getByRole('button', { name: /^Approve \d/ }).click();
  await first.page
    .locator('dialog')
    .getByRole('button', { name: /^Approve/ })
    .click();
  await row(second.page, 'src/app.ts').first().waitFor({ state: 'detached' });
  await expect
    .poll(() => readFile(join(lab.workspace, 'src', 'app.ts'), 'utf8').catch(() => null))
    .toBe('export const app = 1;\n');

  for (const { seen } of [first, second]) {
    const relay = origin.replace('http:', 'ws:');
    // Chromium reports each request that finds nothing; an inbox that nobody wrote yet is one.
    const errors = seen.errors.filter((said) => !/status of 404/.test(said));
    expect([seen.violations, errors, seen.foreign(origin, relay)]).toEqual([[], [], []]);
  }
});

test('a browser that was removed says so, and becomes a new device with a new link', async () => {
  const lab = await cliLab();
  await builtPanel(join(lab.dir, 'panel'));
  const home = await lab.home({ cliRight: 'approve-all' });
  await lab.guard(home);
  const agent = await lab.agent(home);
  await lab.write(agent, 'again.txt', 'again\n');
  const link = async () => (await home.home.ownerPort().panelLink({ by: 'panel' })).url;
  const { origin } = new URL(home.home.status().panelUrl);
  const become = { name: 'Make this browser a device' };

  const { context, page } = await browsers.person({ width: 390, height: 844 });
  await page.goto(await link());
  await page.getByRole('button', become).click();
  await row(page, 'again.txt').first().waitFor();
  const devices = async () => (await lab.run('devices', 'ls', '--json')).json.filter(({ self }) => self !== true);
  const [before] = await devices();
  // Removed while nobody looks: the browser has seen nothing of it.
  await page.close();
  // While an agent runs that nothing contains, the command line may not change devices.
  await agent.close();
  await expect.poll(async () => (await lab.run('devices', 'revoke', String(before?.['id']))).err).toEqual([]);

  const again = await context.newPage();
  await again.goto(`${origin}/`);
  await again.getByText('This browser was removed from your devices.').waitFor();
  await again.goto('about:blank');
  await again.goto(await link());
  await again.getByText('With this link it becomes a new device.').waitFor();
  await again.getByRole('button', become).click();
  await row(again, 'again.txt').first().locator('.row-main').click();
  await again.locator('.detail-actions').getByRole('button', { name: 'Approve', exact: true }).click();
  await expect.poll(() => readFile(join(lab.workspace, 'again.txt'), 'utf8').catch(() => null)).toBe('again\n');
  const [after, ...more] = await devices();
  expect([after?.['id'] === before?.['id'], more]).toEqual([false, []]);
});
