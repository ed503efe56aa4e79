import { UsageError } from '../args/usage-error.ts';
import { isSetupAgent, SETUP_AGENTS } from '../setup/facts.ts';
import { setupGuide } from '../setup/guide.ts';
import { setupText } from '../setup/text.ts';
import { identify } from '../state/workspace-place.ts';
import type { Run } from './command.ts';
import { namedDir, stateDir } from './home-at.ts';
import { runningHome, setupFacts } from './setup-facts.ts';

/** Prints what an agent needs to work through Countersign, complete and ready to copy. */
export const run: Run = async (invocation) => {
  const { args, io } = invocation;
  const agent = args.positionals[0] ?? '';
  if (!isSetupAgent(agent))
    throw new UsageError(`setup knows ${SETUP_AGENTS.join(', ')}, not ${JSON.stringify(agent)}`);
  const { path: workspaceDir } = await identify(namedDir(invocation));
  const state = stateDir(invocation);
  const facts = setupFacts({ workspaceDir, stateDir: state, home: await runningHome(state) });
  const guide = setupGuide(agent, facts);
  io.out(args.flag('json') ? JSON.stringify(guide) : setupText(guide).trimEnd());
  return 0;
};
