import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { FixtureReplica } from './panel-fixture.ts';
import type { Site } from './panel-site.ts';

/** The page of `panel-page/page.ts`, as its window looks to a test. */
interface PanelWindow {
  readonly replica: FixtureReplica;
  readonly arrive: () => void;
}

export interface Asked {
  readonly kind: string;
  readonly seqs: readonly number[];
  readonly note: string | null;
  readonly body: unknown;
}

export const SIZES = [
  { name: 'side panel', width: 380, height: 800, touch: true },
  { name: 'phone', width: 390, height: 844, touch: true },
  { name: 'window', width: 1280, height: 900, touch: false },
] as const;

/** Milliseconds one step may take, on a machine that has other things to do. */
const STEP_MS = 60_000;

/** For `expect.poll`: what becomes true by itself, on a machine that has other things to do. */
export const SOON = { timeout: STEP_MS, interval: 50 };

/** Ticks everything of these sessions, scrolling to each. */
export async function tickSessions(page: Page, names: readonly string[]): Promise<void> {
  const list = page.getByTestId('inbox');
  for (const name of names) {
    const box = page.locator('.session-heading', { hasText: name }).locator('input');
    for (let tries = 0; tries < 40 && (await box.count()) === 0; tries++)
      await list.evaluate((element) => element.scrollBy(0, 400));
    await box.check();
  }
}

/** Opens the panel over the fixture and waits for its first rows. */
export async function openPanel(page: Page, site: Site, query = ''): Promise<void> {
  // Without it a step that cannot be done waits for ever, and says nothing of what it waited for.
  page.setDefaultTimeout(STEP_MS);
  await page.goto(`${site.origin}/${query}`);
  await page.locator('.row').first().waitFor();
}

/** Every decision the fixture was asked for, with the numbers of its actions. */
export function asked(page: Page): Promise<readonly Asked[]> {
  return page.evaluate(() => {
    // reason: the page puts these on its window
    const { replica } = window as unknown as PanelWindow;
    const seqs = new Map(
      replica
        .snapshot()
        .workspaces.flatMap(({ open, settled }) => [...open, ...settled])
        .map(({ record }) => [record.id, record.seq]),
    );
    return replica.wishes.map(({ body, ids, kind, note }) => ({
      kind,
      seqs: ids.map((id) => seqs.get(id) ?? 0),
      note: note ?? null,
      body: body ?? null,
    }));
  });
}

/** Calls a method of the fixture inside the page. */
export function tell(page: Page, method: Told, ...args: readonly unknown[]): Promise<void> {
  return page.evaluate(
    ([name, given]) => {
      // reason: the page puts it on its window
      const { replica } = window as unknown as PanelWindow;
      // reason: a method is called by its name with what the test gave for it
      (replica[name] as (...all: readonly unknown[]) => void).apply(replica, [...given]);
    },
    [method, args] as const,
  );
}

type Told = 'change' | 'changeElsewhere' | 'changeWorkspace' | 'claimElsewhere' | 'settleElsewhere';

/** Something new is proposed. */
export function arrive(page: Page): Promise<void> {
  return page.evaluate(() => {
    // reason: the page puts it on its window
    (window as unknown as PanelWindow).arrive();
  });
}

/** The row of an action that leads it. */
export function row(page: Page, words: string) {
  return page.locator('.row', { hasText: words });
}

/**
 * What a page of any size keeps: nothing beyond its edge, nothing with a name only eyes could find, no forbidden word.
 * `foreign`: what is on the page was written to deceive, and may hold any word.
 */
export async function looksRight(page: Page, text: 'own' | 'foreign' = 'own'): Promise<void> {
  const found = await page.evaluate(() => {
    const visible = (element: Element) => element.checkVisibility({ visibilityProperty: true });
    const nameless = [...document.querySelectorAll('button, input, select, textarea')].filter(
      (element) =>
        visible(element) &&
        (element.getAttribute('aria-label') ?? '') === '' &&
        (element.textContent ?? '').trim() === '' &&
        !(element instanceof HTMLInputElement && (element.labels?.length ?? 0) > 0) &&
        !(element instanceof HTMLTextAreaElement && (element.labels?.length ?? 0) > 0),
    );
    const words = [...document.querySelectorAll('[aria-label], [title], [placeholder]')].flatMap((element) =>
      ['aria-label', 'title', 'placeholder'].map((name) => element.getAttribute(name) ?? ''),
    );
    return {
      tooWide: document.documentElement.scrollWidth - innerWidth,
      nameless: nameless.map(({ outerHTML }) => outerHTML.slice(0, 120)),
      words: `${document.body.innerText} ${words.join(' ')}`,
    };
  });
  expect(found.tooWide).toBe(0);
  expect(found.nameless).toEqual([]);
  if (text === 'own') expect(found.words).not.toMatch(/\b(?:lane|ground|overlay|stance|ruling|surface|fence)s?\b/i);
}

/** Everything that can be pressed is as large as a finger; words inside a sentence are not. */
export function tooSmall(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('button, select, .tick, input[type=search]')]
      .filter((element) => element.checkVisibility({ visibilityProperty: true }))
      .flatMap((element) => {
        const { height, width } = element.getBoundingClientRect();
        return height >= 44 && width >= 44
          ? []
          : [`${Math.round(width)}×${Math.round(height)} ${element.outerHTML.slice(0, 90)}`];
      }),
  );
}
