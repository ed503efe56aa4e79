import { afterAll, beforeAll, expect, test } from 'vitest';
import { useBrowsers } from '../support/browser.ts';
import { screenshot } from '../support/browser-process.ts';
import { asked, looksRight, openPanel, SIZES, SOON, tell, tooSmall } from '../support/panel-eyes.ts';
import { servePanelFixture, type Site } from '../support/panel-site.ts';
import { givenBack } from '../../src/model/list-back.ts';

const browsers = useBrowsers();
let site: Site;

beforeAll(async () => {
  site = await servePanelFixture();
});
afterAll(() => site.close());

/** Numbers of pending actions that can be approved with others, and of a message, which cannot be undone. */
function numbers(page: Parameters<typeof asked>[0]) {
  return page.evaluate(() => {
    // reason: the page puts it on its window
    const { replica } = window as unknown as {
      replica: {
        snapshot(): {
          workspaces: {
            open: {
              card: string;
              record: { seq: number; state: string; reversible: boolean; inspectable: boolean; attention: unknown };
            }[];
          }[];
        };
      };
    };
    const open = replica.snapshot().workspaces[0]?.open ?? [];
    const pending = open.filter(
      ({ card, record }) => card === 'here' && record.state === 'pending' && record.attention === null,
    );
    return {
      plain: pending.flatMap(({ record }) => (record.reversible && record.inspectable ? [record.seq] : [])).slice(0, 2),
      final: pending.find(({ record }) => !record.reversible)?.record.seq ?? 0,
    };
  });
}

test.each(SIZES)(
  '[DR-11] on a $name, a list that was given back says because of which, and the rest is one gesture away',
  async (looks) => {
    const { page, seen } = await browsers.person(looks);
    await openPanel(page, site);
    const { plain } = await numbers(page);
    expect(plain).toHaveLength(2);
    const remark = givenBack('#9: src/tax.ts was changed by somebody else.');
    for (const seq of plain) await tell(page, 'changeElsewhere', seq, { remark });
    const banner = page
      .getByRole('status')
      .filter({ hasText: 'Nothing of an approved list was applied, because of #9' });
    await banner.waitFor();
    expect(await banner.textContent()).toContain('2 actions of it can still be applied.');
    await looksRight(page);
    if (looks.touch) expect(await tooSmall(page)).toEqual([]);
    await screenshot(page, `list-back-${looks.width}`);
    const rest = banner.getByRole('button', { name: 'Apply the rest in order' });
    // It does nothing until it stood still for a moment; then the keyboard alone is enough.
    await rest.click({ trial: true });
    await rest.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await screenshot(page, `list-back-sheet-${looks.width}`);
    const confirm = dialog.getByRole('button', { name: /Apply the rest in order/ });
    await confirm.click({ trial: true });
    await confirm.press('Enter');
    expect(await asked(page)).toMatchObject([{ kind: 'approve', seqs: plain, body: { mode: 'rest' } }]);
    await banner.waitFor({ state: 'detached' });
    expect([seen.violations, seen.errors, seen.foreign(site.origin)]).toEqual([[], [], []]);
  },
);

test.each(SIZES.flatMap((size) => (['light', 'dark'] as const).map((scheme) => ({ ...size, scheme }))))(
  '[DR-5] on a $name, $scheme, what cannot be undone counts down and is stopped with one press',
  async ({ scheme, ...looks }) => {
    const { page, seen } = await browsers.person(looks);
    await page.emulateMedia({ colorScheme: scheme });
    await openPanel(page, site);
    const { final } = await numbers(page);
    await tell(page, 'changeElsewhere', final, {
      state: 'approved',
      by: {
        type: 'device',
        device: await page.evaluate(() => (window as never as { replica: { device: string } }).replica.device),
        n: 1,
      },
      graceUntilMs: Date.now() + 99_500,
    });
    const timer = page.getByRole('timer').first();
    for (let tries = 0; tries < 40 && (await timer.count()) === 0; tries++)
      await page.getByTestId('inbox').evaluate((element) => element.scrollBy(0, 300));
    await timer.waitFor();
    await timer.scrollIntoViewIfNeeded();
    const words = (await timer.textContent()) ?? '';
    expect(words).toMatch(/^Applies in \d+ s$/);
    await expect.poll(() => timer.textContent(), SOON).not.toBe(words);
    await looksRight(page);
    await screenshot(page, `grace-${looks.width}-${scheme}`);
    const undo = page.getByRole('button', { name: `Undo #${final}` });
    await undo.focus();
    await page.keyboard.press('Enter');
    expect(await asked(page)).toMatchObject([{ kind: 'retract', seqs: [final] }]);
    expect([seen.violations, seen.errors, seen.foreign(site.origin)]).toEqual([[], [], []]);
  },
);
