import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useBrowsers } from '../support/browser.ts';
import { screenshot } from '../support/browser-process.ts';
import {
  arrive,
  asked,
  looksRight,
  openPanel,
  row,
  SIZES,
  SOON,
  tell,
  tickSessions,
  tooSmall,
} from '../support/panel-eyes.ts';
import { servePanelFixture, type Site } from '../support/panel-site.ts';

/** The panel in a real browser, over a home that exists only in the page. */
const browsers = useBrowsers();
let site: Site;

beforeAll(async () => {
  site = await servePanelFixture();
});
afterAll(() => site.close());

describe.each(SIZES.flatMap((size) => (['light', 'dark'] as const).map((colorScheme) => ({ ...size, colorScheme }))))(
  'on a $name, $colorScheme',
  (looks) => {
    test('every page fits, and everything on it has a name and can be hit', async () => {
      const { page, seen } = await browsers.person(looks);
      const shot = (name: string) => screenshot(page, `${name}-${looks.width}-${looks.colorScheme}`);
      const look = async (name: string) => {
        await looksRight(page);
        if (looks.touch) expect(await tooSmall(page)).toEqual([]);
        await shot(name);
      };
      await openPanel(page, site);
      await look('inbox');
      await page.locator('.session-heading input').first().check();
      await look('selected');
      await page.getByRole('button', { name: /^Approve \d/ }).click();
      await look('sheet');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Clear' }).click();
      await row(page, 'src/app.ts').first().locator('.row-main').click();
      await page.locator('.diff-added').first().waitFor();
      await look('detail');
      if (looks.width < 900) await page.getByRole('button', { name: 'Back to the list' }).click();
      await page.locator('.status-line').click();
      await look('status');
      await page.locator('.status-line').click();
      await page.getByRole('button', { name: /^Applied/ }).click();
      await look('applied');
      await page.getByRole('button', { name: /^Audit/ }).click();
      await page.locator('.audit-line').first().waitFor();
      await look('audit');
      expect([seen.violations, seen.errors, seen.foreign(site.origin)]).toEqual([[], [], []]);
    });

    test('the last row stands above the bar, and what was cut is whole where the keyboard stands', async () => {
      const { page } = await browsers.person(looks);
      await openPanel(page, site);
      await page.locator('.session-heading input').first().check();
      const list = page.getByTestId('inbox');
      await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      await row(page, 'src/needs.ts').waitFor();
      await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      const bar = await page.locator('.bulk-bar').boundingBox();
      const last = await row(page, 'src/needs.ts').boundingBox();
      expect(last!.y + last!.height).toBeLessThanOrEqual(bar!.y + 1);
    });
  },
);

test('a queue of 43 is approved with three exceptions, in one gesture, without what needs a tick of its own', async () => {
  const { page } = await browsers.person();
  await openPanel(page, site);
  await tickSessions(page, ['fix the invoices', 'cursor', 'ops-agent']);
  await page.getByText('41 selected').waitFor();
  await page.getByRole('button', { name: /^Approve \d/ }).click();
  const sheet = page.getByRole('dialog');
  await sheet.getByText('#16 is in conflict with the files as they are.').waitFor();
  const named = sheet.getByRole('list', { name: 'Named by this decision' });
  for (const seq of ['#6 ', '#9 ', '#11 ']) await named.locator('label', { hasText: seq }).locator('input').uncheck();
  await sheet.getByRole('button', { name: /^Approve \d+$/ }).click();
  await page.getByText(/^Approved: \d+ actions\. Saved on this device\./).waitFor();
  const [wish] = await asked(page);
  for (const seq of [6, 9, 11, 16, 39, 40, 41]) expect(wish?.seqs).not.toContain(seq);
  expect(wish?.seqs).toEqual(expect.arrayContaining([7, 8, 10, 12, 13, 14, 15, 17, 18]));
});

test('[DR-5] before what cannot be undone is approved, it is said that it can still be stopped for ten seconds', async () => {
  const { page } = await browsers.person();
  await openPanel(page, site);
  await page.getByPlaceholder(/Filter/).fill('Send');
  await page.locator('.row-main').first().click();
  await page.locator('.detail-actions').getByRole('button', { name: 'Approve', exact: true }).click();
  await page.getByRole('dialog').getByText('For ten seconds after you approve').waitFor();
  expect(await asked(page), 'nothing is asked for by looking').toEqual([]);
});

