import { unreachable } from '../base/assert.ts';
import type { Json, JsonObject } from '../base/canonical-json.ts';
import type { EpochMs } from '../base/clock.ts';
import type { CardTemplate } from './card.ts';
import type { ActionContent } from './content.ts';
import { parseDigest } from './ids.ts';
import { valueAt } from './json-pointer.ts';
import { matchesGlob } from './path-glob.ts';
import { REFERENCE_PREFIX } from './reference.ts';
import { fieldTested, type Rule, type RuleTest } from './rules.ts';
import { hostOf } from './url-host.ts';

/** What a rule is held against: what will be applied, and how its card reads it. */
export interface RuleFacts {
  readonly content: ActionContent;
  readonly card: CardTemplate;
}

/** In a command these make another command of the rest of it: such a text is for a person, also where it is the same. */
const JOINS_COMMANDS = /[\n\r;&|<>$`(){}\\!*?~#[\]]/u;

/** The first rule in force that covers the action, whether or not it is spent; `undefined` when a person has to look. */
export function matchRule(rules: Iterable<Rule>, facts: RuleFacts, nowMs: EpochMs): Rule | undefined {
  for (const rule of rules) if (isInForce(rule, nowMs) && covers(rule, facts)) return rule;
  return undefined;
}

/** One that is spent approves nothing more, and what it has approved stays so. */
export function isInForce(rule: Pick<Rule, 'expiresAtMs'>, nowMs: EpochMs): boolean {
  return rule.expiresAtMs === null || nowMs < rule.expiresAtMs;
}

export function isSpent({ uses, usesMax }: Pick<Rule, 'uses' | 'usesMax'>): boolean {
  return usesMax !== null && uses >= usesMax;
}

/** Every test holds for the action as it is, whoever approved what before. */
export function covers(rule: Pick<Rule, 'kind' | 'toolDigest' | 'where'>, { card, content }: RuleFacts): boolean {
  if (rule.kind !== content.kind.tag || rule.toolDigest !== content.toolDigest) return false;
  // reason: an ActionContent is plain JSON, which its interface type cannot say
  const root = content as unknown as JsonObject;
  return rule.where.every((test) => {
    const field = fieldTested(card.fields, test);
    return field !== undefined && holds(test, known(valueAt(root, field.pointer)));
  });
}

/** What stands in the place of something nobody knows yet (SM-4) cannot be tested. */
function known(value: Json | undefined): Json | undefined {
  return typeof value === 'string' && value.includes(REFERENCE_PREFIX) ? undefined : value;
}

function holds(test: RuleTest, value: Json | undefined): boolean {
  switch (test.is) {
    case 'path':
      return typeof value === 'string' && matchesGlob(test.glob, value);
    case 'host':
      return typeof value === 'string' && hostOf(value) === test.host;
    case 'recipient':
      return value === test.equals;
    case 'text':
      return value === test.equals && !JOINS_COMMANDS.test(test.equals);
    case 'at-most':
      return isAtMost(value, test.most);
    default:
      return unreachable(test);
  }
}

/** A number, or the size of what lies beside the action; a text that looks like a number is none. */
function isAtMost(value: Json | undefined, most: number): boolean {
  if (typeof value === 'number') return value >= 0 && value <= most;
  if (value === null || typeof value !== 'object' || !('$blob' in value) || !('bytes' in value)) return false;
  const { $blob, bytes } = value;
  return parseDigest($blob).ok && typeof bytes === 'number' && bytes >= 0 && bytes <= most;
}
