import { expect, test } from 'vitest';
import { keepNeeds, onceAppliedOn } from '../../../src/authority/applied-needs.ts';
import type { Core } from '../../../src/authority/core.ts';
import type { Json } from '../../../src/base/canonical-json.ts';
import type { Action } from '../../../src/model/action.ts';
import type { ActionId } from '../../../src/model/ids.ts';

const NEED = 'need' as ActionId; // reason: any text names an action here

test('[CA-4] each that needed it and was applied is named once, however often it was applied, the newest first', () => {
  const { core, named, records } = journalOf('a', 'b', 'c');
  for (const id of ['a', 'b', 'c']) keepNeeds(core, actionOf(id), { first: true });
  expect(named()).toEqual(['c', 'b', 'a']);
  // Taken back and, as that was refused, applied after all: the first, one in between, the newest.
  for (const id of ['a', 'b', 'c']) keepNeeds(core, actionOf(id), { first: false });
  expect(named()).toEqual(['c', 'b', 'a']);
  expect([...records.keys()].filter((key) => key.startsWith('needs:'))).toEqual(['needs:need/b', 'needs:need/c']);
});

test('[CA-4] a chain of a journal that says of its first that nobody stood before it reads the same', () => {
  const { core, named, records } = journalOf('a', 'b');
  records.set('needs:need/a', { before: null }).set('needed:need', { newest: 'a' });
  keepNeeds(core, actionOf('a'), { first: false });
  keepNeeds(core, actionOf('b'), { first: true });
  expect(named()).toEqual(['b', 'a']);
});

function journalOf(...ids: readonly string[]) {
  const records = new Map<string, Json>();
  const store = {
    record: (_: string, key: string) => records.get(key),
    put: (_: string, key: string, __: number, ___: boolean, value: Json) => void records.set(key, value),
  };
  const action = (id: string) => (ids.includes(id) ? actionOf(id) : undefined);
  const core = { store, action } as unknown as Core; // reason: all that chains are made of and read from
  const named = (): readonly string[] => {
    const found: string[] = [];
    for (const { id } of onceAppliedOn(core, NEED)) {
      found.push(id);
      if (found.length > ids.length) break; // A chain that bites its tail has no end.
    }
    return found;
  };
  return { core, named, records };
}

function actionOf(id: string): Action {
  return { id, seq: 1, needs: [NEED] } as unknown as Action; // reason: no more of it is looked at
}
