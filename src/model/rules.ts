import { assert } from '../base/assert.ts';
import type { JsonObject } from '../base/canonical-json.ts';
import type { EpochMs } from '../base/clock.ts';
import { distinct, list, oneOf, parsed, read, record, text, whole, wrong, type Reader } from '../base/shape.ts';
import type { CardField, FieldKind } from './card.ts';
import { parseDigest, type DeviceId, type Digest, type RuleId } from './ids.ts';
import { globProblem } from './path-glob.ts';
import { hostProblem } from './url-host.ts';
import { isVisible } from './unicode-hazard.ts';

/**
 * One thing a rule asks of an action: a test on one field of its card, over the value that will be applied. There is no
 * test on a part of a text: whoever controls the rest of it would decide what it means (T19).
 */
export type RuleTest =
  | { readonly is: 'path'; readonly field: string; readonly glob: string }
  | { readonly is: 'host'; readonly field: string; readonly host: string }
  | { readonly is: 'recipient'; readonly field: string; readonly equals: string }
  | { readonly is: 'text'; readonly field: string; readonly equals: string }
  | { readonly is: 'at-most'; readonly field: string; readonly most: number };

/** What a person asks for. `text` is what they were shown; it counts only if the runtime would say the same. */
export interface RuleWish {
  readonly kind: string;
  /** The tool the rule was made for: another one voids it (T4). */
  readonly toolDigest: Digest;
  readonly where: readonly RuleTest[];
  /** Milliseconds it holds from when it is taken; `null`: until it is removed. */
  readonly forMs: number | null;
  /** Actions it may approve; `null`: any number. */
  readonly usesMax: number | null;
  readonly text: string;
}

/** A person's standing permission for a kind of action. */
export interface Rule extends Omit<RuleWish, 'forMs'> {
  readonly id: RuleId;
  readonly device: DeviceId;
  readonly n: number;
  readonly addedAtMs: EpochMs;
  /** By the authority's own clock. */
  readonly expiresAtMs: EpochMs | null;
  /** Actions it has approved, each counted once. */
  readonly uses: number;
}

/** Why a rule is not there any more. */
export type RuleGone = 'person' | 'device-removed' | 'expired' | 'spent' | 'tool-changed';

export const RULE_LIMITS = {
  /** Rules of one workspace: more than anybody keeps in mind, and each is looked at for each proposal. */
  rulesMax: 64,
  /** Tests of one rule. A card has fewer fields. */
  testsMax: 8,
  /** UTF-8 bytes of a kind's tag, of a pointer, and of a value that is compared. */
  tagBytesMax: 128,
  pointerBytesMax: 128,
  valueBytesMax: 256,
  /** UTF-8 bytes of a rule as people read it: it has to fit into a record of the ledger. */
  textBytesMax: 3 * 1024,
  /** Milliseconds a rule may hold: a year. */
  forMsMax: 366 * 24 * 60 * 60 * 1000,
  usesMax: 1_000_000,
} as const;

/** Which fields of a card each test can be about. */
const TESTED: Readonly<Record<RuleTest['is'], readonly FieldKind[]>> = {
  path: ['path'],
  host: ['url'],
  recipient: ['recipient'],
  text: ['text'],
  'at-most': ['amount', 'bytes'],
};

/** Can a rule be narrowed by this field at all? */
export function isTestable({ as }: Pick<CardField, 'as'>): boolean {
  return Object.values(TESTED).some((kinds) => kinds.includes(as));
}

export function fieldTested(fields: readonly CardField[], test: Pick<RuleTest, 'field' | 'is'>): CardField | undefined {
  return fields.find(({ as, pointer }) => pointer === test.field && TESTED[test.is].includes(as));
}

const pointer = text({ bytesMin: 1, bytesMax: RULE_LIMITS.pointerBytesMax });
const glob = checked(globProblem);
const host = checked(hostProblem);
const exact = checked((value) => (Array.from(value).every(isVisible) ? null : 'must have only signs that can be seen'));

const TESTS: { readonly [K in RuleTest['is']]: Reader<Extract<RuleTest, { is: K }>> } = {
  path: record({ is: oneOf('path'), field: pointer, glob }),
  host: record({ is: oneOf('host'), field: pointer, host }),
  recipient: record({ is: oneOf('recipient'), field: pointer, equals: exact }),
  text: record({ is: oneOf('text'), field: pointer, equals: exact }),
  'at-most': record({ is: oneOf('at-most'), field: pointer, most: whole(0) }),
};

export const ruleTest: Reader<RuleTest> = (value, at) => {
  const is = typeof value === 'object' && value !== null && 'is' in value ? value.is : null;
  // reason: the keys of the table are the words
  return TESTS[oneOf(...(Object.keys(TESTS) as RuleTest['is'][]))(is, `${at}.is`)](value, at);
};

const ruleTests = distinct(list(ruleTest, { max: RULE_LIMITS.testsMax }), (test) => JSON.stringify(test));

const within = (max: number): Reader<number> => {
  return (value, at) => {
    const number = whole(1)(value, at);
    return number <= max ? number : wrong(at, `must be ${max} at most`);
  };
};

const needed = {
  kind: text({ bytesMin: 1, bytesMax: RULE_LIMITS.tagBytesMax }),
  toolDigest: parsed(parseDigest),
  where: ruleTests,
  text: text({ bytesMin: 1, bytesMax: RULE_LIMITS.textBytesMax }),
};
const wishShape = record(needed, { forMs: within(RULE_LIMITS.forMsMax), usesMax: within(RULE_LIMITS.usesMax) });

/** The body of a `rule.add`. */
export const ruleWish: Reader<RuleWish> = (value, at) => {
  const { forMs = null, usesMax = null, ...made } = wishShape(value, at);
  return { ...made, forMs, usesMax };
};

/** Throws: a bug, for a body that `ruleWish` refuses. */
export function readRuleWish(body: JsonObject): RuleWish {
  const wish = read(ruleWish, body);
  assert(wish.ok, 'the body of a rule was read before');
  return wish.value;
}

function checked(problem: (value: string) => string | null): Reader<string> {
  const reader = text({ bytesMin: 1, bytesMax: RULE_LIMITS.valueBytesMax });
  return (value, at) => {
    const given = reader(value, at);
    const why = problem(given);
    return why === null ? given : wrong(at, why);
  };
}
