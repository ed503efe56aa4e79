import type { JsonObject } from '../../src/base/canonical-json.ts';
import { ruleText } from '../../src/model/rule-text.ts';
import type { RuleTest } from '../../src/model/rules.ts';
import type { StandingView } from '../../src/model/owner-port.ts';
import type { RuleId } from '../../src/model/ids.ts';
import type { Workshop } from './workshop.ts';

export interface Ruled {
  readonly kind?: string;
  readonly where?: readonly RuleTest[];
  readonly forMs?: number;
  readonly usesMax?: number;
}

/** The body of a `rule.add`, in the words that the runtime has for it. */
export function ruleBody({ kinds }: Pick<StandingView, 'kinds'>, asked: Ruled): JsonObject {
  const { forMs, kind = 'note.put', usesMax, where = [] } = asked;
  const found = kinds.find(({ tag }) => tag === kind);
  const text =
    found === undefined ? 'no such kind' : ruleText(found, { where, forMs: forMs ?? null, usesMax: usesMax ?? null });
  return {
    kind,
    toolDigest: found?.toolDigest ?? '0'.repeat(64),
    where,
    text,
    ...(forMs === undefined ? {} : { forMs }),
    ...(usesMax === undefined ? {} : { usesMax }),
  };
}

/** Makes a rule and answers its id. */
export async function addRule({ authority, person }: Workshop, asked: Ruled = {}): Promise<RuleId> {
  const before = new Set(authority.standing().rules.map(({ id }) => id));
  await person.decide({ kind: 'rule.add', ids: [], body: ruleBody(authority.standing(), asked) });
  const made = authority.standing().rules.find(({ id }) => !before.has(id));
  if (made === undefined) throw new Error('The rule is not in force.');
  return made.id;
}

/** Names that begin like this; `*` and the rest as in a path. */
export const named = (glob: string): RuleTest => ({ is: 'path', field: '/arguments/name', glob });
