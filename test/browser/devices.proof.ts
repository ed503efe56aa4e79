import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test, vi } from 'vitest';
import { useBrowsers } from '../support/browser.ts';
import type { Looks, Person } from '../support/browser-process.ts';
import { contentOf, enrol, homeOnDisk, rowOf, type HomeOnDisk } from '../support/browser-home.ts';

/** Devices as people have them: real browsers, a home and a relay in processes of their own, a workspace on disk. */
const browsers = useBrowsers();
// Homes, relays and browsers start as processes: on a busy machine that alone is half a minute.
vi.setConfig({ testTimeout: 180_000 });
const paths = (count: number) =>
  Array.from({ length: count }, (_, i) => `src/part-${String(i + 1).padStart(3, '0')}.ts`);

/** Ticks everything that waits. */
async function tickAll(page: Page): Promise<void> {
  for (const heading of await page.locator('.session-heading input').all()) await heading.check();
}

/** Says why in the sheet that is open, and lets the time pass in which a reject can be undone. */
async function rejectBecause(page: Page, why: string): Promise<void> {
  const sheet = page.getByRole('dialog');
  await sheet.getByLabel('Reason').fill(why);
  await sheet.getByRole('button', { name: /^Reject/ }).click();
  await page.getByText(/^Rejected: .* Saved on this device\./).waitFor();
}

/** Opens a device in a browser of its own, and looks that nothing went wrong in it when the test is over. */
async function device(home: HomeOnDisk, nickname: string, looks?: Looks): Promise<Person> {
  const person = await browsers.person(looks);
  await enrol(person.page, await home.link(), nickname);
  await person.page.evaluate(() => Object.assign(window, { neverReloaded: true }));
  return person;
}

async function expectCalm(...people: readonly Person[]): Promise<void> {
  for (const { page, seen } of people) {
    expect(await page.evaluate(() => 'neverReloaded' in window)).toBe(true);
    // A browser reports every 404, and an inbox nobody wrote has no snapshot yet.
    const errors = seen.errors.filter((text) => !/status of 404 .*\/r\/d\/[^/]+\/[^/]+\/snapshot\)$/.test(text));
    expect([seen.violations, errors]).toEqual([[], []]);
  }
}

const filesOf = ({ workspace }: HomeOnDisk): Promise<readonly string[]> => readdir(join(workspace, 'src'));

describe('two devices', () => {
  test('40 of 43 are approved with exceptions; the other device shows who and what, without a reload', async () => {
    const home = await homeOnDisk();
    await home.start();
    const all = paths(43);
    await home.propose(all);
    const ada = await device(home, 'Ada’s laptop');
    const grace = await device(home, 'Grace’s phone', { width: 390, height: 844, touch: true });
    await tickAll(ada.page);
    await ada.page.getByRole('button', { name: 'Approve 43' }).click();
    const sheet = ada.page.getByRole('dialog');
    const left = all.filter((_, i) => [1, 4, 6].includes(i));
    for (const path of left) await sheet.locator('label', { hasText: path }).locator('input').uncheck();
    await sheet.getByRole('button', { name: 'Approve 40' }).click();

    // What comes after an exception is approved, and waits for it (DR-1).
    await rowOf(grace.page, 'part-003').getByText('approved').waitFor();
    await rowOf(grace.page, 'part-003').getByText('Waits for #2').waitFor();
    await rowOf(grace.page, 'part-003').locator('.row-main').click();
    await grace.page.getByTestId('detail').getByText('Ada’s laptop').waitFor();
    await grace.page.getByRole('button', { name: 'Back to the list' }).click();
    expect(await filesOf(home)).toEqual(['part-001.ts']);
    for (const path of left) await rowOf(grace.page, path).locator('.tick').click();
    await grace.page.locator('.bulk-bar').getByRole('button', { name: 'Reject' }).click();
    await rejectBecause(grace.page, 'Not these.');

    await expect.poll(() => filesOf(home).then(({ length }) => length), { timeout: 30_000 }).toBe(40);
    await expect.poll(() => ada.page.locator('.row').count()).toBe(0);
    await grace.page.getByRole('button', { name: /^Applied/ }).click();
    await grace.page.getByLabel('Filter what is settled').fill('part-043');
    const applied = grace.page.getByTestId('applied').locator('.row');
    await expect.poll(() => applied.allInnerTexts()).toEqual([expect.stringContaining('Ada’s laptop')]);
    expect(await readFile(join(home.workspace, 'src/part-043.ts'), 'utf8')).toBe(contentOf('src/part-043.ts'));
    await expectCalm(ada, grace);
  });

  test('[PN-1] while the runtime is gone one shows what the other approved as not taken; a reject there wins', async () => {
    const home = await homeOnDisk();
    const relay = await home.relay();
    const running = await home.start('--relay', relay.url);
    const [first = '', second = ''] = paths(2);
    await home.propose([first, second]);
    const ada = await device(home, 'Ada’s laptop');
    const grace = await device(home, 'Grace’s phone', { width: 390, height: 844, touch: true });
    running.child.kill('SIGKILL');
    await running.ended;

    await tickAll(ada.page);
    await ada.page.getByRole('button', { name: 'Approve 2' }).click();
    await ada.page.getByRole('dialog').getByRole('button', { name: 'Approve 2' }).click();
    const untaken = 'Approved on Ada’s laptop, not taken by the runtime yet';
    for (const path of [first, second]) await rowOf(grace.page, path).getByText(untaken).waitFor();
    await rowOf(grace.page, first).locator('.row-main').click();
    await grace.page.locator('.detail-actions').getByRole('button', { name: 'Reject' }).click();
    await rejectBecause(grace.page, 'Not this one.');
    await rowOf(ada.page, first).getByText('Rejected on Grace’s phone, not taken by the runtime yet').waitFor();
    await expect(filesOf(home)).resolves.toEqual([]);

    await home.start();
    // The list was approved as a whole, and one of it was rejected: nothing of it is applied, and Ada sees why.
    const rest = ada.page.getByRole('button', { name: 'Apply the rest in order' });
    await rest.first().click({ timeout: 30_000 });
    await ada.page.getByRole('dialog').getByRole('button', { name: 'Apply the rest in order' }).click();
    await expect.poll(() => grace.page.locator('.row').count(), { timeout: 30_000 }).toBe(0);
    await ada.page.getByRole('button', { name: /^Applied/ }).click();
    await expect
      .poll(() => ada.page.getByTestId('applied').locator('.row', { hasText: first }).innerText())
      .toContain('Not this one.');
    expect(await filesOf(home)).toEqual([second.slice('src/'.length)]);
    await expectCalm(ada, grace);
  });
});

