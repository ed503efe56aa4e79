import { canonicalText } from '../../../src/base/canonical-json.ts';
import { BODY_KINDS, ITEM_KINDS } from '../../../src/model/decision.ts';
import { anyOf, bytesBy, hexOf, sizeBy } from '../../support/fuzz-dice.ts';
import type { Dice } from '../../support/hostile-dice.ts';
import { nested, ODD_TEXTS, oddValue, withOneChange } from './values.ts';

/**
 * A decision as it arrives. `by`: whose key signs the payload: the phone may everything, the viewer may only read, the
 * stranger is not on the roster; `tampered` is the phone's signature under other bytes, `none` the text given here.
 */
export interface DecisionInput {
  readonly payload: string;
  readonly by: 'phone' | 'viewer' | 'stranger' | 'tampered' | 'none';
  readonly signature?: string;
  /** `nothing`: refused, whole. `about-nothing`: taken, and no item of it counts. `replay`: answered as it was. */
  readonly expect: 'nothing' | 'about-nothing' | 'replay';
}

/** Stands for what only a bench knows: its devices, its actions, the next number. */
export const PLACEHOLDER = {
  home: '$HOME',
  workspace: '$WORKSPACE',
  device: '$DEVICE',
  prev: '$PREV',
  id: '$ID',
  digest: '$DIGEST',
} as const;

/** The phone's number to come; it is put in place of this one, which nobody reaches. */
export const NEXT_N = 777_777_777;

type Draft = Record<string, unknown>;

export function anyDecision(dice: Dice): DecisionInput {
  switch (dice.roll(8)) {
    case 0:
      return {
        payload: noisePayload(dice),
        by: anyOf(dice, ['none', 'phone', 'stranger']),
        signature: anySignature(dice),
        expect: 'nothing',
      };
    case 1:
    case 2:
      return {
        payload: textOf(dice, mutatedDraft(dice)),
        by: anyOf(dice, ['stranger', 'tampered', 'viewer']),
        expect: 'nothing',
      };
    case 3:
      return {
        payload: textOf(dice, draft(dice)),
        by: anyOf(dice, ['stranger', 'tampered', 'viewer']),
        expect: 'nothing',
      };
    case 4:
    case 5:
      return { payload: invalidPayload(dice), by: 'phone', expect: 'nothing' };
    case 6:
      return { payload: canonicalText(aboutNothing(dice)), by: 'phone', expect: 'about-nothing' };
    default:
      return { payload: String(dice.roll(100)), by: 'phone', expect: 'replay' };
  }
}

const BODIES: Readonly<Record<string, unknown>> = {
  approve: { mode: 'rest' },
  change: { say: 'another way', remarks: [{ path: 'a', line: 1, text: 'here' }] },
  edit: { arguments: { name: 'a' } },
  reissue: { mode: 'merge' },
  settle: { answer: 'happened', attempt: 1 },
};

/** What a device signs, about actions that exist. */
function draft(dice: Dice): Draft {
  const kind = anyOf(dice, [...ITEM_KINDS, 'approve', 'reject', 'hold']);
  const body = BODIES[kind];
  return {
    v: 1,
    home: PLACEHOLDER.home,
    workspace: PLACEHOLDER.workspace,
    device: PLACEHOLDER.device,
    n: NEXT_N,
    prev: PLACEHOLDER.prev,
    kind,
    items: Array.from({ length: kind === 'edit' ? 1 : 1 + dice.roll(2) }, (_, at) => ({
      id: `${PLACEHOLDER.id}${at}`,
      digest: `${PLACEHOLDER.digest}${at}`,
    })),
    holdsLifted: [],
    seen: dice.chance(0.5) ? null : { counter: 1, atMs: 5, size: 1, root: 'a'.repeat(64) },
    ...(body === undefined ? {} : { body }),
    ...(dice.chance(0.3) ? { note: 'why' } : {}),
    ...(dice.chance(0.2) ? { batch: { id: 'b', index: 0, of: 2 } } : {}),
    ...(dice.chance(0.2) ? { via: ['bash'] } : {}),
  };
}

