import type { JsonObject } from '../../src/base/canonical-json.ts';
import type { ActionState } from '../../src/model/action.ts';
import { ITEM_KINDS, type ItemKind } from '../../src/model/decision.ts';
import type { Digest } from '../../src/model/ids.ts';
import type { Dice, Person, SeenAction, SimWish } from './contract.ts';
import type { DecideFeature, Rates } from './rates.ts';

interface Option {
  readonly kind: ItemKind;
  readonly weight: number;
  readonly needs?: DecideFeature;
}

const UNDECIDED: readonly Option[] = [
  { kind: 'approve', weight: 24 },
  { kind: 'reject', weight: 2 },
  { kind: 'change', weight: 1, needs: 'changes' },
  { kind: 'hold', weight: 3, needs: 'holds' },
  { kind: 'retract', weight: 2, needs: 'retracts' },
  { kind: 'reissue', weight: 2, needs: 'reissues' },
  { kind: 'edit', weight: 2, needs: 'edits' },
];
const APPROVED: readonly Option[] = [
  ...UNDECIDED.filter(({ kind }) => kind !== 'approve'),
  { kind: 'anyway', weight: 6, needs: 'passes' },
  { kind: 'hold', weight: 8, needs: 'wavers' },
  { kind: 'retract', weight: 8, needs: 'wavers' },
  { kind: 'approve', weight: 12, needs: 'confirms' },
];
const FAILED: readonly Option[] = [
  { kind: 'retry', weight: 4, needs: 'retries' },
  { kind: 'retry', weight: 12, needs: 'impatient' },
  { kind: 'approve', weight: 16, needs: 'hesitates' },
  { kind: 'reject', weight: 2 },
];
const PARK: Option = { kind: 'hold', weight: 24, needs: 'parks' };
const SETTLE: readonly Option[] = [{ kind: 'settle', weight: 4, needs: 'settles' }];

/** What a person who knows what they are doing decides about an action in a state. */
const OPTIONS: Readonly<Record<ActionState, readonly Option[]>> = {
  pending: UNDECIDED,
  approved: APPROVED,
  held: [
    { kind: 'release', weight: 6, needs: 'holds' },
    { kind: 'approve', weight: 2 },
    { kind: 'reject', weight: 1 },
    { kind: 'retract', weight: 1, needs: 'retracts' },
  ],
  applying: [{ kind: 'reject', weight: 1 }],
  failed: FAILED,
  'not-applied': FAILED,
  'in-doubt': SETTLE,
  applied: [
    { kind: 'revert', weight: 1, needs: 'reverts' },
    { kind: 'settle', weight: 1, needs: 'acknowledges' },
  ],
  reverting: [],
  'revert-in-doubt': [{ kind: 'settle', weight: 4, needs: 'revertSettles' }],
  reverted: [],
  rejected: [{ kind: 'reconsider', weight: 1, needs: 'reconsiders' }],
};

/** States that ask for something come first: history is long, and most of it is over. */
const EAGER: ReadonlySet<ActionState> = new Set<ActionState>([
  'pending',
  'approved',
  'held',
  'failed',
  'not-applied',
  'in-doubt',
  'revert-in-doubt',
]);

/** Items one wish names at most. */
const ITEMS_MAX = 6;

export interface WishFacts {
  /** Whether it is in the world, as far as a person who looks can tell. */
  readonly happened: (action: SeenAction) => boolean;
  /** What nobody decides about now. */
  readonly spared: ReadonlySet<SeenAction['id']>;
  /** What reverting these takes back, as it is signed; `undefined` where nobody signs it. */
  readonly planHash: (ids: SimWish['ids']) => Digest | undefined;
}

