import type { CardField } from '../../model/card.ts';
import type { RuleTest } from '../../model/rules.ts';
import { read } from '../../base/shape.ts';
import { isTestable, ruleTest } from '../../model/rules.ts';
import { UsageError } from './usage-error.ts';

/** What a value is held against, by how its field is read. Fields that are not here cannot be tested. */
const TEST_OF: Partial<Record<CardField['as'], (field: string, value: string) => unknown>> = {
  path: (field, glob) => ({ is: 'path', field, glob }),
  url: (field, host) => ({ is: 'host', field, host }),
  recipient: (field, equals) => ({ is: 'recipient', field, equals }),
  text: (field, equals) => ({ is: 'text', field, equals }),
};

/**
 * `--where FIELD=VALUE` or `--where FIELD<=NUMBER`: a field by its label, or `path`, `url`, `recipient`, `text` for every
 * field of that kind. Throws `UsageError`.
 */
export function testsOf(where: readonly string[], fields: readonly CardField[]): readonly RuleTest[] {
  return where.flatMap((text) => testsIn(text, fields));
}

function testsIn(text: string, fields: readonly CardField[]): readonly RuleTest[] {
  const [, name = '', sign, value = ''] = /^(.+?)(<=|=)(.*)$/su.exec(text) ?? [];
  if (sign === undefined)
    throw new UsageError(`--where takes FIELD=VALUE or FIELD<=NUMBER, not ${JSON.stringify(text)}`);
  const wanted = name.trim().toLowerCase();
  const named = fields.filter(({ as, label }) => label.toLowerCase() === wanted || as === wanted);
  if (named.length === 0) {
    throw new UsageError(`--where: there is no field ${JSON.stringify(name)}; ${wayOf(fields)}`);
  }
  return named.map((field) => testFor(field, sign, value, { text, fields }));
}

/** What can be tested, and how, as it is typed. */
function wayOf(fields: readonly CardField[]): string {
  const ways = fields
    .filter(isTestable)
    .map(({ as, label }) => `${label}${as === 'amount' || as === 'bytes' ? '<=' : '='}…`);
  return ways.length === 0 ? 'this kind has no field to test' : `what can be tested: ${[...new Set(ways)].join(', ')}`;
}

function testFor(
  { as, pointer }: CardField,
  sign: string,
  value: string,
  { fields, text }: { readonly fields: readonly CardField[]; readonly text: string },
): RuleTest {
  const number = as === 'amount' || as === 'bytes';
  const made =
    sign === '<=' && number
      ? { is: 'at-most', field: pointer, most: Number(value) }
      : sign === '='
        ? TEST_OF[as]?.(pointer, value)
        : undefined;
  if (made === undefined)
    throw new UsageError(`--where: ${JSON.stringify(text)} is no test of that field; ${wayOf(fields)}`);
  // reason: made of texts and a number
  const test = read(ruleTest, made as Parameters<typeof ruleTest>[0]);
  if (!test.ok) {
    const help = as === 'path' ? ' Write it as it stands in the workspace, like docs/** or src/*.ts.' : '';
    throw new UsageError(`--where ${JSON.stringify(text)}: ${test.error}${help}`);
  }
  return test.value;
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `30m`, `2h`, `7d` in milliseconds. Throws `UsageError`. */
export function durationMs(text: string | undefined): number | null {
  if (text === undefined) return null;
  const [, count, unit] = /^(\d{1,4})([mhd])$/.exec(text) ?? [];
  const unitMs = UNITS[unit ?? ''];
  if (count === undefined || unitMs === undefined || Number(count) === 0)
    throw new UsageError(`--expires takes a time like 30m, 2h or 7d, not ${JSON.stringify(text)}`);
  return Number(count) * unitMs;
}