/** Well made, and about versions and actions that are none: nothing that it asks for may happen. */
function aboutNothing(dice: Dice): Draft {
  const made = draft(dice);
  const stale = { id: `${PLACEHOLDER.id}${dice.roll(2)}`, digest: hexOf(bytesBy(dice, 32)) };
  const unknown = { id: `a-${'abcdefghijklmnop'.repeat(2).slice(0, 26)}`, digest: `${PLACEHOLDER.digest}0` };
  // A device that saw another log is told of, as it should be; that is no matter of items.
  return { ...made, seen: null, items: [dice.chance(0.5) ? stale : unknown] };
}

function mutatedDraft(dice: Dice): unknown {
  let made: unknown = draft(dice);
  for (let left = 1 + dice.roll(3); left > 0; left -= 1) made = withOneChange(dice, made);
  return made;
}

/** Of a decision that its own key signs: each makes it one that may not be read. */
const INVALID: readonly ((made: Draft, dice: Dice) => string)[] = [
  (made, dice) => JSON.stringify(sorted({ ...made, [`x${dice.roll(99)}`]: oddJson(dice) })),
  (made, dice) => {
    const gone = anyOf(dice, ['v', 'home', 'workspace', 'device', 'n', 'prev', 'kind', 'items', 'holdsLifted', 'seen']);
    return JSON.stringify(sorted(Object.fromEntries(Object.entries(made).filter(([key]) => key !== gone))));
  },
  (made, dice) => JSON.stringify(sorted({ ...made, v: anyOf(dice, [0, 2, 1.5, -1, '1', null, [1]]) })),
  (made, dice) => JSON.stringify(sorted({ ...made, n: anyOf(dice, [0, -1, 1.5, 2 ** 53, 1e300, '5', null, [5]]) })),
  (made, dice) =>
    JSON.stringify(
      sorted({ ...made, kind: anyOf(dice, ['', 'Approve', 'approve ', 'toString', '__proto__', 7, null]) }),
    ),
  (made, dice) =>
    JSON.stringify(sorted({ ...made, [anyOf(dice, ['home', 'workspace', 'device'])]: anyOf(dice, ODD_TEXTS) })),
  (made, dice) => JSON.stringify(sorted({ ...made, home: `h-${'a'.repeat(26)}`, note: `${dice.roll(9)}` })),
  (made, dice) =>
    JSON.stringify(
      sorted({
        ...made,
        items: Array.from({ length: 513 + dice.roll(9) }, (_, at) => ({ id: `${PLACEHOLDER.id}0`, digest: at })),
      }),
    ),
  (made) => JSON.stringify(sorted({ ...made, items: [] })),
  (made) =>
    JSON.stringify(
      sorted({
        ...made,
        items: [
          { id: `${PLACEHOLDER.id}0`, digest: `${PLACEHOLDER.digest}0` },
          { id: `${PLACEHOLDER.id}0`, digest: `${PLACEHOLDER.digest}0` },
        ],
      }),
    ),
  (made, dice) =>
    JSON.stringify(
      sorted({ ...made, items: anyOf(dice, [null, {}, 'all', [null], [[]], [{ id: `${PLACEHOLDER.id}0` }]]) }),
    ),
  (made, dice) =>
    JSON.stringify(
      sorted({ ...made, holdsLifted: anyOf(dice, [null, {}, ['x'], [1], ['a'.repeat(64), 'a'.repeat(64)]]) }),
    ),
  (made, dice) =>
    JSON.stringify(
      sorted({ ...made, seen: anyOf(dice, [0, [], {}, { counter: -1, atMs: 0, size: 0, root: 'a'.repeat(64) }]) }),
    ),
  (made, dice) => JSON.stringify(sorted({ ...made, note: 'x'.repeat(8 * 1024 + sizeBy(dice, 60_000)) })),
  (made, dice) => JSON.stringify(sorted({ ...made, note: '\u{1F600}'.repeat(17_000 + dice.roll(9)) })),
  (made, dice) =>
    JSON.stringify(
      sorted({
        ...made,
        batch: anyOf(dice, [
          {},
          { id: 'b', index: 2, of: 2 },
          { id: '', index: 0, of: 1 },
          { id: 'b', index: -1, of: 1 },
        ]),
      }),
    ),
  (made, dice) => JSON.stringify(sorted({ ...made, kind: anyOf(dice, BODY_KINDS) })),
  (made) => JSON.stringify(sorted({ ...made, kind: 'approve', body: undefined })),
  (made, dice) =>
    JSON.stringify(
      sorted({
        ...made,
        kind: 'approve',
        body: anyOf(dice, [{}, { mode: 'all' }, { mode: 'rest', more: 1 }, { mode: null }]),
      }),
    ),
  (made) => JSON.stringify(sorted({ ...made, kind: 'hold', body: { mode: 'rest' } })),
  (made) => JSON.stringify(sorted({ ...made, kind: 'settle', body: { answer: 'maybe', attempt: 1 } })),
  (made) => `${JSON.stringify(sorted(made))} `,
  (made) => JSON.stringify(sorted(made), null, 1),
  (made) => JSON.stringify(sorted(made)).replace('{', '{"v":1,'),
  (made) => JSON.stringify(sorted(made)).replace('"v":1', '"v":1.0'),
  (made) => JSON.stringify(sorted(made)).replace('"v":1', '"v":1e0'),
  (made) => JSON.stringify(sorted(made)).replace('{', '{"__proto__":{"v":1},'),
  (made) => JSON.stringify(sorted({ ...made, note: 'x' })).replace('"note":"x"', String.raw`"note":"\ud800"`),
  (made) => JSON.stringify(sorted({ ...made, note: '/' })).replace('"note":"/"', String.raw`"note":"\/"`),
  (made) => JSON.stringify(Object.fromEntries(Object.entries(sorted(made)).toReversed())),
  (made, dice) => JSON.stringify(sorted({ ...made, body: { mode: nested(dice, 70 + sizeBy(dice, 2_000)) } })),
];

