import type { DeviceRow, HomeStatus, StandingView, WorkspaceStatus } from '../../model/owner-port.ts';
import { display } from '../../model/display.ts';
import { standingLines } from '../terminal/standing-view.ts';
import type { Screen } from '../terminal/style.ts';
import type { Run } from './command.ts';
import { stateDir } from './home-at.ts';
import { askHome } from './ask-home.ts';
import { screenOf } from './screen.ts';

/** Says what runs and for whom; exit code 1 when no home runs. */
export const run: Run = async (invocation) => {
  const { args, io } = invocation;
  const state = stateDir(invocation);
  const found = await askHome(state, async (port) => {
    const status = await port.status();
    const standings = status.workspaces.map(async ({ id }) => [id, await port.standing({ workspace: id })] as const);
    return { status, devices: await port.devices(), standings: new Map(await Promise.all(standings)) };
  });
  if (args.flag('json')) {
    const json = found === undefined ? { running: false, stateDir: state } : { running: true, ...found.status };
    const set = found && { devices: found.devices, standing: Object.fromEntries([...found.standings].map(shortened)) };
    io.out(JSON.stringify({ ...json, ...set }));
  } else {
    for (const line of found === undefined ? ['No home runs.'] : linesOf(found, screenOf(io))) io.out(line);
  }
  return found === undefined ? 1 : 0;
};

function relayLine({ relay, relayUrl }: HomeStatus): string {
  const where = relay.embedded ? 'inside this home' : relayUrl;
  return `${where}, ${relay.connected ? 'connected' : 'not connected'}${relay.trouble === null ? '' : `: ${relay.trouble}`}`;
}

function sessionLines(session: WorkspaceStatus['sessions'][number]): readonly string[] {
  const { client, level, nearlyFull, wakes } = session;
  // Where its host can wake it there is nothing to say: it hears by itself.
  const hears = wakes ? '' : ' · hears of decisions at its next call';
  return [
    `  ${display(client, { maxChars: 80 }).text} · ${level} · connected${hears}`,
    ...(nearlyFull === null ? [] : [`    ${nearlyFull}`]),
  ];
}

function devicesLine(devices: readonly DeviceRow[]): readonly string[] {
  const online = devices.filter((device) => device.online === true);
  const names = online.map(({ nickname }) => display(nickname, { maxChars: 40 }).text);
  return [`Devices: ${devices.length}, ${names.length === 0 ? 'none online' : `online: ${names.join(', ')}`}`];
}

/** What there is to set rules for is a list of its own: `rules catalogue`. */
function shortened([id, { kinds: _, ...standing }]: readonly [string, StandingView]) {
  return [id, standing] as const;
}

interface Found {
  readonly status: HomeStatus;
  readonly devices: readonly DeviceRow[];
  readonly standings: ReadonlyMap<string, StandingView>;
}

function linesOf({ devices, standings, status }: Found, screen: Screen): readonly string[] {
  const standingOf = (id: string): readonly string[] => {
    const standing = standings.get(id);
    return standing === undefined ? [] : standingLines(standing, screen);
  };
  return [
    `Home ${status.homeId} runs as process ${status.pid} (version ${status.version}, state ${status.stateDir}).`,
    ...(status.mcpUrl === null ? [] : [`Agents over HTTP: ${status.mcpUrl}`]),
    `Panel: ${status.panelUrl} (a new browser needs a link: countersign panel)`,
    `Relay: ${relayLine(status)}`,
    ...devicesLine(devices),
    ...status.workspaces.flatMap((workspace) => [
      `${workspace.root}: ${workspace.open} open${workspace.quarantine === null ? '' : `, in quarantine: ${workspace.quarantine}`}`,
      ...standingOf(workspace.id).map((line) => `  ${line}`),
      ...(workspace.moved === null ? [] : [`  ${workspace.moved.why} See: countersign queue`]),
      ...workspace.sessions.filter(({ connected }) => connected).flatMap(sessionLines),
    ]),
  ];
}
