import { afterAll, beforeAll, expect, test } from 'vitest';
import { useBrowsers } from '../support/browser.ts';
import { asked, looksRight, openPanel, SIZES, tell, tooSmall } from '../support/panel-eyes.ts';
import { servePanelFixture, type Site } from '../support/panel-site.ts';

const browsers = useBrowsers();
let site: Site;

beforeAll(async () => {
  site = await servePanelFixture();
});
afterAll(() => site.close());

const WHY = 'This was made on main, and your files are on topic now.';

test.each(SIZES)(
  '[GM-4] on a $name, what moved is one banner, and one gesture over exactly that list',
  async (looks) => {
    const { page, seen } = await browsers.person(looks);
    await openPanel(page, site);
    // reason: the page puts it on its window
    const moved = await page.evaluate(() => {
      const { replica } = window as unknown as {
        replica: { snapshot(): { workspaces: { open: { record: { id: string; seq: number; state: string } }[] }[] } };
      };
      const open = replica.snapshot().workspaces[0]?.open ?? [];
      return open
        .filter(({ record }) => record.state === 'pending')
        .slice(0, 3)
        .map(({ record: { id, seq } }) => ({ id, seq }));
    });
    const seqs = moved.map(({ seq }) => seq);
    expect(seqs).toHaveLength(3);
    await tell(page, 'changeWorkspace', { moved: { why: WHY, actions: moved.map(({ id }) => id) } });
    const banner = page.getByRole('status').filter({ hasText: WHY });
    await banner.waitFor();
    await looksRight(page);
    if (looks.touch) expect(await tooSmall(page)).toEqual([]);
    // It does nothing until it stood still for a moment: the click waits for that.
    await banner.getByRole('button', { name: 'Merge all' }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Merge all/ })
      .click();
    expect(await asked(page)).toMatchObject([{ kind: 'reissue', seqs, body: { mode: 'merge' } }]);
    await tell(page, 'changeWorkspace', { moved: null });
    await banner.waitFor({ state: 'detached' });
    expect([seen.violations, seen.errors, seen.foreign(site.origin)]).toEqual([[], [], []]);
  },
);
