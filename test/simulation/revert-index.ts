import type { Action } from '../../src/model/action.ts';
import type { RevertIndex } from '../../src/model/revert-plan.ts';
import type { Chronicle } from './chronicle.ts';

/** What stands on what, as the journal's rows tell it. */
export function revertIndex(chronicle: Chronicle): RevertIndex<Action> {
  return {
    action: (id) => chronicle.open(id),
    *dependantsOf(id) {
      for (const dependant of chronicle.dependants.get(id) ?? []) {
        const action = chronicle.open(dependant);
        if (action?.needs.includes(id) === true) yield action;
      }
    },
  };
}