describe('a device without a network', () => {
  test('[DC-6] reads a hundred cards, decides fifty, is closed and opened again: each is taken once, in order', async () => {
    const home = await homeOnDisk();
    await home.start();
    const all = paths(100);
    await home.propose(all);
    const link = await home.link();
    const kept = await browsers.kept();
    const before = await kept.open();
    await enrol(before.page, link, 'Ada’s laptop');
    // Everything open is fetched ahead, so that it can be read in a tunnel.
    await tickAll(before.page);
    await before.page.getByRole('button', { name: 'Approve 100' }).waitFor();
    await before.page.getByRole('button', { name: 'Clear' }).click();
    await untilKeptForOffline(before.page);
    await before.network('off');
    await before.page.locator('.row-main').first().click();
    for (const path of all) {
      await before.page.getByTestId('detail').getByText(contentOf(path).trim()).waitFor();
      await before.page.keyboard.press('j');
    }
    await before.page.getByTestId('inbox').evaluate((list) => list.scrollTo(0, 0));
    await rowOf(before.page, all[0] ?? '')
      .locator('.row-main')
      .focus();
    for (const path of all.slice(0, 50)) {
      await before.page.keyboard.press('a');
      await rowOf(before.page, path).getByText('saved on this device, not sent yet').waitFor();
      await before.page.keyboard.press('j');
    }
    await before.close();

    const after = await kept.open();
    await after.network('off');
    await after.page.goto(new URL(link).origin);
    await after.page.getByText('50 decisions waiting on this device').waitFor();
    await after.network('on');
    await expect.poll(() => filesOf(home).then(({ length }) => length), { timeout: 30_000 }).toBe(50);
    await rowOf(after.page, all[49] ?? '').waitFor({ state: 'detached' });
    await after.page.getByText('waiting on this device').waitFor({ state: 'detached' });
    const applied = await filesOf(home);
    expect(applied.toSorted()).toEqual(all.slice(0, 50).map((path) => path.slice('src/'.length)));
    const times = await Promise.all(all.slice(0, 50).map((path) => appliedAtNs(home, path)));
    expect(times).toEqual(times.toSorted((a, b) => (a < b ? -1 : 1)));
  });
});

/** The service worker has put the page by. */
async function untilKeptForOffline(page: Page): Promise<void> {
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
}

async function appliedAtNs({ workspace }: HomeOnDisk, path: string): Promise<bigint> {
  return (await stat(join(workspace, path), { bigint: true })).mtimeNs;
}