/** What a person does next, with what they see; `undefined` when there is nothing to do. */
export function chooseWish(dice: Dice, rates: Rates, person: Person, facts: WishFacts): SimWish | undefined {
  const seen = person.sees().filter(({ id }) => !facts.spared.has(id));
  if (seen.length === 0) return undefined;
  if (rates.decide.nonsense && dice.chance(8)) return nonsense(dice, seen, facts);
  const eager = seen.filter(({ state }) => EAGER.has(state));
  const from = eager.length > 0 && dice.chance(rates.decide.regrets ? 50 : 85) ? eager : seen;
  // Lanes are worked off from the front; whoever starts anywhere waits.
  const first = dice.chance(70) ? from[0] : dice.of(from);
  if (first === undefined) return undefined;
  const kind = weighted(
    dice,
    optionsOf(first).filter(({ needs }) => needs === undefined || rates.decide[needs]),
  );
  if (kind === undefined) return undefined;
  const like = from.filter(({ state, id }) => state === first.state && id !== first.id);
  const more = dice.chance(kind === 'approve' ? 70 : 20) ? like.slice(0, dice.pick(ITEMS_MAX)) : [];
  const ids = (kind === 'edit' ? [first] : [first, ...more]).map(({ id }) => id);
  return wishOf(dice, kind, ids, first, facts);
}

function optionsOf({ attempts, mayHappenTwice, state }: SeenAction): readonly Option[] {
  const again =
    (state === 'pending' || state === 'approved') && attempts > 0 ? [...OPTIONS[state], PARK] : OPTIONS[state];
  if (state !== 'pending' || !mayHappenTwice) return again;
  return again.map((option) => (option.kind === 'approve' ? { ...option, kind: 'retry' } : option));
}

function nonsense(dice: Dice, seen: readonly SeenAction[], facts: WishFacts): SimWish {
  const action = dice.of(seen);
  const kind = dice.of(ITEM_KINDS);
  if (kind === 'settle' && action.state.startsWith('revert')) return wishOf(dice, 'revert', [action.id], action, facts);
  return wishOf(dice, kind, [action.id], action, facts);
}

function wishOf(dice: Dice, kind: ItemKind, ids: SimWish['ids'], first: SeenAction, facts: WishFacts): SimWish {
  const body = kind === 'revert' ? planOf(ids, facts) : bodyOf(dice, kind, first, facts);
  return { kind, ids, ...(body === undefined ? {} : { body }), ...(dice.chance(10) ? { note: 'because' } : {}) };
}

function bodyOf(dice: Dice, kind: ItemKind, action: SeenAction, facts: WishFacts): JsonObject | undefined {
  switch (kind) {
    case 'approve':
      return { mode: dice.chance(20) ? 'all-or-none' : 'rest' };
    case 'change':
      return { say: 'another way', remarks: dice.chance(50) ? [] : [{ path: 'a', line: 1, text: 'not this' }] };
    case 'edit':
      // What every tool of this world reads in them.
      return { arguments: { name: 'a', from: 'b', to: 'x', text: `edited ${dice.pick(10)}` } };
    case 'reissue':
      return { mode: dice.chance(50) ? 'merge' : 'theirs' };
    case 'reject':
      return dice.chance(20) ? { because: 'user-edited' } : undefined;
    case 'retry':
      return dice.chance(80) ? { mayHappenTwice: true } : undefined;
    case 'settle':
      return settleBody(dice, action, facts);
    case 'hold':
    case 'release':
    case 'retract':
    case 'revert':
    case 'reconsider':
    case 'anyway':
      return undefined;
  }
}

function planOf(ids: SimWish['ids'], { planHash }: WishFacts): JsonObject | undefined {
  const hash = planHash(ids);
  return hash === undefined ? undefined : { planHash: hash };
}

/** Mostly what is so; people err. */
function settleBody(dice: Dice, action: SeenAction, { happened }: WishFacts): JsonObject {
  const truth = happened(action);
  const answer = dice.chance(70) ? truth : !truth;
  const attempt = action.state === 'revert-in-doubt' ? action.revertAttempts : action.attempts;
  return { answer: answer ? 'happened' : 'did-not', attempt: Math.max(1, dice.chance(95) ? attempt : attempt + 1) };
}

function weighted(dice: Dice, options: readonly Option[]): ItemKind | undefined {
  let left = dice.pick(options.reduce((sum, { weight }) => sum + weight, 0));
  for (const { kind, weight } of options) {
    if (left < weight) return kind;
    left -= weight;
  }
  return undefined;
}
