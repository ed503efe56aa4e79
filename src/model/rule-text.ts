import { unreachable } from '../base/assert.ts';
import type { CardField } from './card.ts';
import type { ActionKind } from './content.ts';
import { formatCount } from './display.ts';
import { fieldTested, type RuleTest, type RuleWish } from './rules.ts';

/** A kind of action that rules can be about: what the installed tools offer. */
export interface RuleKind extends ActionKind {
  readonly toolDigest: RuleWish['toolDigest'];
  readonly fields: readonly CardField[];
}

const UNITS = [
  ['day', 24 * 60 * 60 * 1000],
  ['hour', 60 * 60 * 1000],
  ['minute', 60 * 1000],
  ['second', 1000],
] as const;

/**
 * A rule as every device shows it and every maker signs it: a function of the rule alone, so that two who read it read
 * the same.
 */
export function ruleText(kind: RuleKind, wish: Pick<RuleWish, 'forMs' | 'usesMax' | 'where'>): string {
  const where = wish.where.map((test) => testText(kind.fields, test));
  return [
    `Approve “${kind.label}” (${kind.tag}) without asking`,
    where.length === 0 ? 'whatever it names' : `where ${where.join(' and ')}`,
    wish.forMs === null ? 'until this is removed' : `for ${durationText(wish.forMs)}`,
    ...(wish.usesMax === null ? [] : [wish.usesMax === 1 ? 'once' : `${formatCount(wish.usesMax)} times at most`]),
    'if it can be undone and its tool calls this one safe',
  ].join(', ');
}

/** `2 days`; what is not whole in a unit is said in a smaller one. */
export function durationText(ms: number): string {
  const [name, unit] = UNITS.find(([, each]) => ms >= each && ms % each === 0) ?? ['millisecond', 1];
  const count = ms / unit;
  return `${formatCount(count)} ${name}${count === 1 ? '' : 's'}`;
}

function testText(fields: readonly CardField[], test: RuleTest): string {
  const label = fieldTested(fields, test)?.label ?? test.field;
  switch (test.is) {
    case 'path':
      return `${label} matches ${JSON.stringify(test.glob)}`;
    case 'host':
      return `the host of ${label} is ${JSON.stringify(test.host)}`;
    case 'recipient':
    case 'text':
      return `${label} is exactly ${JSON.stringify(test.equals)}`;
    case 'at-most':
      return `${label} is at most ${formatCount(test.most)}`;
    default:
      return unreachable(test);
  }
}
