import type { Json, JsonObject } from '../base/canonical-json.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { Action } from '../model/action.ts';
import type { ActionContent } from '../model/content.ts';
import type { ActionId } from '../model/ids.ts';
import { printReference, referencesIn, referencesInText, type Reference } from '../model/reference.ts';
import type { StagedWriter } from '../overlay/tracked.ts';
import type { Core } from './core.ts';
import { carriedBy, valueOf, withValues } from './resolve.ts';
import type { Session } from './session.ts';

/**
 * A call's arguments as the present world has them (SM-4): what has been made meanwhile stands there under its real
 * name, what is still to be made under its reference. An error is the sentence that the agent gets.
 */
export function presentArguments(core: Core, session: Session, args: unknown): Result<unknown> {
  if (!core.mintsReferences) return ok(args);
  // reason: calls enter through doors that carry JSON, and what is made of them is encoded before it is kept
  const said = args as Json;
  const values = new Map<string, string>();
  for (const reference of referencesIn(said ?? null)) {
    const value = presentOf(core, session, reference);
    if (!value.ok) return value;
    if (value.value !== null) values.set(printReference(reference), value.value);
  }
  if (namesHold(said ?? null)) return err('A reference can be a value, and never the name of one.');
  return ok(values.size === 0 ? args : withValues(said, values));
}

/** Marks what the writer's action carries, so that it needs what makes that. */
export function carry(core: Core, session: Session, content: ActionContent, writer: StagedWriter): void {
  if (!core.mintsReferences) return;
  for (const { maker } of carriedBy(content, (hash) => writer.blob(hash))) {
    const action = core.state.open(maker);
    if (action !== undefined && isOwn(session, action)) writer.carry(maker);
  }
}

/** What stands for it now; `null` while it is still to be made. */
function presentOf(core: Core, session: Session, { maker, output }: Reference): Result<string | null> {
  const action = core.action(maker);
  if (action === undefined || !isOwn(session, action) || !declares(core, action, output))
    return err(`${printReference({ maker, output })} stands for nothing that this session makes.`);
  if (action.state === 'applied') return valueOf(core, action, output);
  if (action.state === 'rejected' || action.state === 'reverted')
    return err(`#${action.seq} was ${action.state}: there is nothing that ${nameOf(maker, output)} could stand for.`);
  return ok(null);
}

function nameOf(maker: ActionId, output: string): string {
  return printReference({ maker, output });
}

function isOwn(session: Session, action: Action): boolean {
  return action.lineage.root === session.record.root;
}

function declares(core: Core, action: Action, output: string): boolean {
  return Object.hasOwn(core.surfaceOf(action)?.outputs ?? {}, output);
}

function namesHold(value: Json): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.some((item: Json) => namesHold(item));
  // reason: Array.isArray does not narrow readonly arrays away
  return Object.entries(value as JsonObject).some(
    ([name, member]) => referencesInText(name).length > 0 || namesHold(member),
  );
}
