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

test('[DR-8] a call that its host marks is refused, although its host has marked another one otherwise meanwhile', async () => {
  const shop = await workshop();
  const port = await shop.agent();
  const call = (name: string, mode: 'act' | 'plan') => ({
    tool: 'put',
    arguments: { name, text: 'x' },
    callId: null,
    mode,
  });
  const [planned, acted] = await Promise.all([port.call(call('a', 'plan')), port.call(call('b', 'act'))]);
  expect(planned).toMatchObject({ type: 'refused', code: 'plan' });
  expect(acted).toMatchObject({ type: 'simulated' });
  expect(shop.states()).toEqual({ 1: 'pending' });
});

test('[DR-8] what a person let through under a host’s plan mode is forgotten when the host ends it', async () => {
  const { agent, person, settled, shelf, idOf } = await workshop();
  const port = await agent();
  await put(port, 'a', 'undecided');
  await put(port, 'b', 'x');
  await person.approve([idOf(2)]);
  const look = (mode: 'act' | 'plan') => port.call({ tool: 'get', arguments: { name: 'c' }, callId: null, mode });
  await look('plan');
  await person.decide({ kind: 'anyway', ids: [idOf(2)] });
  await look('act');
  await look('plan');
  await person.reject([idOf(1)]);
  await settled();
  expect(shelf.effects).toEqual([]);
  await person.decide({ kind: 'anyway', ids: [idOf(2)] });
  await settled();
  expect(shelf.effects).toEqual(['b=x']);
});
