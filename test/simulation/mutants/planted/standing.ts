import type { Mutant } from '../mutant.ts';
import type { Rates } from '../../rates.ts';

const GATES = 'src/authority/gates.ts';
const RULES = 'src/authority/rule-approval.ts';

const sets =
  (what: Rates['standing'][number]) =>
  ({ standing, weights }: Rates): boolean =>
    standing.includes(what) && weights.standing > 0;

/** What a person sets for the workspace, and the time in which things can be stopped. */
export const STANDING: readonly Mutant[] = [
  {
    name: 'plan mode queues',
    breaks: 'In plan mode a call is queued.',
    rules: ['DR-8'],
    patches: [
      {
        file: 'src/authority/agent-session.ts',
        find: 'if (planning !== undefined) return',
        replace: "if (planning === '') return",
      },
      {
        file: 'src/authority/intake.ts',
        find: "if (planning !== undefined) return refused('plan'",
        replace: "if (planning === '') return refused('plan'",
      },
    ],
    wants: sets('mode'),
  },
  {
    name: 'plan mode drains',
    breaks: 'In plan mode what is approved begins.',
    rules: ['DR-8'],
    patches: [{ file: GATES, find: '[planModeGate, pauseGate,', replace: '[pauseGate,' }],
    wants: sets('mode'),
  },
  {
    name: 'pause lets the lane run',
    breaks: 'What is paused begins.',
    rules: ['DR-10'],
    patches: [{ file: GATES, find: '[planModeGate, pauseGate,', replace: '[planModeGate,' }],
    wants: sets('pause'),
  },
  {
    name: 'no grace',
    breaks: 'What cannot be undone begins at once.',
    rules: ['DR-5'],
    patches: [{ file: GATES, find: 'groundGate, bulkGate, graceGate', replace: 'groundGate, bulkGate' }],
  },
  {
    name: 'grace skipped after restart',
    breaks: 'What cannot be undone begins at once after a restart.',
    rules: ['DR-5'],
    patches: [
      {
        file: 'src/authority/graces.ts',
        find: '      ids.add(action.id);\n      this.follow(action);',
        replace: '      ids.add(action.id);',
      },
    ],
    wants: ({ weights }) => weights.crash > 0.1,
  },
  {
    name: 'rule without verdict',
    breaks: 'A rule approves what its author does not call safe.',
    rules: ['DR-2'],
    patches: [{ file: RULES, find: '!action.verdict.autoApprovable || ', replace: '' }],
    wants: sets('rule'),
  },
  {
    name: 'verdict without rule',
    breaks: 'What its author calls safe is approved though no person has said so.',
    rules: ['DR-2'],
    patches: [
      {
        file: RULES,
        find: "  if (action?.state !== 'pending' || core.standing.rules.length === 0) return false;",
        replace:
          "  if (action?.state !== 'pending') return false;\n  if (action.verdict.autoApprovable && action.content.reversible) {\n    core.transit(action, { kind: 'approved', by: { type: 'rule', rule: 'r-none' } });\n    return true;\n  }",
      },
      {
        file: RULES,
        find: '  return rule !== undefined && whyGone(core, rule) === null;',
        replace: '  return rule === undefined || whyGone(core, rule) === null;',
      },
    ],
  },
  {
    name: 'a rule that is gone still counts',
    breaks: 'What a rule approved begins after the rule was removed.',
    rules: ['DR-2'],
    patches: [
      {
        file: RULES,
        find: '  return rule !== undefined && whyGone(core, rule) === null;',
        replace: '  return rule === undefined || whyGone(core, rule) === null;',
      },
      {
        file: 'src/authority/rules.ts',
        find: '  for (const action of approvedBy(core, rule)) letGo(core, action, why);',
        replace: '  void [approvedBy(core, rule), letGo];',
      },
    ],
    wants: sets('rule'),
  },
  {
    name: 'notice told twice',
    breaks: 'What an agent was told is told again after a restart.',
    rules: ['SM-8'],
    patches: [
      {
        file: 'src/authority/notices.ts',
        find: '      for (const { n } of due) core.store.drop',
        replace: '      for (const { n } of due.slice(0, 0)) core.store.drop',
      },
    ],
    wants: ({ weights }) => weights.crash > 0.1,
  },
  {
    name: 'two homes both open',
    breaks: 'The lock lets a second home pass. Planted in the lock that stands for the real one.',
    rules: ['DR-7'],
    patches: [
      {
        file: 'test/simulation/runner.ts',
        find: '    if (this.#life !== undefined) {',
        replace: '    if (this.#life !== undefined && home === this.#life.home) {',
      },
    ],
    mode: 'two-homes',
  },
  {
    name: 'quarantine drains',
    breaks: 'A journal in quarantine is worked on. The journal refuses as well, so that is planted, too.',
    rules: ['EF-7'],
    patches: [
      {
        file: 'src/authority/authority.ts',
        find: "    if (journal.health.state === 'quarantined') {\n      this.#options.onAlarm(`The journal is in quarantine, nothing",
        replace:
          "    if (journal.health.state === 'ahead' && journal.health.witnessed < 0) {\n      this.#options.onAlarm(`The journal is in quarantine, nothing",
      },
      {
        file: 'test/simulation/journal.ts',
        find: "    if (this.health.state === 'quarantined')\n      throw",
        replace: "    if (this.health.state === 'quarantined' && batch.rows.length > 9)\n      throw",
      },
    ],
    wants: ({ weights }) => weights.damage > 0,
  },
];
