import { expect, test } from 'vitest';
import { put, workshop } from '../../support/workshop.ts';

test('[DR-8] what is being described when plan mode comes is not queued any more', async () => {
  const shop = await workshop();
  const port = await shop.agent();
  let goOn: () => void = () => undefined;
  const begun = new Promise<void>((begin) => {
    shop.shelf.hooks.before = () => {
      begin();
      return new Promise((resolve) => {
        goOn = resolve;
      });
    };
  });
  const asked = put(port, 'a', 'x');
  await begun;
  shop.shelf.hooks.before = () => Promise.resolve();
  await shop.person.decide({ kind: 'mode', ids: [], body: { mode: 'plan' } });
  const before = shop.journal.head();
  goOn();
  expect(await asked).toMatchObject({ type: 'refused', code: 'plan' });
  expect(shop.journal.head(), 'invariant 22').toEqual(before);
  expect(shop.states()).toEqual({});
});
