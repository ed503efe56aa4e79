import type { CardField } from '../../model/card.ts';
import type { RuleTest } from '../../model/rules.ts';
import { read } from '../../base/shape.ts';
import { ruleTest } from '../../model/rules.ts';
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
    const known = [...new Set(fields.map(({ label }) => label))].join(', ');
    throw new UsageError(`--where: there is no field ${JSON.stringify(name)}; its card has ${known}`);
  }
  return named.map((field) => testFor(field, sign, value, text));
}

function testFor({ as, pointer }: CardField, sign: string, value: string, text: string): RuleTest {
  const number = as === 'amount' || as === 'bytes';
  const made =
    sign === '<=' && number
      ? { is: 'at-most', field: pointer, most: Number(value) }
      : sign === '='
        ? TEST_OF[as]?.(pointer, value)
        : undefined;
  if (made === undefined)
    throw new UsageError(`--where: ${JSON.stringify(text)} cannot be tested on a field that holds ${as}`);
  // reason: made of texts and a number
  const test = read(ruleTest, made as Parameters<typeof ruleTest>[0]);
  if (!test.ok) throw new UsageError(`--where ${JSON.stringify(text)}: ${test.error}`);
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
