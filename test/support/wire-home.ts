/** `up --json` of a home whose workspace has a wire beside its files: STATE WORKSPACE WIRE, as a process of its own. */
import { startHome } from '../../src/cli/home/start-home.ts';
import { surfacePacks } from '../../src/cli/home/surface-packs.ts';
import { openStateFolder } from '../../src/cli/state/folder.ts';
import { wirePack } from './wire-pack.ts';

const [state = '', workspace = '', wire = ''] = process.argv.slice(2);
const running = await startHome({
  folder: await openStateFolder(state),
  cliRight: undefined,
  port: 0,
  relay: undefined,
  panelDir: state,
  idleMs: undefined,
  packs: (at) => [...surfacePacks(at), wirePack(wire)],
  log: (line) => process.stderr.write(`${line}\n`),
});
await running.home.openWorkspace({ dir: workspace, adopt: false, exclusive: false });
const link = await running.home.ownerPort().panelLink({ by: 'up' });
process.stdout.write(`${JSON.stringify({ event: 'ready', panelUrl: link.url })}\n`);
process.once('SIGTERM', () => running.stop());
await running.ended;
