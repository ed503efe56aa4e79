import type { Mutant } from '../mutant.ts';

const PLAN = 'src/model/drain-plan.ts';
const HOLD = 'src/model/hold.ts';

/** Lanes, what needs what, and what is put aside. */
export const ORDER: readonly Mutant[] = [
  {
    name: 'skip-ahead',
    breaks: 'What is approved passes what stands undecided before it.',
    rules: ['DR-1'],
    patches: [{ file: PLAN, find: '    stop ??= stopOf(action);', replace: '    void stopOf(action);' }],
  },
  {
    name: 'a lane passes what failed',
    breaks: 'What failed does not stop its lane.',
    rules: ['DR-4'],
    patches: [
      {
        file: PLAN,
        find: "if (why === undefined || why === 'held'",
        replace: "if (why === undefined || why === 'failed' || why === 'not-applied' || why === 'held'",
      },
    ],
    wants: ({ world }) => world.effectFails > 0,
  },
  {
    name: 'a held action blocks its lane',
    breaks: 'What is on hold stops everything behind it.',
    rules: ['DR-9'],
    patches: [{ file: PLAN, find: "why === undefined || why === 'held' ||", replace: 'why === undefined ||' }],
    wants: ({ decide }) => decide.holds,
  },
  {
    name: 'needs forgotten at the drain',
    breaks: 'An action begins although what it needs is being taken back.',
    rules: ['DR-1'],
    patches: [{ file: PLAN, find: 'stop ?? firstOf(unmetNeeds(index, action));', replace: 'stop;' }],
    wants: ({ decide, world, weights, notes }) =>
      decide.reverts &&
      decide.regrets &&
      world.effectFails === 50 &&
      weights.world < 30 &&
      weights.call > 5 &&
      notes < 4,
    steps: 600,
  },
  {
    name: 'hold without its group',
    breaks: 'What needs an action on hold stays in its lane.',
    rules: ['DR-9'],
    patches: [
      {
        file: HOLD,
        find: 'heldWith: parkedOf(action).heldWith } }, ...joins]',
        replace: 'heldWith: parkedOf(action).heldWith } }, ...joins.slice(0, 0)]',
      },
    ],
    wants: ({ decide }) => decide.holds,
  },
  {
    name: 'born beside its group',
    breaks: 'A new action that needs one on hold is put into the lane.',
    rules: ['DR-9'],
    patches: [{ file: HOLD, find: 'return heldWith.size === 0 ? null', replace: 'return heldWith.size < 9 ? null' }],
    wants: ({ decide }) => decide.holds,
  },
  {
    name: 'release before its dependants',
    breaks: 'A group that is released stands in its lane the wrong way round.',
    rules: ['DR-9'],
    patches: [
      {
        file: HOLD,
        find: "filter((member) => member.state === 'held');",
        replace: "filter((member) => member.state === 'held').toReversed();",
      },
    ],
    wants: ({ decide }) => decide.holds,
  },
  {
    name: 'needs edge dropped for overwrite',
    breaks: 'What writes over another action does not need it.',
    rules: ['SM-6'],
    patches: [
      {
        file: 'src/overlay/tracked.ts',
        find: 'if (replaced !== undefined) needs.add(replaced.by);',
        replace: 'void replaced;',
      },
    ],
  },
  {
    name: 'needs edge dropped for a read',
    breaks: 'What is written out of another action does not need it.',
    rules: ['SM-6'],
    patches: [
      {
        file: 'src/overlay/tracked.ts',
        find: 'new Set([...this.#view.shown, ...this.#carried]);',
        replace: 'new Set([...this.#carried]);',
      },
    ],
  },
  {
    name: 'no cascade',
    breaks: 'What needs a rejected action stays.',
    rules: ['CA-1'],
    patches: [
      {
        file: 'src/authority/ending.ts',
        find: '  for (const id of plan.falls) {',
        replace: '  for (const id of plan.falls.slice(0, 0)) {',
      },
    ],
  },
  {
    name: 'cascade over saw',
    breaks: 'What was only made after seeing a rejected action falls with it.',
    rules: ['SM-6', 'CA-1'],
    patches: [
      {
        file: 'src/model/cascade.ts',
        find: '  const falls = falling.map((action) => action.id);',
        replace:
          '  const needing = falling.map((action) => action.id);\n  const falls = [...new Set([...needing, ...whoSaw(index, [...rootIds, ...needing])])];',
      },
    ],
    wants: ({ weights }) => weights.read > 0,
  },
  {
    name: 'overlay not rolled back',
    breaks: 'Reads show what was rejected.',
    rules: ['SM-7'],
    patches: [
      {
        file: 'src/authority/state.ts',
        find: '      session.overlay.remove(action.id);',
        replace: "      if (action.state !== 'rejected') session.overlay.remove(action.id);",
      },
    ],
    wants: ({ weights }) => weights.read > 0,
  },
  {
    name: 'revert without looking',
    breaks: 'An action is taken back from under what stands on it.',
    rules: ['CA-4'],
    patches: [
      {
        file: 'src/model/revert-plan.ts',
        find: '      next.push(...index.dependantsOf(action.id));\n',
        replace: '',
      },
    ],
    wants: ({ decide }) => decide.reverts && decide.regrets,
  },
];