test('[CA-1] a reject shows what falls and what must be looked at again, takes a reason, and can be undone', async () => {
  const { page } = await browsers.person();
  await page.clock.install();
  await openPanel(page, site);
  await row(page, 'src/app.ts').first().locator('.tick').click();
  await page.locator('.bulk-bar').getByRole('button', { name: 'Reject' }).click();
  const sheet = page.getByRole('dialog');
  await sheet
    .getByRole('list', { name: /^Falls with it/ })
    .getByText('src/needs.ts')
    .waitFor();
  await sheet
    .getByRole('list', { name: /^Must be looked at again/ })
    .getByText('src/needs.ts')
    .waitFor();
  await sheet.getByLabel('Reason').fill('Keep the old rate.');
  await sheet.getByRole('button', { name: /^Reject \d/ }).click();
  await page.getByText(/^Reject: 4 actions, in 5 seconds/).waitFor();
  await page.locator('.outcome').getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Not done: 4 actions').waitFor();
  expect(await asked(page)).toEqual([]);

  await row(page, 'src/app.ts').first().locator('.tick').click();
  await page.locator('.bulk-bar').getByRole('button', { name: 'Reject' }).click();
  await sheet.getByLabel('Reason').fill('Keep the old rate.');
  await sheet.getByRole('button', { name: /^Reject \d/ }).click();
  await page.getByText(/^Reject: 4 actions, in 5 seconds/).waitFor();
  expect(await asked(page)).toEqual([]);
  await page.clock.fastForward(5_000);
  await page.getByText('Rejected: 4 actions. Saved on this device.').waitFor();
  expect(await asked(page)).toMatchObject([{ kind: 'reject', seqs: [6, 7, 8, 10], note: 'Keep the old rate.' }]);
});

test('a change is asked for in words, which go to the agent and are not optional', async () => {
  const { page } = await browsers.person();
  await page.clock.install();
  await openPanel(page, site);
  await row(page, 'docs/draft.md').locator('.row-main').click();
  await page.locator('.detail-actions').getByRole('button', { name: 'Ask for a change' }).click();
  const sheet = page.getByRole('dialog');
  const send = sheet.getByRole('button', { name: /^Ask for a change/ });
  expect(await send.getAttribute('aria-disabled')).toBe('true');
  await sheet.getByLabel('What to do instead').fill('Move it to the attic.');
  await send.click();
  await page.locator('.outcome').getByRole('button', { name: 'Undo' }).waitFor();
  await page.clock.fastForward(5_000);
  await page.getByText('Asked for a change: #15. Saved on this device.').waitFor();
  expect(await asked(page)).toMatchObject([{ kind: 'change', body: { say: 'Move it to the attic.', remarks: [] } }]);
});

test('everything goes by keyboard: move, select a range, look, decide, undo, ask what keys there are', async () => {
  const { page } = await browsers.person();
  await openPanel(page, site);
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
  await page.keyboard.press('j');
  await expect.poll(focused, SOON).toContain('#6');
  await page.keyboard.press('j');
  await expect.poll(focused, SOON).toContain('#9');
  await page.keyboard.press('x');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await expect.poll(focused, SOON).toContain('#12');
  await page.keyboard.press('X');
  await page.getByText('3 selected').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.locator('.bulk-bar').count(), SOON).toBe(0);
  await page.keyboard.press('k');
  await expect.poll(focused, SOON).toContain('#11');
  await page.keyboard.press('Enter');
  await page.getByTestId('detail').getByText('binary', { exact: false }).waitFor();
  await page.keyboard.press('a');
  await page.getByText('Approved: #11. Saved on this device.').waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).getByText('Select from the last one to here').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('dialog').count(), SOON).toBe(0);
  await page.keyboard.press('/');
  await page.keyboard.type('rates');
  await expect.poll(() => page.locator('.row').count(), SOON).toBe(1);
  expect((await asked(page)).map(({ kind, seqs }) => [kind, ...seqs])).toEqual([['approve', 11]]);
});

test('[PN-1] a decision is saved, sent, taken and applied before the person’s eyes, and can be undone', async () => {
  const { page } = await browsers.person();
  await openPanel(page, site, '?leg=stay');
  await row(page, 'total.ts').locator('.row-main').click();
  await page.locator('.detail-actions').getByRole('button', { name: 'Approve', exact: true }).click();
  await row(page, 'total.ts').getByText('Approved here: saved on this device, not sent yet').waitFor();
  await page.locator('.status-line').getByText('1 decision waiting on this device').waitFor();
  await page.locator('.detail-actions').getByRole('button', { name: 'Undo approve' }).click();
  await expect.poll(async () => (await asked(page)).map(({ kind }) => kind), SOON).toEqual(['approve', 'retract']);

  await openPanel(page, site);
  await row(page, 'total.ts').locator('.row-main').click();
  await page.locator('.detail-actions').getByRole('button', { name: 'Approve', exact: true }).click();
  await expect.poll(() => row(page, 'total.ts').count(), SOON).toBe(0);
  await page.getByRole('button', { name: /^Applied/ }).click();
  await row(page, 'total.ts').getByText('decided on desk').waitFor();
  await row(page, 'total.ts')
    .getByRole('button', { name: /^Revert/ })
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revert', exact: true }).click();
  await row(page, 'total.ts').getByText('reverted').waitFor();
});

test('[PN-1] [PN-4] what another device decides is shown with its name and leaves the selection', async () => {
  const { page } = await browsers.person();
  await openPanel(page, site);
  await page.locator('.session-heading input').first().check();
  await page.getByText('14 selected').waitFor();
  await tell(page, 'claimElsewhere', 9, 'approve');
  await row(page, 'total.ts').getByText('Approved on phone, not taken by the runtime yet').waitFor();
  await page.getByText('No longer selected. #9: approved on phone.').waitFor();
  await page.getByText('13 selected').waitFor();
  await tell(page, 'settleElsewhere', 11, { state: 'rejected', because: 'person' });
  await page.getByText('No longer selected. #11: rejected, decided on phone.').waitFor();
  await page.getByText('12 selected').waitFor();
});

