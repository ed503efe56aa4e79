import type { RuleRow, StandingView } from '../../model/owner-port.ts';
import type { RuleKind } from '../../model/rule-text.ts';
import { isTestable } from '../../model/rules.ts';
import { seen } from './seen.ts';
import type { Screen } from './style.ts';
import { wrapWords } from './width.ts';
import { ageText, counted } from './words.ts';

/** What people have set, before the queue it rules over; nothing where nothing is set. */
export function standingLines(
  { hostPlans, mode, modeBy, pauses, rules }: StandingView,
  { nowMs }: Screen,
): readonly string[] {
  return [
    ...(mode === 'plan'
      ? [`Plan mode is on, set by ${name(modeBy)}: nothing is queued, nothing begins. To end it: countersign mode act`]
      : []),
    ...hostPlans.map((id) => `Session ${id.slice(0, 8)}… is in plan mode by its host.`),
    ...pauses.map(({ atMs, by, session }) => {
      const what = session === null ? 'The workspace' : `Session ${session.slice(0, 8)}…`;
      const resume = `countersign resume${session === null ? '' : ` --session ${session}`}`;
      return `${what} is paused by ${name(by)}, ${ageText(atMs, nowMs)}: nothing begins. To go on: ${resume}`;
    }),
    ...(rules.length === 0 ? [] : [`${counted(rules.length, 'rule')} in force (see: countersign rules ls).`]),
  ];
}

export function rulesLines(rules: readonly RuleRow[], { columns, nowMs, style }: Screen): readonly string[] {
  if (rules.length === 0) return ['No rule is in force: every action waits for a person.'];
  return rules.flatMap(({ addedAtMs, by, expiresAtMs, id, text, uses, usesMax }) => {
    const ends = expiresAtMs === null ? '' : `, until ${new Date(expiresAtMs).toISOString()}`;
    const used = usesMax === null ? counted(uses, 'use') : `${uses} of ${counted(usesMax, 'use')}`;
    return [
      `${style.bold(id)} ${style.dim(`${name(by)}, ${ageText(addedAtMs, nowMs)}${ends} · ${used}`)}`,
      ...wrapWords(seen(text, { maxChars: 4_096 }), (columns ?? Infinity) - 2).map((line) => `  ${line}`),
    ];
  });
}

/** What rules can be about, and which fields they can test. */
export function kindLines(kinds: readonly RuleKind[]): readonly string[] {
  return kinds.map(({ fields, label, tag }) => {
    const tested = fields.filter(isTestable);
    const names = tested.map(({ as, label: field }) => `${seen(field, { maxChars: 40 })} (${as})`);
    const where = names.length === 0 ? 'no field to narrow it by' : `--where ${names.join(', ')}`;
    return `${seen(tag, { maxChars: 80 })}  ${seen(label, { maxChars: 80 })}  ${where}`;
  });
}

function name(by: string | null): string {
  return by === null ? 'the runtime' : seen(by, { maxChars: 40 });
}
