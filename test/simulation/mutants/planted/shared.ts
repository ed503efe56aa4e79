import type { Mutant } from '../mutant.ts';

/** What several actions have to do with each other: names of what is still to be made, and writes that are one effect. */
export const SHARED: readonly Mutant[] = [
  {
    name: 'reference resolved from an unapplied action',
    breaks:
      'What is still to be made is named although its maker was not applied. Nothing waits for the maker, either.',
    rules: ['SM-4'],
    patches: [
      {
        file: 'src/authority/resolve.ts',
        find: "  if (maker.state !== 'applied') return err(",
        replace: "  if (maker.state !== 'applied') return ok('thing');\n  if (maker.seq < 1) return err(",
      },
      {
        file: 'src/authority/carry.ts',
        find: 'if (action !== undefined && isOwn(session, action)) writer.carry(maker);',
        replace: 'void action;',
      },
    ],
    wants: ({ tools, decide }) => tools.mints && decide.holds,
  },
  {
    name: 'reference not replaced',
    breaks: 'A surface is given a name that stands for something instead of that thing.',
    rules: ['SM-4'],
    patches: [
      {
        file: 'src/authority/resolve.ts',
        find: 'return action.resolved?.content ?? action.content;',
        replace: 'return action.content;',
      },
    ],
    wants: ({ tools }) => tools.mints,
  },
  {
    name: 'coalesced group with an undone member applied',
    breaks: 'A write that nobody approves goes along with the approved one before it.',
    rules: ['DR-11', 'DC-11'],
    patches: [
      {
        file: 'src/authority/coalesce.ts',
        find: '  for (const action of core.state.lane(first.lane)) {',
        replace: '  for (const each of [...core.state.lane(first.lane)]) {\n    let action: Action = each;',
      },
      {
        file: 'src/authority/coalesce.ts',
        find: "    if (action.state !== 'approved' || members.length >= AUTHORITY_LIMITS.coalescedMax) break;",
        replace:
          "    if (action.state === 'pending' && action.attention === null) action = core.transit(action, { kind: 'approved', by: first.by }).action;\n    if (action.state !== 'approved' || members.length >= AUTHORITY_LIMITS.coalescedMax) break;",
      },
    ],
    wants: ({ tools }) => tools.coalesces,
  },
  {
    name: 'a group takes what its list keeps back',
    breaks: 'A write goes along with the one before it although the list it was approved with is still looked over.',
    rules: ['DR-11'],
    patches: [
      { file: 'src/authority/coalesce.ts', find: '    shutGate(core, action) === undefined &&\n', replace: '' },
    ],
    seedsMax: 400,
    wants: ({ tools, decide, notes }) => tools.coalesces && decide.lists && notes < 3,
  },
];
