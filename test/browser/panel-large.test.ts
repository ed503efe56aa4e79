import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useBrowsers } from '../support/browser.ts';
import { screenshot } from '../support/browser-process.ts';
import { looksRight, openPanel, row, SOON } from '../support/panel-eyes.ts';
import { serveBuiltPanel, servePanelFixture, type Site } from '../support/panel-site.ts';

/** What the panel does with more than fits, with what is meant to deceive, and with no network at all. */
const browsers = useBrowsers();
let site: Site;

beforeAll(async () => {
  site = await servePanelFixture();
});
afterAll(() => site.close());

test('10,000 rows: only what is in sight is in the page, and scrolling holds nobody up', async () => {
  const { page } = await browsers.person();
  await openPanel(page, site, '?set=many');
  expect(await page.locator('.row').count()).toBeLessThan(60);
  // Time on the processor, not on the wall: a machine that has other things to do stalls a page that does nothing.
  const cpu = await cpuOf(page);
  const beforeMs = await cpu();
  await page.getByTestId('inbox').evaluate(async (list) => {
    for (let at = 0; at < 60; at++) {
      list.scrollTo(0, (list.scrollHeight / 60) * at);
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  });
  const jumpMs = ((await cpu()) - beforeMs) / 60;
  process.stderr.write(`10,000 rows: ${jumpMs.toFixed(1)} ms of processor a jump to rows never drawn before\n`);
  expect(jumpMs).toBeLessThan(50);
  await page.getByTestId('inbox').evaluate((list) => list.scrollTo(0, 0));
  await page.locator('.session-heading input').check();
  await page.getByRole('button', { name: 'Approve 10,000' }).click();
  await page.getByRole('dialog').getByText('Approve: 10,000 of 10,000').waitFor();
});

test('a difference of 20,000 lines is read to its last line', async () => {
  const { page, seen } = await browsers.person({ width: 390, height: 844, touch: true });
  await openPanel(page, site);
  await page.getByPlaceholder(/Filter/).fill('generated');
  await row(page, 'generated').locator('.row-main').click();
  await page.getByTestId('detail').getByText('+20,000').waitFor();
  const pane = page.locator('.detail-scroller');
  await expect
    .poll(async () => {
      await pane.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      return page.getByText('compute(19999, options.seed)').count();
    }, SOON)
    .toBe(1);
  expect(await page.locator('.diff-line').count()).toBeLessThan(200);
  expect(seen.violations).toEqual([]);
});

test('[T1] [T2] [T17] 300 hostile texts make no element, run nothing, ask nobody, and show what they hide', async () => {
  const corpus = await hostileTexts();
  site.serve('/texts.json', JSON.stringify(corpus));
  const { page, seen } = await browsers.person({ width: 390, height: 844, touch: true });
  await openPanel(page, site, '?set=hostile');
  const list = page.getByTestId('inbox');
  const kinds = new Set<string>();
  const look = async () => {
    const here = await page.evaluate(() => ({
      tags: [...document.querySelectorAll('#panel *')].map(({ localName }) => localName),
      text: document.body.innerText,
      attributes: [...document.querySelectorAll('#panel *')].flatMap((element) =>
        element.getAttributeNames().filter((name) => name.startsWith('on') || name === 'href' || name === 'src'),
      ),
    }));
    for (const tag of here.tags) kinds.add(tag);
    expect(here.attributes).toEqual([]);
    // Nothing that reorders, hides or moves reaches the page, whoever wrote it.
    expect(here.text).not.toMatch(
      /[\u202a-\u202e\u2066-\u2069\u200b\u200e\u200f\u2060\ufeff\u{e0000}-\u{e007f}\u0007\u001b\u009b]/u,
    );
  };
  for (let at = 0; at < 40; at++) {
    await list.evaluate((element, part) => element.scrollTo(0, (element.scrollHeight / 40) * part), at);
    await page.locator('.row-main').nth(3).click();
    await page.locator('.detail-card').waitFor();
    await look();
    await page.getByRole('button', { name: 'Back to the list' }).click();
  }
  await looksRight(page, 'foreign');
  await screenshot(page, 'hostile-390');
  const own =
    'bdi button dd details div dl dt footer h2 h3 header input label li main nav ol p q section span strong summary code mark kbd'.split(
      ' ',
    );
  expect([...kinds].filter((tag) => !own.includes(tag))).toEqual([]);
  expect(await page.evaluate(() => 'pwned' in window)).toBe(false);
  expect([seen.violations, seen.errors, seen.foreign(site.origin)]).toEqual([[], [], []]);
});

test('[PN-2] the built page keeps itself: without a network it opens all the same, and talks to nobody else', async () => {
  const built = await serveBuiltPanel();
  const { context, page, seen } = await browsers.person();
  await page.goto(`${built.origin}/#b=${'x'.repeat(24)}`);
  await page.getByLabel('What to call this device').waitFor();
  expect(page.url()).toBe(`${built.origin}/`);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await expect
    .poll(
      () =>
        page.evaluate(
          async () => (await caches.keys()).length === 1 && (await caches.match('index.html')) !== undefined,
        ),
      SOON,
    )
    .toBe(true);
  await built.close();
  const later = await context.newPage();
  await later.goto(`${built.origin}/`);
  await later.getByText('This browser is not one of your devices yet.').waitFor();
  await screenshot(later, 'gate');
  expect([seen.violations, seen.foreign(built.origin)]).toEqual([[], []]);
});

test('[PN-2] a link that is spent, or a runtime that does not answer, is said', async () => {
  const built = await serveBuiltPanel();
  const { page } = await browsers.person({ width: 380, height: 800, colorScheme: 'dark' });
  await page.goto(`${built.origin}/#b=${'x'.repeat(24)}`);
  await page.getByRole('button', { name: 'Make this browser a device' }).click();
  await page.getByText('This browser did not become a device.').waitFor();
  await looksRight(page);
  await screenshot(page, 'gate-failed');
  await built.close();
});

/** Reads how many milliseconds the page's own thread has worked. */
async function cpuOf(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000;
  };
}

/** The corpus of the display, and markup that would run if anything took it for markup. */
async function hostileTexts(): Promise<readonly string[]> {
  const golden = new URL('../golden/hostile-text.json', import.meta.url);
  // reason: the golden file has this shape
  const cases = JSON.parse(await readFile(golden, 'utf8')) as readonly { readonly parts: readonly unknown[] }[];
  const markup = [
    '<img src=x onerror="window.pwned=1">',
    '<script>window.pwned=1</script>',
    '<svg onload=window.pwned=1>',
    '"><iframe src="https://example.com/"></iframe>',
    '![leak](https://example.com/leak.png)',
    'javascript:window.pwned=1',
    '<a href="https://example.com">Approved</a>',
    '{{constructor.constructor("window.pwned=1")()}}',
    '<style>*{display:none}</style>',
    '✓ applied\n● approved',
  ];
  const texts = cases.flatMap(({ parts }) => (parts.every((part) => typeof part === 'string') ? [parts.join('')] : []));
  return [...markup, ...texts]
    .filter((text) => text.isWellFormed())
    .map((text) => text.slice(0, 20_000))
    .slice(0, 300);
}