function invalidPayload(dice: Dice): string {
  return anyOf(dice, INVALID)(draft(dice), dice);
}

/** In the order that canonical text has, however deep: what is refused is refused for what is wrong with it. */
function sorted(value: Draft): Draft {
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sortedValue(member)]),
  );
}

function sortedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedValue);
  // reason: an object that is not an array
  return typeof value === 'object' && value !== null ? sorted(value as Draft) : value;
}

/** JSON that a canonical text can hold, so that nothing but the member itself is wrong. */
function oddJson(dice: Dice): unknown {
  return anyOf(dice, [null, true, 0, 'x', [], {}, 1e21]);
}

/** Canonical most times, where the value has such a form. */
function textOf(dice: Dice, value: unknown): string {
  return JSON.stringify(dice.chance(0.9) ? sortedValue(value) : value) ?? 'null';
}

function noisePayload(dice: Dice): string {
  return dice.pick([
    () => '',
    () => String.fromCharCode(...Array.from({ length: dice.roll(60) }, () => dice.roll(0x1_00_00))),
    () => JSON.stringify(oddValue(dice)) ?? '',
    () => '['.repeat(sizeBy(dice, 60_000)),
    () => `${'{"a":'.repeat(sizeBy(dice, 10_000))}1`,
    () => `{"device":"$DEVICE","n":${anyOf(dice, ['1', '0', '-1', '1e999', '9007199254740993', '"1"', 'null'])}}`,
    () => `{"device":${JSON.stringify(anyOf(dice, ODD_TEXTS))},"n":1}`,
    () => '1'.repeat(sizeBy(dice, 60_000)),
  ])();
}

function anySignature(dice: Dice): string {
  return dice.pick([
    () => '',
    () => hexOf(bytesBy(dice, 64)),
    () => hexOf(bytesBy(dice, dice.roll(100))),
    () => 'g'.repeat(128),
    () => 'A'.repeat(128),
    () => '\uD800'.repeat(128),
    () => '0'.repeat(128),
  ])();
}
