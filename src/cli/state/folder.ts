import { chmod, lstat, mkdir, readdir, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { CountersignError } from '../../base/errors.ts';
import { codeOf, wordsOf } from './node-errors.ts';

/** Where things stand in a state folder. Everything below it is 0700 and 0600. */
export interface StateFolder {
  /** Real, absolute path. */
  readonly dir: string;
  readonly homeKey: string;
  readonly cliKey: string;
  readonly homeJournal: string;
  readonly deviceStore: string;
  readonly doors: string;
  /** What an agent's HTTP client must carry, as text. */
  readonly agentToken: string;
  /** The port of this home's HTTP server: agents are configured with it, and panels live at it. */
  readonly port: string;
  /** The relay that was named with `--relay`, and its token; and what the embedded one keeps. */
  readonly relayUrl: string;
  readonly relayToken: string;
  readonly relayData: string;
  readonly log: string;
  workspace(id: string): string;
}

export interface StatePlace {
  /** `--state`. */
  readonly flag: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly homeDir: string;
  readonly cwd: string;
}

/** The state folder's path: `--state`, `$COUNTERSIGN_STATE`, else where the platform keeps such things. */
export function stateDirOf(place: StatePlace): string {
  const named = place.flag ?? place.env['COUNTERSIGN_STATE'];
  if (named !== undefined && named !== '') return resolve(place.cwd, named);
  if (place.platform === 'darwin') return join(place.homeDir, 'Library', 'Application Support', 'countersign');
  if (place.platform === 'win32') {
    return join(place.env['LOCALAPPDATA'] ?? join(place.homeDir, 'AppData', 'Local'), 'countersign');
  }
  const xdg = place.env['XDG_STATE_HOME'];
  // The XDG base directory specification: a relative path is to be ignored.
  const base = xdg !== undefined && isAbsolute(xdg) ? xdg : join(place.homeDir, '.local', 'state');
  return join(base, 'countersign');
}

/** Creates the state folder when it is missing, and refuses one that others could read or own. */
export async function openStateFolder(dir: string): Promise<StateFolder> {
  await makePrivateDir(dir);
  return layout(await realpath(dir));
}

/** The same for a reader: `undefined` when there is no state folder yet. */
export async function findStateFolder(dir: string): Promise<StateFolder | undefined> {
  try {
    await checkPrivateDir(dir);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  return layout(await realpath(dir));
}

/** Creates a 0700 folder, parents included, or checks the one that is there. */
export async function makePrivateDir(dir: string): Promise<void> {
  try {
    await makeDirs(dir);
    // An empty folder someone made by hand holds no secret yet: it may be closed for them.
    if ((await lstat(dir)).isDirectory() && (await readdir(dir)).length === 0) await chmod(dir, 0o700);
  } catch (cause) {
    throw new CountersignError('storage', `The state folder ${dir} cannot be used: ${wordsOf(cause)}.`, { cause });
  }
  await checkPrivateDir(dir);
}

/** One folder at a time: on a virtual file system such as /proc the recursive call of Node never ends. */
async function makeDirs(dir: string): Promise<void> {
  try {
    await mkdir(dir, { mode: 0o700 });
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST') return;
    const parent = dirname(dir);
    if (code !== 'ENOENT' || parent === dir || (await isThere(parent))) throw error;
    await makeDirs(parent);
    await mkdir(dir, { mode: 0o700 });
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

async function checkPrivateDir(dir: string): Promise<void> {
  const found = await lstat(dir);
  if (!found.isDirectory()) throw new CountersignError('denied', `The state folder ${dir} is not a folder.`);
  if (process.getuid === undefined) return; // Windows: the profile's own access list guards it.
  if (found.uid !== process.getuid()) {
    throw new CountersignError('denied', `The state folder ${dir} belongs to another user.`);
  }
  if ((found.mode & 0o077) !== 0) {
    const mode = (found.mode & 0o777).toString(8);
    throw new CountersignError(
      'denied',
      `The state folder ${dir} is open to others (mode ${mode}); run: chmod 700 ${dir}`,
    );
  }
}

function layout(dir: string): StateFolder {
  return {
    dir,
    homeKey: join(dir, 'home.key'),
    cliKey: join(dir, 'cli.key'),
    homeJournal: join(dir, 'home'),
    deviceStore: join(dir, 'device', 'device.db'),
    doors: join(dir, 'doors'),
    agentToken: join(dir, 'agent.token'),
    port: join(dir, 'mcp.port'),
    relayUrl: join(dir, 'relay.url'),
    relayToken: join(dir, 'relay.token'),
    relayData: join(dir, 'relay'),
    log: join(dir, 'home.log'),
    workspace: (id) => join(dir, 'workspaces', id),
  };
}
