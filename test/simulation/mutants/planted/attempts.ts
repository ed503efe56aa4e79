import type { Mutant } from '../mutant.ts';
import type { Rates } from '../../rates.ts';

const PERFORM = 'src/authority/perform.ts';
const RECOVERY = 'src/authority/recovery.ts';

const crashes = ({ weights }: Rates): boolean => weights.crash > 0.1;
const midway = (rates: Rates): boolean => crashes(rates) && rates.diesMidway;
/** A deadline passes, a person says that nothing happened, and is wrong. */
const contradicts = (rates: Rates): boolean =>
  fails(rates) && rates.decide.settles && rates.weights.timer > 5 && rates.weights.crash < 1;
const fails = ({ world }: Rates): boolean => world.effectFails >= 20;

/** What is known of an attempt, and when there may be another. */
export const ATTEMPTS: readonly Mutant[] = [
  {
    name: 'blind retry',
    breaks: 'A surface that threw after it had begun is asked again.',
    rules: ['LC-3', 'EF-1'],
    patches: [
      {
        file: PERFORM,
        find: "    return { type: 'in-doubt', why: `It stopped with an error after it had begun: ${messageOf(error)}` };",
        replace: '    void messageOf(error);\n    return await effect();',
      },
    ],
    wants: fails,
  },
  {
    name: 'in-doubt treated as failed',
    breaks: 'A surface that threw after it had begun is said to have changed nothing.',
    rules: ['LC-3'],
    patches: [
      {
        file: PERFORM,
        find: "if (CountersignError.is(error) && error.effect === 'none') return nothingHappened(error.message);",
        replace: 'if (error !== undefined) return nothingHappened(messageOf(error));',
      },
    ],
    wants: fails,
  },
  {
    name: 'deadline treated as failed',
    breaks: 'An effect that hangs is said to have changed nothing when its deadline passes.',
    rules: ['EF-4'],
    patches: [
      {
        file: PERFORM,
        find: "return { outcome: { type: 'in-doubt', why: 'It did not answer before its deadline.' }, late: answer };",
        replace: "return { outcome: options.nothingHappened('It did not answer before its deadline.'), late: answer };",
      },
    ],
    wants: fails,
  },
  {
    name: 'redo of what is blind',
    breaks: 'After a crash an effect that nobody can ask about is done again.',
    rules: ['EF-1'],
    patches: [
      {
        file: RECOVERY,
        find: "    case 'E0':\n    case 'E4':\n      return false;",
        replace: "    case 'E0':\n    case 'E4':\n      return true;",
      },
    ],
    wants: (rates) => midway(rates) && rates.favourite === 'hook',
  },
  {
    name: 'redo without a final no',
    breaks: 'After a crash a message is sent again although the old one may still arrive.',
    rules: ['EF-2'],
    patches: [
      {
        file: RECOVERY,
        find: "    case 'E3':\n      return isFinal(probed);",
        replace: "    case 'E3':\n      return true;",
      },
    ],
    wants: (rates) => midway(rates) && rates.favourite === 'mail',
  },
  {
    name: 'back to approved after a crash',
    breaks: 'An attempt that had begun counts as void after a crash.',
    rules: ['LC-2', 'EF-7'],
    patches: [
      {
        file: RECOVERY,
        find: 'const unwitnessed = unwitnessedIntents(core);',
        replace:
          'const unwitnessed = new Map([...core.state.openActions()].map(({ id }) => [id, null]));\n  void unwitnessedIntents;',
      },
    ],
    wants: midway,
  },
  {
    name: 'late answer ignored',
    breaks: 'What an effect says after its deadline is not heard.',
    rules: ['EF-4'],
    patches: [
      {
        file: 'src/authority/drain.ts',
        find: 'if (late !== undefined) for (const member of members)',
        replace: 'if (late !== undefined && members.length === 0) for (const member of members)',
      },
    ],
    wants: fails,
  },
  {
    name: 'settle overridden silently',
    breaks: 'Evidence against what a person settled changes the state, and no alarm stands on it.',
    rules: ['EF-6'],
    patches: [
      {
        file: 'src/model/lifecycle.ts',
        find: "state: 'applied', applied: happened, contradicted: true };",
        replace: "state: 'applied', applied: happened, contradicted: false };",
      },
    ],
    wants: contradicts,
    seedsMax: 240,
  },
  {
    name: 'contradicted does not stop the lane',
    breaks: 'A lane goes on past what late evidence denied.',
    rules: ['EF-6'],
    patches: [
      {
        file: 'src/model/drain-plan.ts',
        find: "  if (action.state === 'applied' && action.contradicted === true) return { action, why: 'contradicted' };\n",
        replace: '',
      },
    ],
    wants: contradicts,
    seedsMax: 240,
  },
  {
    name: 'retry keeps no new checks',
    breaks: 'A second attempt begins without a look at the world.',
    rules: ['LC-2', 'DR-6'],
    patches: [
      {
        file: 'src/authority/look-over.ts',
        find: "if (surface.look === undefined) return { type: 'ready' };",
        replace: "if (surface.look === undefined || action.attempts > 0) return { type: 'ready' };",
      },
    ],
    wants: (rates) => fails(rates) && rates.decide.retries && rates.weights.ground > 0,
  },
  {
    name: 'no look before the intent',
    breaks: 'An effect begins without a look at the world.',
    rules: ['DR-6'],
    patches: [
      {
        file: 'src/authority/look-over.ts',
        find: "if (surface.look === undefined) return { type: 'ready' };",
        replace: "if (surface.look !== undefined) return { type: 'ready' };",
      },
    ],
    wants: ({ weights }) => weights.ground > 0,
  },
  {
    name: 'another key for every attempt',
    breaks: 'A retry carries another idempotency key than the attempt before.',
    rules: ['EF-3'],
    patches: [
      {
        file: 'src/authority/begin.ts',
        find: "canonicalBytes(['countersign key|1', core.options.workspace, action.id])",
        replace: "canonicalBytes(['countersign key|1', core.options.workspace, action.id, action.attempts])",
      },
    ],
    wants: (rates) => fails(rates) && rates.decide.retries,
  },
];
