import { CountersignError } from '../../base/errors.ts';
import { display } from '../../model/display.ts';
import type { ActionDetail, StandingView } from '../../model/owner-port.ts';
import { covers } from '../../model/rule-match.ts';
import { ruleText, type RuleKind } from '../../model/rule-text.ts';
import { RULE_LIMITS, type RuleWish } from '../../model/rules.ts';
import { numberFlag } from '../args/parse.ts';
import { durationMs, testsOf } from '../args/rule-args.ts';
import { UsageError } from '../args/usage-error.ts';
import { rulesLines, kindLines } from '../terminal/standing-view.ts';
import type { Invocation, Run } from './command.ts';
import { openSource } from './open-source.ts';
import { screenOf } from './screen.ts';
import { settle } from './setting.ts';
import type { Source } from './source.ts';

/** Letters a shortened id needs, prefix included: fewer would be a guess. */
const PREFIX_MIN = 6;
/** Queued actions that a new rule is held against before it is signed. */
const SHOWN_MAX = 50;

/** Standing permissions: what is in force, what can be, one more, one less. */
export const run: Run = async (invocation) => {
  const [verb, ref, more] = invocation.args.positionals;
  if (more !== undefined || (verb === 'rm') !== (ref !== undefined) || !VERBS.has(verb ?? ''))
    throw new UsageError('rules knows: ls, catalogue, add --kind TAG, rm ID (see: countersign help rules)');
  const source = await openSource(invocation);
  try {
    const standing = await source.standing();
    if (verb === 'add') return await add(invocation, source, standing);
    if (verb === 'rm' && ref !== undefined) return await remove(invocation, source, ref, standing);
    return list(invocation, verb === 'catalogue', standing);
  } finally {
    await source.close();
  }
};

const VERBS: ReadonlySet<string> = new Set(['ls', 'catalogue', 'add', 'rm']);

function list({ args, io }: Invocation, catalogue: boolean, { kinds, rules }: StandingView): number {
  if (args.flag('json')) for (const each of catalogue ? kinds : rules) io.out(JSON.stringify(each));
  else for (const line of catalogue ? kindLines(kinds) : rulesLines(rules, screenOf(io))) io.out(line);
  return 0;
}

async function add(invocation: Invocation, source: Source, { kinds }: StandingView): Promise<number> {
  const { args, io } = invocation;
  const tag = args.text('kind');
  if (tag === undefined) throw new UsageError('rules add needs --kind TAG (see: countersign rules catalogue)');
  const kind = kinds.find((each) => each.tag === tag);
  if (kind === undefined)
    throw new CountersignError(
      'not-found',
      `Nothing that is installed makes actions of the kind ${JSON.stringify(tag.slice(0, 60))}; see: countersign rules catalogue`,
    );
  const wish = wishOf(invocation, kind);
  if (!(await confirmed(invocation, source, kind, wish))) {
    io.note('No rule was made.');
    return 1;
  }
  const { forMs, usesMax, where, ...said } = wish;
  const body = {
    ...said,
    where: where.map((test) => ({ ...test })),
    ...(forMs === null ? {} : { forMs }),
    ...(usesMax === null ? {} : { usesMax }),
  };
  return settle(invocation, source, { kind: 'rule.add', body, id: tag, done: `In force: ${display(wish.text).text}` });
}

function wishOf({ args }: Invocation, kind: RuleKind): RuleWish {
  const forMs = durationMs(args.text('expires'));
  if (forMs !== null && forMs > RULE_LIMITS.forMsMax) throw new UsageError('--expires: a rule holds a year at most');
  const usesMax = numberFlag(args, 'max', { min: 1, max: RULE_LIMITS.usesMax }) ?? null;
  const where = testsOf(args.list('where'), kind.fields);
  return {
    kind: kind.tag,
    toolDigest: kind.toolDigest,
    where,
    forMs,
    usesMax,
    text: ruleText(kind, { where, forMs, usesMax }),
  };
}

/** The rule in the words that are signed, and what is queued that it covers: a person at a terminal says yes to both. */
async function confirmed({ args, io }: Invocation, source: Source, kind: RuleKind, wish: RuleWish): Promise<boolean> {
  if (args.flag('json') || args.flag('yes') || !io.interactive) return true;
  io.note(display(wish.text, { maxChars: 4_096 }).text);
  const queued = (await source.queue({ all: false })).filter((row) => row.kind === kind.tag && row.state === 'pending');
  const details = await Promise.all(queued.slice(0, SHOWN_MAX).map(({ id }) => source.show(id)));
  const covered = details.filter((detail) => isCovered(detail, kind, wish));
  io.note(
    covered.length === 0 ? 'Nothing that is queued now is covered by it.' : 'Covered by it, of what is queued now:',
  );
  for (const { row } of covered) io.note(`  #${row.seq} ${display(row.title).text}`);
  if (queued.length > SHOWN_MAX) io.note(`  (${queued.length - SHOWN_MAX} more of this kind were not looked at)`);
  return io.confirm('Make this rule?');
}

function isCovered({ action, row }: ActionDetail, kind: RuleKind, wish: RuleWish): boolean {
  const card = { title: '', target: '', fields: kind.fields };
  return row.verdict.autoApprovable && row.reversible && covers(wish, { content: action.content, card });
}

async function remove(invocation: Invocation, source: Source, ref: string, { rules }: StandingView): Promise<number> {
  const found = rules.filter(({ id }) => id === ref || (ref.length >= PREFIX_MIN && id.startsWith(ref)));
  const [only] = found;
  if (only === undefined || found.length > 1)
    throw new CountersignError(
      'not-found',
      `${JSON.stringify(ref.slice(0, 60))} names no rule; see: countersign rules ls`,
    );
  const { id: rule } = only;
  return settle(invocation, source, { kind: 'rule.remove', body: { rule }, id: rule, done: 'The rule is removed.' });
}
