import { describe, expect, test } from 'vitest';
import type { ActionState } from '../../../src/model/action.ts';
import { publishLab, type PublishLab } from '../../support/publish-lab.ts';
import { ruleBody } from '../../support/rule-wish.ts';
import { put } from '../../support/workshop.ts';

const states = ({ authority }: PublishLab): readonly ActionState[] =>
  authority.queue({ all: true }).map(({ state }) => state);

describe('what a hostile review found of several devices', () => {
  test('[DR-2] no rule tries again what a removed device had asked to be tried again', async () => {
    const lab = await publishLab();
    const { phone, tablet, world } = lab;
    world.shelf.hooks.beforeApply = async () => ({ type: 'in-doubt', why: 'The line is dead.' });
    const rule = (kind: string) => ruleBody(lab.authority.standing(), { kind });
    await phone.decide({ kind: 'rule.add', ids: [], body: rule('note.put') });
    await put(await lab.agent(), 'a', 'x');
    await lab.settled();
    expect(states(lab)).toEqual(['in-doubt']);
    const ids = [lab.idOf(1)];
    await phone.decide({ kind: 'settle', ids, body: { answer: 'did-not', attempt: 1 } });
    await phone.decide({ kind: 'pause', ids: [] });
    await tablet.decide({ kind: 'retry', ids, body: { mayHappenTwice: true } });
    await lab.remove(tablet.id);
    expect(states(lab)).toEqual(['pending']);
    await phone.decide({ kind: 'rule.add', ids: [], body: rule('note.put') });
    expect(states(lab)).toEqual(['pending']);
    await phone.approve(ids);
    expect(states(lab)).toEqual(['approved']);
  });

  test('[DC-8] [CA-4] the plan of a device that is removed goes no step further', async () => {
    const lab = await publishLab();
    const port = await lab.agent();
    await put(port, 'a', 'one');
    await put(port, 'a', 'two');
    const ids = [lab.idOf(1), lab.idOf(2)];
    await lab.phone.approve(ids);
    await lab.settled();
    let goOn = (): void => undefined;
    lab.world.shelf.hooks.beforeRevert = () => new Promise((resolve) => (goOn = () => resolve(undefined)));
    await lab.tablet.decide({ kind: 'revert', ids });
    await lab.settled();
    expect(states(lab)).toEqual(['applied', 'reverting']);
    await lab.remove(lab.tablet.id);
    goOn();
    await lab.settled();
    expect(states(lab), 'what was past the commit point ends as it ends').toEqual(['applied', 'reverted']);
    expect((await lab.authority.show(lab.idOf(1))).row.why).toContain('The device that asked for it is removed.');
    expect(lab.world.shelf.notes.get('a')).toBe('one');
  });
});