test('[PN-5] the list is frozen while something is selected, and a sheet never grows', async () => {
  const { page } = await browsers.person();
  await openPanel(page, site);
  await page.locator('.session-heading input').first().check();
  await page.getByRole('button', { name: /^Approve 13/ }).click();
  await arrive(page);
  const sheet = page.getByRole('dialog');
  await sheet.getByText('Approve: 13 of 14').waitFor();
  expect(await page.locator('.row', { hasText: 'new/9001.ts' }).count()).toBe(0);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: '1 new, show' }).click();
  await page.getByText('14 selected').waitFor();
  await page.getByPlaceholder(/Filter/).fill('new/9001');
  await row(page, 'new/9001.ts').waitFor();
});

test('[PN-5] a button pressed the moment the layout moved does nothing', async () => {
  const { page } = await browsers.person();
  await openPanel(page, site);
  // In the page itself, so that no way to and fro lets the moment pass.
  const armed = await page.evaluate(async () => {
    document.querySelector<HTMLElement>('.session-heading input')?.click();
    for (;;) {
      const button = document.querySelector<HTMLElement>('.bulk-bar .button-main');
      button?.click();
      if (button !== null) return button.getAttribute('aria-disabled');
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  });
  expect(armed).toBe('true');
  expect(await page.getByRole('dialog').count()).toBe(0);
});

test('[GM-2] a conflict offers its three exits and nothing else', async () => {
  const { page } = await browsers.person();
  await openPanel(page, site);
  await row(page, 'src/rates.ts').locator('.row-main').click();
  const actions = page.locator('.detail-actions');
  await actions.getByRole('button', { name: 'Keep mine' }).waitFor();
  expect(await actions.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0);
  await actions.getByRole('button', { name: 'Take the agent’s' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Take the agent’s', exact: true }).click();
  await expect.poll(() => asked(page), SOON).toMatchObject([{ kind: 'reissue', seqs: [16], body: { mode: 'theirs' } }]);
});

test('[EF-2] what is in doubt is settled by a person; what may happen twice is never retried in one press', async () => {
  const { page } = await browsers.person();
  await openPanel(page, site);
  await page.getByPlaceholder(/Filter/).fill('status-page');
  await row(page, 'status-page').locator('.row-main').click();
  await page.locator('.detail-actions').getByRole('button', { name: 'It did not happen' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'It did not happen', exact: true }).click();
  await page.getByPlaceholder(/Filter/).fill('pager');
  await row(page, 'pager').locator('.row-main').click();
  await page.locator('.detail-actions').getByRole('button', { name: 'Retry (may happen twice)' }).click();
  await page.getByRole('dialog').waitFor();
  await expect.poll(() => asked(page), SOON).toMatchObject([{ kind: 'settle', body: { answer: 'did-not' } }]);
});

test('[PN-2] offline, asleep, alarmed and forgetful: each is said in plain words', async () => {
  const { page } = await browsers.person({ width: 390, height: 844, touch: true });
  await openPanel(page, site);
  await tell(page, 'change', {
    connection: { state: 'offline', trouble: { reason: 'unreachable', sentence: 'The relay does not answer.' } },
    volatile: 'This is a private window: what you decide here is gone when it closes.',
    alarms: [{ kind: 'fork', workspace: null, sentence: 'Two different audit logs were shown.' }],
  });
  await tell(page, 'changeWorkspace', { runtime: { state: 'asleep', heartbeatAtMs: Date.now() - 720_000 } });
  for (const words of [
    'The relay does not answer. What was seen stays readable, and what you decide goes out by itself later.',
    'This is a private window: what you decide here is gone when it closes.',
    'Two different audit logs were shown.',
  ])
    await page.getByText(words).waitFor();
  await page
    .locator('.status-line')
    .getByText(/^◌ Runtime asleep since .* \(1[12] min\)$/)
    .waitFor();
  await looksRight(page);
  expect(await tooSmall(page)).toEqual([]);
  await screenshot(page, 'offline-390');
  await page.getByRole('button', { name: 'Connect now' }).click();
  await expect.poll(() => page.getByText('What was seen stays readable').count(), SOON).toBe(0);
});

test('the audit log is read to its end and verified on this device', async () => {
  const { page } = await browsers.person();
  await openPanel(page, site);
  await page.getByRole('button', { name: /^Audit/ }).click();
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByRole('progressbar').waitFor();
  await page.getByText('Nothing was changed, left out or put in: 1,234 entries checked on this device.').waitFor();
  const list = page.getByTestId('audit');
  await expect
    .poll(async () => {
      await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      return page.getByText('This is where it began.').count();
    }, SOON)
    .toBe(1);
  expect(await page.locator('.audit-line').count()).toBeLessThan(80);
});
