import type { ActionDetail, RevertPlanShown } from '../../model/owner-port.ts';
import { display } from '../../model/display.ts';
import type { Asked } from '../device/gestures.ts';
import type { Invocation } from './command.ts';

/**
 * What a revert takes back besides what was named (CA-4): shown whole, and signed by its hash when a person said yes to
 * it, or when `--yes` or `--plan HASH` did. `undefined`: that person said no.
 */
export async function withPlan(
  { args, io }: Invocation,
  asked: Asked,
  details: readonly ActionDetail[],
): Promise<Asked | undefined> {
  if (asked.kind !== 'revert') return asked;
  const hash = args.text('plan');
  if (hash !== undefined) return { ...asked, body: { planHash: hash } };
  const named = new Set(details.map(({ row }) => row.id));
  const plans = details.flatMap(({ revertPlan }) => revertPlan ?? []);
  const first = plans.find(({ steps }) => steps.some(({ id }) => !named.has(id)));
  // Where more was named than one action its list is not the whole one: the runtime says what is missing.
  if (first === undefined || details.length > 1) return asked;
  if (args.flag('json')) return args.flag('yes') ? signed(asked, first) : asked;
  for (const line of linesOf(first)) io.note(line);
  if (!args.flag('yes')) io.note(`Confirm exactly this list with --plan ${first.hash}`);
  const yes = args.flag('yes') || (io.interactive && (await io.confirm('Revert all of it?')));
  // A script that has not said yes is answered by the runtime, with the list in a sentence.
  if (yes || !io.interactive) return yes ? signed(asked, first) : asked;
  return undefined;
}

function signed(asked: Asked, { hash }: RevertPlanShown): Asked {
  return { ...asked, body: { planHash: hash } };
}

function linesOf({ inTheWay, steps }: RevertPlanShown): readonly string[] {
  return [
    `This takes back ${steps.length} actions, in this order:`,
    ...steps.map(
      ({ feasible, seq, title, why }) => `  #${seq} ${display(title).text}${feasible ? '' : ` (cannot be: ${why})`}`,
    ),
    ...inTheWay.map(({ seq, state }) => `Not now: #${seq}, which needs one of them, is ${state}.`),
  ];
}
