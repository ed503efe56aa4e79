import { CountersignError } from '../../base/errors.ts';
import type { HomeStatus, OwnerPort, PanelLink, WorkspaceStatus } from '../../model/owner-port.ts';
import { RIGHTS } from '../../model/decision.ts';
import { numberFlag, wordFlag } from '../args/parse.ts';
import { UsageError } from '../args/usage-error.ts';
import { connectOwner } from '../home/connect-owner.ts';
import { startDetached } from '../home/detach.ts';
import { parseRelayChoice, type RelayChoice } from '../home/relay-choice.ts';
import { lastWords } from '../home/home.ts';
import { mcpUrlFor } from '../home/mcp-url.ts';
import { startHome, type RunningHome } from '../home/start-home.ts';
import { systemClock } from '../home/system.ts';
import { builtPanelDir } from '../http/panel-files.ts';
import { SETUP_AGENTS } from '../setup/facts.ts';
import { setupGuide } from '../setup/guide.ts';
import { setupText } from '../setup/text.ts';
import { findStateFolder, openStateFolder, type StateFolder } from '../state/folder.ts';
import { identify } from '../state/workspace-place.ts';
import type { Invocation, Run } from './command.ts';
import { namedDir, refuseNestedState, stateDir } from './home-at.ts';
import { setupFacts } from './setup-facts.ts';

/** How often, and how many milliseconds apart, a home that is just starting is looked for. */
const START_TRIES = 100;
const START_LOOK_MS = 100;

interface Wish {
  readonly dir: string;
  readonly adopt: boolean;
  readonly exclusive: boolean;
}

/** Guards a folder: in the home that runs, or in one that this process becomes. */
export const run: Run = async (invocation) => {
  const { args } = invocation;
  const port = numberFlag(args, 'port', { min: 0, max: 65_535 });
  const cliRight = wordFlag(args, 'cli-right', RIGHTS);
  const idleMinutes = numberFlag(args, 'idle-exit', { min: 1, max: 10_080 });
  const relay = relayFlag(invocation);
  const state = stateDir(invocation);
  const wish = { dir: namedDir(invocation), adopt: args.flag('adopt'), exclusive: args.flag('exclusive') };
  // Looked at first, so that a folder that cannot be guarded leaves nothing behind.
  const found = await identify(wish.dir);
  await refuseNestedState(state, found.path);
  if (await join(invocation, await findStateFolder(state), wish)) return 0;
  const folder = await openStateFolder(state);
  if (args.flag('detach')) return detach(invocation, folder, found.path);
  const idleMs = idleMinutes === undefined ? undefined : idleMinutes * 60_000;
  const start = (): Promise<RunningHome> =>
    startHome({
      folder,
      cliRight,
      port,
      relay,
      panelDir: builtPanelDir(),
      idleMs,
      log: (line) => invocation.io.note(line),
    });
  const running = await startOrJoin(start, () => join(invocation, folder, wish));
  return running === 'joined' ? 0 : serve(invocation, running, wish);
};

/** The token comes from the environment: everybody on the machine can read a command line. */
function relayFlag({ args, io }: Invocation): RelayChoice | undefined {
  const text = args.text('relay');
  const token = io.env['COUNTERSIGN_RELAY_TOKEN'];
  if (text === undefined) return undefined;
  try {
    return parseRelayChoice(text, { insecure: args.flag('insecure-relay'), token });
  } catch (error) {
    if (CountersignError.is(error)) throw new UsageError(error.message);
    throw error;
  }
}

/** Two that start at once: one becomes the home, the other waits for its door and joins it. */
async function startOrJoin(
  start: () => Promise<RunningHome>,
  joinIt: () => Promise<boolean>,
): Promise<RunningHome | 'joined'> {
  for (let tries = START_TRIES; ; tries--) {
    try {
      return await start();
    } catch (error) {
      if (!CountersignError.is(error) || error.code !== 'held-elsewhere' || tries === 0) throw error;
    }
    await new Promise<void>((resolve) => void systemClock.after(START_LOOK_MS, resolve));
    if (await joinIt()) return 'joined';
  }
}

