import type { Action } from '../../src/model/action.ts';
import { ruleText } from '../../src/model/rule-text.ts';
import type { RuleTest } from '../../src/model/rules.ts';
import type { Dice } from './contract.ts';
import type { DoorPerson } from './people.ts';
import type { Stage } from './stage.ts';
import { card } from './surface-parts.ts';

/** A person sets something for the workspace: a pause, the mode, a rule; or takes it back. */
export function setStanding(stage: Stage, person: DoorPerson, dice: Dice): string {
  const what = dice.of(stage.rates.standing);
  stage.occurred(`standing: ${what}`);
  if (what === 'pause') return setPause(stage, person, dice);
  if (what === 'mode') return person.set('mode', { mode: dice.chance(40) ? 'plan' : 'act' });
  return setRule(stage, person, dice);
}

function setPause({ chronicle }: Stage, person: DoorPerson, dice: Dice): string {
  const { pauses } = chronicle.standing;
  const [first] = pauses;
  const sessions = [...chronicle.actions.values()].map(({ action }) => action.lineage.root);
  if (first !== undefined && dice.chance(70))
    return person.set('resume', first.session === null ? {} : { session: first.session });
  const session = sessions.length > 0 && dice.chance(60) ? dice.of(sessions) : null;
  return person.set('pause', session === null ? {} : { session });
}

/** The rule on whose word it waits to be applied. */
function ruleOf(action: Action): readonly string[] {
  return action.state === 'approved' && action.by.type === 'rule' ? [action.by.rule] : [];
}

function setRule({ chronicle, rates }: Stage, person: DoorPerson, dice: Dice): string {
  const { rules } = chronicle.standing;
  const inUse = rates.fickle ? [...chronicle.actions.values()].flatMap(({ action }) => ruleOf(action)) : [];
  if (inUse.length > 0 && dice.chance(70)) return person.set('rule.remove', { rule: dice.of(inUse) });
  if (rules.length > 0 && dice.chance(40)) return person.set('rule.remove', { rule: dice.of(rules).id });
  const actions = [...chronicle.actions.values()].map(({ action }) => action.content);
  if (actions.length === 0) return 'nothing to make a rule of';
  const { kind, toolDigest, tool } = dice.of(actions);
  const pointer = tool === 'set' || tool === 'copy' ? 'name' : 'to';
  const { fields } = card(tool, pointer);
  const field = `/arguments/${pointer}`;
  const where: RuleTest[] = dice.chance(40) ? [{ is: 'text', field, equals: pointer === 'to' ? 'x' : 'a' }] : [];
  const limits = { forMs: dice.chance(30) ? 60_000 : null, usesMax: dice.chance(30) ? 1 + dice.pick(2) : null };
  const wish = { kind: kind.tag, toolDigest, where, ...limits };
  const text = ruleText({ ...kind, toolDigest, fields }, wish);
  const body = {
    kind: kind.tag,
    toolDigest,
    where,
    text,
    ...(limits.forMs === null ? {} : { forMs: limits.forMs }),
    ...(limits.usesMax === null ? {} : { usesMax: limits.usesMax }),
  };
  return person.set('rule.add', body);
}
