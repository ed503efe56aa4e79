import type { Mutant } from '../mutant.ts';

const RULING = 'src/model/ruling.ts';
const JUDGE = 'src/authority/judge.ts';
const RULINGS = 'src/authority/rulings.ts';

const ANY_ATTENTION = {
  file: RULING,
  find: '    stance.attention === facts.attention?.entry &&\n',
  replace: '',
} as const;
const ANY_ATTENTION_TAKEN = {
  file: JUDGE,
  find: 'if (item.attention !== attention?.entry)',
  replace: 'if (item.attention !== attention?.entry && attention === null)',
} as const;

/** What decisions come to, and whose count. */
export const RULED: readonly Mutant[] = [
  {
    name: 'approval carried over a digest change',
    breaks: 'An approval counts for another version than the one it was given for.',
    rules: ['DC-1'],
    patches: [
      ANY_ATTENTION,
      ANY_ATTENTION_TAKEN,
      { file: RULING, find: '    stance.digest === facts.digest &&\n', replace: '' },
      {
        file: JUDGE,
        find: '  if (item.digest !== action.digest) return',
        replace: '  if (item.digest === undefined) return',
      },
    ],
    wants: ({ weights, decide }) => weights.ground > 0 && decide.reissues,
  },
  {
    name: 'approval counted under an attention it did not see',
    breaks: 'An approval counts although something was raised after it.',
    rules: ['DC-12'],
    patches: [ANY_ATTENTION, ANY_ATTENTION_TAKEN],
  },
  {
    name: 'last-writer-wins fold',
    breaks: 'Only the decision that came last counts.',
    rules: ['DC-3', 'DC-4'],
    patches: [
      {
        file: RULING,
        find: 'const taken = [...stances.values()].toSorted(byDeviceThenNumber);',
        replace: 'const taken = [...stances.values()].slice(-1);',
      },
    ],
    wants: ({ decide }) => decide.holds,
  },
  {
    name: 'reject revived by a later approve',
    breaks: 'Somebody approves what somebody rejected, and it counts.',
    rules: ['DC-3'],
    patches: [
      {
        file: RULING,
        find: '  if (ended !== undefined) return rejectedBy(ended);',
        replace:
          "  const revived = taken.some(({ device, kind }) => kind === 'approve' && device !== ended?.device);\n  if (ended !== undefined && !revived) return rejectedBy(ended);",
      },
    ],
  },
  {
    name: 'a hold does not stop',
    breaks: 'What one device holds another one approves.',
    rules: ['DC-3'],
    patches: [{ file: RULING, find: '  if (holds.length > 0) return', replace: '  if (holds.length > 9) return' }],
    wants: ({ decide }) => decide.holds,
  },
  {
    name: 'undo ignored',
    breaks: 'An approval that was taken back stands.',
    rules: ['DC-11'],
    patches: [
      {
        file: 'src/authority/stance.ts',
        find: '      return standsByRetry(core, id) ? undefined : withdrawApproval(core, id);',
        replace: '      return void standsByRetry;',
      },
    ],
    wants: ({ decide }) => decide.retracts,
  },
  {
    name: 'no signature check',
    breaks: 'A decision counts whoever signed it.',
    rules: ['DC-7'],
    patches: [
      {
        file: RULINGS,
        find: 'return openDecision(crypto.verify, device.publicKey',
        replace: 'return openDecision(() => true, device.publicKey',
      },
    ],
    wants: ({ weights }) => weights.forge > 0,
  },
  {
    name: 'no look at the right',
    breaks: 'A device decides what it may not.',
    rules: ['DC-7'],
    patches: [{ file: JUDGE, find: '  if (!right.ok) return right;', replace: '  void right;' }],
    wants: ({ rights }) => rights.includes('approve-reversible'),
  },
  {
    name: "a revoked device's approval kept",
    breaks: 'What a removed device approved begins.',
    rules: ['DC-8'],
    patches: [
      {
        file: 'src/authority/still-may.ts',
        find: 'if (known?.revoked !== false || core.frozen.has(device)) return false;',
        replace: 'if (known === undefined || core.frozen.has(device)) return false;',
      },
      {
        file: 'src/authority/stance.ts',
        find: 'core.options.roster.device(device)?.revoked !== false));',
        replace: 'core.frozen.has(device)));',
      },
    ],
    wants: ({ weights }) => weights.roster > 0,
  },
  {
    name: 'equivocating device not frozen',
    breaks: 'A second decision under one number is taken.',
    rules: ['DC-2'],
    patches: [
      {
        file: RULINGS,
        find: 'if (known !== undefined) this.#freeze(decision.device);',
        replace: 'if (known === null) this.#freeze(decision.device);',
      },
    ],
    wants: ({ weights }) => weights.forge > 0,
  },
  {
    name: 'receipts re-answered for another hash',
    breaks: 'Whoever asks under a number that was taken is given the receipt of that decision.',
    rules: ['DC-2', 'DC-6'],
    patches: [
      {
        file: RULINGS,
        find: 'if (known?.hash === hash) return',
        replace: 'if (known !== undefined) return',
      },
    ],
    wants: ({ weights }) => weights.forge > 0,
  },
  {
    name: 'stale approval accepted',
    breaks: 'An approval counts however long ago its device heard of the runtime.',
    rules: ['DC-5'],
    patches: [
      {
        file: 'src/authority/staleness.ts',
        find: '  if (!expires(decision)) return null;',
        replace: '  if (!expires(decision) || decision.items.length > 0) return null;',
      },
    ],
    wants: ({ weights }) => weights.sleep > 0,
  },
  {
    name: 'old fence accepted',
    breaks: 'What was approved before the workspace was adopted anew still counts.',
    rules: ['EF-3'],
    patches: [
      {
        file: 'src/authority/fence.ts',
        find: '  if (before === undefined) return;',
        replace: '  if (before !== fence) return;',
      },
    ],
    mode: 'two-homes',
  },
  {
    name: 'a bulk list not looked over',
    breaks: 'A list that counts whole or not at all begins with its first action.',
    rules: ['DR-11'],
    patches: [
      { file: 'src/authority/gates.ts', find: 'groundGate, bulkGate, graceGate', replace: 'groundGate, graceGate' },
    ],
    wants: ({ weights }) => weights.ground > 0,
  },
  {
    name: 'a bulk list counts in part',
    breaks: 'Of a list that counts whole or not at all the rest is approved although one cannot be.',
    rules: ['DR-11'],
    patches: [
      {
        file: 'src/authority/bulk.ts',
        find: '  if (failed === null) return results;\n  return results.map',
        replace: '  if (failed === null || results.length > 0) return results;\n  return results.map',
      },
      {
        file: 'src/authority/bulk.ts',
        find: '  if (failed !== null) withdrawAll(core, list, failed);\n  if (failed !== null && isWhole',
        replace: '  if (failed !== null && isWhole',
      },
    ],
    wants: ({ decide }) => decide.lists,
  },
];
