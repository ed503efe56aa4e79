import type { Json, JsonObject } from '../../base/canonical-json.ts';
import { read } from '../../base/shape.ts';
import type { CardField } from '../../model/card.ts';
import type { ActionContent } from '../../model/content.ts';
import { valueAt } from '../../model/json-pointer.ts';
import { globProblem, matchesGlob } from '../../model/path-glob.ts';
import { covers } from '../../model/rule-match.ts';
import type { RuleKind } from '../../model/rule-text.ts';
import { RULE_LIMITS, ruleTest, type RuleTest } from '../../model/rules.ts';
import { hostOf } from '../../model/url-host.ts';

/** One thing a rule could ask of actions like this one, as a person ticks and corrects it. */
export interface OfferedTest {
  readonly label: string;
  readonly test: RuleTest;
  readonly on: boolean;
}

/**
 * What can be asked of the fields of this card so that this very action passes. What is ticked to begin with keeps the
 * rule to the action's own place and partner; exact texts and sizes are for who wants them.
 */
export function offeredTests(kind: RuleKind, content: ActionContent): readonly OfferedTest[] {
  // reason: an ActionContent is plain JSON, which its interface type cannot say
  const root = content as unknown as JsonObject;
  const card = { title: '', target: '', fields: kind.fields };
  const passes = (test: RuleTest): boolean =>
    read(ruleTest, { ...test }).ok &&
    covers({ kind: kind.tag, toolDigest: kind.toolDigest, where: [test] }, { content, card });
  return kind.fields
    .flatMap((field): readonly OfferedTest[] => {
      const test = testOf(field, valueAt(root, field.pointer));
      return test !== null && passes(test) ? [{ label: field.label, test, on: ON.has(field.as) }] : [];
    })
    .slice(0, RULE_LIMITS.testsMax);
}

const ON: ReadonlySet<CardField['as']> = new Set<CardField['as']>(['path', 'url', 'recipient', 'amount']);

function testOf({ as, pointer: field }: CardField, value: Json | undefined): RuleTest | null {
  switch (as) {
    case 'path': {
      const glob = typeof value === 'string' ? globAround(value) : null;
      return glob === null ? null : { is: 'path', field, glob };
    }
    case 'url': {
      const host = typeof value === 'string' ? hostOf(value) : undefined;
      return host === undefined ? null : { is: 'host', field, host };
    }
    case 'recipient':
      return typeof value === 'string' ? { is: 'recipient', field, equals: value } : null;
    case 'text':
      return typeof value === 'string' ? { is: 'text', field, equals: value } : null;
    case 'amount':
    case 'bytes': {
      const most = sizeOf(value);
      return most === null ? null : { is: 'at-most', field, most };
    }
    case 'diff':
      return null;
  }
}

/** Everything in the folder of the target; for a target in no folder only itself. */
function globAround(path: string): string | null {
  // A name may hold what a glob reads as more than that name (T19): it is stood for by any one sign.
  const plain = path.replaceAll(/[*[\]{}!^()|]/gu, '?');
  const folder = plain.slice(0, plain.lastIndexOf('/') + 1);
  const wanted = [...(folder === '' ? [] : [`${folder}**`]), plain];
  return wanted.find((glob) => globProblem(glob) === null && matchesGlob(glob, path)) ?? null;
}

function sizeOf(value: Json | undefined): number | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : Math.ceil(value);
  if (value === null || typeof value !== 'object' || !('bytes' in value)) return null;
  return typeof value.bytes === 'number' ? value.bytes : null;
}
