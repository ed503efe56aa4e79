import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useBrowsers } from '../support/browser.ts';
import { builtPanel } from '../support/built-panel.ts';
import { cliLab, type CliLab } from '../support/cli-lab.ts';
import { looksRight, row, SOON, tooSmall } from '../support/panel-eyes.ts';

/** Rules and plan mode where people have them: a page served by a home, and files that change or do not. */
const browsers = useBrowsers();

const onDisk = (lab: CliLab, path: string) => readFile(join(lab.workspace, path), 'utf8').catch(() => null);

async function open(page: Page, path: string): Promise<void> {
  await row(page, path).first().locator('.row-main').click();
  await page.getByTestId('detail').waitFor();
}

test('[DR-2] [DR-8] a rule made from a card approves what comes next and says so; plan mode freezes, and one is applied by name', async () => {
  const lab = await cliLab();
  await builtPanel(join(lab.dir, 'panel'));
  await mkdir(join(lab.workspace, 'src'));
  const home = await lab.home();
  await lab.guard(home);
  // While an agent runs that nothing contains, a link gives no more than the command line has.
  const { url } = await home.home.ownerPort().panelLink({ by: 'up' });
  const agent = await lab.agent(home);
  await lab.write(agent, 'src/one.ts', 'one\n');
  await lab.write(await lab.agent(home), 'other.txt', 'other\n');
  const { page, seen } = await browsers.person({ width: 390, height: 844, touch: true });
  await page.goto(url);
  await page.getByRole('button', { name: 'Make this browser a device' }).click();

  await open(page, 'src/one.ts');
  await page.getByRole('button', { name: 'Always allow this kind…' }).click();
  const sheet = page.getByRole('dialog', { name: 'Always allow this kind' });
  const path = sheet.getByRole('textbox', { name: 'File matches' });
  expect(await path.inputValue(), 'the folder of its target').toBe('src/**');
  const covered = sheet.getByRole('list', { name: 'Approves of what is queued now' });
  await covered.getByText('src/one.ts').waitFor();
  await sheet.getByRole('list', { name: 'Still waits for a person' }).getByText('other.txt').waitFor();
  await path.fill('lib/**');
  await sheet.getByText('It approves nothing that is queued now.').waitFor();
  await path.fill('src/{a,b}');
  await sheet.getByText('A path here knows only *, ? and ** as wildcards.').waitFor();
  expect(await sheet.getByRole('button', { name: 'Make this rule' }).getAttribute('aria-disabled')).toBe('true');
  await path.fill('src/**');
  await looksRight(page);
  expect(await tooSmall(page)).toEqual([]);
  const words = await sheet.getByRole('region', { name: 'The rule as it is signed' }).locator('blockquote').innerText();
  expect(words).toContain('where File matches "src/**", for 1 day');
  await sheet.getByRole('button', { name: 'Make this rule' }).click();
  await expect.poll(() => onDisk(lab, 'src/one.ts'), SOON).toBe('one\n');

  await page.getByRole('button', { name: 'Back to the list' }).click();
  await lab.write(agent, 'src/two.ts', 'two\n');
  await expect.poll(() => onDisk(lab, 'src/two.ts'), SOON).toBe('two\n');
  await page.getByRole('button', { name: 'Applied' }).click();
  await page.getByText('src/two.ts').first().click();
  const detail = page.getByTestId('detail');
  await detail.getByText('Approved by a rule made on').waitFor();
  expect(await detail.locator('blockquote').innerText()).toBe(words);
  await detail.getByRole('button', { name: 'Remove this rule' }).click();
  await detail.getByText('Approved by a rule that is not in force any more.').waitFor();
  await detail.getByRole('button', { name: 'Back to the list' }).click();
  await page.getByRole('button', { name: 'Inbox' }).click();
  await lab.write(agent, 'src/three.ts', 'three\n');
  await row(page, 'src/three.ts').getByText('undecided').waitFor();
  expect(await onDisk(lab, 'src/three.ts')).toBe(null);

  await page.getByRole('button', { name: /Runtime online/ }).click();
  await page.getByRole('button', { name: 'Switch to plan mode' }).click();
  const banner = page.getByRole('status').filter({ hasText: 'Plan mode, set by' });
  await banner.waitFor();
  await page.getByRole('button', { name: /Runtime online/ }).click();
  expect((await lab.write(agent, 'src/four.ts', 'four\n')).type).toBe('refused');
  await open(page, 'src/three.ts');
  await page.locator('.detail-actions').getByRole('button', { name: 'Approve', exact: true }).click();
  await detail.getByText('Plan mode is on, set by').waitFor();
  expect(await onDisk(lab, 'src/three.ts'), 'approved and frozen').toBe(null);
  await detail.getByRole('button', { name: 'Back to the list' }).click();
  await banner.getByText('1 approved action is frozen.').waitFor();
  await looksRight(page);
  expect(await tooSmall(page)).toEqual([]);
  await banner.getByRole('button', { name: 'Apply anyway…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Apply this anyway' }).click();
  await expect.poll(() => onDisk(lab, 'src/three.ts'), SOON).toBe('three\n');
  expect(await onDisk(lab, 'other.txt'), 'by name only').toBe(null);
  expect(seen.violations).toEqual([]);
});
