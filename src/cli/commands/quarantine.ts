import { CountersignError } from '../../base/errors.ts';
import { display } from '../../model/display.ts';
import type { OwnerPort, QuarantineView, WorkspaceStatus } from '../../model/owner-port.ts';
import { UsageError } from '../args/usage-error.ts';
import { askRunningHome } from './ask-home.ts';
import type { Invocation, Run } from './command.ts';
import { around, namedDir, realOr, stateDir } from './home-at.ts';

/** Says why a workspace is in quarantine, or has it go on from what its database holds. */
export const run: Run = async (invocation) => {
  const [verb] = invocation.args.positionals;
  if (verb === 'show') return show(invocation);
  if (verb === 'leave') return leave(invocation);
  throw new UsageError('quarantine knows: show, leave (see: countersign help quarantine)');
};

async function show(invocation: Invocation): Promise<number> {
  const { args, io } = invocation;
  const view = await ask(invocation, (port, { id }) => port.quarantine({ workspace: id }));
  if (args.flag('json')) io.out(JSON.stringify(view));
  else for (const line of view === null ? ['There is no quarantine here.'] : linesOf(view)) io.out(line);
  return 0;
}

async function leave(invocation: Invocation): Promise<number> {
  const { args, io } = invocation;
  const status = await ask(invocation, (port, { id }) => port.leaveQuarantine({ workspace: id }));
  if (args.flag('json')) io.out(JSON.stringify(status));
  else {
    io.out('Out of quarantine. Nothing that was approved before counts any more: everything undecided is asked again.');
    io.out('What had begun and is not known is in doubt. Look whether it happened, and settle it: countersign queue');
  }
  return 0;
}

async function ask<T>(
  invocation: Invocation,
  question: (port: OwnerPort, workspace: WorkspaceStatus) => Promise<T>,
): Promise<T> {
  const dir = await realOr(namedDir(invocation));
  return askRunningHome(stateDir(invocation), async (port) => {
    const found = around((await port.status()).workspaces, dir);
    if (found === undefined)
      throw new CountersignError('not-found', `No workspace is guarded at ${dir}; start with: countersign up`);
    return question(port, found);
  });
}

function linesOf({ doubtful, why }: QuarantineView): readonly string[] {
  const known = doubtful.map(({ attempt, known: action, seq }) => {
    const what = action === null ? 'nothing else is known of it' : display(action.title, { maxChars: 120 }).text;
    return `  #${seq}, attempt ${attempt}: ${what}`;
  });
  return [
    `In quarantine, nothing is queued, decided or applied: ${display(why, { maxChars: 400 }).text}`,
    ...(known.length === 0
      ? ['Nothing is known to be in doubt.']
      : ['It had begun, and what became of it is not known:']),
    ...known,
    'If a newer backup of the state folder exists, put it back. Else go on with: countersign quarantine leave',
  ];
}