/** Asks the running home to guard the folder, too; false when none runs. */
async function join(invocation: Invocation, folder: StateFolder | undefined, wish: Wish): Promise<boolean> {
  const port = folder === undefined ? undefined : await connectOwner(folder);
  if (port === undefined) return false;
  try {
    const workspace = await port.openWorkspace(wish);
    await sayReady(invocation, port, workspace);
    for (const flag of ['cli-right', 'relay', 'port']) {
      if (invocation.args.text(flag) !== undefined)
        invocation.io.note(`The home runs already, and keeps what it was started with: --${flag} was not looked at.`);
    }
    return true;
  } finally {
    await port.close();
  }
}

async function serve(invocation: Invocation, running: RunningHome, wish: Wish): Promise<number> {
  const stop = (): void => running.stop();
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('uncaughtException', (error) => {
    invocation.io.note(lastWords(error));
    process.exit(1);
  });
  try {
    const workspace = await running.home.openWorkspace(wish);
    await sayReady(invocation, running.home.ownerPort(), workspace);
  } catch (error) {
    running.stop();
    await running.ended;
    throw error;
  }
  await running.ended;
  process.off('SIGTERM', stop);
  process.off('SIGINT', stop);
  return 0;
}

async function detach(invocation: Invocation, folder: StateFolder, root: string): Promise<number> {
  const { args, io } = invocation;
  const texts = ['port', 'cli-right', 'idle-exit', 'relay'].flatMap((name) => {
    const text = args.text(name);
    return text === undefined ? [] : [`--${name}`, text];
  });
  const flags = ['adopt', 'exclusive', 'insecure-relay'].flatMap((name) => (args.flag(name) ? [`--${name}`] : []));
  await startDetached(folder, ['--workspace', root, ...texts, ...flags]);
  const port = await connectOwner(folder);
  if (port === undefined) throw new CountersignError('closed', 'The home ended as soon as it had started.');
  try {
    const status = await port.status();
    const workspace = status.workspaces.find((candidate) => candidate.root === root);
    if (workspace === undefined)
      throw new CountersignError('closed', 'The home started and does not guard the folder.');
    say(invocation, status, workspace, await port.panelLink({ by: 'up' }));
  } finally {
    await port.close();
  }
  if (!args.flag('json')) io.out('It runs in the background; end it with: countersign down');
  return 0;
}

async function sayReady(
  invocation: Invocation,
  port: Pick<OwnerPort, 'status' | 'panelLink'>,
  workspace: WorkspaceStatus,
): Promise<void> {
  // Whoever started us detached reads no output of ours: it goes to a file, where a secret has no place, and for an
  // agent's start there is no link at all (DC-10).
  const detached = process.send !== undefined;
  say(invocation, await port.status(), workspace, detached ? undefined : await port.panelLink({ by: 'up' }));
  if (process.send === undefined) return;
  // Our starter waits for this, and then for nothing more.
  process.send({ event: 'ready' });
  process.disconnect();
}

function say(
  { args, io }: Invocation,
  status: HomeStatus,
  workspace: WorkspaceStatus,
  link: PanelLink | undefined,
): void {
  const { homeId, pid, relayUrl } = status;
  const panelUrl = link?.url ?? status.panelUrl;
  const mcpUrl = status.mcpUrl === null ? null : mcpUrlFor(status.mcpUrl, workspace.root);
  if (args.flag('json')) {
    const { id: workspaceId, root } = workspace;
    io.out(JSON.stringify({ event: 'ready', panelUrl, relayUrl, homeId, workspaceId, pid, root, mcpUrl }));
    return;
  }
  io.out(`Guarding ${workspace.root} (${workspace.open} open, process ${pid}).`);
  if (workspace.quarantine !== null) io.note(`In quarantine, nothing is applied: ${workspace.quarantine}`);
  const facts = setupFacts({ workspaceDir: workspace.root, stateDir: status.stateDir, home: status });
  io.out('An agent works in it once it has its configuration (again, one at a time: countersign setup AGENT):');
  for (const agent of SETUP_AGENTS) io.out(`\n— ${agent} —\n${setupText(setupGuide(agent, facts)).trimEnd()}`);
  io.out('');
  if (link !== undefined) {
    io.out(`The panel, for the browser of this machine (opens once; then ${status.panelUrl} is enough): ${link.url}`);
  }
  io.out('What waits for you: countersign queue');
}
